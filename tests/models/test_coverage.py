"""The coverage of source tokens during decoding equals the sum of the attention maps."""

from __future__ import annotations

import pytest
import torch

from nmt.build import build_model
from nmt.errors import UserError
from nmt.models.seq2seq import CoverageTracker, Seq2Seq
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS
from tests.models.cases import VOCABULARY, model_config


def build(words: str) -> Seq2Seq:
    torch.manual_seed(5)
    sizes = {"source_vocab_size": VOCABULARY, "target_vocab_size": VOCABULARY}
    model = build_model(model_config(words), **sizes).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.4)
    return model


@pytest.mark.parametrize("words", ["transformer", "rnn model/attention=bahdanau", "rnn model/attention=luong"])
def test_the_score_has_the_coverage_of_the_attention_maps(words: str) -> None:
    model = build(words)
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
        CoverageTracker(build("rnn model/attention=none"))
