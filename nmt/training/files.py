"""The files that training writes into a run's folder."""

from __future__ import annotations

from pathlib import Path

METRICS = "metrics.json"


def checkpoint_folder(folder: Path) -> Path:
    """Return the folder of the checkpoints of the run in `folder`."""
    return folder / "checkpoints"


def last_checkpoint(folder: Path) -> Path:
    """Return the file with the whole state of training."""
    return checkpoint_folder(folder) / "last.ckpt"


def best_checkpoint(folder: Path) -> Path:
    """Return the file with the weights to translate with."""
    return checkpoint_folder(folder) / "best.ckpt"


def recent_checkpoint(folder: Path, update: int) -> Path:
    """Return the file with the weights that were validated after `update`, kept for averaging."""
    return checkpoint_folder(folder) / f"recent-{update}.ckpt"
