"""Loads checkpoints into translators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import torch

from nmt import checkpoint
from nmt.build import build_search, override
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.translation.ensemble import Ensemble
from nmt.translation.translator import ModelTranslator, Translator

Paths = str | Path | Sequence[str | Path]


@overload
def load_translator(
    path: str | Path,
    *,
    device: str = "auto",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> Translator: ...


@overload
def load_translator(
    path: Sequence[str | Path],
    *,
    device: str = "auto",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> ModelTranslator: ...


def load_translator(
    path: Paths,
    *,
    device: str = "auto",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> ModelTranslator:
    """Return the translator of a run folder (its best checkpoint) or a checkpoint file.

    Several paths give an `Ensemble` of their models. Its default strategy is that of the first model.

    `device` is "auto" (a GPU if available, otherwise the CPU), "cpu", "cuda", "cuda:1" ... The default strategy is in
    the checkpoint. A `search` object, or a node with a `_target_`, replaces this strategy. A mapping without `_target_`
    replaces single settings, and so do `fields`: `load_translator(path, beam_size=5)`. `allow` names your packages
    whose classes the checkpoint and `search` may name. Raises UserError for a checkpoint or a setting that cannot be
    used, and for models with different languages or different target vocabularies, which cannot be an ensemble.
    """
    loaded = load_models(path, resolve_device(device), allow)
    return make_translator(loaded, search, allow=allow, **fields)


def load_models(path: Paths, device: torch.device, allow: Sequence[str] = ()) -> list[checkpoint.LoadedModel]:
    """Return the models of checkpoints, in order. Raises UserError if one is missing or cannot be used."""
    paths = [path] if isinstance(path, str | Path) else path
    if not paths:
        raise UserError("ckpt: got an empty list, expected at least one model")
    return [checkpoint.load_model(each, device, allow) for each in paths]


def make_translator(
    loaded: Sequence[checkpoint.LoadedModel],
    search: Search | Mapping[str, Any] | None = None,
    *,
    allow: Sequence[str] = (),
    **fields: Any,
) -> ModelTranslator:
    """Return the translator of loaded checkpoints. The other arguments are as in `load_translator`."""
    search = chosen_search(loaded[0].config["search"], search, allow=allow, **fields)
    members = [
        Translator(
            each.model,
            each.tokenizer,
            search,
            name=each.config["name"],
            update=each.update,
            trained_length=each.config.get("data", {}).get("max_length"),
            languages=languages_of(each.config),
            both_directions=each.config.get("data", {}).get("both_directions", False),
        )
        for each in loaded
    ]
    if len(members) == 1:
        return members[0]
    return Ensemble(members, names=[str(each.path) for each in loaded])


def chosen_search(
    own: Mapping[str, Any], search: Search | Mapping[str, Any] | None, *, allow: Sequence[str] = (), **fields: Any
) -> Search:
    """Return the strategy that a user chooses for a model, whose `own` one a node describes.

    `search` is a strategy, a node, or a mapping of the settings that replace own ones; so do `fields`. Raises UserError
    for one that does not fit.
    """
    if not isinstance(search, Search):
        given = search or {}
        if not isinstance(given, Mapping):
            raise UserError(f"search: got {given!r}, expected a Search object or a mapping of its settings")
        search = build_search(given if "_target_" in given else {**own, **given}, allow=allow)
    return override(search, fields)


def languages_of(config: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the languages of a checkpoint's config; None for a translator that was saved without knowing them."""
    data = config.get("data", {})
    return (data["source_lang"], data["target_lang"]) if data.keys() >= {"source_lang", "target_lang"} else None


def require_data_settings(config: Mapping[str, Any], path: Path, remedy: str) -> None:
    """Raise UserError, which ends with the `remedy`, for the config of a checkpoint that was not written by a run."""
    if "batch_tokens" not in config.get("data", {}):
        raise UserError(f"{path}: saved from Python without data settings; {remedy}")


def resolve_device(name: str) -> torch.device:
    """Return the device called `name`. "auto" is the current GPU if available, otherwise the CPU.

    Raises UserError if torch cannot use the device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros((), device=device).item()  # fails if tensors on the device have no values (meta)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"device={name}: cannot be used here ({reason}); use auto or cpu") from error
    return device
