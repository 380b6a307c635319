"""The file last.ckpt: the whole state of a training, as Lightning and torch write it.

It is for one's own runs. Loading executes no code from the file, but a file that somebody made for it can need much
memory or end in an error: resume only runs of your own. To give a model away there is the checkpoint
(`nmt.checkpoint`), which is safe to load.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, one_line
from nmt.system.atomic import replacing

FORMAT = 3
FIELDS = {"format": int, "config": dict, "tokenizer": dict, "update": int}  # of the entry `nmt`
MARK = b"PK\x03\x04"  # the first bytes of a zip file, which torch writes


def described(config: Mapping[str, Any], tokenizer: Tokenizer, update: int) -> dict[str, Any]:
    """Return the entry `nmt` of a state: what is needed to make the parts of the run again."""
    models = {"source": tokenizer.source_model, "target": tokenizer.target_model}
    return {"format": FORMAT, "config": dict(config), "tokenizer": models, "update": update}


def stored_tokenizer(state: Mapping[str, Any]) -> Tokenizer:
    """Return the tokenizer in a state that `load_state` returned. Raises UserError if it is damaged."""
    models = state["nmt"]["tokenizer"]
    return Tokenizer(models["source"], models["target"])


def save_state(payload: Mapping[str, Any], path: Path) -> None:
    """Write `payload` to `path` completely or not at all. The file is checked before it replaces `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        try:
            torch.save(dict(payload), file)
        except RuntimeError as error:  # if a write fails, torch hides the OSError with the cause
            raise (error.__context__ if isinstance(error.__context__, OSError) else error) from None
        file.flush()
        with zipfile.ZipFile(file.name) as archive:
            broken = archive.testzip()
        if broken is not None:
            raise OSError(f"the file was damaged while it was written (in {broken})")


def load_state(path: Path) -> dict[str, Any]:
    """Return what `save_state` wrote, with tensors on the CPU. No code in the file is executed.

    Raises UserError if the file is damaged or does not hold the state of a training. Raises OSError if it cannot be
    read.
    """
    problem = _damage(path)
    if problem is not None:
        raise UserError(f"{path}: damaged ({problem}); use another copy, or start the run again")
    try:
        payload = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many types of exceptions for other files
        found = re.search(r"GLOBAL (\S+)", str(error))
        reason = f"it names {found[1]}" if found else type(error).__name__
        raise UserError(f"{path}: cannot be read safely ({reason}); use another copy") from error
    about = payload.get("nmt") if isinstance(payload, dict) else None
    if not isinstance(about, dict) or not all(type(about.get(name)) is kind for name, kind in FIELDS.items()):
        raise UserError(f"{path}: it does not hold the state of a training; restore the run's own {path.name}")
    if about["format"] != FORMAT:
        raise UserError(f"{path}: got format {about['format']}, expected {FORMAT}; use the version that wrote the file")
    return dict(payload)


@contextmanager
def restoring(folder: Path, *, ended: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn an error in the block into a UserError that blames last.ckpt, because its state may hold anything.

    An error that comes after the state has been used stays as it is; `ended` returns whether that is so.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        if isinstance(error, UserError | torch.OutOfMemoryError) or ended():
            raise
        raise UserError(
            f"resume={folder}: the state in its last.ckpt cannot be restored ({type(error).__name__}: "
            f"{one_line(error)[:200]}); restore the run's own last.ckpt, or start a new run"
        ) from error


def _damage(path: Path) -> str | None:
    """Check the bytes of a file that torch.save wrote. It does not compress, so no part is larger than its bytes."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(MARK)) != MARK:
            return "not a file of torch, or an incomplete one"
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                if any(each.compress_type != zipfile.ZIP_STORED for each in members):
                    return "its content is compressed"
                if sum(each.file_size for each in members) > size:
                    return "its parts are larger than the file"
                broken = archive.testzip()
        except Exception as error:  # zipfile raises many types of exceptions for damaged headers
            return one_line(error)[:200] or type(error).__name__
    return None if broken is None else f"{broken} does not match its checksum"
