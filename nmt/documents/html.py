"""HTML as sentences to translate and markup that stays as it is.

Block elements, such as p, li and td, separate texts. A model with spans (see `nmt.spans`) translates the text of a
block with its inline tags: a sentence with a link in it is translated at once. In the sentence, a mark stands for each
tag, as for every span, so no translation changes a tag. Code, keys, formulas and elements with translate="no" or the
class "notranslate" stay; inside a sentence, one mark stands for the whole element. Tags around a whole sentence are
left out of it.

Every tag is in the result once, and the elements nest. If the tags of a translation do not nest, they are put in the
order of the source at the places where the translation has tags. If the translation lacks tags, a lost start tag counts
as one at the beginning, and any other lost tag as one at the end.

The texts between the tags of a block are translated apart if the model has no spans, if the tags do not nest in the
source, or if a sentence has more spans than there are marks. Attributes, such as alt and title, are not translated.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from nmt.documents.base import Document, Joined, has_words
from nmt.documents.html_tokens import Token, tokens_of
from nmt.documents.paragraphs import Line
from nmt.errors import UserError
from nmt.spans import MARK, Spans
from nmt.tokens import SPAN_MARKS
from nmt.translation.sentences import gap, split

_CHARSET = re.compile(r"""<meta\s[^>]*\bcharset\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_MARK = re.compile(f"({MARK.pattern})")


@dataclass(frozen=True)
class Tag:
    """A tag or unit of a block. `element` is the same for the two tags of an element, and else different."""

    token: Token
    element: int
    place: int  # in the text of the block without tags


def marked_up(text: str, spans: Spans) -> Document:
    """Return HTML whose texts are translated by a model with these spans.

    Markup that no browser understands stays, or becomes text.
    """
    parts = list[Document | str]()
    for separates, group in groupby(tokens_of(text), lambda token: token.kind == "block"):
        tokens = list(group)
        if separates or not any(token.kind == "text" and html.unescape(token.raw).strip() for token in tokens):
            parts.append("".join(token.raw for token in tokens))
        else:
            parts.append((spans and _block(tokens, spans)) or _apart(tokens))
    return Joined(parts)


def check_encoding(text: str, where: str) -> None:
    """Raise UserError for a page that declares another encoding than UTF-8, in which its translation is written."""
    found = _CHARSET.search(text)
    if found and found[1].lower() not in ("utf-8", "utf8"):
        raise UserError(
            f"{where}: declares charset={found[1]}, expected UTF-8; convert it, for example with iconv, and change the "
            "declaration"
        )


# Texts between tags, translated apart


@dataclass(frozen=True)
class _Text(Document):
    """A text between two tags."""

    line: Line

    @property
    def sentences(self) -> list[str]:
        return [_SPACE.sub(" ", sentence) for sentence in self.line.sentences]

    def filled(self, translations: Sequence[str]) -> str:
        return _escaped(self.line.filled(translations))


def _apart(tokens: Sequence[Token]) -> Document:
    return Joined([_Text(Line(html.unescape(token.raw))) if token.kind == "text" else token.raw for token in tokens])


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


# A block, with its inline tags


@dataclass(frozen=True)
class _Sentence:
    """A sentence with marks for `tags`, the tags before and after it, and its place in the block without tags.

    `translated` says whether it has words.
    """

    start: int
    end: int
    text: str
    tags: Sequence[Tag]
    before: str
    after: str
    translated: bool

    def filled(self, translation: str) -> tuple[str, str]:
        """Return the translation with its tags, and without."""
        texts, numbers = [""], list[int]()
        names = SPAN_MARKS[: len(self.tags)]
        for part in _MARK.split(translation):
            if part not in names:
                texts[-1] += part
            elif (number := names.index(part)) not in numbers:
                numbers.append(number)
                texts.append("")
        lost = [number for number in range(len(names)) if number not in numbers]
        starts = [number for number in lost if self.tags[number].token.kind == "start"]
        ends = [number for number in lost if number not in starts]
        numbers = [*starts, *numbers, *ends]
        texts = [*("" for _ in starts), *texts, *("" for _ in ends)]
        if _open([self.tags[number] for number in numbers]) != _open(self.tags):
            numbers.sort()
        tags = [*(self.tags[number].token.raw for number in numbers), ""]
        filled = "".join(_escaped(text) + tag for text, tag in zip(texts, tags, strict=True))
        return f"{self.before}{filled}{self.after}", "".join(texts)


@dataclass(frozen=True)
class _Block(Document):
    """The sentences of a block, and the white space around them."""

    parts: Sequence[_Sentence]
    before: str
    after: str

    @property
    def sentences(self) -> list[str]:
        return [part.text for part in self.parts if part.translated]

    def filled(self, translations: Sequence[str]) -> str:
        found, last, rest = [self.before], "", iter(translations)
        for part in self.parts:
            markup, text = part.filled(next(rest) if part.translated else part.text)
            found += [gap(last) if text else "", markup]
            last = text or last
        return "".join([*found, self.after])


def _block(tokens: Sequence[Token], spans: Spans) -> Document | None:
    """Return a block whose sentences have marks for their tags; None if not each of its tags can have one."""
    text, tags = _placed(tokens)
    if _open(tags):
        return None
    places = _places(text)
    sentences = [_sentence(text, *place, own) for place, own in zip(places, _shared(tags, places), strict=True)]
    if not all(_protected(sentence, spans) for sentence in sentences):
        return None
    return _Block(sentences, text[: sentences[0].start], text[sentences[-1].end :])


def _placed(tokens: Sequence[Token]) -> tuple[str, list[Tag]]:
    """Return the text of a block without tags, and the tags."""
    text, tags, waiting = "", list[Tag](), list[Tag]()
    for number, token in enumerate(tokens):
        if token.kind == "text":
            text += html.unescape(token.raw)
        elif token.kind == "end" and waiting and waiting[-1].token.name == token.name:
            tags.append(Tag(token, waiting.pop().element, len(text)))
        else:
            tags.append(Tag(token, number, len(text)))
            waiting += [tags[-1]] * (token.kind == "start")
    return text, tags


def _open(tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags whose element has no other tag among `tags` that they nest with."""
    found = list[Tag]()
    for tag in tags:
        if tag.token.kind == "end" and found and found[-1].element == tag.element:
            found.pop()
        elif tag.token.kind in ("start", "end"):
            found.append(tag)
    return found


def _places(text: str) -> list[tuple[int, int]]:
    """Return where each sentence of a text begins and ends."""
    places, end = list[tuple[int, int]](), 0
    for sentence in split(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        places.append((start, end))
    return places


def _shared(tags: Sequence[Tag], places: Sequence[tuple[int, int]]) -> list[list[Tag]]:
    """Return the tags of each sentence. Of those between two sentences, the next one has the first start tag."""
    shared, current = list[list[Tag]]([[] for _ in places]), 0
    for tag in tags:
        while current + 1 < len(places):
            end = places[current][1]
            if tag.place < end or (tag.place == end and tag.token.kind != "start"):
                break
            current += 1
        shared[current].append(tag)
    return shared


def _sentence(text: str, start: int, end: int, tags: Sequence[Tag]) -> _Sentence:
    """Return a sentence with marks for those tags that are not around all of it."""
    count = Counter(tag.element for tag in tags)

    def is_outside(tag: Tag) -> bool:
        return tag.token.kind == "hidden" or (tag.token.kind != "unit" and count[tag.element] == 1)

    first, last = 0, len(tags)
    while first < last:
        at_start, at_end = tags[first].place <= start, tags[last - 1].place >= end
        if at_start and is_outside(tags[first]):
            first += 1
        elif at_end and is_outside(tags[last - 1]):
            last -= 1
        elif at_start and at_end and first + 1 < last and tags[first].element == tags[last - 1].element:
            first, last = first + 1, last - 1
        else:
            break
    inside = tags[first:last]
    places = [tag.place for tag in inside]
    begin, end = min([start, *places]), max([end, *places])
    place, parts = begin, list[str]()
    for tag, mark in zip(inside, SPAN_MARKS, strict=False):
        parts += [text[place : tag.place], mark]
        place = tag.place
    marked = _SPACE.sub(" ", "".join([*parts, text[place:end]]))
    before, after = ("".join(tag.token.raw for tag in each) for each in (tags[:first], tags[last:]))
    return _Sentence(begin, end, marked, inside, before, after, has_words(text[begin:end]))


def _protected(sentence: _Sentence, spans: Spans) -> bool:
    """Return whether each tag of a sentence, and nothing else, is a span of the same mark."""
    names = SPAN_MARKS[: len(sentence.tags)]
    found = [span for span in spans.mark(sentence.text).spans if span in names]
    return len(names) == len(sentence.tags) and found == names
