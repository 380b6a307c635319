"""Protected text: a text and the parts of it that a translation must keep, such as URLs, placeholders and tags.

A `Segment` is a text with slots: `Slot("{name}")` stands where the text has "{name}". `Spans.protect` finds the slots
by patterns, and those of a glossary, whose translation is given (see `nmt.text.terms`). Other programs make slots of
their own: a page in HTML has Segment(("Click ", Slot("<1>"), "Save", Slot("</1>"), ".")) for a sentence with a link.

A model reads a piece of its vocabulary in place of a slot (`Segment.read`): "Click｟8｠ Save｟9｠." The first three
elements have ｟8｠ to ｟13｠, a piece for each tag. The first eight other slots have ｟0｠ to ｟7｠. `Spans.restore`
makes a segment of the translation with the same slots. So the model decides where a slot stands, and cannot change it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby

import regex

from nmt.errors import UserError, one_line
from nmt.system.place import own_cores
from nmt.text.languages import WIDE
from nmt.text.particles import agreed
from nmt.text.terms import NO_TERMS, Terms
from nmt.tokens import ELEMENT_MARKS, SPAN_MARKS, START_MARKS

MARK = regex.compile("\uff5f[0-9]+\uff60")
_START_TAG = regex.compile(r"[<{\[]([\w:.-]+)[^<>]*(?<!/)[>}\]]")
_END_TAG = regex.compile(r"[<{\[]/([\w:.-]+)\s*[>}\]]")
_END_MARKS = frozenset(end for _, end in ELEMENT_MARKS)
_STARTS = f"((?:{'|'.join(sorted(START_MARKS))})+)"
_BEFORE_A_WORD = regex.compile(rf"(?:\s+|^){_STARTS}(?=\S)")
_AFTER_A_WORD = regex.compile(rf"(?<!\s){_STARTS} (?=\S)")
_WITHOUT_SPACE = regex.compile(
    rf"""(?:[\p{{Han}}\p{{Hiragana}}\p{{Katakana}}\u30fc{WIDE}]|{WIDE}[\p{{Pf}}"']+)\Z""", regex.V1
)
# Letters without a capital, or whose capital does not tell the small letter: Greek capitals lack accents, and İ would
# become an i with a second dot.
_NO_CAPITALS = regex.compile(r"[\p{Ll}\p{Lo}\p{Greek}\u0130]")
VERSION = 7  # of the form in which models read a text; files of another version in the cache are not used
SECONDS = 5.0  # the longest time of a search for spans in a text; a pattern of one's own may be slow


@dataclass(frozen=True)
class Slot:
    """A part of a text that a model must not change.

    `text` is what the source has there. The translation has the same, or what is `given`, as for a term of a glossary.
    """

    text: str
    given: str = ""

    @property
    def translation(self) -> str:
        """What the translation has in place of the slot."""
        return self.given or self.text

    @property
    def starts(self) -> str:
        """The bracket and the name of the element that begins here, or ""."""
        match = _START_TAG.fullmatch(self.text)
        return self.text[0] + match[1] if match else ""

    @property
    def ends(self) -> str:
        """The bracket and the name of the element that ends here, or ""."""
        match = _END_TAG.fullmatch(self.text)
        return self.text[0] + match[1] if match else ""

    @property
    def plain(self) -> str:
        """What a reader of the source sees of the slot: "" for a tag."""
        return "" if self.text.startswith("<") else self.text


@dataclass(frozen=True)
class Segment:
    """A text, or a part of one, as texts and slots. No part is an empty text, and no two texts stand side by side."""

    parts: tuple[str | Slot, ...]

    @classmethod
    def of(cls, parts: Iterable[str | Slot]) -> Segment:
        """Return the segment of these parts, without white space at its ends."""
        merged = list[str | Slot]()
        for is_text, group in groupby(parts, lambda part: isinstance(part, str)):
            some = list(group)
            merged += ["".join(map(str, some))] if is_text else some
        for place, strip in ((0, str.lstrip), (-1, str.rstrip)):
            if merged and isinstance(part := merged[place], str):
                merged[place] = strip(part)
        return cls(tuple(filter(None, merged)))

    @cached_property
    def text(self) -> str:
        """The text of a source."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    @cached_property
    def translation(self) -> str:
        """The text of a translation: like `text`, but each term has its given translation."""
        return "".join(part if isinstance(part, str) else part.translation for part in self.parts)

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots in their order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """The piece of the vocabulary for each slot, or "" if all pieces of its kind are taken."""
        pieces = [""] * len(self.slots)
        for element, pair in zip(_elements(self.slots), ELEMENT_MARKS, strict=False):
            for place, piece in zip(element, pair, strict=True):
                pieces[place] = piece
        for place, piece in zip([place for place, taken in enumerate(pieces) if not taken], SPAN_MARKS, strict=False):
            pieces[place] = piece
        return tuple(pieces)

    @cached_property
    def by_piece(self) -> dict[str, Slot]:
        """The slots that have a piece, by their pieces, in the order of the text."""
        return {piece: slot for piece, slot in zip(self.pieces, self.slots, strict=True) if piece}

    @cached_property
    def read(self) -> str:
        """The text as a model reads it, with pieces in place of slots. A slot without a piece is read as its text.

        A space before a start tag stands after it, so that the word after it has its usual pieces.
        """
        pieces = iter(self.pieces)
        text = "".join(part if isinstance(part, str) else next(pieces) or part.text for part in self.parts)
        return str(_BEFORE_A_WORD.sub(r"\1 ", text)) if self.slots else text

    @cached_property
    def plain(self) -> str:
        """The text of a source without tags, in which sentences are found."""
        return "".join(part if isinstance(part, str) else part.plain for part in self.parts)

    def with_texts(self, change: Callable[[str], str]) -> Segment:
        """Return the segment with other texts, and the same slots."""
        return Segment(tuple(filter(None, (change(part) if isinstance(part, str) else part for part in self.parts))))

    def cut(self, places: Iterable[int]) -> list[Segment]:
        """Return the segments between `places` of `plain`, without white space at their ends. Empty ones are left out.

        A place inside a slot divides nothing. Of the tags at a place, the first start tag begins the next segment.
        """
        waiting, place = set(places), 0
        segments: list[list[str | Slot]] = [[]]
        cells = (cell for part in self.parts for cell in (part if isinstance(part, str) else [part]))
        for each in cells:
            shown, begins = (each, True) if isinstance(each, str) else (each.plain, bool(each.plain or each.starts))
            if begins and place in waiting:
                waiting.remove(place)
                segments.append([])
            segments[-1].append(each)
            place += len(shown)
        return [segment for segment in map(Segment.of, segments) if segment.parts]


class Spans:
    """Finds the spans that `patterns` describe: regular expressions, in the syntax of the package regex, by names.

    Where several patterns match at one place of a text, the first of them counts. A pattern that is None is left out.
    Without patterns, no text has a slot. Raises UserError for a pattern that is no regular expression, that has a
    group, or that matches an empty text.
    """

    def __init__(self, patterns: Mapping[str, str | None]) -> None:
        self.patterns = {name: pattern for name, pattern in patterns.items() if pattern is not None}
        for name, pattern in self.patterns.items():
            got = f"spans.{name}: got {pattern!r}, which"
            try:
                compiled = regex.compile(pattern, regex.V1)
            except regex.error as error:
                raise UserError(f"{got} is no regular expression ({one_line(error)})") from error
            if compiled.groups:
                raise UserError(f"{got} has a group; write (?:...) in place of (...)")
            if not all(match[0] for match in compiled.finditer("a b")):
                raise UserError(f"{got} matches an empty text; expected at least one character")
        alternatives = [MARK.pattern, *self.patterns.values()]  # a text keeps the names of pieces that it has itself
        whole = "|".join(f"(?:{each})" for each in alternatives)
        self._pattern = regex.compile(whole, regex.V1) if self.patterns else None

    def __bool__(self) -> bool:
        return self._pattern is not None

    def find(self, text: str, *, known: Iterable[str] = ()) -> list[str]:
        """Return the spans of a text in their order.

        The `known` spans, such as those of its source, count also where no pattern finds them, as before particles.
        """
        return [text[start:end] for start, end in self._places(text, known)]

    def divide(self, text: str, terms: Terms = NO_TERMS, known: Iterable[str] = ()) -> list[str | Slot]:
        """Return the parts of a text: slots for its spans and its `terms`, and what stands between them.

        Of two slots that overlap, the one that begins first counts. If both begin together, the longer one counts.
        """
        given = {(start, end): translation for start, end, translation in terms.places(text)}
        parts, done = list[str | Slot](), 0
        for start, end in sorted(chain(self._places(text, known), given), key=lambda place: (place[0], -place[1])):
            if start >= done:
                parts += [text[done:start], Slot(text[start:end], given.get((start, end), ""))]
                done = end
        return list(filter(None, [*parts, text[done:]]))

    def protect(self, text: str | Segment, terms: Terms = NO_TERMS, known: Iterable[str] = ()) -> Segment:
        """Return a text with slots for its spans and its `terms`. A segment keeps the slots that it has.

        The `known` spans count as in `find`. Without patterns, terms have no slots: the model has no pieces for them.
        """
        segment = text if isinstance(text, Segment) else Segment((text,) if text else ())
        if not self:
            return segment
        parts = (self.divide(part, terms, known) if isinstance(part, str) else [part] for part in segment.parts)
        return Segment(tuple(chain.from_iterable(parts)))

    def read_pair(self, source: str, target: str) -> tuple[str, str]:
        """Return a pair as a model reads it, with pieces for the spans that both sides have."""
        if not self:
            return source, target
        whole = self.protect(source)
        spans = [slot.text for slot in whole.slots]
        shared, parts = Counter(spans) & Counter(self.find(target, known=spans)), list[str | Slot]()
        for part in whole.parts:
            if isinstance(part, Slot) and shared[part.text]:
                shared[part.text] -= 1
                parts.append(part)
            else:
                parts.append(part if isinstance(part, str) else part.text)
        segment = Segment.of(parts)
        return segment.read, self.read_target(target, {piece: slot.text for piece, slot in segment.by_piece.items()})

    def read_target(self, text: str, spans: Mapping[str, str]) -> str:
        """Return a translation as a model reads it, with pieces for `spans` (texts by pieces). Others stay text."""
        free: dict[str, deque[str]] = defaultdict(deque)
        for piece, span in spans.items():
            free[span].append(piece)
        parts, end = list[str](), 0
        for start, after in self._places(text, free):
            if waiting := free.get(text[start:after]):
                parts += [text[end:start], waiting.popleft()]
                end = after
        return str(_BEFORE_A_WORD.sub(r"\1 ", "".join([*parts, text[end:]]))) if parts else text

    def restore(self, text: str, source: Segment) -> tuple[Segment, list[Slot]]:
        """Return a translation, as a model writes it, with the slots of its source, and the slots that it has lost.

        A piece that occurs again, or that no slot has, is left out. If one tag of an element is lost, the other one
        encloses as many words as in the source. Otherwise a lost start tag stands at the beginning, any other lost slot
        at the end. A Korean particle behind a slot gets the form that fits it, and one behind an end tag the form that
        fits the words between the tags.
        """
        if not self:
            return Segment.of([text]), []
        text = str(_AFTER_A_WORD.sub(r" \1", text))
        lost = [(piece, slot) for piece, slot in source.by_piece.items() if piece not in text]
        without = Counter(slot for piece, slot in zip(source.pieces, source.slots, strict=True) if not piece)
        for slot, count in without.items():  # a model reads these as text
            lost += [("", slot)] * (count - text.count(slot.translation))
        for start, end in ELEMENT_MARKS:
            if start in source.by_piece and (start in text) != (end in text):
                text = _with_both_tags(text, start, end, source.read)
        left, parts, done, word = dict(source.by_piece), list[str | Slot](), 0, ""
        for match in MARK.finditer(text):
            between = agreed(word, text[done : match.start()])
            done, found = match.end(), left.pop(match[0], None)
            word = word + between if found and found.ends else _spoken(found)
            parts += [between, found] if found else [between.removesuffix(" ")]
        parts.append(agreed(word, text[done:]).rstrip())
        unplaced = [(piece, slot) for piece, slot in lost if not piece or piece in left]
        first = [slot for piece, slot in unplaced if piece in START_MARKS]
        for piece, slot in unplaced:
            if piece not in START_MARKS:
                parts += ["" if piece in _END_MARKS else " ", slot]
        return Segment.of([*first, *parts]), [slot for _, slot in lost]

    def _places(self, text: str, known: Iterable[str] = ()) -> Iterator[tuple[int, int]]:
        """Yield where the spans begin and end: the `known` ones, and between them what the patterns match.

        Of two known spans at one place, the longer one counts. A part of a longer word or placeholder is no span.
        """
        if self._pattern is None:
            return
        done, alone = 0, "|".join(map(_alone, sorted({*known}, key=len, reverse=True)))
        for match in re.finditer(alone, text) if alone else ():
            yield from self._matches(text, done, match.start())
            yield match.span()
            done = match.end()
        yield from self._matches(text, done, len(text))

    def _matches(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        assert self._pattern is not None
        seconds = SECONDS * own_cores()  # the package regex counts the time of all threads of the process
        try:
            yield from (match.span() for match in self._pattern.finditer(text, start, end, timeout=seconds))
        except TimeoutError as error:
            slow = f"the search in a text of {len(text):,} characters took more than {SECONDS:g} seconds"
            raise UserError(f"spans: {slow}; use simpler patterns in place of {', '.join(self.patterns)}") from error


def _with_both_tags(text: str, start: str, end: str, source: str) -> str:
    """Return a translation with both tags of an element of which it has one.

    The other tag is put as many words away as in the source. If no word stands beside the tag, nothing changes.
    """
    count = len(source.partition(start)[2].partition(end)[0].split())
    words = rf"((?:[^\s｟｠]+ ){{0,{max(count, 1) - 1}}}[^\s｟｠]+)"
    pattern = f"{start}{words}" if start in text else f"{words}{end}"
    return re.sub(pattern, rf"{start}\1{end}", text, count=1)


NO_SPANS = Spans({})


def join(texts: Iterable[str | Segment]) -> Segment:
    """Return sentences as one text, with a `gap` between two. Empty ones are left out."""
    parts, last = list[str | Slot](), ""
    for segment in (Segment.of([text]) if isinstance(text, str) else text for text in texts):
        if segment.parts:
            parts += [gap(last), *segment.parts]
            last = segment.plain
    return Segment.of(parts)


def gap(text: str) -> str:
    """Return what stands between `text` and the next sentence: a space, except after Chinese, Japanese and nothing."""
    return "" if not text or _WITHOUT_SPACE.search(text) else " "


def in_capitals(text: str) -> bool:
    """Return whether a text is written in capitals: two words or more, one of them of four letters or more.

    A text with letters of a script without capitals, such as Korean, is not, and neither is "PDF" or "HTML".
    """
    if not text.isupper() or _NO_CAPITALS.search(text):
        return False
    words = regex.findall(r"\p{Lu}+", text)
    return len(words) > 1 and max(map(len, words)) >= 4


def in_small_letters(text: str) -> str:
    """Return a text in small letters, with a capital at its start."""
    return str(regex.sub(r"\p{L}", lambda match: match[0].upper(), text.lower(), count=1))


def _elements(slots: Sequence[Slot]) -> list[tuple[int, int]]:
    """Return the places of each start tag and its end tag, in the order of the start tags."""
    opened, names, elements = list[tuple[str, int]](), Counter[str](), list[tuple[int, int]]()
    for place, slot in enumerate(slots):
        if name := slot.starts:
            opened.append((name, place))
            names[name] += 1
        elif names[name := slot.ends]:
            last = ""
            while last != name:  # tags inside that have no end are no elements
                last, start = opened.pop()
                names[last] -= 1
            elements.append((start, place))
    return sorted(elements)


def _spoken(slot: Slot | None) -> str:
    """Return what a particle behind a slot agrees with: "" for a tag or an entity, whose sound is not known."""
    return "" if slot is None or slot.text[0] in "<&\uff5f" or slot.starts else slot.translation


def _alone(span: str) -> str:
    """Return a pattern for `re`: the package regex takes cubic time to read a long span that repeats itself."""
    # Beside these characters, the span is only a part of a longer URL, path, e-mail or placeholder.
    first, last = (re.escape(each) + "A-Za-z0-9" * (each.isalnum() or each == "/") for each in (span[0], span[-1]))
    first += "$" * (span[0] == "{") + r"._+\-" * ("@" in span) + ".~" * (span[0] == "/")
    return rf"(?<![{first}]){re.escape(span)}(?![{last}]|[./?#=&:@_%~\\][A-Za-z0-9])"
