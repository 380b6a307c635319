"""The checkpoint to use and to share: a model's weights with everything that is needed to use them.

It is a safetensors file (https://github.com/huggingface/safetensors). Each weight is a tensor with its name in the
model, and a table that two layers share is stored once. The tensors `tokenizer.source` and `tokenizer.target` hold the
bytes of the SentencePiece models; a joint vocabulary has only the first. The metadata are texts: `nmt_format` (the
version of this layout), `config` and `scores` (JSON), `update`, and `sha256`, the digest of everything else.

Loading executes nothing from the file. Before a model is built, the size of the header and the digest are checked. The
names and shapes of the weights are compared with the config.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import safetensors
import torch
from safetensors.torch import save as serialize
from torch import Tensor

from nmt.build import build_model
from nmt.config.schema import parse_json
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, one_line
from nmt.models.layers import shapes_only
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import Form, LanguageCode, PositiveInt
from nmt.system.atomic import write_atomically
from nmt.system.run_files import BEST, MAX_TOKENIZER, MAX_WEIGHTS, find_checkpoint, require_regular
from nmt.text.protect import Spans

FORMAT = 1
MAX_HEADER = 1_000_000  # bytes; a model of 24 layers has about 100,000
FIELDS = ("nmt_format", "config", "scores", "update", "sha256")
Name = Annotated[str, Form(r"[^\0]{0,200}", "at most 200 characters")]
SIDES = ("tokenizer.source", "tokenizer.target")


class _Pair(TypedDict):
    source_lang: NotRequired[LanguageCode | None]
    target_lang: NotRequired[LanguageCode | None]


class _Data(TypedDict):
    source_lang: NotRequired[LanguageCode]
    target_lang: NotRequired[LanguageCode]
    pairs: NotRequired[dict[str, _Pair] | None]
    max_length: NotRequired[PositiveInt]


class ConfigFile(TypedDict):
    """The sections of a checkpoint's config that programs read. `Translator.save` writes no data and no scores."""

    name: Name
    model: dict[str, Any]
    search: dict[str, Any]
    scores: NotRequired[dict[str, dict[str, Any]]]
    tokenizer: NotRequired[dict[str, Any]]
    spans: NotRequired[dict[str, str | None]]
    data: NotRequired[_Data]


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint.

    `weights` maps names in the model to tensors; a shared table appears once. `config` is resolved and plain. `scores`
    are the scores when the weights were saved, after `update` updates.
    """

    weights: Mapping[str, Tensor]
    config: Mapping[str, Any]
    tokenizer: Tokenizer
    scores: Mapping[str, Any]
    update: int


@dataclass(frozen=True)
class LoadedModel:
    """A model in evaluation mode, with its tokenizer, its plain config, and the `scores` after `update` updates."""

    model: Seq2Seq
    tokenizer: Tokenizer
    config: Mapping[str, Any]
    scores: Mapping[str, Any]
    update: int
    path: Path


def weights_of(model: Seq2Seq) -> dict[str, Tensor]:
    """Return the weights and buffers of a model by their names, a shared table once.

    These tensors are the model's own: a change to a tensor changes the model.
    """
    found = {id(value): (name, value.detach()) for name, value in reversed(model.state_dict(keep_vars=True).items())}
    return dict(reversed(found.values()))


def set_weights(model: Seq2Seq, weights: Mapping[str, Tensor]) -> None:
    """Copy `weights` into the model. They must fit it; see `weight_mismatch`."""
    for name, value in weights_of(model).items():
        value.copy_(weights[name])


def weight_mismatch(weights: Mapping[str, Tensor], model: Seq2Seq) -> str | None:
    """Return the first difference of `weights` from those of `model`, in name, shape or kind of number, or None."""
    expected = weights_of(model)
    for name, value in expected.items():
        if name not in weights:
            return f"{name} is missing"
        if weights[name].shape != value.shape:
            return f"{name}: got shape {tuple(weights[name].shape)}, expected {tuple(value.shape)}"
        if weights[name].is_floating_point() != value.is_floating_point():
            return f"{name}: got numbers of type {weights[name].dtype}, expected {value.dtype}"
    unknown = next((name for name in weights if name not in expected), None)
    return None if unknown is None else f"{unknown:.80} is not a weight of this model"


def non_finite(weights: Mapping[str, Tensor]) -> str | None:
    """Return the name of the first weight that has an infinite value or NaN, or None."""
    for name, value in weights.items():
        if value.is_floating_point() and value.numel() and not all(map(torch.isfinite, torch.aminmax(value))):
            return name
    return None


def save(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint completely or not at all. Raises OSError if the file cannot be written."""
    tensors = {name: value.detach().to("cpu", copy=True).contiguous() for name, value in checkpoint.weights.items()}
    for side, model in zip(SIDES, (checkpoint.tokenizer.source_model, checkpoint.tokenizer.target_model), strict=True):
        if model is not None:
            tensors[side] = torch.frombuffer(bytearray(model), dtype=torch.uint8)
    metadata = {
        "nmt_format": str(FORMAT),
        "config": json.dumps(checkpoint.config, ensure_ascii=False),
        "scores": json.dumps(checkpoint.scores, ensure_ascii=False),
        "update": str(checkpoint.update),
    }
    content = serialize(tensors, metadata | {"sha256": _digest(metadata, tensors)})
    write_atomically(path, content)


def _digest(metadata: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 of the metadata and of all tensors, with their names, types and shapes."""
    digest = hashlib.sha256(json.dumps(sorted(metadata.items())).encode())
    for name, value in sorted(tensors.items()):
        digest.update(json.dumps([name, str(value.dtype), list(value.shape)]).encode())
        digest.update(value.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def load(path: Path) -> Checkpoint:
    """Return the content of a checkpoint file. Its tensors are mapped into memory: reading them needs no copy.

    Raises UserError if the file is not a checkpoint of this program, is damaged, has another format, or if a weight is
    not finite. Raises OSError if the file cannot be read.
    """
    metadata, tensors = _read(path)
    remedy = "use another copy"
    config = parse_json(metadata["config"], ConfigFile, where=f"{path}: config", remedy=remedy)
    scores = parse_json(metadata["scores"], dict[str, Any], where=f"{path}: scores", remedy=remedy)
    try:
        if metadata.pop("sha256") != _digest(metadata, tensors):
            raise UserError("its content does not match its SHA-256")
        held = [tensors.pop(side).flatten()[: MAX_TOKENIZER + 1] for side in SIDES if side in tensors]
        spans, target = Spans(config.get("spans", {})), config.get("data", {}).get("target_lang", "")
        tokenizer = Tokenizer(*(bytes(each.numpy()) for each in held), spans=spans, target=target)
        if broken := non_finite(tensors):
            raise UserError(f"the weight {broken} is not finite")
        return Checkpoint(tensors, config, tokenizer, scores, int(metadata["update"]))
    except (UserError, TypeError, ValueError, RuntimeError) as error:
        raise UserError(f"{path}: damaged checkpoint ({_short(error)}); {remedy}") from error


def _read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Return the metadata and the tensors of a file. Raises UserError unless it is a checkpoint of this format."""
    expected = "expected a file that train.py, share.py or Translator.save wrote"
    try:
        require_regular(path, MAX_WEIGHTS)
    except ValueError as error:
        raise UserError(f"{path}: not a checkpoint ({error}); {expected}") from error
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith(b"PK"):
        raise UserError(
            f"{path}: it holds the state of a training, which only resume=RUN_FOLDER reads; the weights to use are in "
            f"{BEST} beside it"
        )
    if len(start) < 8 or int.from_bytes(start, "little") > MAX_HEADER:
        raise UserError(f"{path}: not a checkpoint, or a damaged one (no header of safetensors); {expected}")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = dict(file.metadata() or {})
            if "nmt_format" in metadata and metadata["nmt_format"] != str(FORMAT):
                raise UserError(
                    f"{path}: got checkpoint format {metadata['nmt_format']:.20}, expected {FORMAT}; update the "
                    "program, or use the version that wrote the file"
                )
            if missing := {*FIELDS} - metadata.keys():
                raise UserError(f"{path}: not a checkpoint of this program (it has no {min(missing)}); {expected}")
            return metadata, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except safetensors.SafetensorError as error:
        raise UserError(f"{path}: not a checkpoint, or a damaged one ({_short(error)}); {expected}") from error


def load_model(path: str | Path, device: str | torch.device = "cpu", allow: Sequence[str] = ()) -> LoadedModel:
    """Return the model of a checkpoint file or run folder, on `device` and in evaluation mode.

    `allow` names the user's packages whose classes the checkpoint may name. Raises UserError if there is no checkpoint,
    or if it cannot be used.
    """
    path = find_checkpoint(path)
    found = load(path)
    tokenizer = found.tokenizer
    sizes = {"source_vocab_size": tokenizer.source_vocab_size, "target_vocab_size": tokenizer.target_vocab_size}
    try:
        # The shapes are compared first, with a model that takes no memory. With `allow` this step is left out, because
        # a class of the user's own packages may need values.
        for context in (nullcontext(),) if allow else (shapes_only(), nullcontext()):
            with context:
                model = build_model(found.config["model"], **sizes, allow=allow)
            if problem := weight_mismatch(found.weights, model):
                raise UserError(f"the checkpoint's weights do not fit its own config ({problem})")
        set_weights(model, found.weights)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except (KeyError, RuntimeError, TypeError) as error:
        raise UserError(f"{path}: the checkpoint's weights do not fit its own config ({_short(error)})") from error
    model.to(device).eval()
    return LoadedModel(model, found.tokenizer, found.config, found.scores, found.update, path)


def _short(error: Exception) -> str:
    return (one_line(error) or type(error).__name__)[:200]


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """Return the mean of the weights of several checkpoints. It is computed in at least float32 and cast back."""
    found = [load(path).weights for path in paths]
    return {
        name: torch.stack([weights[name].to(torch.promote_types(value.dtype, torch.float32)) for weights in found])
        .mean(0)
        .to(value.dtype)
        for name, value in found[0].items()
    }
