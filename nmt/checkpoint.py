"""The content of a checkpoint, and how it is saved, loaded and averaged.

A checkpoint is a dict of plain values and tensors. `state_dict` holds the weights, whose names begin with "model.".
`nmt` holds everything needed to use the weights: `format`, `config` (resolved, plain), `tokenizer` (with the bytes of
the SentencePiece models), `scores` and `update`. `last.ckpt` also holds Lightning's training state.

Loading a checkpoint does not execute code from the file, and takes no more memory than the file has bytes: the types of
all fields are checked, and names and shapes of the weights, before a model is made. Saving never leaves a half-written
file.
"""

from __future__ import annotations

import functools
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nmt.build import build_model
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, one_line
from nmt.models.seq2seq import Seq2Seq
from nmt.models.shapes import shapes_only
from nmt.run_files import find_checkpoint
from nmt.stored import damage, non_finite, wrong_config, wrong_shapes, wrong_types, wrong_weights
from nmt.system.atomic import replacing

FORMAT = 2
PREFIX = "model."
FIELDS = {"config": dict, "tokenizer": dict, "scores": dict, "update": int}  # of `nmt`
SECTIONS = ("model", "search", "data", "scores")  # of `config`; Translator.save writes no scores


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


def without_prefix(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of a checkpoint with the names that they have in the model."""
    return {name.removeprefix(PREFIX): value for name, value in weights.items()}


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


def load(path: Path) -> dict[str, Any]:
    """Return the payload of a checkpoint file, with tensors on the CPU. No code in the file is executed.

    Raises UserError if the file is not a checkpoint of this program, is damaged, has another format, or if a weight is
    not finite. Raises OSError if the file cannot be read.
    """
    payload = _read(path)
    about = payload.get("nmt") if isinstance(payload, dict) else None
    if (
        not isinstance(about, dict)
        or wrong_types(about, {"format": int})
        or not isinstance(payload.get("state_dict"), dict)
    ):
        raise UserError(f"{path}: not a checkpoint of this program; expected a file that train.py wrote")
    if about["format"] != FORMAT:
        newer = about["format"] > FORMAT
        raise UserError(
            f"{path}: got checkpoint format {about['format']}, expected {FORMAT}; "
            + ("update the program" if newer else "train the model again, or use the version that wrote the file")
        )
    problem = wrong_types(about, FIELDS) or _wrong_sections(about["config"]) or wrong_weights(payload["state_dict"])
    if problem:
        raise UserError(f"{path}: damaged checkpoint ({problem}); use another copy")
    broken = non_finite(payload["state_dict"])
    if broken is not None:
        raise UserError(f"{path}: the weight {broken} is not finite; use another checkpoint, or train the model again")
    return dict(payload)


def _wrong_sections(config: dict[str, Any]) -> str | None:
    found = [key for key in SECTIONS if key in config or key in SECTIONS[:2]]
    problem = wrong_types(config, dict.fromkeys(found, dict) | {"name": str}) or wrong_config(config)
    if problem is None and "max_length" in config.get("data", {}):
        problem = wrong_types(config["data"], {"max_length": int})
    scores = config.get("scores", {}) if problem is None else {}
    return problem or wrong_types(scores, dict.fromkeys(scores, dict))


def _read(path: Path) -> Any:
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                problem = damage(archive)
        except zipfile.BadZipFile as error:
            raise UserError(
                f"{path}: not a checkpoint, or an incomplete one ({_short(error)}); expected a file that train.py wrote"
            ) from error
        except Exception as error:  # zipfile raises many types of exceptions for damaged headers
            problem = _short(error)
    if problem is not None:
        raise UserError(f"{path}: damaged checkpoint ({problem}); use another copy")
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many types of exceptions for other files
        found = re.search(r"GLOBAL (\S+)", str(error))
        reason = f"it names {found[1]}" if found else type(error).__name__
        raise UserError(f"{path}: not a checkpoint that can be read safely ({reason})") from error


def _short(error: Exception) -> str:
    return (one_line(error) or type(error).__name__)[:200]


def load_model(path: str | Path, device: str | torch.device = "cpu", allow: Sequence[str] = ()) -> LoadedModel:
    """Return the model of a checkpoint file or run folder, on `device` and in evaluation mode.

    `allow` names the user's packages whose classes the checkpoint may name. Raises UserError if there is no checkpoint,
    or if it cannot be used.
    """
    path = find_checkpoint(path)
    payload = load(path)
    about = payload["nmt"]
    weights = without_prefix(payload["state_dict"])
    try:
        tokenizer = Tokenizer.from_state(about["tokenizer"])
        build = functools.partial(
            build_model,
            about["config"]["model"],
            source_vocab_size=tokenizer.source_vocab_size,
            target_vocab_size=tokenizer.target_vocab_size,
            joint=tokenizer.joint,
            allow=allow,
        )
        _check_fit(build, weights, trusted=bool(allow))
        model = build()
        model.load_state_dict(weights)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except (KeyError, RuntimeError, TypeError) as error:
        raise UserError(f"{path}: the checkpoint's weights do not fit its own config ({_short(error)})") from error
    model.to(device).eval()
    return LoadedModel(model, tokenizer, about["config"], about["scores"], about["update"], path)


def _check_fit(build: Callable[[], Seq2Seq], weights: Mapping[str, Tensor], *, trusted: bool) -> None:
    """Raise UserError unless the model has the names and shapes of the stored weights. No memory is allocated for it.

    A class of the user's own packages (`trusted`) may read the value of a tensor, which it does not have here.
    """
    try:
        with shapes_only():
            model = build()
    except Exception:
        if trusted:
            return
        raise
    problem = wrong_shapes(weights, model.state_dict())
    if problem:
        raise UserError(f"the checkpoint's weights do not fit its own config ({problem})")


def average(paths: list[Path]) -> dict[str, Tensor]:
    """Return the mean of the weights of several checkpoints. It is computed in at least float32 and cast back."""
    states = [load(path)["state_dict"] for path in paths]
    return {
        name: torch.stack([state[name].to(torch.promote_types(value.dtype, torch.float32)) for state in states])
        .mean(0)
        .to(value.dtype)
        for name, value in states[0].items()
    }
