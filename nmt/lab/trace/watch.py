"""Watches an attention while it computes, as a debugger does: the variables of its methods are the steps of a trace.

So the models need no code for traces, and the numbers are always those of the model. `WATCHED` has one expression for
each step of our families. For an attention in another module, all named tensors of its methods are steps, in addition
to the steps of the base class.
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
from nmt.models.interface import Decoder
from nmt.models.multihead import MultiHeadAttention
from nmt.models.rnn_decoder import RecurrentDecoder

# For each function, its steps in their order and the Python expressions that give them inside it. `result` is the
# return value of the function. A step waits until its variables have values, and for the steps before it; None is not a
# value.
WATCHED: dict[Callable[..., Any], dict[str, str]] = {
    Attention.forward: {"query": "query", "weights": "weights"},
    Attention.weigh: {"keys": "memory.keys", "scores": "scores", "masked": "masked"},
    Attention.normalize: {"normalized": "result"},
    Attention.read: {"values": "memory.values", "context": "result"},
    additive_scores: {
        "projected query": "queries",
        "tanh": "tanh if queries.element_size() < 4 else 2 * half - 1",
    },
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
# The axes of their values: B sentences, H heads, Q queries, S tokens that can be read, and any other letter for the
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
_MODULES = {function.__module__ for function in WATCHED}
_OF_THE_BASE = {name for function, steps in WATCHED.items() if function in vars(Attention).values() for name in steps}


@dataclass(frozen=True, eq=False)
class Watched:
    """A value that `owner` computed, and the name of its step. `own` is True for code that `WATCHED` does not know."""

    owner: nn.Module
    name: str
    value: Tensor | float
    own: bool


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
        own = steps is None and _is_own(owner, frame)
        waiting = dict(steps or (_own_variables(frame.f_code) if own else {}))

        def look(frame: FrameType, event: str, result: Any) -> Callable[..., Any]:
            if own and event != "return":
                return look
            scope = frame.f_locals | ({"result": result} if event == "return" and not own else {})
            for name, expression in list(waiting.items()):
                try:
                    value = eval(expression, {}, scope)
                except NameError:
                    if event == "return":
                        continue
                    break  # it has no value yet
                if isinstance(value, Tensor | float):
                    found.append(Watched(owner, name, value, own))
                    del waiting[name]
            return look

        return look if waiting else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield found
    finally:
        sys.settrace(before)


def _is_own(owner: nn.Module, frame: FrameType) -> bool:
    name = frame.f_globals["__name__"]
    return name not in _MODULES and not name.startswith("torch.") and not isinstance(owner, Decoder)


def _own_variables(code: CodeType) -> dict[str, str]:
    """Return the steps of a function that `WATCHED` does not know, which are its variables other than the arguments.

    Variables with the name of a step of the base class are left out: they are that step, or a part of it.
    """
    count = code.co_argcount + code.co_kwonlyargcount
    arguments, own = code.co_varnames[:count], code.co_varnames[count:]
    # A variable that an inner function reads (in Python 3.11 also a comprehension) is in co_cellvars only.
    variables = [*own, *(name for name in code.co_cellvars if name not in arguments)]
    steps = {name.replace("_", " "): name for name in variables}
    return {step: name for step, name in steps.items() if step not in _OF_THE_BASE}
