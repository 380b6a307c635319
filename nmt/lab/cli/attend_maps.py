"""The part of `scripts/attend.py` that shows attention maps and other views: tables; a page, pictures, weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from rich.console import Console

from nmt.attention_map import AttentionMap
from nmt.build import build_views
from nmt.errors import UserError
from nmt.lab.attention.caption import details
from nmt.lab.attention.figure import draw, save, save_figure
from nmt.lab.attention.page import page
from nmt.lab.attention.terminal import source_shares, table
from nmt.lab.attention.view import View, shown_kinds, view
from nmt.lab.attribution.base import Attribution, AttributionView, attribute
from nmt.system.atomic import write_atomically
from nmt.system.lines import as_line
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import load_translator
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

if TYPE_CHECKING:
    from nmt.lab.cli.attend import AttendConfig

PAGE, VIEWS = "attention.html", "views.jsonl"


@dataclass(frozen=True, eq=False)
class Seen:
    """What is seen of one translation by one model: its attention, and what each view says."""

    attention: AttentionMap
    views: Mapping[str, Attribution] = field(default_factory=dict)


Models = list[Seen]  # of one sentence: one, or two that are compared


def show(
    translator: BaseTranslator, translations: Sequence[Translation], config: AttendConfig, folder: Path | None
) -> None:
    """Print the tables of each translation, and write the files if a folder is given."""
    seen = looked_at(config, translator, translations)
    print_tables(seen, config)
    if folder is not None:
        for path in write(seen, config, folder):
            print(f"written to {path}")


def looked_at(config: AttendConfig, translator: BaseTranslator, translations: Sequence[Translation]) -> list[Models]:
    """Return what is seen of each translation, also by the model `compare` if it is given."""
    methods = build_views(config.views, allow=config.allow)
    found = seen_by(translator, translations, methods)
    if config.compare is None:
        return [[each] for each in found]
    own = translator.search  # of its search, the other model needs only the limits
    limits = {**own.limits, "batch_tokens": own.batch_tokens}
    other = load_translator(config.compare, device=config.device, allow=config.allow, **limits)
    if translator.languages in other.directions:
        other = other.in_direction(translator.languages)
    elif None not in (translator.languages, other.languages) and translator.languages != other.languages:
        raise UserError(f"compare={config.compare}: it does not translate {' to '.join(translator.languages or ())}")
    scored = other.score([each.source for each in translations], [each.text for each in translations])
    pairs = zip(found, seen_by(other, scored, methods), strict=True)
    return [[_without_score(each) for each in pair] for pair in pairs]


def seen_by(
    translator: BaseTranslator, translations: Sequence[Translation], methods: Mapping[str, AttributionView]
) -> list[Seen]:
    """Return the attention of each translation, and what the views say of it.

    A model without attention may have views.
    """
    if not methods or not isinstance(translator, Translator):
        return list(map(Seen, translator.attention_maps(translations)))
    views = [{name: attribute(method, translator, each) for name, method in methods.items()} for each in translations]
    if translator.attends:
        maps = translator.attention_maps(translations)
    else:
        maps = [next(iter(named.values())).pieces for named in views]
    return list(map(Seen, maps, views))


def _without_score(seen: Seen) -> Seen:
    """Return the map without the score of the search: the other model has not searched, so it has only log P."""
    origin = replace(seen.attention.origin, score=None)
    views = {name: replace(each, pieces=replace(each.pieces, origin=origin)) for name, each in seen.views.items()}
    return replace(seen, attention=replace(seen.attention, origin=origin), views=views)


def views_of(models: Models, config: AttendConfig) -> Iterator[list[View]]:
    """Yield what is drawn of a sentence: the chosen attention of each model, or each of the views of each model.

    Raises UserError for attention that a model lacks. With views, a model may lack cross attention, the default.
    """
    attended = () if config.views and config.kind == "cross" else models
    attention = [view(seen.attention, config.kind, words=config.words) for seen in attended]
    if not config.views:
        yield attention
    for name in config.views:
        yield [seen.views[name].view(words=config.words) for seen in models]


def print_tables(sentences: list[Models], config: AttendConfig) -> None:
    """Print each sentence with its translation and its tables. Raises UserError for a layer or head that is missing."""
    tables = [
        [(each, *each.panel(config.layer, config.head)) for views in views_of(models, config) for each in views]
        for models in sentences
    ]
    width = get_terminal_size((100, 24)).columns
    console = Console(width=width)  # rich would take COLUMNS=0 for a width, and print nothing
    for number, (models, chosen) in enumerate(zip(sentences, tables, strict=True), start=1):
        if len(sentences) > 1:
            print("\n" * (number > 1) + f"sentence {number} of {len(sentences)}")
        first = models[0].attention
        print(f"source:      {as_line(first.source)}\ntranslation: {as_line(first.target)}")
        for place, (each, panel, note) in enumerate(chosen):
            title = ", ".join(filter(None, [each.title, note]))
            print("\n" * (place > 0) + f"{details(each.attention.origin)}\n{title}, in %\n")
            for line in table(each, panel, width):
                console.print(line, soft_wrap=True)
            if each.source is not None:
                print(f"\n{source_shares(each, panel)}")


def write(sentences: list[Models], config: AttendConfig, folder: Path) -> Iterator[Path]:
    """Write the page, and the weights and pictures of each sentence, to `folder`. Yield their paths.

    The folder is made if needed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    choice: dict[str, Any] = {"layer": config.layer, "head": config.head}
    panel, words = {**choice, "scaled": config.scaled}, config.words
    maps = [[seen.attention for seen in models] for models in sentences]
    levels = [[{name: each.levels() for name, each in seen.views.items()} for seen in models] for models in sentences]
    text = page(maps, levels, kind=next(iter(config.views), config.kind), words=words, **choice)
    write_atomically(folder / PAGE, text.encode())
    yield folder / PAGE
    for number, models in enumerate(maps, start=1):
        for name, attention in zip((f"{number}.json", f"{number}.compare.json"), models, strict=False):
            if attention.kinds:  # a model without attention has only views
                save(attention, folder / name)
                yield folder / name
        if not all(config.kind in shown_kinds(attention) for attention in models):
            continue
        picture = folder / f"{number}.{config.format}"
        if len(models) > 1:
            save_figure(draw([view(each, config.kind, words=config.words) for each in models], **panel), picture)
        else:
            save(models[0], picture, kind=config.kind, words=words, **panel)
        yield picture
    if config.views:
        yield from write_views(sentences, config, folder, panel)
        lines = (json.dumps(as_plain(seen), ensure_ascii=False) for models in sentences for seen in models)
        write_atomically(folder / VIEWS, "".join(f"{line}\n" for line in lines).encode())
        yield folder / VIEWS


def write_views(sentences: list[Models], config: AttendConfig, folder: Path, panel: dict[str, Any]) -> Iterator[Path]:
    """Write a picture of each view of each sentence. Yield their paths."""
    for number, models in enumerate(sentences, start=1):
        for name, views in zip(config.views, views_of(models, config), strict=True):
            picture = folder / f"{number}.{name}.{config.format}"
            save_figure(draw(views, **panel), picture)
            yield picture


def as_plain(seen: Seen) -> dict[str, Any]:
    """Return the views of a sentence as plain values, for one line of JSON."""
    pieces = seen.attention
    sides = {"source": pieces.source_pieces, "target": pieces.target_pieces, "read": pieces.read_pieces}
    return {
        "source": pieces.source,
        "target": pieces.target,
        "model": pieces.origin.model,
        "pieces": {side: [piece.label for piece in found] for side, found in sides.items()},
        "views": {name: each.to_plain() for name, each in seen.views.items()},
    }
