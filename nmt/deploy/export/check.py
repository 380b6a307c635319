"""Compares an exported model with its checkpoint: numbers first, then translations and scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Metric, Scores, labels, score
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.translation.base import BaseTranslator
from nmt.translation.translator import ModelTranslator

MOST_DIFFERENCE = 1e-4  # of a log-probability
LEAST_EQUAL = 0.995  # of the greedy translations


@dataclass(frozen=True)
class Report:
    """A comparison on `sentences` validation pairs, of the checkpoint first and the exported model second.

    `log_prob` is the largest difference of a token's log-probability in a given translation, over all tokens. `equal`
    is the share of equal greedy translations. The scores are those of the exported search.
    """

    sentences: int
    log_prob: float
    equal: float
    scores: tuple[Scores, Scores]

    def problems(self) -> Iterator[str]:
        """Yield a message for each figure that differs more than rounding explains."""
        if not self.log_prob <= MOST_DIFFERENCE:  # it may be NaN
            yield f"check: a log-probability differs by {self.log_prob:.2g}, expected at most {MOST_DIFFERENCE:g}"
        if self.equal < LEAST_EQUAL:
            yield f"check: {self.equal:.1%} of the greedy translations are equal, expected at least {LEAST_EQUAL:.1%}"

    def rows(self) -> list[tuple[str, str, str]]:
        """Return the scores as rows of a table: a name, the value of our model, and that of the exported one."""
        (ours, theirs), shown = self.scores, labels(self.scores[0].metrics)
        return [(shown[name], f"{ours[name].value:.2f}", f"{theirs[name].value:.2f}") for name in ours]


def exportable_search(search: Search, length: float, **fixed: Any) -> BeamSearch:
    """Return a beam search with the size and the limits of `search` that other engines have too.

    They divide log P by a power of the length. For translations of about the mean `length`, this power grows as fast as
    the length penalty of Wu et al. 2016. The settings `fixed` are those that a user of an engine cannot choose.
    """
    beam = search if isinstance(search, BeamSearch) else BeamSearch()
    power = beam.length_penalty * (1 if beam.normalization == "power" else length / (5 + length))
    settings = {"beam_size": beam.beam_size, "length_penalty": round(power, 2), "normalization": "power"}
    own = {"batch_tokens": search.batch_tokens, "unsure_below": search.unsure_below}
    return BeamSearch(**{**search.limits, **own, **settings, **fixed})


def compare(
    ours: ModelTranslator,
    theirs: BaseTranslator,
    search: BeamSearch,
    pairs: Sequence[SentencePair],
    metrics: Mapping[str, Metric],
) -> Report:
    """Return the comparison of the exported model with ours on `pairs` that fit into both, with the `search`."""
    sources, references = [pair.source for pair in pairs], [normalized(pair.target) for pair in pairs]
    both = (ours, theirs)
    greedy = [[each.tokens for each in one.translate(sources, search=search, beam_size=1)] for one in both]
    given = [[value for each in one.score(sources, references) for value in each.token_log_probs] for one in both]
    searched = [[normalized(each.text) for each in one.translate(sources, search=search)] for one in both]
    one, two = (score(metrics, texts, references, sources=sources) for texts in searched)
    return Report(
        sentences=len(pairs),
        log_prob=float(np.max([abs(a - b) for a, b in zip(*given, strict=True)])),  # NaN if there is one
        equal=sum(a == b for a, b in zip(*greedy, strict=True)) / len(pairs),
        scores=(one, two),
    )
