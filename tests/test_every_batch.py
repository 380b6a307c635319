"""A translation, its score and its attention are the same alone, in any batch and in any order.

Held to it is every decoder, with every option of a search at once. In tests/search, each search of configs/search and
each option are held to it on a toy model. A batch of another shape adds the same float32 numbers in another order. So
tokens and texts must be equal, and numbers equal up to rounding: 1e-4 for the log-probability of a token and for a
weight, 1e-3 for a score, which is a sum over tokens. The models are random but peaked: two hypotheses are hardly ever
so close that rounding decides between them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from nmt.errors import UserError
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator
from tests.models.cases import CASES, build
from tests.tiny_run import Run, sentences

TEXTS = [*(" ".join(text.split()[:4]) for text in sentences(30, seed=1)), "", sentences(9, seed=5)[8]]
PREFIXES = ["", "dog", "a red"]
LIMITS: dict[str, Any] = {"max_length_factor": 0.7, "max_length_extra": 4, "batch_tokens": 100_000}
RULES: dict[str, Any] = {"min_length": 6, "no_repeat_ngram_size": 2}
EVERYTHING: list[Search] = [
    BeamSearch(
        **{"beam_size": 4, "n_best": 4, "coverage_penalty": 0.3, "normalization": "power"},
        **{"length_penalty": 0.6, "utility": "bleu", **RULES, **LIMITS},
    ),
    Sampling(samples=3, temperature=0.7, top_k=20, top_p=0.9, seed=2, utility="chrf", **RULES, **LIMITS),
]
FAST = {
    "hybrid model/positions=sinusoidal",
    "rnn model/attention=none",
    "transformer model/positions=relative",
}
CASES_MARKED = [each if each in FAST else pytest.param(each, marks=pytest.mark.slow) for each in CASES]


@pytest.fixture(scope="module", params=CASES_MARKED)
def translator(request: pytest.FixtureRequest, run: Run) -> Translator:
    """A model with peaked distributions."""
    torch.manual_seed(3)
    tokenizer = run.translator.tokenizer
    model = build(request.param, tokenizer.target_vocab_size).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.35)
    return Translator(model, tokenizer, BeamSearch(batch_tokens=100_000))


def fitting(search: Search, translator: Translator) -> Search:
    """Return the search without what the model lacks: coverage needs attention."""
    attends = translator.model.decoder.attends or not isinstance(search, BeamSearch)
    return search if attends else search.replace(coverage_penalty=0.0)


def hold(translator: Translator, search: Search) -> None:
    """Compare 32 sentences together with another order, with batches of 7, and with single sentences.

    Every third sentence is free, and two of three have a prefix.
    """

    def found(places: Sequence[int]) -> list[list[Translation]]:
        begun = [PREFIXES[place % 3] for place in places]
        return translator.hypotheses([TEXTS[place] for place in places], prefixes=begun, search=search)

    order = random.Random(2).sample(range(32), 32)
    together = found(range(32))
    assert len({each.text for hypotheses in together for each in hypotheses}) > 9
    batches = [order, *(order[at : at + 7] for at in (0, 14, 28)), *([place] for place in [31, *order[:3]])]
    for batch in batches:
        for place, again in zip(batch, found(batch), strict=True):
            assert [(t.tokens, t.text) for t in again] == [(t.tokens, t.text) for t in together[place]]
            assert [t.score for t in again] == pytest.approx([t.score for t in together[place]], abs=1e-3)
            for one, other in zip(again, together[place], strict=True):
                assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=1e-4)


@pytest.mark.parametrize("search", EVERYTHING, ids=lambda search: type(search).__name__)
def test_batch_invariance_of_every_decoder(translator: Translator, search: Search) -> None:
    hold(translator, fitting(search, translator))


def test_batch_invariance_of_scores_and_attention(translator: Translator) -> None:
    sources, targets = [text or "a" for text in TEXTS], TEXTS[::-1]
    together = translator.score(sources, targets)
    order = random.Random(3).sample(range(32), 32)
    if translator.attends:
        maps = translator.attention_maps(together)
    else:
        maps = []
        with pytest.raises(UserError, match="this model has no attention, so there is nothing to draw"):
            translator.attention_maps(together)
    for batch in (order, order[:7], [31], [order[0]]):
        again = translator.score([sources[place] for place in batch], [targets[place] for place in batch])
        for place, one in zip(batch, again, strict=True):
            assert one.tokens == together[place].tokens
            assert one.token_log_probs == pytest.approx(together[place].token_log_probs, abs=1e-4)
        for place, one in zip(batch, translator.attention_maps(again) if maps else [], strict=False):
            for kind in ("cross", "encoder_self", "decoder_self"):
                weights = getattr(maps[place], kind)
                assert (weights is None) == (getattr(one, kind) is None)
                if weights is not None:
                    torch.testing.assert_close(getattr(one, kind), weights, rtol=0, atol=1e-4)
