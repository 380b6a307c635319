"""The equations and the sentences of the steps of a trace, from nmt/page/steps.json.

Letters: x the input of an attention (with pre-norm, after its norm), q the query, h_j the vector of token j from the
encoder (in self-attention, the x of token j), k_j its key, v_j its value, e_j its score, a_j its weight, c the context,
z its gate, r the input of the output layer. In a recurrent decoder, y is the embedding of the token that it reads, and
s(t) its state after step t; with several layers, that of the top layer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from torch import nn

from nmt.models.interface import Decoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.page import text

_TABLES = json.loads(text("steps.json"))


def classes_of(attention: nn.Module, decoder: Decoder[Any]) -> list[str]:
    """Return the names in steps.json that an attention and its decoder have. A later one replaces what is before it.

    They are names of classes, and for a recurrent decoder of its query state and of its several layers.
    """
    modules = *reversed(list(attention.modules())), decoder  # what is around an attention comes after it
    names = [kind.__name__ for module in modules for kind in reversed(type(module).__mro__)]
    if isinstance(decoder, RecurrentDecoder):
        several = ["several layers", f"{decoder.query_state}, several layers"]
        names += [str(decoder.query_state), *(several if len(decoder.cells.upper) else [])]
    return [name for name in names if name in _TABLES["equations"]]


def texts_of(table: Mapping[str, Mapping[str, str]], classes: Sequence[str]) -> dict[str, str]:
    """Return the texts of a table of steps.json for a model with these `classes`, by the names of the steps."""
    return {name: found for each in ("", *classes) for name, found in table.get(each, {}).items()}


def equation(name: str, classes: Sequence[str], beside: Collection[str]) -> str:
    """Return the equation of a step of a trace, or "". The trace has steps with the names in `beside`.

    Keys are normalized and rotated where the query is, masked scores include a position bias, and gated contexts are
    joined.
    """
    found = texts_of(_TABLES["equations"], classes).get(name, "")
    for step, other, old, new in _TABLES["beside"]:
        if step == name and other in beside:
            found = re.sub(old, new.replace("$1", r"\1"), found, count=1)
    return found


def sentence(name: str, classes: Sequence[str], **numbers: Any) -> str:
    """Return what a step does, with its `numbers`."""
    texts = texts_of(_TABLES["sentences"]["en"], classes)
    special: dict[Any, str] = {("masked", 0): "masked, nothing", ("next token", 1): "next token, best"}
    found = texts[special.get((name, numbers.get("rank", numbers.get("hidden"))), name)]
    return found.format(**{key: f"{each:,}" if isinstance(each, int) else each for key, each in numbers.items()})
