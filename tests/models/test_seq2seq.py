"""The whole model: tying, what is asked for, the step that search takes, and the coverage of source tokens."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest
import torch
from torch import nn

from nmt.build import build_model
from nmt.data.batches import pad
from nmt.errors import UserError
from nmt.models.rnn import RecurrentEncoder
from nmt.models.seq2seq import CoverageTracker, Seq2Seq
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, EOS
from tests.models import cases

SOURCE, MASK = pad([[5, 9, 4, EOS], [6, EOS]])
TARGET = torch.tensor([[1, 5, 7], [1, 9, 4]])


def config(tie: str = "none", **decoder: Any) -> dict[str, Any]:
    """Return a small recurrent model whose embeddings, cell and readout are 8 wide."""
    node = cases.model_config(f"rnn model/attention=dot model.tie_embeddings={tie}")
    for side, cell, units in (("encoder", "hidden_width", 4), ("decoder", "width", 8)):
        node[side] |= {"embedding_width": 8, cell: units}
    node["decoder"] |= {"readout_width": 8, **decoder}
    return node


def build(node: dict[str, Any], *, target_vocab_size: int = 12) -> Seq2Seq:
    torch.manual_seed(0)
    return build_model(node, source_vocab_size=12, target_vocab_size=target_vocab_size).eval()


@pytest.mark.parametrize(("tie", "tables"), [("none", 3), ("target", 2), ("all", 1)])
def test_tied_tables_are_one_parameter(tie: str, tables: int) -> None:
    model = build(config(tie))
    weights = (model.encoder.embedding.weight, model.decoder.embedding.weight, model.decoder.output.weight)
    assert len({id(weight) for weight in weights}) == tables
    before = build(config("none"))
    spared = sum(p.numel() for p in before.parameters()) - sum(p.numel() for p in model.parameters())
    assert spared == (3 - tables) * 12 * 8


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (config("both"), "model.tie_embeddings: got 'both', expected one of none, target, all"),
        (config("target", readout_width=6), r"model.tie_embeddings: got 'target' .*\(12, 6\), \(12, 8\)"),
        (config("all", embedding_width=6, readout_width=6), r"got 'all' .*\(12, 6\), \(12, 8\)"),
    ],
)
def test_what_does_not_fit_is_one_line(node: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        build(node)
    assert "\n" not in str(caught.value)


def test_an_encoder_of_ones_own_that_breaks_the_contract_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lacking(RecurrentEncoder):
        def __init__(self, vocab_size: int) -> None:
            nn.Module.__init__(self)

    Lacking.__module__ = "strange"
    strange = types.ModuleType("strange")
    strange.Lacking = Lacking  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "strange", strange)
    for target, message in (
        ("strange.Lacking", "model.encoder: its constructor must set width; see nmt/models/interface.py"),
        ("nmt.models.transformer.Embedding", "model.encoder._target_: .*expected a class derived from .*Encoder"),
    ):
        sizes = {"source_vocab_size": 12, "target_vocab_size": 12}
        width = {"width": 8, "dropout": 0.0} if target.endswith("Embedding") else {}
        with pytest.raises(UserError, match=message):
            build_model(config() | {"encoder": {"_target_": target} | width}, **sizes, allow=["strange"])


def test_two_vocabularies() -> None:
    model = build(config("target"), target_vocab_size=15)
    hidden, _ = model(SOURCE, MASK, TARGET)
    assert model.decoder.output(hidden).shape == (2, 3, 15)


@pytest.mark.parametrize("words", cases.CASES)
def test_no_hidden_matrix_of_any_model_is_a_table_or_a_vector(words: str) -> None:
    model = cases.build(words)
    hidden = set(model.hidden_matrices())
    for name, weights in model.named_parameters():
        table = cases.VOCABULARY in weights.shape or name.endswith("positions.table.weight")
        vector = weights.dim() < 2 or 1 in weights.shape
        assert (weights in hidden) != (table or vector), name


# Coverage


@pytest.mark.parametrize("words", ["transformer", "rnn model/attention=bahdanau", "rnn model/attention=luong"])
def test_the_score_has_the_coverage_of_the_attention_maps(words: str) -> None:
    torch.manual_seed(5)
    model = cases.build(words).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.4)
    source = torch.tensor([[5, 6, 7, 8, 3], [9, 4, 3, 0, 0], [12, 11, 10, 3, 0]])
    mask, limits = source != 0, torch.tensor([9, 6, 3])
    search = BeamSearch(beam_size=4, n_best=4, coverage_penalty=0.7)
    covering = CoverageTracker(model)
    with torch.no_grad():
        found = search(covering.step, covering.start(source, mask), max_length=limits, keys=[[0]] * 3)
        for row, hypotheses in enumerate(found):
            words_of = source[row : row + 1, mask[row]]
            for hypothesis in hypotheses:
                target = torch.tensor([[BOS, *hypothesis.tokens[:-1]]])
                _, weights = model(words_of, words_of != 0, target, need_weights=True)
                assert weights is not None and weights.cross is not None
                coverage = weights.cross.mean((1, 2)).sum(1)[0]  # (S,)
                log_prob, length = sum(hypothesis.token_log_probs), len(hypothesis.tokens)
                expected = log_prob / ((5 + length) / 6) + 0.7 * coverage.clamp(max=1.0).log().sum().item()
                assert hypothesis.score == pytest.approx(expected, abs=1e-3)


def test_a_decoder_without_attention_is_refused() -> None:
    with pytest.raises(UserError, match=r"search\.coverage_penalty: .*no attention"):
        CoverageTracker(cases.build("rnn model/attention=none"))
