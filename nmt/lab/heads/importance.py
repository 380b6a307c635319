"""Importance of attention heads: the score that a model loses without one of them.

Michel et al. 2019, "Are Sixteen Heads Really Better than One?" (arXiv:1905.10650, section 3.2), mask each head of a
trained model, one at a time, and translate again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from nmt.attention_map import Kind
from nmt.data.normalization import normalized
from nmt.data.progress import PassProgress
from nmt.evaluation.metrics.base import Metric
from nmt.models.multihead import MultiHeadAttention
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer
from nmt.translation.translator import Translator


@dataclass(frozen=True)
class Head:
    """A head by its kind of attention, and its layer and number, counted from 1."""

    kind: Kind
    layer: int
    head: int


def heads(model: Seq2Seq) -> dict[Head, MultiHeadAttention]:
    """Return the attention module of each head of the Transformer layers; empty for a recurrent model."""
    found: dict[Head, MultiHeadAttention] = {}

    def add(kind: Kind, layer: int, attention: MultiHeadAttention) -> None:
        found.update({Head(kind, layer, head): attention for head in range(1, attention.heads + 1)})

    for number, layer in enumerate((each for each in model.modules() if isinstance(each, EncoderLayer)), start=1):
        add("encoder_self", number, layer.self_attention)
    for number, each in enumerate((each for each in model.modules() if isinstance(each, DecoderLayer)), start=1):
        add("cross", number, each.cross_attention)
        add("decoder_self", number, each.self_attention)
    return found


@contextmanager
def masked(attention: MultiHeadAttention, head: int) -> Iterator[None]:
    """Run the block with a head, counted from 1, whose context is 0: its columns of the output projection are 0."""
    width = attention.output.in_features // attention.heads
    with torch.no_grad():
        columns = attention.output.weight[:, (head - 1) * width : head * width]
        kept = columns.clone()
        columns.zero_()
    try:
        yield
    finally:
        with torch.no_grad():
            columns.copy_(kept)


def importance(
    translator: Translator, sources: Sequence[str], references: Sequence[str], whole: Sequence[str], metric: Metric
) -> dict[Head, float]:
    """Return the score of `metric` that is lost without each head; the model translates the `sources` anew for each.

    `whole` are the translations of the unchanged model.
    """
    found, all_heads = {}, heads(translator.model)
    unchanged = metric.score(whole, references, sources=sources).value
    with PassProgress("masking heads", len(all_heads), unit="heads") as progress:
        for head, attention in all_heads.items():
            with masked(attention, head.head):
                lines = [normalized(each.text) for each in translator.translate(sources)]
            score = metric.score(lines, references, sources=sources).value
            found[head] = unchanged - score if metric.higher_is_better else score - unchanged
            progress.advance(1)
    return found
