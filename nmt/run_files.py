"""The names of the files in a run's folder."""

from __future__ import annotations

from pathlib import Path

CONFIG, LOG, METRICS = "config.yaml", "train.log", "metrics.json"
CHECKPOINTS, ATTENTION = "checkpoints", "attention"


def checkpoint_folder(folder: Path) -> Path:
    """Return the folder of the checkpoints of the run in `folder`."""
    return folder / CHECKPOINTS


def last_checkpoint(folder: Path) -> Path:
    """Return the file with the whole state of training."""
    return checkpoint_folder(folder) / "last.ckpt"


def best_checkpoint(folder: Path) -> Path:
    """Return the file with the weights to translate with."""
    return checkpoint_folder(folder) / "best.ckpt"


def recent_checkpoint(folder: Path, update: int) -> Path:
    """Return the file with the weights that were validated after `update`, kept for averaging."""
    return checkpoint_folder(folder) / f"recent-{update}.ckpt"


def recent_updates(folder: Path) -> list[int]:
    """Return the updates whose weights are kept for averaging, oldest first."""
    return sorted(int(path.stem.partition("-")[2]) for path in checkpoint_folder(folder).glob("recent-*.ckpt"))


def run_of(checkpoint: Path) -> Path:
    """Return the run folder of a checkpoint, or the folder of the file if it is not in a folder of checkpoints."""
    folder = checkpoint.resolve().parent
    return folder.parent if folder.name == CHECKPOINTS else folder


def sample_map(folder: Path) -> Path | None:
    """Return the attention map of the first validation sentence, or None if the run in `folder` has written none."""
    return min((folder / ATTENTION).glob("*.json"), default=None)
