"""Attention maps as a self-contained, interactive HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from nmt.attention_map import DECIMALS, AttentionMap
from nmt.lab.attention.caption import MAX_LABEL, TEXTS, details, legend, shown
from nmt.lab.attention.view import View, Weights, shown_kinds, view
from nmt.lab.html import render

Levels = Mapping[str, View]  # of "pieces" and "words"


def page(
    sentences: Sequence[Sequence[AttentionMap]],
    views: Sequence[Sequence[Mapping[str, Levels]]] = (),
    *,
    kind: str = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    scaled: bool = False,
) -> str:
    """Return the HTML of a page that shows one sentence at a time, with a map of each model, between pieces.

    The page holds the weights of all kinds, layers and heads, with 4 decimals, and a person chooses from them. `views`
    has further views of each sentence and model, by name. The other arguments are the first choice; they are as in
    `nmt.lab.attention.figure.figure`, and `kind` may be the name of a view.
    """
    views = views or [[{} for _ in models] for models in sentences]
    maps = chain.from_iterable(sentences)
    axes = (axis for attention in maps for each in attention.kinds for axis in attention.axes(each))
    levels = (each for models in views for named in models for each in named.values())
    more = (axis for each in levels for seen in each.values() for axis in seen.axes)
    labels = set(map(shown, chain.from_iterable(chain(axes, more))))
    data = {
        "choice": {"kind": kind, "layer": layer, "head": head, "words": words, "scaled": scaled},
        "texts": {**TEXTS, **_texts(views)},
        "longest_label": MAX_LABEL,
        "sentences": [list(map(plain, *both)) for both in zip(sentences, views, strict=True)],
    }
    return render("attention.html", script="attention.js", data=data, legend=legend(labels), count=len(sentences))


def _texts(views: Sequence[Sequence[Mapping[str, Levels]]]) -> dict[str, tuple[str, ...]]:
    """Return title, name of the rows, name of the columns and question of each view."""
    seen = {name: levels["pieces"] for name, levels in (views[0][0] if views else {}).items()}
    return {name: (each.title, *each.names, each.question) for name, each in seen.items()}


def plain(attention: AttentionMap, views: Mapping[str, Levels]) -> dict[str, Any]:
    """Return the data of a map between pieces for the page: the JSON of `AttentionMap.to_json`, and for each level

    "rollout": (L, S, S) weights, or null, "reach": how many tokens each row of decoder self-attention may look at, or
    null, and "views": the further views by name. "details" names the model and the scores of the translation.
    """
    data: dict[str, Any] = json.loads(attention.to_json())
    for level in ("pieces", "words"):
        kinds, words = shown_kinds(attention), level == "words"
        rolled = view(attention, "rollout", words=words).weights[:, 0] if "rollout" in kinds else None
        data[level]["rollout"] = None if rolled is None else _rounded(rolled)
        data[level]["reach"] = view(attention, "decoder_self", words=words).reach if "decoder_self" in kinds else None
        data[level]["views"] = {name: _plain_view(levels[level]) for name, levels in views.items()}
    return {**data, "details": details(attention.origin)}


def _plain_view(seen: View) -> dict[str, Any]:
    """Return a view for the page; its weights are (L, H, R, C), or (L, R, C) if it rolls."""
    return {
        "rows": seen.axes[0],
        "columns": seen.axes[1],
        "weights": _rounded(seen.weights[:, 0] if seen.rolls else seen.weights),
        "reach": seen.reach,
        "rolls": seen.rolls,
        "cells": seen.cells,
        "source": seen.source,
    }


def _rounded(weights: Weights) -> Any:
    return weights.round(DECIMALS).astype(float).tolist()
