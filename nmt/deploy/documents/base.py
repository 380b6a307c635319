"""Documents: the sentences of a text to translate, and what stays as it is. Plain text is a document of paragraphs.

A *run* is a text with inline tags and line breaks, in any markup; other tags separate runs. A model with spans (see
`nmt.text.protect`) translates a sentence with its inline tags, so a sentence with a link is translated as a whole. In
the sentence, a slot stands for each tag, so no translation changes a tag. Tags around a whole sentence are left out.

Every tag is in the result once, and the elements nest. An element that is lost or empty in the translation, or does not
nest there, is put around the whole sentence.

An inline element separates texts if another tag or the end of a sentence is inside. So do all inline tags of a text if
the model has no spans, or if one of its sentences has more slots than a model knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import regex

from nmt.text.languages import UNSPACED, WIDE
from nmt.text.protect import Segment, Slot, Spans, gap
from nmt.text.sentences import split
from nmt.text.terms import NO_TERMS, Terms

SEPARATES, COMMENT, LINE_BREAK = "", "<!>", "\n"  # texts of tags that belong to no sentence
# All control characters: a model loses them.
_CONTROLS = regex.compile(r"([\x00-\x1f\x7f-\x9f\u2028\u2029]+)")
# Where a line may be broken: not inside a tag, an address or code, and not before a mark that begins a line
_PLACE = regex.compile(
    r"(?:<[^<>]*>|\]\([^()]*\)|`[^`]*`)(*SKIP)(*FAIL)|[ ](?![-+*>#=|:]|\d+[.)])"
    rf"|(?<=[{UNSPACED}{WIDE}])(?=[[{UNSPACED}]--\p{{M}}])",
    regex.V1,
)

Text = str | Segment  # a sentence with the tags of a page in it is a segment
Parts = Sequence[str | Slot]  # texts, inline tags, and other slots


class Document(ABC):
    """A text of some format: the sentences to translate, and what stays as it is.

    A sentence without letters and digits, such as "." between two tags, is not translated.
    """

    @property
    @abstractmethod
    def sentences(self) -> list[Text]:
        """The sentences to translate, in order."""

    @abstractmethod
    def filled(self, translations: Sequence[Text]) -> str:
        """Return the text with one translation, of one line, in place of each sentence."""

    def translated(self, translate: Callable[[list[Text]], Sequence[Text]]) -> str:
        """Return the text with the translations that `translate` makes. It gets each different sentence once."""
        different = list(dict.fromkeys(self.sentences))
        found = dict(zip(different, translate(different), strict=True))
        return self.filled([found[sentence] for sentence in self.sentences])


def has_words(text: str) -> bool:
    """Return whether a text has letters or digits."""
    return any(map(str.isalnum, text))


@dataclass(frozen=True)
class Joined(Document):
    """Documents one after another, and texts between them that stay as they are.

    `breaks` are the line breaks of the source. The result has as many lines as the source, of about the same length.
    """

    parts: Sequence[Document | str]
    breaks: Sequence[str] = ()

    @property
    def sentences(self) -> list[Text]:
        return [sentence for part in self.parts if isinstance(part, Document) for sentence in part.sentences]

    def filled(self, translations: Sequence[Text]) -> str:
        rest = iter(translations)
        texts = (
            part if isinstance(part, str) else part.filled(list(islice(rest, len(part.sentences))))
            for part in self.parts
        )
        return _broken("".join(texts), self.breaks)


def _broken(text: str, breaks: Sequence[str]) -> str:
    """Return a text with line breaks. If it has too few places for them, those of white space alone are left out."""
    places, found, done, first = [match.span() for match in _PLACE.finditer(text)] if breaks else [], "", 0, 0
    if len(places) < len(breaks):
        breaks = [each for each in breaks if not each.isspace()]
    for number, each in enumerate(breaks, 1):
        goal = len(text) * number / (len(breaks) + 1) - len(text) / (2 * len(places) + 2)  # half a word before it
        near = min(bisect(places, (goal, 0), first), max(first, len(places) + number - len(breaks) - 1))
        start, stop = places[near] if near < len(places) else (len(text), len(text))
        found, done, first = f"{found}{text[done:start]}{each}", stop, near + 1
    return found + text[done:]


# Texts and tags


@dataclass(frozen=True)
class Tag(Slot):
    """A tag, or a whole element that stays, with its `markup` as in the document.

    Its `text` names its element: "<b>" and "</b>", and later "<3>" and "</3>". An element that stays whole has "<3/>".
    Other texts are SEPARATES, LINE_BREAK and COMMENT. A comment is written before the run that it is in.
    """

    markup: str = ""

    @property
    def element(self) -> str:
        """What the two tags of an element have in common; "" for another tag."""
        return self.starts or self.ends


@dataclass(frozen=True)
class Form:
    """What is needed to translate runs. `escape` returns a text as the document has it."""

    spans: Spans
    terms: Terms
    escape: Callable[[str], str] = str

    def document(self, pieces: Iterable[str | Tag]) -> Document:
        """Return the document of texts and tags."""
        parts, run = list[Document | str](), list[str | Tag]()
        for piece in (*_numbered(filter(None, pieces)), Tag(SEPARATES)):
            if not isinstance(piece, Tag) or piece.text not in (SEPARATES, COMMENT):
                run.append(piece)
                continue
            if piece.text == SEPARATES:
                parts.append(_block(run, self))
                run = []
            parts.append(piece.markup)
        return Joined(parts)

    def write(self, parts: Parts) -> str:
        """Return parts as the document has them."""
        return "".join(part.markup if isinstance(part, Tag) else self.escape(plain([part])) for part in parts)

    def plain_start(self, written: str, source: str) -> str:
        """Return a written translation of `source`. A start that would be read as markup is escaped."""
        return written


def _numbered(pieces: Iterable[str | Tag]) -> Iterator[str | Tag]:
    """Yield pieces whose tags have numbers: "<3>" and "</3>" for an element, another number for a single tag."""
    opened = defaultdict[str, list[int]](list)
    for number, piece in enumerate(pieces):
        if isinstance(piece, Tag) and piece.starts:
            opened[piece.starts].append(number)
            yield replace(piece, text=f"<{number}>")
        elif isinstance(piece, Tag) and piece.ends:
            yield replace(piece, text=f"</{opened[piece.ends].pop() if opened[piece.ends] else number}>")
        else:
            yield piece


def paragraphs(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return a text whose lines are translated one by one by a model with these spans, and with a glossary.

    Line breaks, tabs, control characters, blank lines and indentation stay. A tab divides a line, and no sentence ends
    inside a span or term.
    """
    pieces = enumerate(_CONTROLS.split(text))
    return Form(spans, terms).document(Tag(SEPARATES, markup=piece) if place % 2 else piece for place, piece in pieces)


def plain(parts: Parts) -> str:
    """Return what a reader sees."""
    return "".join(part if isinstance(part, str) else part.translation for part in parts if not isinstance(part, Tag))


def _tags(parts: Parts) -> list[Tag]:
    return [part for part in parts if isinstance(part, Tag)]


def _nested(parts: Parts) -> dict[str, bool]:
    """Return the elements that nest, and for each of them whether words, a picture or the like are inside."""
    opened, found, content = list[tuple[str, int]](), dict[str, bool](), 0
    for part in parts:
        if not isinstance(part, Tag):
            content += has_words(plain([part]))
        elif part.starts:
            opened.append((part.starts, content))
        elif not part.ends:
            content += 1
        elif part.ends in dict(opened):
            while (last := opened.pop())[0] != part.ends:
                continue
            found[part.ends] = content > last[1]
    return found


# A run


def _block(run: Sequence[str | Tag], form: Form) -> Document | str:
    """Return the document of a run, or its markup if it has no words."""
    if not has_words(plain(run)):
        return form.write(run)
    if breaks := [tag.markup for tag in _tags(run) if tag.text == LINE_BREAK]:
        line = [" " if isinstance(part, Tag) and part.text == LINE_BREAK else part for part in run]
        return Joined([_block(line, form)], breaks)
    groups = groupby(run, lambda part: isinstance(part, str))
    whole = tuple(part for texts, some in groups for part in (["".join(map(str, some))] if texts else some))
    sentences = split(form.spans.protect(Segment(whole), form.terms))
    dividing = _tags(run)
    if form.spans and all(all(sentence.pieces) for sentence in sentences):
        counts = [Counter(tag.element for tag in _tags(parts)) for parts in (run, *(each.parts for each in sentences))]
        dividing = [tag for tag in dividing if tag.element and any(count[tag.element] == 1 for count in counts)]
    if not dividing:
        first, last = (part if isinstance(part, str) else "" for part in (whole[0], whole[-1]))
        edges = first[: len(first) - len(first.lstrip())], last[len(last.rstrip()) :]
        return _Block(*edges, [_unwrapped(each) for each in sentences], form)
    places = groupby(run, set[str | Tag](dividing).__contains__)
    return Joined([form.write(list(some)) if divides else _block(list(some), form) for divides, some in places])


def _unwrapped(segment: Segment) -> tuple[list[Tag], Segment, list[Tag]]:
    """Return a sentence, with the tags around all of it outside."""
    before, after = list[Tag](), list[Tag]()
    while (tags := _tags([*segment.parts[:1], *segment.parts[-1:]])) and tags[0].starts == tags[-1].ends != "":
        before, after = [*before, tags[0]], [tags[-1], *after]
        segment = Segment.of(segment.parts[1:-1])
    return before, segment, after


@dataclass(frozen=True)
class _Block(Document):
    """The sentences of a run, each with the tags around it, and the white space around the run."""

    before: str
    after: str
    parts: Sequence[tuple[Sequence[Tag], Segment, Sequence[Tag]]]
    form: Form

    @property
    def sentences(self) -> list[Text]:
        segments = [segment for _, segment, _ in self.parts if has_words(plain(segment.parts))]
        return [segment if _tags(segment.parts) else segment.text for segment in segments]

    def filled(self, translations: Sequence[Text]) -> str:
        rest, found, last = iter(translations), list[str | Slot](), ""
        for before, segment, after in self.parts:
            parts = _moved(segment, next(rest)) if has_words(plain(segment.parts)) else segment.parts
            found += [gap(last) if parts else "", *before, *parts, *after]
            last = plain(parts).rstrip() or last
        return self.before + self.form.plain_start(self.form.write(found), plain(self.parts[0][1].parts)) + self.after


def _moved(source: Segment, translation: Text) -> Parts:
    """Return the parts of a translation, with all tags of its source, so that the elements nest."""
    found: Parts = translation.parts if isinstance(translation, Segment) else [translation]
    before = _nested(source.parts)
    kept = {element for element, is_filled in _nested(found).items() if is_filled or not before.get(element)}
    tags = [tag for tag in _tags(source.parts) if tag.element not in kept]
    starts, ends = [tag for tag in tags if tag.starts], {tag.ends: tag for tag in tags}
    inside = [part for part in found if not isinstance(part, Tag) or not part.element or part.element in kept]
    whole = [tag for tag in tags if not tag.element and tag not in _tags(found)]
    return [*starts, *inside, *whole, *(ends[tag.starts] for tag in reversed(starts))]
