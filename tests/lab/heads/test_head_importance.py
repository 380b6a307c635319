"""Masked heads: as if their context were 0, and the model is as before afterwards."""

from __future__ import annotations

import pytest
import torch

from nmt.evaluation.metrics.chrf import ChrF
from nmt.evaluation.metrics.ter import TER
from nmt.lab.heads.importance import Head, importance, masked
from nmt.models.multihead import MultiHeadAttention, attention_weights
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences


def test_a_masked_head_adds_nothing_to_the_output() -> None:
    torch.manual_seed(1)
    attention = MultiHeadAttention(12, 3).eval()
    x = torch.randn(2, 5, 12)
    before = attention(x, x)[0]
    with masked(attention, 2):
        found = attention(x, x)[0]
    keys, values = attention.project(x)
    queries = attention.query(x).view(2, 5, 3, 4).transpose(1, 2)
    context = attention_weights(queries, keys, None, attention.scale) @ values  # (2, 3, 5, 4)
    context[:, 1] = 0
    expected = attention.output(context.transpose(1, 2).flatten(2))
    assert torch.allclose(found, expected, atol=1e-6) and not torch.allclose(found, before, atol=1e-3)
    assert torch.equal(attention(x, x)[0], before), "nothing is left of the mask"


@pytest.mark.slow
def test_the_score_without_each_head(run: Run) -> None:
    model, search = run.translator.model, run.translator.search.replace(beam_size=1)
    translator = Translator(model, run.translator.tokenizer, search)
    sources = sentences(12, seed=5)
    whole = [each.text for each in translator.translate(sources)]
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    found = importance(translator, sources, whole, whole, ChrF())
    kinds = ("encoder_self", "cross", "decoder_self")
    assert set(found) == {Head(kind, layer, head) for kind in kinds for layer in (1, 2) for head in (1, 2)}
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    chosen = Head("cross", 2, 1)
    with masked(model.decoder.layers[1].cross_attention, 1):  # type: ignore[union-attr, index]
        lines = [each.text for each in translator.translate(sources)]
    assert lines != whole and found[chosen] == pytest.approx(100 - ChrF().score(lines, whole).value) > 0
    worse = importance(translator, sources, whole, whole, TER())[chosen]
    assert worse == TER().score(lines, whole).value > 0, "more errors are a loss"
