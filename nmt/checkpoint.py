"""The content of a checkpoint, and how it is saved, loaded and averaged.

A checkpoint is a dict of plain values and tensors. `state_dict` holds the weights, whose names begin with "model.".
`nmt` holds everything needed to use the weights: `format`, `config` (resolved, plain), `tokenizer` (with the bytes of
the SentencePiece models), `scores` and `update`. `last.ckpt` also holds Lightning's training state.

Loading a checkpoint does not execute code from the file. Saving never leaves a half-written file.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nmt.atomic import replacing
from nmt.build import build_model
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.run_files import best_checkpoint

FORMAT = 2
PREFIX = "model."


@dataclass(frozen=True)
class LoadedModel:
    """A model in evaluation mode, with its tokenizer, plain config and checkpoint file.

    `scores` are those when it was saved, after `update` updates.
    """

    model: Seq2Seq
    tokenizer: Tokenizer
    config: dict[str, Any]
    scores: dict[str, Any]
    update: int
    path: Path


def describe(config: Mapping[str, Any], tokenizer: Tokenizer, scores: Mapping[str, Any], update: int) -> dict[str, Any]:
    """Return the entry `nmt` of a checkpoint."""
    return {
        "format": FORMAT,
        "config": dict(config),
        "tokenizer": tokenizer.to_state(),
        "scores": dict(scores),
        "update": update,
    }


def with_prefix(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights with the names that they have in a checkpoint."""
    return {PREFIX + name: value for name, value in weights.items()}


def save(payload: Mapping[str, Any], path: Path) -> None:
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
            raise OSError(f"the checkpoint was damaged while it was written (in {broken})")


def find_checkpoint(path: str | Path) -> Path:
    """Return the checkpoint file that `path` names: the file itself, or the best one of a run folder.

    Raises UserError if no such file exists.
    """
    path = Path(os.path.expanduser(path))
    if path.is_file():
        return path
    if not path.exists():
        raise UserError(f"ckpt={path}: no such file or folder; give a run folder (outputs/NAME/TIME) or a .ckpt file")
    inside = best_checkpoint(path)
    if not inside.is_file():
        raise UserError(
            f"ckpt={path}: not a run folder with a finished checkpoint: it has no {inside.relative_to(path)}; "
            "give a run folder (outputs/NAME/TIME) or a .ckpt file"
        )
    return inside


def load(path: Path) -> dict[str, Any]:
    """Return the payload of a checkpoint file, with tensors on the CPU. No code in the file is executed.

    Raises UserError if the file is not a checkpoint of this program, is damaged, or has another format.
    """
    payload = _read(path)
    about = payload.get("nmt") if isinstance(payload, dict) else None
    if not isinstance(about, dict) or "format" not in about or "state_dict" not in payload:
        raise UserError(f"{path}: not a checkpoint of this program; expected a file that train.py wrote")
    if about["format"] != FORMAT:
        newer = about["format"] > FORMAT
        raise UserError(
            f"{path}: got checkpoint format {about['format']}, expected {FORMAT}; "
            + ("update the program" if newer else "train the model again, or use the version that wrote the file")
        )
    return dict(payload)


def _read(path: Path) -> Any:
    if not zipfile.is_zipfile(path):
        raise UserError(f"{path}: not a checkpoint, or an incomplete one; expected a file that train.py wrote")
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        broken = str(error)
    if broken is not None:
        raise UserError(f"{path}: damaged checkpoint ({broken} does not match its checksum); use another copy")
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many types of exceptions for other files
        found = re.search(r"GLOBAL (\S+)", str(error))
        reason = f"it names {found[1]}" if found else type(error).__name__
        raise UserError(f"{path}: not a checkpoint that can be read safely ({reason})") from error


def load_model(path: str | Path, device: str | torch.device = "cpu", allow: Sequence[str] = ()) -> LoadedModel:
    """Return the model of a checkpoint file or run folder, on `device` and in evaluation mode.

    `allow` names the user's packages whose classes the checkpoint may name. Raises UserError if there is no checkpoint,
    or if it cannot be used.
    """
    path = find_checkpoint(path)
    payload = load(path)
    about = payload["nmt"]
    try:
        tokenizer = Tokenizer.from_state(about["tokenizer"])
        model = build_model(
            about["config"]["model"],
            source_vocab_size=tokenizer.source_vocab_size,
            target_vocab_size=tokenizer.target_vocab_size,
            joint=tokenizer.joint,
            allow=allow,
        )
        weights = {
            name.removeprefix(PREFIX): value for name, value in payload["state_dict"].items() if name.startswith(PREFIX)
        }
        model.load_state_dict(weights)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except (KeyError, RuntimeError, TypeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UserError(f"{path}: the checkpoint's weights do not fit its own config ({reason})") from error
    model.to(device).eval()
    return LoadedModel(model, tokenizer, about["config"], about["scores"], about["update"], path)


def average(paths: list[Path]) -> dict[str, Tensor]:
    """Return the mean of the weights of several checkpoints. It is computed in at least float32 and cast back."""
    states = [load(path)["state_dict"] for path in paths]
    return {
        name: torch.stack([state[name].to(torch.promote_types(value.dtype, torch.float32)) for state in states])
        .mean(0)
        .to(value.dtype)
        for name, value in states[0].items()
    }
