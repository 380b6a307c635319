"""Watches an attention while it computes, as a debugger does: the variables of its methods are the steps of a trace.

So the models need no code for traces, and the numbers are always those of the model. `WATCHED` has one expression for
each step of our families. An attention in another module has the steps of the base class.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from torch import Tensor, nn

from nmt.models import multihead
from nmt.models.attention.additive import CoverageAttention, additive_scores
from nmt.models.attention.base import Attention
from nmt.models.attention.local import LocalAttention, MonotonicLocalAttention, PredictiveLocalAttention
from nmt.models.attention.luong import DotAttention, GeneralAttention
from nmt.models.attention.multihead import MultiHead
from nmt.models.attention.similarity import CosineAttention, DistanceAttention
from nmt.models.multihead import MultiHeadAttention
from nmt.models.rnn_decoder import RecurrentDecoder

# For each function, its steps in their order and the Python expressions that give them inside it. `result` is the
# return value of the function. A step is taken when its variables have values (other than None) and all steps before it
# are taken.
WATCHED: dict[Callable[..., Any], dict[str, str]] = {
    Attention.forward: {"query": "query", "weights": "weights"},
    Attention.weigh: {"keys": "memory.keys", "scores": "scores", "masked": "masked"},
    Attention.normalize: {"normalized": "result"},
    Attention.read: {"values": "memory.values", "context": "result"},
    additive_scores: {"projected query": "queries", "tanh": "tanh if queries.element_size() < 4 else 2 * half - 1"},
    CosineAttention.project_keys: {"memory norms": "norms", "factor": "self.factor"},
    CosineAttention.score: {"query norm": "norm"},
    CoverageAttention.score: {"fertility": "state.fertility", "coverage": "coverage"},
    DistanceAttention.score: {"distances": "distances", "factor": "self.factor"},
    DotAttention.project_keys: {"factor": "self.factor"},
    GeneralAttention.project_keys: {"factor": "self.factor"},
    LocalAttention.weigh_within: {"offsets": "distance"},
    MonotonicLocalAttention.weigh: {"centre": "centre"},
    PredictiveLocalAttention.weigh: {"centre": "centre", "bell": "bell"},
    MultiHead.weigh: {"keys": "memory.keys", "masked": "masked"},
    MultiHead.score: {"scores": "products", "scaled": "result"},
    MultiHead.read: {"values": "memory.values"},
    MultiHeadAttention.project_query: {"projected query": "projected", "normalized query": "normalized"},
    MultiHeadAttention.forward: {
        "query": "query",
        "rotated query": "(queries, None)[positions is None]",
        "keys": "keys",
        "position bias": "bias",
        "softmax": "weights",
        "values": "values",
    },
    multihead.attention_weights: {"scores": "scores", "scaled": "scaled", "masked": "masked"},
    MultiHeadAttention.gated: {"gate": "self._split(gate)", "gated context": "self._split(contexts * gate)"},
    MultiHeadAttention.join: {"context": "contexts", "joined": "result"},
    RecurrentDecoder._step_by_step: {"state": "states"},
}
# The axes of the values: B sentences, H heads, Q queries, S tokens that can be read, and any other letter for the
# components of a vector. H is left out by an attention with one head.
AXES = {
    **dict.fromkeys(["factor"], ""),
    **dict.fromkeys(["fertility"], "BS"),
    **dict.fromkeys(["centre"], "BQ1"),
    **dict.fromkeys(["memory norms"], "BSA"),
    **dict.fromkeys(["query", "query norm", "joined", "state"], "BQA"),
    **dict.fromkeys(["coverage", "distances", "offsets", "bell"], "BQS"),
    **dict.fromkeys(["tanh"], "BQSA"),
    **dict.fromkeys(["keys", "values"], "BHSA"),
    **dict.fromkeys(["projected query", "normalized query", "rotated query"], "BHQA"),
    **dict.fromkeys(["context", "gate", "gated context"], "BHQA"),
    **dict.fromkeys(["scores", "scaled", "position bias", "masked", "normalized", "softmax", "weights"], "BHQS"),
}
_WATCHED: dict[CodeType, dict[str, str]] = {function.__code__: steps for function, steps in WATCHED.items()}


@dataclass(frozen=True, eq=False)
class Watched:
    """A value that `owner` computed, and the name of its step."""

    owner: nn.Module
    name: str
    value: Tensor | float


@contextmanager
def watch(modules: Iterable[nn.Module]) -> Iterator[list[Watched]]:
    """Collect the steps that the methods of `modules` compute in the block, in their order."""
    owners = {id(module) for module in modules}
    found: list[Watched] = []

    def enter(frame: FrameType, event: str, result: Any) -> Callable[..., Any] | None:
        steps = _WATCHED.get(frame.f_code)
        # A function belongs to the method that calls it.
        caller = frame.f_back if steps and "self" not in frame.f_locals else frame
        owner = caller.f_locals.get("self") if caller else None
        if id(owner) not in owners or not isinstance(owner, nn.Module):
            return None
        waiting = dict(steps or {})

        def look(frame: FrameType, event: str, result: Any) -> Callable[..., Any]:
            scope = frame.f_locals | ({"result": result} if event == "return" else {})
            for name, expression in list(waiting.items()):
                try:
                    value = eval(expression, {}, scope)
                except NameError:
                    if event == "return":
                        continue
                    break  # it has no value yet
                if isinstance(value, Tensor | float):
                    found.append(Watched(owner, name, value))
                    del waiting[name]
            return look

        return look if waiting else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield found
    finally:
        sys.settrace(before)
