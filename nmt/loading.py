"""Loads checkpoints into translators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from nmt import checkpoint
from nmt.base_translator import override
from nmt.build import build_search
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.translate import Translator


def load_translator(
    path: str | Path,
    *,
    device: str = "auto",
    search: Search | Mapping[str, Any] | None = None,
    allow: Sequence[str] = (),
    **fields: Any,
) -> Translator:
    """Return the translator of a run folder (its best checkpoint) or a checkpoint file.

    `device` is "auto" (a GPU if available, otherwise the CPU), "cpu", "cuda", "cuda:1" ... The default strategy is in
    the checkpoint. A `search` object, or a node with a `_target_`, replaces this strategy. A mapping without `_target_`
    replaces single settings, and so do `fields`: `load_translator(path, beam_size=5)`. `allow` names your packages
    whose classes the checkpoint and `search` may name. Raises UserError for a checkpoint or a setting that cannot be
    used.
    """
    loaded = checkpoint.load_model(path, resolve_device(device), allow)
    return make_translator(loaded, search, allow=allow, **fields)


def make_translator(
    loaded: checkpoint.LoadedModel,
    search: Search | Mapping[str, Any] | None = None,
    *,
    allow: Sequence[str] = (),
    **fields: Any,
) -> Translator:
    """Return the translator of a loaded checkpoint. The other arguments are as in `load_translator`."""
    if not isinstance(search, Search):
        given = search or {}
        node = given if "_target_" in given else {**loaded.config["search"], **given}
        search = build_search(node, allow=allow)
    return Translator(
        loaded.model,
        loaded.tokenizer,
        override(search, fields),
        name=loaded.config["name"],
        update=loaded.update,
        trained_length=loaded.config.get("data", {}).get("max_length"),
    )


def resolve_device(name: str) -> torch.device:
    """Return the device called `name`. "auto" is the current GPU if available, otherwise the CPU.

    Raises UserError if torch cannot use the device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros((), device=device).item()  # fails if tensors on the device have no values (meta)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"device={name}: cannot be used here ({reason}); use auto or cpu") from error
    return device
