"""Spans: parts of a text that a translation must keep unchanged, such as URLs, placeholders and tags.

Before a text is encoded, each span is replaced by a mark: "｟0｠" for the first, "｟1｠" for the second ... A start tag
and its end tag have marks of their own: "｟8｠" and "｟9｠" for the first element. A mark is one piece of every
vocabulary. After the translation, the marks are replaced by the spans again. So the model decides where a span stands,
and cannot change it. The marks themselves are spans too, so a text keeps its own marks.

A term of a glossary has a mark as well, which is replaced by the given translation (see `nmt.terms`).

A text in capitals has a mark before it: "OPEN THE FILE" is read as "｟14｠ Open the file", so that its words have their
usual pieces. A translation that begins with this mark is written in capitals. OpenNMT calls this case markup. For the
same reason, "a <b>file</b>" is read as "a｟8｠ file｟9｠": the first piece of a word has the space before it.

`join` makes one text of several sentences with marks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import regex

from nmt.errors import UserError, one_line
from nmt.particles import agreed
from nmt.system.cores import usable_cores
from nmt.terms import NO_TERMS, Terms
from nmt.tokens import CAPITALS, ELEMENT_MARKS, SPAN_MARKS, START_MARKS, Piece

Place = tuple[int, int]  # where a part of a text begins and ends
MARK = regex.compile("\uff5f[0-9]+\uff60")
_WORD = regex.compile(r"\p{Lu}+")
_FIRST = regex.compile(r"\p{L}")
_START_TAG = regex.compile(r"[<{\[]([\w:.-]+)[^<>]*(?<!/)[>}\]]")
_END_TAG = regex.compile(r"[<{\[]/([\w:.-]+)\s*[>}\]]")
_STARTS = f"((?:{'|'.join(start for start, _ in ELEMENT_MARKS)})+)"
_ENDS = {end for _, end in ELEMENT_MARKS}
_BEFORE_A_WORD = regex.compile(rf"(?:(?<!\s) |^){_STARTS}(?=\S)")
_AFTER_A_WORD = regex.compile(rf"(?<!\s){_STARTS} (?=\S)")
# Letters without a capital, or whose capital does not tell the small letter: Greek capitals lack accents, and İ would
# become an i with a second dot.
CASELESS = r"\p{Lo}\p{Greek}\u0130"
_NO_CAPITALS = regex.compile(rf"[\p{{Ll}}{CASELESS}]")
WIDE = r"[\p{InCJK_Symbols_And_Punctuation}\p{InHalfwidth_And_Fullwidth_Forms}]"  # punctuation with its own space
_WITHOUT_SPACE = regex.compile(
    rf"""(?:[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}\u30fc{WIDE}]|{WIDE}[\p{{Pf}}"']+)\Z""", regex.V1
)
_END_LENGTH = 80  # characters: more than all marks of a text have
VERSION = 5  # changes when the same text gets other marks, so that cached files of the old form are not used
SECONDS = 5.0  # the longest time of a search for spans in a text; a pattern of one's own may be slow


@dataclass(frozen=True)
class Marked:
    """A text with marks in place of its spans and terms.

    `spans` has the text that each mark stands for, by marks, in the order of the text. `given` has the translations of
    those that are terms. A text can have more spans and terms than there are marks: `without_mark` has the others, each
    as the translation should have it.
    """

    text: str
    spans: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    without_mark: tuple[str, ...] = ()

    @property
    def translations(self) -> dict[str, str]:
        """What takes the place of each mark in the translation."""
        return {**self.spans, **self.given}


@dataclass(frozen=True)
class Restored:
    """A translation with its spans in place of marks, and the marks of the source that the model left out."""

    text: str
    lost: tuple[str, ...] = ()


class Spans:
    """Finds the spans that `patterns` describe: regular expressions, in the syntax of the package regex, by names.

    Where several patterns match at one place of a text, the first of them counts. A pattern that is None is left out.
    Without patterns, no text has a span. Raises UserError for a pattern that is no regular expression, that has a
    group, or that matches an empty text.
    """

    def __init__(self, patterns: Mapping[str, str | None]) -> None:
        self.patterns = {name: pattern for name, pattern in patterns.items() if pattern is not None}
        for name, pattern in self.patterns.items():
            _check(name, pattern)
        alternatives = [MARK.pattern, *self.patterns.values()]
        whole = "|".join(f"(?:{each})" for each in alternatives)
        self._pattern = regex.compile(whole, regex.V1) if self.patterns else None

    def __bool__(self) -> bool:
        """Return whether there is a pattern."""
        return self._pattern is not None

    def find(self, text: str, *, known: Sequence[str] = ()) -> list[str]:
        """Return the spans of a text in their order. There is no limit to their number.

        Those that are `known`, as the spans of its source are, count also where a pattern does not find them, such as
        in front of a Korean particle.
        """
        return [text[slice(*place)] for place in self.places(text, known)]

    def places(self, text: str, known: Sequence[str] = ()) -> Iterator[Place]:
        """Yield where the spans stand: the `known` ones, and between them what the patterns match."""
        if self._pattern is None:
            return
        end = 0
        for found in _occurrences(text, known):
            yield from self._matches(text, end, found.start())
            yield found.span()
            end = found.end()
        yield from self._matches(text, end, len(text))

    def kept(self, text: str, terms: Terms) -> list[Place]:
        """Return where the spans and the `terms` of a text stand, without overlaps. Without patterns, there is none."""
        return self._with_terms(text, terms)[0] if self else []

    def mark(self, text: str, terms: Terms = NO_TERMS) -> Marked:
        """Return the text with marks for its spans and its `terms`.

        The first 3 elements and the first 8 other spans get marks, and the others stay part of the text. Of more than
        8, those that are marks themselves come first. Of a span and a term at one place, the one that begins first
        counts. Without patterns, a term gets no mark either.
        """
        if not self:
            return Marked(text)
        places, given = self._with_terms(text, terms)
        marked = _with_marks(text, places)
        return Marked(
            _replaced(text, marked),
            {mark: text[slice(*place)] for mark, place in marked.items()},
            {mark: given[place] for mark, place in marked.items() if place in given},
            tuple(given.get(place, text[slice(*place)]) for place in places if place not in marked.values()),
        )

    def mark_all(self, text: str, terms: Terms = NO_TERMS) -> tuple[str, dict[str, str]]:
        """Return the text with a mark for each of its spans and `terms`, and what each mark stands for.

        There can be more of these marks than a vocabulary has.
        """
        places = self.kept(text, terms)
        marks = {f"\uff5f{number}\uff60": place for number, place in enumerate(places)}
        return _replaced(text, marks), {mark: text[slice(*place)] for mark, place in marks.items()}

    def given(self, text: str, terms: Terms) -> list[str]:
        """Return the translations of the `terms` of a text in their order, without those that stand inside a span."""
        places, given = self._with_terms(text, terms)
        return [given[place] for place in places if place in given]

    def as_read(self, text: str, *, capitals: bool = True) -> str:
        """Return a text with marks as a model reads it, so that its words have their usual pieces.

        A text in capitals has a mark, and capitals only at its start; without `capitals` it stays as it is. A space
        before a start tag stands after it.
        """
        if not self:
            return text
        if capitals and in_capitals(text):
            text = f"{CAPITALS} {_FIRST.sub(lambda found: found[0].upper(), text.lower(), count=1)}"
        return str(_BEFORE_A_WORD.sub(r"\1 ", text))

    def mark_target(self, text: str, spans: Mapping[str, str]) -> str:
        """Return a translation with marks for `spans`, which are texts by marks. Its other spans stay as they are."""
        free: dict[str, deque[str]] = defaultdict(deque)
        for mark, span in spans.items():
            free[span].append(mark)
        places = dict[str, Place]()
        for start, end in self.places(text, list(free)):
            if waiting := free.get(text[start:end]):
                places[waiting.popleft()] = start, end
        return _replaced(text, places)

    def mark_pair(self, source: str, target: str) -> tuple[str, str]:
        """Return a pair as a model reads it, with marks for the spans that both sides have.

        They are numbered as in the source.
        """
        found = self.find(source)
        common = Counter(found) & Counter(self.find(target, known=found))
        shared = list[Place]()
        for start, end in self.places(source):
            if common[text := source[start:end]]:
                common[text] -= 1
                shared.append((start, end))
        places = _with_marks(source, shared)
        target = self.mark_target(target, {mark: source[slice(*place)] for mark, place in places.items()})
        return self.as_read(_replaced(source, places)), self.as_read(target)

    def restore(self, text: str, spans: Mapping[str, str]) -> Restored:
        """Return a translation, as a model writes it, with `spans` in place of their marks.

        A mark that occurs again, or that is not one of `spans`, is left out. A lost start tag is put at the beginning,
        and any other lost span at the end. A Korean particle behind a span gets the
        form that fits it, and one behind an end tag the form that fits the words between the tags.
        """
        if not self:
            return Restored(text)
        if text.startswith(CAPITALS):
            text = text.removeprefix(CAPITALS).strip().upper()
        text = as_written(text)
        left, restored, end, word = dict(spans), "", 0, ""
        for found in MARK.finditer(text):
            between = agreed(word, text[end : found.start()])
            end, span = found.end(), left.pop(found[0], "")
            word = word + between if _is_end(span) else _spoken(span)
            restored += between
            restored = restored + span if span else restored.removesuffix(" ")
        restored = (restored + agreed(word, text[end:])).strip()
        first = "".join(span for mark, span in left.items() if mark in START_MARKS)
        ends = "".join(span if mark in _ENDS else f" {span}" for mark, span in left.items() if mark not in START_MARKS)
        return Restored(f"{first}{restored}{ends}".strip(), tuple(left))

    def _with_terms(self, text: str, terms: Terms) -> tuple[list[Place], dict[Place, str]]:
        """Return where spans and terms stand, and the translations of all terms by their places."""
        given = {(start, end): translation for start, end, translation in terms.places(text)}
        return _apart(chain(self.places(text), given)), given

    def _matches(self, text: str, start: int, end: int) -> Iterator[Place]:
        assert self._pattern is not None
        seconds = SECONDS * usable_cores()  # the package regex counts the time of all threads of the process
        try:
            yield from (found.span() for found in self._pattern.finditer(text, start, end, timeout=seconds))
        except TimeoutError as error:
            raise UserError(
                f"spans: the search in a text of {len(text):,} characters took more than {SECONDS:g} seconds; use "
                f"simpler patterns in place of {', '.join(self.patterns)}"
            ) from error


NO_SPANS = Spans({})


def in_capitals(text: str) -> bool:
    """Return whether a text is written in capitals: two words or more, one of them of four letters or more.

    A text with letters of a script without capitals, such as Korean, is not, and neither is "PDF" or "HTML".
    """
    if not text.isupper() or _NO_CAPITALS.search(text):
        return False
    words = _WORD.findall(text)
    return len(words) > 1 and max(map(len, words)) >= 4


def as_written(text: str) -> str:
    """Return a text in which the space before a start tag stands before it, and not after it as models read it."""
    return str(_AFTER_A_WORD.sub(r" \1", text))


def gap(text: str) -> str:
    """Return what stands between `text` and the next sentence: a space, except after Chinese, Japanese and nothing."""
    end = MARK.sub("", text[-_END_LENGTH:])  # without marks, whose brackets are wide
    return "" if not text or _WITHOUT_SPACE.search(end) else " "


def join(texts: Iterable[str]) -> str:
    """Return the sentences `texts` as one text, with a `gap` between them. Empty ones are left out."""
    joined = ""
    for text in filter(None, texts):
        joined += gap(joined) + text
    return joined


def unmarked(text: str, spans: Mapping[str, str]) -> str:
    """Return a text, or a part of one, with `spans` in place of their marks."""
    return str(MARK.sub(lambda found: spans.get(found[0], found[0]), text))


def with_spans(pieces: Sequence[Piece], spans: Mapping[str, str]) -> list[Piece]:
    """Return pieces whose marks have the text of their span as label."""
    return [Piece(spans[each.label], mark=each.label) if each.label in spans else each for each in pieces]


def _apart(places: Iterable[Place]) -> list[Place]:
    """Return places that do not overlap: of two that do, the one that begins first, or else the longer one."""
    found, end = list[Place](), 0
    for place in sorted(places, key=lambda place: (place[0], -place[1])):
        if place[0] >= end:
            found.append(place)
            end = place[1]
    return found


def _is_end(span: str) -> bool:
    """Return whether a span is an end tag, or the mark of one in a sentence of HTML."""
    return span in _ENDS or _END_TAG.fullmatch(span) is not None


def _spoken(span: str) -> str:
    """Return what a particle behind a span agrees with: "" for a mark, a tag or an entity, whose sound is not known."""
    return "" if span[:1] in ("<", "&") or MARK.fullmatch(span) or _START_TAG.fullmatch(span) else span


def _with_marks(text: str, places: Sequence[Place]) -> dict[str, Place]:
    """Return the places of spans by their marks, in order. Those that get no mark are left out."""
    marks = marks_of([text[slice(*place)] for place in places])
    return {mark: place for mark, place in zip(marks, places, strict=True) if mark}


def marks_of(spans: Sequence[str]) -> list[str]:
    """Return the mark of each span of a text, or "" if all marks of its kind are taken.

    Spans that are marks themselves come first: without a mark, they could not be told from the marks of others.
    """
    found = [""] * len(spans)
    for element, pair in zip(_elements(spans), ELEMENT_MARKS, strict=False):
        for place, mark in zip(element, pair, strict=True):
            found[place] = mark
    others = [place for place, mark in enumerate(found) if not mark]
    others.sort(key=lambda place: MARK.fullmatch(spans[place]) is None)
    for place, mark in zip(sorted(others[: len(SPAN_MARKS)]), SPAN_MARKS, strict=False):
        found[place] = mark
    return found


def _elements(spans: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of each start tag and its end tag, in the order of the start tags."""
    opened, names, found = list[tuple[str, int]](), Counter[str](), list[tuple[int, int]]()
    ends = dict(ELEMENT_MARKS)
    for place, span in enumerate(spans):
        started, ended = _START_TAG.fullmatch(span), _END_TAG.fullmatch(span)
        if started or span in ends:
            opened.append((started[1] if started else ends[span], place))
            names[opened[-1][0]] += 1
        elif names[name := ended[1] if ended else span if span in _ENDS else ""]:  # a term may equal the name of a tag
            last = ""
            while last != name:  # tags inside that have no end are no elements
                last, start = opened.pop()
                names[last] -= 1
            found.append((start, place))
    return sorted(found)


def _occurrences(text: str, spans: Sequence[str]) -> Iterator[re.Match[str]]:
    """Yield where one of the `spans` stands, the longest first, but not as a part of a longer word or placeholder."""
    if spans:
        alternatives = (_alone(span) for span in sorted({*spans}, key=len, reverse=True))
        yield from re.finditer("|".join(alternatives), text)


def _alone(span: str) -> str:
    """Return a pattern for `re`: the package regex takes cubic time to read a long span that repeats itself."""
    first, last = (re.escape(each) + "A-Za-z0-9" * each.isalnum() for each in (span[0], span[-1]))
    return f"(?<![{first}]){re.escape(span)}(?![{last}])"


def _check(name: str, pattern: str) -> None:
    try:
        compiled = regex.compile(pattern, regex.V1)
    except regex.error as error:
        raise UserError(f"spans.{name}: got {pattern!r}, which is no regular expression ({one_line(error)})") from error
    if compiled.groups:
        raise UserError(f"spans.{name}: got {pattern!r}, which has a group; write (?:...) in place of (...)")
    if not all(found[0] for found in compiled.finditer("a b")):
        raise UserError(f"spans.{name}: got {pattern!r}, which matches an empty text; expected at least one character")


def _replaced(text: str, places: Mapping[str, Place]) -> str:
    """Return `text` with each mark in its place. The places are in order."""
    parts, end = list[str](), 0
    for mark, (start, after) in places.items():
        parts += [text[end:start], mark]
        end = after
    return "".join([*parts, text[end:]])
