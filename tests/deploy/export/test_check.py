"""The comparison of an exported model with its checkpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from nmt.data.pair import SentencePair
from nmt.deploy.export.check import compare, exportable_search
from nmt.evaluation.metrics.bleu import BLEU
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translation.loading import make_translator
from nmt.translation.translation import Translation
from tests.deploy.export.models import SEARCH, TEXTS, transformer
from tests.tiny_run import Run


def test_a_log_probability_that_is_no_number_breaks_the_promise(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = (make_translator([transformer(run)], SEARCH) for _ in range(2))
    pairs = [SentencePair(text, text[::-1]) for text in TEXTS[:4]]
    assert not compare(ours, theirs, SEARCH, pairs, {"bleu": BLEU()}).problems()
    right = theirs.score

    def wrong(sources: Sequence[str], targets: Sequence[str]) -> list[Translation]:
        scored = right(sources, targets)
        scored[1].token_log_probs[2] = math.nan
        return scored

    monkeypatch.setattr(theirs, "score", wrong)
    (problem,) = compare(ours, theirs, SEARCH, pairs, {"bleu": BLEU()}).problems()
    assert problem.startswith("check: a log-probability differs by nan")


def test_the_search_of_other_engines_has_our_limits_and_a_power_near_our_penalty(run: Run) -> None:
    limits = {"max_length_factor": 3, "max_length_extra": 1, "max_source_length": 9, "long_source": "refuse"}
    drawn = Sampling(**limits, batch_tokens=77)
    found = exportable_search(drawn, 15)
    assert found.limits == drawn.limits and (found.batch_tokens, found.normalization) == (77, "power")
    assert exportable_search(BeamSearch(length_penalty=0.8), 15).length_penalty == 0.6
    assert exportable_search(BeamSearch(length_penalty=0.8, normalization="power"), 15).length_penalty == 0.8
    assert exportable_search(drawn, 15, length_penalty=0.2, beam_size=4).label == "beam4.power0.2"
