"""Attention maps of translations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nmt.attention_map import AttentionMap
from nmt.lab.attention.figure import save
from nmt.system.run_files import require_no_link
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator


def attention_maps(translator: Translator, translations: Sequence[Translation]) -> dict[int, AttentionMap]:
    """Return the attention maps of the translations. The keys are indices of `translations`.

    An empty translation has no map, and neither has a source that was split. A model without attention has no maps.
    """
    mapped = [found.tokens and not found.parts and translator.attends for found in translations]
    numbers = [number for number, has_map in enumerate(mapped) if has_map]
    maps = translator.attention_maps([translations[number] for number in numbers]) if numbers else []
    return dict(zip(numbers, maps, strict=True))


def save_attention_maps(translator: Translator, translations: Sequence[Translation], folder: Path) -> None:
    """Write the attention map of every translation as `<n>.json`, and cross attention also as `<n>.png`.

    The folder is made if needed. Raises UserError if it is a link.
    """
    require_no_link(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, attention_map in attention_maps(translator, translations).items():
        save(attention_map, folder / f"{number}.json")
        if attention_map.cross is not None:
            save(attention_map, folder / f"{number}.png")
