"""The model that a program translates with: checkpoints, or an exported model in its own engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.cli.arguments import PathText
from nmt.cli.output import print_stderr
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.translation.base import BaseTranslator
    from nmt.translation.exported import ExportedModel


def using_terms(translator: BaseTranslator, file: PathText) -> BaseTranslator:
    """Return a translator with the glossary of a file. It warns of a translator that ignores it.

    Raises UserError for a file that cannot be read.
    """
    from nmt.text.terms import read_terms

    terms = read_terms(Path(file).expanduser())
    if not translator.tokenizer.spans:
        print_stderr(f"warning: terms={file}: ignored, because this model was trained without spans (spans=common)")
    return translator.with_terms(terms)


def translating_from(
    language: str, translator: BaseTranslator, models: Sequence[LoadedModel | ExportedModel]
) -> BaseTranslator:
    """Return a translator of the direction whose source language is `language`.

    Raises UserError if it is neither language of the models, or the models were not trained in this direction.
    """
    source, target = translator.languages or (None, None)
    if language == source:
        return translator
    if language != target:
        known = "the model does not say its languages" if source is None else f"expected {source} or {target}"
        raise UserError(f"source_lang: got {language}, but {known}")
    for model in models:
        if not model.config["data"].get("both_directions"):
            raise UserError(
                f"source_lang: {model.path} translates {source} to {target}, not the other way; expected a model "
                "trained with data.both_directions=true"
            )
    return translator.reversed()


def load(
    ckpt: PathText | list[PathText],
    *,
    device: str,
    allow: list[str],
    search: Mapping[str, Any] | None = None,
    source_lang: str | None = None,
    terms: PathText | None = None,
    **fields: Any,
) -> tuple[BaseTranslator, list[LoadedModel] | list[ExportedModel]]:
    """Return the translator with the models that `ckpt` names, and these models: one, or the members of an ensemble.

    `search` and `fields` are as in `nmt.translation.loading.load_translator`. The translator reads `source_lang`, and
    uses the glossary in the file `terms`. Raises UserError for a model that cannot be loaded, for a search that the
    engine does not have, for a language that the models do not read, and for a glossary that cannot be read.
    """
    from nmt.system import process
    from nmt.system.run_files import is_exported
    from nmt.translation.exported import load_exported
    from nmt.translation.loading import load_models, make_translator, resolve_device

    process.speed_up()
    translator: BaseTranslator
    models: list[LoadedModel] | list[ExportedModel]
    if isinstance(ckpt, str) and is_exported(ckpt):
        translator, exported = load_exported(ckpt, device=device, search=search, allow=allow, **fields)
        models = [exported]
    else:
        models = load_models(ckpt, resolve_device(device), allow)
        translator = make_translator(models, search, allow=allow, **fields)
    if source_lang is not None:
        translator = translating_from(source_lang, translator, models)
    return translator if terms is None else using_terms(translator, terms), models
