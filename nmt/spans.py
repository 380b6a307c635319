"""Spans: parts of a text that a translation must keep unchanged, such as URLs, placeholders and tags.

Before a text is encoded, each span is replaced by a mark: "｟0｠" for the first, "｟1｠" for the second ...
A mark is one piece of every vocabulary. After the translation, the marks are replaced by the spans again. So the model
decides where a span stands, and cannot change it. The marks themselves are spans too, so a text keeps its own marks.

A text in capitals has a mark as well: "OPEN THE FILE" is read as "｟12｠Open the file", so it has the usual pieces. A
translation that begins with this mark is written in capitals. OpenNMT calls this case markup.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from nmt.errors import UserError, one_line
from nmt.tokens import CAPITALS, SPAN_MARKS, Piece

MARK = regex.compile("\uff5f[0-9]+\uff60")
_WORD = regex.compile(r"\p{Lu}+")
_FIRST = regex.compile(r"\p{L}")
_SMALL = regex.compile(r"[\p{Ll}\p{Lo}]")
SECONDS = 5.0  # the longest time of a search for spans in a text; a pattern of one's own may be slow


@dataclass(frozen=True)
class Marked:
    """A text with marks in place of its spans: `spans[0]` for the first mark, and so on."""

    text: str
    spans: tuple[str, ...] = ()


@dataclass(frozen=True)
class Restored:
    """A translation with its spans in place of marks, and the numbers of the spans that have no mark in it."""

    text: str
    lost: tuple[int, ...] = ()


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
        return [text[slice(*place)] for place in self._places(text, known)]

    def mark(self, text: str) -> Marked:
        """Return the text with marks. Only the first 12 spans get one, and the others stay part of the text."""
        places = list(self._places(text))[: len(SPAN_MARKS)]
        spans = tuple(text[start:end] for start, end in places)
        return Marked(_replaced(text, places, SPAN_MARKS), spans)

    def lowered(self, text: str) -> str:
        """Return a text with marks as a model reads it: one in capitals has a mark, and capitals only at its start."""
        if not self or not in_capitals(text):
            return text
        return CAPITALS + str(_FIRST.sub(lambda found: found[0].upper(), text.lower(), count=1))

    def mark_target(self, text: str, spans: Sequence[str]) -> str:
        """Return a translation with marks for the `spans` of its source. Its other spans stay part of the text."""
        free: dict[str, deque[str]] = defaultdict(deque)
        for span, mark in zip(spans, SPAN_MARKS, strict=False):
            free[span].append(mark)
        places, marks = list[tuple[int, int]](), list[str]()
        for start, end in self._places(text, spans):
            if waiting := free[text[start:end]]:
                places.append((start, end))
                marks.append(waiting.popleft())
        return _replaced(text, places, marks)

    def mark_pair(self, source: str, target: str) -> tuple[str, str]:
        """Return a pair as a model reads it, with marks for the spans that both sides have.

        They are numbered as in the source.
        """
        if not self:
            return source, target
        found = self.find(source)
        common = Counter(found) & Counter(self.find(target, known=found))
        places = list[tuple[int, int]]()
        for start, end in self._places(source):
            if common[text := source[start:end]] and len(places) < len(SPAN_MARKS):
                common[text] -= 1
                places.append((start, end))
        spans = [source[start:end] for start, end in places]
        marked = _replaced(source, places, SPAN_MARKS), self.mark_target(target, spans)
        return self.lowered(marked[0]), self.lowered(marked[1])

    def restore(self, text: str, spans: Sequence[str]) -> Restored:
        """Return a translation with the `spans` of its source in place of their marks.

        A mark that occurs again, or that the source does not have, is left out.
        """
        if not self:
            return Restored(text)
        if text.startswith(CAPITALS):
            text = text.removeprefix(CAPITALS).upper()
        left, parts, end = dict(zip(SPAN_MARKS, spans, strict=False)), list[str](), 0
        for found in MARK.finditer(text):
            before, end = text[end : found.start()], found.end()
            if (span := left.pop(found[0], None)) is not None:
                parts += [before, span]
            else:
                parts.append(before.removesuffix(" "))
        lost = tuple(number for number, mark in enumerate(SPAN_MARKS) if mark in left)
        return Restored("".join([*parts, text[end:]]).strip(), lost)

    def _places(self, text: str, known: Sequence[str] = ()) -> Iterator[tuple[int, int]]:
        """Yield where the spans stand: the `known` ones, and between them what the patterns match."""
        if self._pattern is None:
            return
        end = 0
        for found in _occurrences(text, known):
            yield from self._matches(text, end, found.start())
            yield found.span()
            end = found.end()
        yield from self._matches(text, end, len(text))

    def _matches(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        assert self._pattern is not None
        try:
            yield from (found.span() for found in self._pattern.finditer(text, start, end, timeout=SECONDS))
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
    if not text.isupper() or _SMALL.search(text):
        return False
    words = _WORD.findall(text)
    return len(words) > 1 and max(map(len, words)) >= 4


def unmarked(text: str, spans: Sequence[str]) -> str:
    """Return a text, or a part of one, with the `spans` of the text in place of their marks."""
    texts = dict(zip(SPAN_MARKS, spans, strict=False))
    return str(MARK.sub(lambda found: texts.get(found[0], found[0]), text))


def with_spans(pieces: Sequence[Piece], spans: Sequence[str]) -> list[Piece]:
    """Return pieces whose marks have the text of their span as label."""
    names = dict(zip(SPAN_MARKS, spans, strict=False))
    return [Piece(names[piece.label]) if piece.label in names else piece for piece in pieces]


def _occurrences(text: str, spans: Sequence[str]) -> Iterator[regex.Match[str]]:
    """Yield where one of the `spans` stands, the longest first, but not as a part of a longer word or placeholder."""
    if spans:
        alternatives = (_alone(span) for span in sorted({*spans}, key=len, reverse=True))
        yield from regex.finditer("|".join(alternatives), text)


def _alone(span: str) -> str:
    first, last = (regex.escape(each) + "A-Za-z0-9" * each.isalnum() for each in (span[0], span[-1]))
    return f"(?<![{first}]){regex.escape(span)}(?![{last}])"


def _check(name: str, pattern: str) -> None:
    try:
        compiled = regex.compile(pattern, regex.V1)
    except regex.error as error:
        raise UserError(f"spans.{name}: got {pattern!r}, which is no regular expression ({one_line(error)})") from error
    if compiled.groups:
        raise UserError(f"spans.{name}: got {pattern!r}, which has a group; write (?:...) in place of (...)")
    if not all(found[0] for found in compiled.finditer("a b")):
        raise UserError(f"spans.{name}: got {pattern!r}, which matches an empty text; expected at least one character")


def _replaced(text: str, places: Sequence[tuple[int, int]], marks: Sequence[str]) -> str:
    """Return `text` with one of `marks` in each of `places`."""
    parts, end = list[str](), 0
    for (start, after), mark in zip(places, marks, strict=False):
        parts += [text[end:start], mark]
        end = after
    return "".join([*parts, text[end:]])
