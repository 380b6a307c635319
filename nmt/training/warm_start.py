"""A new run that starts from the weights of another one (`init`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from nmt.build import MODELS
from nmt.checkpoint import Checkpoint, load, set_weights, weight_mismatch
from nmt.config.instantiate import renamed, with_defaults
from nmt.config.recipe import NOTHING, changes
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import shown
from nmt.system.run_files import find_checkpoint
from nmt.translation.loading import languages_of

logger = logging.getLogger(__name__)


def load_initial(path: str, plain: Mapping[str, Any], *, allow: Sequence[str] = ()) -> Checkpoint:
    """Return the content of the checkpoint that a new run starts from. `allow` lists the user's own packages.

    Raises UserError if it cannot be read, and if its tokenizer or its model has other settings than the run. The run
    uses both unchanged, so its settings must describe them. Dropout may differ.
    """
    file = find_checkpoint(path, key="init")
    start = load(file)
    config = start.config
    logger.info(f"init: the weights of {file}, update {start.update:,}, and its tokenizer")
    own_languages, languages = languages_of(config), languages_of(plain)
    if own_languages and languages and own_languages != languages and not start.tokenizer.joint:
        raise UserError(
            f"init={path}: it translates {' to '.join(own_languages)} with a vocabulary for each language; got "
            f"{' to '.join(languages)}, expected the same languages, or a model with a joint vocabulary"
        )
    facts = {"type": start.tokenizer.type, "joint": start.tokenizer.joint}  # `Translator.save` writes no settings
    differing = _differing(config.get("tokenizer", facts), plain["tokenizer"])
    if differing:
        own = " ".join(f"tokenizer.{key}={shown(before)}" for key, (before, _) in differing.items())
        raise UserError(f"init={path}: the run uses its tokenizer, which has other settings; add {own}")
    others: dict[str, str] = {}  # a setting is often repeated, as in encoder and decoder; the user sets the outermost
    models = [with_defaults(each["model"], within=(*MODELS, *allow)) for each in (config, plain)]
    differing = _differing(*models)
    for key, (before, now) in sorted(differing.items(), key=lambda item: item[0].count(".")):
        text = f"is {shown(now)}, but the checkpoint was trained with {shown(before)}"
        if key.endswith(("dropout", "stochastic_depth")):
            logger.info(f"init: model.{key} {text}")
        else:
            others.setdefault(f"{key.rpartition('.')[2]} {text}", f"model.{key} {text}")
    if others:
        problem = "; ".join(others.values())
        raise UserError(f"init={path}: its weights are of another model: {problem}; set it as in that run")
    return start


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the settings with different values, without those that only one side has."""
    return {key: pair for key, pair in changes(renamed(before), now).items() if NOTHING not in pair}


def set_initial_weights(model: Seq2Seq, start: Checkpoint, path: str) -> None:
    """Copy the weights of the checkpoint at `path` into the model. Raises UserError if they do not fit it."""
    if problem := weight_mismatch(start.weights, model):
        raise UserError(
            f"init={path}: its weights do not fit this model ({problem}); set model as in the config.yaml of that run"
        )
    set_weights(model, start.weights)
