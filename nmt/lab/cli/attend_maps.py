"""The part of `scripts/attend.py` that shows attention maps: tables on the terminal; a page, pictures, the weights."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.cli.output import print_stdout
from nmt.lab.cli.attend_settings import AttendConfig
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from nmt.attention_map import AttentionMap
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation

Models = list["AttentionMap"]  # the maps of one sentence: one, or two that are compared
PAGE = "attention.html"


def show(
    translator: BaseTranslator, translations: Sequence[Translation], config: AttendConfig, folder: Path | None
) -> None:
    """Print the tables of each translation, and write the files if a folder is given."""
    maps = attended(config, translator, translations)
    print_tables(maps, config)
    if folder is not None:
        for path in write(maps, config, folder):
            print_stdout(f"written to {path}")


def attended(config: AttendConfig, translator: BaseTranslator, translations: Sequence[Translation]) -> list[Models]:
    """Return the map of each translation, and the map of the model `compare` if it is given."""
    from nmt.translation.loading import load_translator

    maps = translator.attention_maps(translations)
    if config.compare is None:
        return [[each] for each in maps]
    other = load_translator(config.compare, device=config.device, allow=config.allow)
    sources, targets = [each.source for each in translations], [each.text for each in translations]
    pairs = zip(maps, other.attention_maps(other.score(sources, targets)), strict=True)
    return [[_without_score(each) for each in pair] for pair in pairs]


def _without_score(attention: AttentionMap) -> AttentionMap:
    """Return the map without the score of the search: the other model has not searched, so it has only log P."""
    origin = replace(attention.origin, score=None)
    return replace(attention, origin=origin)


def print_tables(sentences: list[Models], config: AttendConfig) -> None:
    """Print each sentence with its translation and its tables. Raises UserError for attention that a model lacks."""
    from rich.console import Console

    from nmt.cli.table import terminal_width
    from nmt.lab.attention.caption import TEXTS, details
    from nmt.lab.attention.terminal import table
    from nmt.lab.attention.view import view
    from nmt.system.lines import as_line

    views = [[view(attention, config.kind, words=config.words) for attention in models] for models in sentences]
    panels = [[seen.panel(config.layer, config.head) for seen in models] for models in views]
    console = Console()
    for number, (models, seen, chosen) in enumerate(zip(sentences, views, panels, strict=True), start=1):
        if len(sentences) > 1:
            print_stdout("\n" * (number > 1) + f"sentence {number} of {len(sentences)}")
        print_stdout(f"source:      {as_line(models[0].source)}\ntranslation: {as_line(models[0].target)}")
        for attention, each, (panel, note) in zip(models, seen, chosen, strict=True):
            title = ", ".join(filter(None, [TEXTS[config.kind][0], note]))
            print_stdout("\n" * (attention is not models[0]) + f"{details(attention.origin)}\n{title}, in %\n")
            for line in table(each, panel, terminal_width()):
                console.print(line, soft_wrap=True)
    sys.stdout.flush()


def write(sentences: list[Models], config: AttendConfig, folder: Path) -> Iterator[Path]:
    """Write the page, and the weights and a picture of each sentence, to `folder`. Yield their paths.

    The folder is made if needed.
    """
    from nmt.lab.attention.figure import beside, save, save_figure
    from nmt.lab.attention.page import page

    folder.mkdir(parents=True, exist_ok=True)
    choice: dict[str, Any] = {
        "kind": config.kind,
        "layer": config.layer,
        "head": config.head,
        "words": config.words,
        "scaled": config.scaled,
    }
    write_atomically(folder / PAGE, page(sentences, **choice).encode())
    yield folder / PAGE
    for number, models in enumerate(sentences, start=1):
        for name, attention in zip((f"{number}.json", f"{number}.compare.json"), models, strict=False):
            save(attention, folder / name)
            yield folder / name
        picture = folder / f"{number}.{config.format}"
        if len(models) > 1:
            save_figure(beside(models, **choice), picture)
        else:
            save(models[0], picture, **choice)
        yield picture
