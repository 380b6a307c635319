"""The names of the files in a run's folder, and the checkpoint that a path names."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from nmt.errors import UserError, printable

CONFIG, LOG, METRICS, HISTORY = "config.yaml", "train.log", "metrics.json", "history.jsonl"
CHECKPOINTS, ATTENTION, TRANSLATIONS = "checkpoints", "attention", "translations"
EXPORTED = "export.json"  # in the folder of an exported model
BEST, LAST = "best.safetensors", "last.ckpt"  # in the folder of checkpoints

# Bytes of a file with weights (2.5 billion in float32), and of a tokenizer (1,000,000 pieces have 20 MB)
MAX_WEIGHTS, MAX_TOKENIZER = 10_000_000_000, 64_000_000

_EXPECTED = "a run folder (outputs/NAME/TIME) or a .safetensors file"


def last_checkpoint(folder: Path) -> Path:
    """Return the file with the complete state of training."""
    return folder / CHECKPOINTS / LAST


def best_checkpoint(folder: Path) -> Path:
    """Return the file with the weights to translate with."""
    return folder / CHECKPOINTS / BEST


def recent_checkpoint(folder: Path, update: int) -> Path:
    """Return the file with the weights that were validated after `update`, kept for averaging."""
    return folder / CHECKPOINTS / f"recent-{update}.safetensors"


def recent_updates(folder: Path) -> list[int]:
    """Return the updates whose weights are kept for averaging, oldest first. A user's copy of a file is ignored."""
    names = (path.stem.removeprefix("recent-") for path in (folder / CHECKPOINTS).glob("recent-*.safetensors"))
    return sorted(int(name) for name in names if name.isdecimal())


def run_of(checkpoint: Path) -> Path:
    """Return the run folder of a checkpoint, or the folder of the file if it is not in a folder of checkpoints."""
    folder = checkpoint.absolute().parent
    return folder.parent if folder.name == CHECKPOINTS else folder


def find_checkpoint(path: str | Path, key: str = "ckpt") -> Path:
    """Return the checkpoint file that `path` names: the file itself, or the best one of a run folder.

    Raises UserError if no such file exists. `key` is the setting that the message names.
    """
    path = Path(os.path.expanduser(path))
    if path.is_file():
        return path
    if not path.exists():
        raise UserError(f"{key}={path}: no such file or folder, expected {_EXPECTED}")
    best = best_checkpoint(path)
    if not best.is_file():
        stopped = last_checkpoint(path).is_file()
        again = f"; it stopped before its first validation (python train.py resume={path} continues it)" * stopped
        again += "; it is an exported model: name the run that was exported" * is_exported(path)
        raise UserError(f"{key}={path}: it has no {CHECKPOINTS}/{BEST}, expected {_EXPECTED}{again}")
    return best


def is_exported(path: str | Path) -> bool:
    """Return whether `path` is the folder of an exported model."""
    return (Path(os.path.expanduser(path)) / EXPORTED).is_file()


def inside(folder: Path, *names: str) -> Path:
    """Return the path of a file that is read or written below `folder`; all but the last of `names` are folders.

    A stranger may have chosen the stored values that the names are made of. So this raises UserError for a name that
    leads out of its folder or that a terminal cannot show.
    """
    for name in names:
        if name in ("", ".", "..") or Path(name).name != name or name != printable(name):
            raise UserError(f"{folder}: got {name!r} as a part of a file's name, expected a plain name without / or ..")
    return folder.joinpath(*names)


def require_regular(path: Path, most: int) -> None:
    """Raise ValueError unless `path` is a regular file of at most `most` bytes.

    Every file of a stranger is checked here before it is opened. To open a pipe would wait for ever, and a file can
    have terabytes although it takes no place on the disk. The text of the error does not name the path.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("a folder, pipe or device")
    if found.st_size > most:
        raise ValueError(f"more than {most // 1_000_000:,} MB")
