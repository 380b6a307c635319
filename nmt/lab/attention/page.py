"""Attention maps as a self-contained, interactive HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nmt.attention_map import DECIMALS, AttentionMap
from nmt.lab.attention.caption import details
from nmt.lab.attention.view import View, shown_kinds, view
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
) -> str:
    """Return the HTML of a page that shows one sentence at a time, with a map of each model, between pieces.

    The page holds the weights of all kinds, layers and heads, with 4 decimals, and a person chooses from them. `views`
    has further views of each sentence and model, by name. The other arguments are the first choice; they are as in
    `nmt.lab.attention.figure.figure`, and `kind` may be the name of a view.
    """
    views = views or [[{} for _ in models] for models in sentences]
    data = {
        "choice": {"kind": kind, "layer": layer, "head": head, "level": "words" if words else "pieces"},
        "texts": _texts(views),
        "sentences": [list(map(plain, *both)) for both in zip(sentences, views, strict=True)],
    }
    scripts = ("base.js", "maps.js", "attention.js")
    return render("attention.html", scripts=scripts, data=data, count=len(sentences))


def _texts(views: Sequence[Sequence[Mapping[str, Levels]]]) -> dict[str, tuple[str, ...]]:
    """Return title, name of the rows, name of the columns and question of each view."""
    seen = {name: levels["pieces"] for name, levels in (views[0][0] if views else {}).items()}
    return {name: (each.title, *each.names, each.question) for name, each in seen.items()}


def plain(attention: AttentionMap, views: Mapping[str, Levels]) -> dict[str, Any]:
    """Return the data of a map for the page: between pieces and between words, each kind of attention and each view.

    nmt/page/maps.js says how they look. "details" names the model and the scores of the translation.
    """
    data: dict[str, Any] = {"source": attention.source, "target": attention.target}
    for level in ("pieces", "words"):
        kinds = {kind: view(attention, kind, words=level == "words") for kind in shown_kinds(attention)}
        found = kinds | {name: levels[level] for name, levels in views.items()}
        data[level] = {name: _plain_view(each) for name, each in found.items()}
    return {**data, "details": details(attention.origin)}


def _plain_view(seen: View) -> dict[str, Any]:
    """Return a view for the page."""
    return {
        "rows": seen.axes[0],
        "columns": seen.axes[1],
        "weights": seen.weights.astype(float).round(DECIMALS).tolist(),
        "reach": seen.reach,
        "rolls": seen.rolls,
        "cells": seen.cells,
        "source": seen.source,
    }
