"""Compares an exported model with its checkpoint: numbers first, then translations, scores and speed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Metric, Scores, labels, score
from nmt.search.beam import BeamSearch
from nmt.translation.base import BaseTranslator
from nmt.translation.stepwise import ModelTranslator

MOST_DIFFERENCE = 1e-4  # of a log-probability
LEAST_EQUAL = 0.995  # of the greedy translations
PENALTIES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2)


@dataclass(frozen=True)
class Side:
    """The scores and the speed of one of the two models: `seconds` for all sentences with the exported search."""

    scores: Scores
    seconds: float


@dataclass(frozen=True)
class Report:
    """A comparison on `sentences` validation pairs.

    `log_prob` is the largest difference of a token's log-probability in a given translation, over all tokens. `equal`
    is the share of equal greedy translations.
    """

    sentences: int
    log_prob: float
    equal: float
    ours: Side
    theirs: Side

    def problems(self) -> list[str]:
        """Return a message for each figure that differs more than rounding explains."""
        found = []
        if not self.log_prob <= MOST_DIFFERENCE:
            found.append(
                f"check: a log-probability differs by {self.log_prob:.2g}, expected at most {MOST_DIFFERENCE:g}"
            )
        if self.equal < LEAST_EQUAL:
            found.append(
                f"check: {self.equal:.1%} of the greedy translations are equal, expected at least {LEAST_EQUAL:.1%}"
            )
        return found

    def losses(self) -> dict[str, float]:
        """Return for each metric in points, by its label, how much worse the exported model is."""
        shown, ours, theirs = labels(self.ours.scores.metrics), self.ours.scores, self.theirs.scores
        sign = {name: 1 if metric.higher_is_better else -1 for name, metric in ours.metrics.items()}
        points = [name for name, metric in ours.metrics.items() if metric.unit == "points"]
        return {shown[name]: sign[name] * (ours[name].value - theirs[name].value) for name in points}

    def rows(self) -> list[tuple[str, str, str]]:
        """Return the comparison as rows of a table: a name, the value of our model, and that of the exported one."""
        shown = labels(self.ours.scores.metrics)
        rows = [
            (shown[name], f"{self.ours.scores[name].value:.2f}", f"{self.theirs.scores[name].value:.2f}")
            for name in self.ours.scores
        ]
        speeds = (f"{self.sentences / max(side.seconds, 1e-9):,.0f}" for side in (self.ours, self.theirs))
        return [*rows, ("sentences/s", *speeds)]  # type: ignore[list-item]


def usable(translator: ModelTranslator, pairs: Sequence[SentencePair]) -> list[SentencePair]:
    """Return the pairs without an empty side, whose source and target are short enough for the model."""
    most, longest = translator.source_limit().tokens, translator.longest_target or math.inf
    sources = translator.encode([pair.source for pair in pairs])
    targets = translator.target_ids(sources, [pair.target for pair in pairs])
    return [
        pair
        for pair, source, target in zip(pairs, sources, targets, strict=True)
        if not source.empty and source.tokens <= most and 1 < len(target) <= longest
    ]


def tuned(
    translator: ModelTranslator, pairs: Sequence[SentencePair], metric: Metric | None, fixed: Mapping[str, Any]
) -> BeamSearch:
    """Return a beam search that other engines have too, with the length penalty that is best on `pairs`.

    It divides log P by a power of the length. The search of the run stays as it is if it does this already, and its
    length penalty if there is no metric or none is better. If an engine has `fixed` settings, the search has these, and
    nothing is chosen.
    """
    own = translator.search
    beam = own if isinstance(own, BeamSearch) else BeamSearch(**own.limits, batch_tokens=own.batch_tokens)
    if fixed:
        return plain(beam, normalization="power", **fixed)
    if beam.normalization == "power" or metric is None:
        return plain(beam, normalization="power")
    sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]

    def quality(penalty: float) -> float:
        found = translator.translate(sources, search=plain(beam, normalization="power", length_penalty=penalty))
        value = metric.score([normalized(each.text) for each in found], references, sources=sources).value
        return value if metric.higher_is_better else -value

    penalties = sorted(PENALTIES, key=lambda penalty: penalty != beam.length_penalty)  # of equal ones the first counts
    return plain(beam, normalization="power", length_penalty=max(penalties, key=quality))


def plain(beam: BeamSearch, **fields: Any) -> BeamSearch:
    """Return a beam search with the size and the limits of `beam`, without what other engines lack."""
    kept = {name: getattr(beam, name) for name in ("beam_size", "normalization", "length_penalty", "batch_tokens")}
    return BeamSearch(**{**beam.limits, **kept, **fields})


def compare(
    ours: ModelTranslator,
    theirs: BaseTranslator,
    search: BeamSearch,
    pairs: Sequence[SentencePair],
    metrics: Mapping[str, Metric],
) -> Report:
    """Return the comparison of the exported model with ours on `usable` validation pairs, with the `search`."""
    sources = [pair.source for pair in pairs]
    greedy = ours.translate(sources, search=search, beam_size=1)
    same = [
        one.tokens == two.tokens
        for one, two in zip(greedy, theirs.translate(sources, search=search, beam_size=1), strict=True)
    ]
    references = [pair.target for pair in pairs]
    scored = zip(ours.score(sources, references), theirs.score(sources, references), strict=True)
    differences = [
        abs(a - b) for one, two in scored for a, b in zip(one.token_log_probs, two.token_log_probs, strict=True)
    ]
    return Report(
        sentences=len(pairs),
        log_prob=float(np.max(differences)),  # NaN if there is one, unlike Python's own max
        equal=sum(same) / len(same),
        ours=_side(ours, search, sources, references, metrics),
        theirs=_side(theirs, search, sources, references, metrics),
    )


def _side(
    translator: BaseTranslator,
    search: BeamSearch,
    sources: Sequence[str],
    references: Sequence[str],
    metrics: Mapping[str, Metric],
) -> Side:
    started = time.perf_counter()
    found = translator.translate(sources, search=search)
    seconds = time.perf_counter() - started
    return Side(score(metrics, [normalized(each.text) for each in found], references, sources=sources), seconds)
