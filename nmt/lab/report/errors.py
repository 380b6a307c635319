"""What is wrong with translations: faults that can be seen without knowing the language, and search and model errors.

If the model gives the reference a higher score than the translation that the search found, the search has missed a
better translation: a search error. Otherwise the model itself prefers the wrong translation: a model error. Stahlberg
and Byrne 2019, "On NMT Search Errors and Model Errors: Cat Got Your Tongue?", arXiv:1908.10090, count both.

Only a search for the highest score can miss it: beam search and greedy search. Sampling and minimum Bayes risk search
for something else, and so does a beam search with a coverage penalty or with constraints on the next token.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nmt.data.normalization import normalized
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.translation.base import BaseTranslator
from nmt.translation.translation import ForcedPair, Translation

# A space is put before the first word, so that "ha ha ha" has " ha" three times.
_LOOP = re.compile(r"(.{2,40}?)\1{2,}", re.DOTALL)
SHORT, LONG = 0.5, 2.0  # times the length of the reference in characters

FAULTS: Mapping[str, str] = {
    "empty": "no text, although the source has some",
    "copied": "the same text as the source, although the reference differs from it",
    "repeating": "a text three times in a row, although the reference repeats nothing",
    "too_short": "less than half as long as the reference",
    "too_long": "more than twice as long as the reference",
}
Kind = Literal["search error", "model error", "same", "no source", "too long", "cut"]
KINDS: tuple[Kind, ...] = ("search error", "model error", "same", "no source", "too long", "cut")


@dataclass(frozen=True)
class Verdict:
    """The scores of a translation and of its reference, as `Search.normalized` computes them from log-probabilities.

    `kind` is "same" if the two texts are equal. Three kinds are not compared, and their scores are None: the source is
    empty ("no source"), the source or the reference is too long for the model ("too long"), and the translation was cut
    at the limit of its length ("cut"), because the beginning of a sentence has a higher score than the whole.
    """

    kind: Kind
    hypothesis: float | None = None
    reference: float | None = None


def judge(translator: BaseTranslator, translations: Sequence[Translation], references: Sequence[str]) -> list[Verdict]:
    """Return a verdict for each translation that the translator's search has found, in order.

    There are no verdicts if the search is not for the highest score. A reference is scored with the pieces into which
    the tokenizer divides it. Length limits do not apply to it, so its score may be higher although the search could not
    find it.
    """
    if not _seeks_highest_score(translator.search):
        return []
    most, longest = translator.source_limit().tokens, translator.longest_target or math.inf
    sources = [each.encoded for each in translations]
    forced = list(map(ForcedPair, sources, references, translator.target_ids(sources, references)))
    fits = [pair.source.tokens <= most and len(pair.ids) <= longest for pair in forced]
    reasons = [_not_compared(each, fit) for each, fit in zip(translations, fits, strict=True)]
    compared = [pair for pair, reason in zip(forced, reasons, strict=True) if reason is None]
    scored = iter(translator.score_pairs(compared))
    return [
        _verdict(translator, each, next(scored)) if reason is None else Verdict(reason)
        for each, reason in zip(translations, reasons, strict=True)
    ]


def _not_compared(translation: Translation, fits: bool) -> Kind | None:
    """Return why a translation is not compared with its reference, or None.

    `fits` says whether both texts fit into the model.
    """
    if not translation.tokens and not translation.parts:
        return "no source"
    if translation.parts or not fits:
        return "too long"
    return "cut" if translation.cut else None


def _seeks_highest_score(search: Search) -> bool:
    return isinstance(search, BeamSearch) and not search.coverage_penalty and not search.shared_label


def _verdict(translator: BaseTranslator, found: Translation, reference: Translation) -> Verdict:
    hypothesis_score, reference_score = (
        translator.search.normalized(each.token_log_probs) for each in (found, reference)
    )
    kind: Kind = "search error" if reference_score > hypothesis_score else "model error"
    # The tokenizer reads every kind of white space as one space, so such texts have the same pieces and score.
    if found.text.split() == reference.text.split():
        kind = "same"
    return Verdict(kind, hypothesis_score, reference_score)


def totals(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Return the number of verdicts of each kind, in the order of `KINDS`; empty without verdicts."""
    counts = Counter(verdict.kind for verdict in verdicts)
    return {kind: counts[kind] for kind in KINDS} if verdicts else {}


def faults(source: str, reference: str, hypothesis: str) -> list[str]:
    """Return the names of the faults of `hypothesis`, in the order of `FAULTS`, which explains them.

    Lengths are in characters. An empty translation has no other fault. No fault is found in the translation of an empty
    source.
    """
    if not source.strip():
        return []
    if not hypothesis.strip():
        return ["empty"]
    length = len(hypothesis.strip()) / max(1, len(reference.strip()))
    found = {
        "copied": normalized(hypothesis) == normalized(source) != normalized(reference),
        "repeating": repeats(hypothesis) and not repeats(reference),
        "too_short": length < SHORT,
        "too_long": length > LONG,
    }
    return [name for name, has in found.items() if has]


def shares(sources: Iterable[str], references: Iterable[str], hypotheses: Iterable[str]) -> dict[str, float]:
    """Return for each fault the share of the translations that have it, from 0 to 1. There is at least one."""
    found = [faults(*texts) for texts in zip(sources, references, hypotheses, strict=True)]
    return {name: sum(name in each for each in found) / len(found) for name in FAULTS}


def repeats(text: str) -> bool:
    """Return whether a text of 2 to 40 characters occurs three times in a row: " no no no", "하하하하하하"."""
    return any(re.search(r"\w", match[1]) for match in _LOOP.finditer(f" {text}"))
