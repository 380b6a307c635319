"""The names and the explanations of the steps of a trace.

Letters: x the input of an attention (with pre-norm, after its norm), q the query, h_j the vector of token j from the
encoder (in self-attention, the x of token j), k_j its key, v_j its value, e_j its score, a_j its weight, c the context,
z its gate, r the input of the output layer. In a recurrent decoder, y is the embedding of the token that it reads, and
s(t) its state after step t; with several layers, that of the top layer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from torch import nn

from nmt.models.attention.additive import AdditiveAttention, CoverageAttention
from nmt.models.attention.local import MonotonicLocalAttention, PredictiveLocalAttention
from nmt.models.attention.luong import DotAttention, GeneralAttention, LocationAttention
from nmt.models.attention.multihead import MultiHead
from nmt.models.attention.similarity import CosineAttention, DistanceAttention
from nmt.models.interface import Decoder
from nmt.models.multihead import MultiHeadAttention
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.transformer import TransformerDecoder

# name: equation, if all models have the same, and sentence
TEXTS = {
    "query": ("x", "The query: the vector of this position as it enters the attention."),
    "query, previous": ("q = s(t-1)", "The query: the state of the decoder before it reads the last token."),
    "query, between": (
        "q = s'(t) = cell1(y, s(t-1))",
        "The query: the state of the decoder between its two cells, after the first has read the last token.",
    ),
    "query, current": ("q = s(t)", "The query: the state of the decoder after it has read the last token."),
    "factor": ("f", "Scores are multiplied by this number. A larger one makes the weights sharper."),
    "keys": ("k_j", "A key for each token that can be read. The query is compared with the keys."),
    "projected query": ("", "A learned matrix prepares the query for the comparison."),
    "normalized query": (
        "g q / rms(q)",
        "Query and keys are scaled to the same size, and then each number by a learned factor g.",
    ),
    "rotated query": (
        "",
        "Rotary positions turn the query by an angle that grows with its position. Keys are turned in the same way.",
    ),
    "memory norms": ("", "The length of the vector of each token. Dividing by it leaves the direction."),
    "query norm": ("", "The length of the query. Dividing by it leaves the direction."),
    "tanh": ("", "Query and key are added, and tanh brings each number between -1 and 1."),
    "fertility": ("", "How many target tokens each source token is expected to become."),
    "coverage": ("", "How much of each source token has been translated in the earlier steps."),
    "distances": ("", "The distance between the query and each key."),
    "centre": ("", "Where the window stands in the source, with the first token at 0."),
    "offsets": ("j - p", "How far each token is from the centre, in tokens."),
    "scores": ("e_j", "One number for each token: the higher, the better it fits the query."),
    "scaled": ("", "Dividing by the root of the width keeps the size of the scores the same for every width."),
    "position bias": ("b_j", "A number for each pair of positions. It is added to the score."),
    "masked": ("e_j, or -∞ where it is hidden", ""),  # the trace says what was hidden
    "softmax": (
        "exp(e_j) / Σ_k exp(e_k)",
        "Scores become weights: the higher, the more. Their sum is 1.",
    ),
    "sparsemax": ("sparsemax(e)_j", "Scores become weights with the sum 1. A low score gets exactly 0."),
    "entmax": ("entmax(e)_j", "Scores become weights with the sum 1. A low score gets exactly 0."),
    "bell": ("", "A bell curve: 1 at the centre, and near 0 far from it."),
    "weights": ("a_j", "The weights with which the tokens are read."),
    "values": ("v_j = h_j", "The vector of each token. Its weight says how much of it is read."),
    "weighted values": ("a_j v_j", "Each value, times the weight of its token."),
    "context": ("c = Σ_j a_j v_j", "The sum of the weighted values: what the decoder reads in this step."),
    "gate": (
        "",
        "How much of each component of the context is let through: from 0 to 1. It depends on the query only.",
    ),
    "gated context": ("z c", "The context, times the gate."),
    "joined": ("", "The contexts of all heads stand one after another, and a matrix mixes them."),
    "state": ("", "The context enters the recurrent cell, which computes the next state."),
    "readout": ("", "What the decoder hands to its output layer, after all that follows this attention."),
    "next token": ("softmax(W_o r + b)", ""),  # the trace says which token
}


# The equations of a class, which its subclasses share.
EQUATIONS: dict[type[nn.Module], dict[str, str]] = {
    AdditiveAttention: {
        "keys": "k_j = U h_j",
        "projected query": "W q",
        "tanh": "tanh(W q + k_j)",
        "scores": "v · tanh(W q + k_j)",
    },
    CoverageAttention: {
        "fertility": "F_j = N sigmoid(U_f · h_j)",
        "coverage": "C_j = Σ of the earlier a_j / F_j",
        "tanh": "tanh(W q + k_j + V C_j)",
        "scores": "v · tanh(W q + k_j + V C_j)",
    },
    DotAttention: {"factor": "f", "keys": "k_j = f h_j", "scores": "q · k_j"},
    GeneralAttention: {"factor": "f", "keys": "k_j = f W h_j", "scores": "q · k_j"},
    CosineAttention: {
        "memory norms": "|h_j|",
        "factor": "f = 1 / temperature",
        "keys": "k_j = f h_j / |h_j|",
        "query norm": "|q|",
        "scores": "f cos(q, h_j) = q / |q| · k_j",
    },
    DistanceAttention: {"factor": "f", "keys": "k_j = h_j", "distances": "|q - k_j|", "scores": "-f |q - k_j|"},
    LocationAttention: {"scores": "row j of W, times q; -10,000 where W has no such row"},
    MonotonicLocalAttention: {"centre": "p = t, at most the last token"},
    PredictiveLocalAttention: {
        "centre": "p = S sigmoid(v · tanh(W q))",
        "bell": "exp(-(j - p)² / (2 (D/2)²))",
        "weights": "a_j = normalized score · bell",
    },
    MultiHead: {
        "projected query": "W^Q q + b",
        "scores": "(W^Q q + b) · k_j",
        "scaled": "(W^Q q + b) · k_j / √d",
    },
    MultiHeadAttention: {
        "projected query": "q = W^Q x + b",
        "keys": "k_j = W^K h_j + b",
        "scores": "q · k_j",
        "scaled": "q · k_j / √d",
        "values": "v_j = W^V h_j + b",
        "gate": "z = sigmoid(W^Z x + b)",
        "joined": "W^O [c_1; …; c_H] + b",
    },
    TransformerDecoder: {"next token": "softmax(W_o r)"},
}
# What follows the attention in a recurrent decoder, for each query state; see `RecurrentDecoder`.
_AFTER = {
    "previous": {"state": "s(t) = cell([y; c], s(t-1))", "readout": "tanh(W [s(t); c; y])"},
    "between": {"state": "s(t) = cell2(c, s'(t))", "readout": "tanh(W [s(t); c; y])"},
    "current": {"readout": "tanh(W [s(t); c])"},
}
# Steps of a recurrent decoder with several layers: the context enters the lowest one, and s(t) is of the top one.
_SEVERAL_LAYERS = {
    "query, between": (
        "q = s'(t)",
        "The query: the state of the lowest layer between its two cells, after the first has read the last token.",
    ),
    "state": (
        "s(t) = cell(u(t), s(t-1))",
        "The context enters the lowest layer. The cell of the top layer reads the state u(t) of the layer below it.",
    ),
}


def texts_of(attention: nn.Module, decoder: Decoder[Any]) -> dict[str, tuple[str, str]]:
    """Return equation and sentence of each step of an attention and its decoder, by the name of the step."""
    several = isinstance(decoder, RecurrentDecoder) and len(decoder.cells.upper) > 0
    found = TEXTS | (_SEVERAL_LAYERS if several else {})
    found |= {"query": found.get(f"query, {getattr(attention, 'query_state', None)}", found["query"])}
    equations: dict[str, str] = {}
    for module in (*reversed(list(attention.modules())), decoder):  # what is around an attention comes after it
        for kind in reversed(type(module).__mro__):
            equations |= EQUATIONS.get(kind, {})
    if isinstance(decoder, RecurrentDecoder):
        equations |= _AFTER.get(str(decoder.query_state), {})
        if several:
            equations["state"] = _SEVERAL_LAYERS["state"][0]
    return found | {name: (equation, found[name][1]) for name, equation in equations.items()}


def equation_beside(names: Collection[str], name: str, equation: str) -> str:
    """Return the equation of a step of a trace that has steps with these `names`.

    Keys are normalized and rotated where the query is, masked scores include a position bias, and gated contexts are
    joined.
    """
    if name == "keys" and " = " in equation:
        letter, key = equation.split(" = ")
        key = f"norm({key})" if "normalized query" in names else key
        key = f"rotate({key})" if "rotated query" in names else key
        return f"{letter} = {key}"
    if name == "masked" and "position bias" in names:
        return equation.replace("e_j", "e_j + b_j", 1)
    if name == "joined" and "gate" in names:
        return equation.replace("c_", "z_1 c_", 1).replace("; c_", "; z_H c_")
    return equation


def hidden_tokens(hidden: int, tokens: int) -> str:
    """Return a sentence about a mask that hides `hidden` of the `tokens`."""
    if not hidden:
        return "Nothing is hidden here: the query may look at every token."
    return f"{hidden} of {tokens} tokens are hidden: with a score of -∞, their weight is exactly 0."


def predicted(piece: str, probability: float, rank: int, vocabulary: int) -> str:
    """Return how likely the token of the translation was."""
    place = "the most probable" if rank == 1 else f"number {rank:,}"
    return f"“{piece}” has the probability {probability:.3f}. It is {place} of {vocabulary:,} tokens."
