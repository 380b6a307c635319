"""Reasons to doubt a translation, which are found without a reference.

The bounds were chosen on the validation translations of three models (Multi30k en-de, LibreOffice's help en-ko and
ko-en), and docs/translating.md measures them on the test sets, against planted faults.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

import regex
import yaml

from nmt.config.groups import config_dir
from nmt.errors import counted
from nmt.search.base import LEAST_MEAN
from nmt.text.languages import FEWEST_LETTERS, foreign_language, foreign_script
from nmt.text.protect import Spans

if TYPE_CHECKING:
    from nmt.translation.translation import Translation

Doubt = Literal["script", "language", "unknown", "repeated", "length", "spans", "numbers", "cut", "unsure"]
REASONS: dict[Doubt, str] = {
    "script": "a source in a script that the model's language is not written in",
    "language": "a source that reads as another language than the model's",
    "unknown": "a source that consists mostly of characters that training did not have",
    "repeated": "the same words again and again, but not in the source",
    "length": "a text far longer or far shorter than its source",
    "spans": "a URL, tag, placeholder or term that is changed, missing or doubled, or stands alone at the end",
    "numbers": "another number than in the source",
    "cut": "a text that was cut at the limit of the length (search.max_length_factor and max_length_extra)",
    "unsure": "a low probability under the model",
}
PROBLEMS = {  # what programs say of "3 translations"
    "empty": "without any text",
    "split": "in parts, because the source is longer than {limit}",
    "unprotected": "of URLs, tags, placeholders or the like by a model that was trained without spans (spans=common)",
} | {doubt: f"may be wrong ({doubt}): {reason}" for doubt, reason in REASONS.items()}

MOST_UNKNOWN = 0.5  # of the pieces of a source
TIMES_LONGER, TOKENS_LONGER = 2, 5  # one side longer than 2 * the other + 5: 0.5 % of the translations or fewer
LAST_WORD = 12  # people often write numbers up to this one in words, and months as names
MOST_PLACES = 10  # so many places of a problem are named
_PLACE = regex.compile(r"(?s)\d+\Z|(?<=, )'.*'\Z")
_NUMBER = regex.compile(r"\d{1,3}(?:[.,'\u2019\s]\d{3}(?!\d)){1,4}+|\d{1,18}")  # finds "1,234" and "5" in "1,234.5"
_TEN_THOUSANDS = regex.compile(r"\d\s*[천만억조千万萬億亿兆]")
_TIME = regex.compile(r"(?i)\d:\d\d|\d\s*[ap]\.?m\b")  # "9:26", "9 pm"
_DATE = regex.compile(r"\d([/.-])\d{1,2}\1\d\d")  # "12/23/93", "23.12.1993"
_BEHIND_THE_END = regex.compile(r"[.!?…。\uff01\uff1f]\W*\ufffc\s*\Z")  # with this character in place of a slot


def doubts_of(translation: Translation) -> list[Doubt]:
    """Return the reasons to doubt a translation, in the order of `REASONS`. A split source has those of its parts.

    `script` and `language` look at the source without its spans. Names such as "LibreOffice" are no foreign script, so
    Latin counts only in texts of at least `FEWEST_LETTERS` letters. `unsure`: the mean log-probability of the tokens
    is below `unsure_below`. That of people's translations often is. CTranslate2 does not give these
    probabilities, so they are computed only if `unsure_below` is not `LEAST_MEAN`.
    """
    if translation.parts:
        doubts = {doubt for part in translation.parts for doubt in part.doubts}
    else:
        doubts = {doubt for doubt, holds in _checks(translation) if holds} if translation.tokens else set()
    return [doubt for doubt in REASONS if doubt in doubts]


class Tally:
    """Counts the translations that have a problem, and knows where they are."""

    def __init__(self) -> None:
        self._places = defaultdict[str, list[str]](list)

    def add(self, translation: Translation, place: str) -> None:
        """Add a translation. A `place` is named if it ends with the number of a line or with ", 'TEXT'"."""
        others = {
            "empty": bool(translation.tokens) and not translation.text.strip(),
            "split": bool(translation.parts),
            "unprotected": not translation.tokenizer.spans and bool(common_spans().find(translation.source)),
        }
        for problem in (*filter(others.__getitem__, others), *translation.doubts):
            self._places[problem] += _PLACE.findall(place) or [""]

    def lines(self, limit: object) -> Iterator[str]:
        """Yield a line for each problem: "3 translations ...; lines 2, 5, 9". `limit` is that of a source."""
        for problem in filter(self._places.__contains__, PROBLEMS):
            count, named = len(self._places[problem]), ", ".join(filter(None, self._places[problem][:MOST_PLACES]))
            kind = ("line " if count == 1 else "lines ") * named[:1].isdigit()
            where = f"; {kind}{named}" if named else ""
            more = f" and {count - MOST_PLACES:,} more" if named and count > MOST_PLACES else ""
            yield f"{counted(count, 'translation')} {PROBLEMS[problem].format(limit=limit)}{where}{more}"


def _checks(translation: Translation) -> Iterator[tuple[Doubt, bool]]:
    source, tokens = translation.encoded, translation.tokens
    source_length, length = len(source.ids), len(tokens)
    if source.language:
        words = " ".join(part for part in source.segment.parts if isinstance(part, str))
        script, letters = foreign_script(words, source.language), sum(map(str.isalpha, words))
        yield "script", bool(script) and (script != "Latin" or letters >= FEWEST_LETTERS)
        yield "language", bool(foreign_language(words, source.language))
    yield "unknown", source.unknown > MOST_UNKNOWN * (source_length - 1)
    yield "repeated", is_repetitive(translation)
    shorter, longer = sorted((source_length, length))
    yield "length", longer > TIMES_LONGER * shorter + TOKENS_LONGER
    yield "spans", has_changed_spans(translation)
    yield "numbers", has_other_numbers(translation.source, translation.target.text)
    yield "cut", translation.cut
    least = translation.unsure_below
    yield "unsure", (translation.found.scored or least != LEAST_MEAN) and translation.log_prob < least * length


@cache
def common_spans() -> Spans:
    """Return the spans of `spans=common`, which are looked for in the texts of a model without spans."""
    return Spans(yaml.safe_load((config_dir() / "spans" / "common.yaml").read_text("utf-8")))


def has_changed_spans(translation: Translation) -> bool:
    """Return whether a span of the source is lost, missing, changed or doubled in the translation.

    The result is also True if the translation has no words, but the source has some. It is True as well if a span that
    is no end tag stands behind the last full stop, but the source does not end with such a span.
    """
    spans = translation.tokenizer.spans or common_spans()
    source = spans.protect(translation.encoded.segment)
    if not source.slots:
        return False
    target = spans.protect(translation.target, known=[slot.text for slot in source.slots])
    here, there = (
        "".join(part if isinstance(part, str) else "\ufffc" * (not part.ends) for part in each.parts)
        for each in (source, target)
    )
    without_words = any(map(str.isalnum, here)) > any(map(str.isalnum, there))
    behind_the_end = _BEHIND_THE_END.search(there) and not here.endswith("\ufffc")
    return bool(translation.lost or Counter(source.slots) != Counter(target.slots) or without_words or behind_the_end)


def has_other_numbers(source: str, target: str) -> bool:
    """Return whether a translation has another number than its source, as "15" in place of "25", or lacks one.

    Neither the order counts nor the signs inside: "11/25/2026" is "25.11.2026", and "1,234.5" is "1.234,5". A number up
    to `LAST_WORD` may be a word in the other text. With units of ten thousand, "10만" is "100,000". "9:26 PM" is
    "21:26", and "12/23/93" is "23.12.1993".
    """
    values = [[int(regex.sub(r"\D", "", n)) for n in _NUMBER.findall(text)] for text in (source, target)]
    hours, years = (pattern.search(f"{source} {target}") for pattern in (_TIME, _DATE))
    values = [[n % 100 if years and 1900 <= n < 2100 else n for n in numbers] for numbers in values]
    counts = [Counter(n % 12 if hours and n <= 24 else n for n in numbers) for numbers in values]
    missing, more = counts[0] - counts[1], counts[1] - counts[0]
    here, there = ("".join(map(str, each.elements())).strip("0") for each in (missing, more))
    if here == there and _TEN_THOUSANDS.search(f"{source} {target}"):
        return False
    return bool(missing and more) or any(number > LAST_WORD for number in (*missing, *more))


def is_repetitive(translation: Translation) -> bool:
    """Return whether a translation says the same again and again, and its source does not.

    An n-gram that repeats itself stands three times in a row, or twice if it has three tokens or more. It has a letter,
    because "..." and "000" are no fault. Its row has more than twice as many repeated tokens as any row of the source.
    """
    source, tokens = translation.encoded.ids, translation.tokens
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
