"""Attention maps as a self-contained, interactive HTML page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

from nmt.attention_map import DECIMALS, AttentionMap
from nmt.lab.attention.caption import MAX_LABEL, TEXTS, details, legend, shown
from nmt.lab.attention.view import Shown, shown_kinds, view
from nmt.lab.html import render


def page(
    sentences: Sequence[Sequence[AttentionMap]],
    *,
    kind: Shown = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    scaled: bool = False,
) -> str:
    """Return the HTML of a page that shows one sentence at a time, with a map of each model, between pieces.

    The page holds the weights of all kinds, layers and heads, with 4 decimals, and a person chooses from them. The
    other arguments are the first choice; they are as in `nmt.lab.attention.figure.figure`.
    """
    maps = chain.from_iterable(sentences)
    axes = (axis for attention in maps for each in attention.kinds for axis in attention.axes(each))
    labels = set(map(shown, chain.from_iterable(axes)))
    data = {
        "choice": {"kind": kind, "layer": layer, "head": head, "words": words, "scaled": scaled},
        "texts": TEXTS,
        "longest_label": MAX_LABEL,
        "sentences": [[plain(attention) for attention in models] for models in sentences],
    }
    return render("attention.html", script="attention.js", data=data, legend=legend(labels), count=len(sentences))


def plain(attention: AttentionMap) -> dict[str, Any]:
    """Return the data of a map between pieces for the page: the JSON of `AttentionMap.to_json`, and for each level

    "rollout": (L, S, S) weights, or null, and "reach": how many tokens each row of decoder self-attention may look at,
    or null. "details" names the model and the scores of the translation.
    """
    data: dict[str, Any] = json.loads(attention.to_json())
    for level in ("pieces", "words"):
        kinds, words = shown_kinds(attention), level == "words"
        rolled = view(attention, "rollout", words=words).weights[:, 0] if "rollout" in kinds else None
        data[level]["rollout"] = None if rolled is None else rolled.round(DECIMALS).astype(float).tolist()
        data[level]["reach"] = view(attention, "decoder_self", words=words).reach if "decoder_self" in kinds else None
    return {**data, "details": details(attention.origin)}
