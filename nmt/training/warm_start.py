"""A new run that starts from the weights of another one (`init`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from nmt.checkpoint import Checkpoint, load
from nmt.config.recipe import NOTHING, changes
from nmt.errors import UserError
from nmt.parameters import shown
from nmt.system.run_files import find_checkpoint
from nmt.translation.loading import languages_of

logger = logging.getLogger(__name__)


def load_initial(path: str, plain: Mapping[str, Any]) -> Checkpoint:
    """Return the content of the checkpoint that a new run starts from.

    Raises UserError if it cannot be read, and if its tokenizer, which the run uses, has other settings or languages.
    """
    file = find_checkpoint(path, key="init")
    start = load(file)
    logger.info(f"init: the weights of {file}, update {start.update:,}, and its model, tokenizer and spans")
    own_languages, languages = languages_of(start.config), languages_of(plain)
    if own_languages and languages and own_languages != languages and not start.tokenizer.joint:
        raise UserError(
            f"init={path}: it translates {' to '.join(own_languages)} with a vocabulary for each language; got "
            f"{' to '.join(languages)}, expected the same languages, or a model with a joint vocabulary"
        )
    facts = {"type": start.tokenizer.type, "joint": start.tokenizer.joint}  # `Translator.save` writes no settings
    differing = changes({"path": None, **start.config.get("tokenizer", facts)}, plain["tokenizer"]).items()
    if own := [f"tokenizer.{key}={shown(before)}" for key, (before, now) in differing if NOTHING not in (before, now)]:
        raise UserError(f"init={path}: the run uses its tokenizer, which has other settings; add {' '.join(own)}")
    return start
