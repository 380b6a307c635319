"""Reasons to doubt a translation, which are found without a reference.

The bounds were chosen on the validation translations of three models (Multi30k en-de, LibreOffice's help en-ko and
ko-en), and docs/translating.md measures them on the test sets, against planted faults.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

from nmt.text.languages import FEWEST_LETTERS, foreign_language, foreign_script

if TYPE_CHECKING:
    from nmt.translation.translation import Translation

Doubt = Literal["script", "language", "unknown", "repeated", "length", "cut", "unsure"]
REASONS: dict[Doubt, str] = {
    "script": "a source in a script that the model's language is not written in",
    "language": "a source that reads as another language than the model's",
    "unknown": "a source that consists mostly of characters that training did not have",
    "repeated": "the same words again and again, but not in the source",
    "length": "a text far longer or far shorter than its source",
    "cut": "a text that was cut at the limit of the length",
    "unsure": "a low probability under the model",
}

MOST_UNKNOWN = 0.5  # of the pieces of a source
TIMES_LONGER, TOKENS_LONGER = 2, 5  # one side longer than 2 * the other + 5: 0.5 % of the translations or fewer
LEAST_MEAN = -1.3  # log P of a token: 0 to 2 % of the translations have less


def doubts_of(translation: Translation) -> list[Doubt]:
    """Return the reasons to doubt a translation, in the order of `REASONS`. A split source has those of its parts.

    `script` and `language` look at the source without its spans. Names such as "LibreOffice" are no foreign script, so
    Latin counts only in texts of at least `FEWEST_LETTERS` letters. `length` compares numbers of tokens. `unsure`
    means that the mean log-probability of the tokens is below `LEAST_MEAN`. This bound is for translations that a
    search has found; those of people are often less probable.
    """
    if translation.parts:
        doubts = {doubt for part in translation.parts for doubt in part.doubts}
    else:
        doubts = {doubt for doubt, holds in _checks(translation) if holds} if translation.tokens else set()
    return [doubt for doubt in REASONS if doubt in doubts]


def _checks(translation: Translation) -> Iterator[tuple[Doubt, bool]]:
    source, tokens = translation.encoded, translation.tokens
    source_length, length = len(source.ids[0]), len(tokens)
    if source.language:
        words = " ".join(part for part in source.segment.parts if isinstance(part, str))
        script, letters = foreign_script(words, source.language), sum(map(str.isalpha, words))
        yield "script", bool(script) and (script != "Latin" or letters >= FEWEST_LETTERS)
        yield "language", bool(foreign_language(words, source.language))
    yield "unknown", source.unknown > MOST_UNKNOWN * (source_length - 1)
    yield "repeated", is_repetitive(translation)
    shorter, longer = sorted((source_length, length))
    yield "length", longer > TIMES_LONGER * shorter + TOKENS_LONGER
    yield "cut", translation.cut
    yield "unsure", translation.log_prob < LEAST_MEAN * length


def is_repetitive(translation: Translation) -> bool:
    """Return whether a translation says the same again and again, and its source does not.

    An n-gram that repeats itself stands three times in a row, or twice if it has three tokens or more. It has a letter,
    because "..." and "000" are no fault. Its row has more than twice as many repeated tokens as any row of the source.
    """
    source, tokens = translation.encoded.ids[0], translation.tokens
    if len(set(pairwise(tokens))) == len(tokens) - 1:
        return False  # no bigram occurs twice: the usual case
    most = TIMES_LONGER * max((repeated for *_, repeated in _rows(source)), default=0)
    return any(
        repeated > most
        and repeated >= (size if size > 2 else 2 * size)
        and any(map(str.isalpha, "".join(translation.pieces[start : start + size])))
        for start, size, repeated in _rows(tokens)
    )


def _rows(tokens: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield each n-gram that stands in a row: where it begins, its size, and the number of tokens that repeat it."""
    for size in range(1, len(tokens) // 2 + 1):
        start = 0
        for equal, several in groupby(map(int.__eq__, tokens, tokens[size:])):
            length = sum(1 for _ in several)
            if equal and length >= size:
                yield start, size, length // size * size
            start += length
