"""HTML as sentences to translate and markup that stays as it is.

Block elements, such as p, li and td, separate texts. A model with spans (see `nmt.text.protect`) translates a sentence
of a block with its inline tags: a sentence with a link in it is translated at once. In the sentence, a mark stands for
each tag, as for every span, so no translation changes a tag. Code, keys, formulas and elements with translate="no" or
the class "notranslate" stay; inside a sentence, one mark stands for the whole element. Tags around a whole sentence
are left out of it.

Every tag is in the result once, and the elements nest as well as in the source. If the tags of a translation do not
nest, they are put in the order of the source at the places where the translation has tags. If the translation lacks
tags, a lost start tag counts as one at the beginning, and any other lost tag as one at the end.

The texts between the tags of a sentence are translated apart if the model has no spans, if the tags of the block do not
nest in the source, if the sentence has more spans and terms than there are marks, or if an element with content is
empty in the translation (`Document.revised`). Attributes, such as alt and title, are not translated.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice, pairwise

from nmt.deploy.documents.base import Document, Joined, has_words
from nmt.deploy.documents.html_tokens import Token, tokens_of
from nmt.deploy.documents.paragraphs import Line, divided
from nmt.errors import UserError
from nmt.text.protect import MARK, Place, Segment, Slot, Spans, gap
from nmt.text.sentences import split
from nmt.text.terms import NO_TERMS, Terms

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_XML = re.compile(r"""\A\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)""")
_META = re.compile(r"<meta\s[^<>]*", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?:\s|(?<=["']))([\w-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_CHARSET = re.compile(r"""\bcharset\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_MARK = re.compile(f"({MARK.pattern})")


@dataclass(frozen=True)
class Tag:
    """A tag or unit of a block. `element` is the same for the two tags of an element, and else different."""

    token: Token
    element: int
    place: int  # in the text of the block without tags


def marked_up(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return HTML whose texts are translated by a model with these spans, and with the `terms` of a glossary.

    Markup that no browser understands stays, or becomes text.
    """
    parts = list[Document | str]()
    for separates, group in groupby(tokens_of(text), lambda token: token.kind == "block"):
        tokens = list(group)
        if separates or not any(token.kind == "text" and html.unescape(token.raw).strip() for token in tokens):
            parts.append("".join(token.raw for token in tokens))
        else:
            parts.append(_block(tokens, spans, terms))
    return Joined(parts)


def check_encoding(text: str, where: str) -> None:
    """Raise UserError for a page that declares another encoding than UTF-8, in which its translation is written."""
    text = _COMMENT.sub("", text)
    found = [f"encoding={name}" for name in _XML.findall(text)]
    found += [f"charset={name}" for name in map(_declared, _META.findall(text)) if name]
    if found and not found[0].lower().endswith(("=utf-8", "=utf8")):
        raise UserError(
            f"{where}: declares {found[0]}, expected UTF-8; convert it, for example with iconv, and change the "
            "declaration"
        )


def _declared(meta: str) -> str:
    """Return the encoding that a meta tag declares, or ""."""
    attributes: dict[str, str] = {name.lower(): value.strip("\"'/ ") for name, value in _ATTRIBUTE.findall(meta)}
    if attributes.get("http-equiv", "").lower() == "content-type":
        found = _CHARSET.search(attributes.get("content", ""))
        return found[1] if found else ""
    return attributes.get("charset", "")


# A block


@dataclass(frozen=True)
class _Sentence:
    """A sentence: its texts, the tags between them, and the tags before and after it.

    Of `whole` sentences, the texts are translated at once, with marks for the tags between them. `start` and `end` are
    the place of the sentence in the block without tags. `spans` are those of the model, `terms` those of a glossary.
    """

    start: int
    end: int
    texts: Sequence[str]
    tags: Sequence[Tag]
    before: str
    after: str
    whole: bool
    spans: Spans
    terms: Terms

    @property
    def sentences(self) -> list[str]:
        """What is translated."""
        if self.whole:
            return [self.marked] if any(map(has_words, self.texts)) else []
        return [sentence for line in self._lines for sentence in line.sentences]

    @property
    def marked(self) -> str:
        """The sentence with marks for the tags between its texts."""
        return "".join(text + mark for text, mark in zip(self.texts, [*self._marks, ""], strict=True))

    @cached_property
    def _marks(self) -> list[str]:
        """The mark of each tag, or "" where no mark is left."""
        forms = {"start": "<{}>", "end": "</{}>"}
        slots = [Slot(forms.get(tag.token.kind, "<{}/>").format(tag.element)) for tag in self.tags]
        return list(Segment(tuple(slots)).pieces)

    @cached_property
    def _lines(self) -> list[Line]:
        return [divided(text, self.spans, self.terms) for text in self.texts]

    def is_protected(self) -> bool:
        """Return whether every span and term has a mark, and each tag, and nothing else, the name of its mark."""
        segment = self.spans.protect(self.marked, self.terms)
        return all(segment.pieces) and [slot.text for slot in segment.slots if slot.text in self._marks] == self._marks

    def filled(self, translations: Sequence[str]) -> tuple[str, str]:
        """Return the sentence with its translations and tags, and without tags."""
        texts, tags = self._translated(translations)
        raw = [*(tag.token.raw for tag in tags), ""]
        markup = "".join(html.escape(text, quote=False) + tag for text, tag in zip(texts, raw, strict=True))
        return f"{self.before}{markup}{self.after}", "".join(texts)

    def keeps_content(self, translations: Sequence[str]) -> bool:
        """Return whether each element that has content has some in the translation."""
        return _with_content(self.texts, self.tags) <= _with_content(*self._translated(translations))

    def _translated(self, translations: Sequence[str]) -> tuple[Sequence[str], Sequence[Tag]]:
        """Return the translated texts, and the tags between them."""
        if self.whole:
            return self._moved(translations[0]) if translations else (self.texts, self.tags)
        rest = iter(translations)
        return [line.filled(list(islice(rest, len(line.sentences)))) for line in self._lines], self.tags

    def _moved(self, translation: str) -> tuple[list[str], list[Tag]]:
        """Return the texts of a translation, and the tags between them where it has their marks."""
        texts, numbers = [""], list[int]()
        for part in _MARK.split(translation):
            if part not in self._marks:
                texts[-1] += part
            elif (number := self._marks.index(part)) not in numbers:
                numbers.append(number)
                texts.append("")
        lost = [number for number in range(len(self.tags)) if number not in numbers]
        starts = [number for number in lost if self.tags[number].token.kind == "start"]
        ends = [number for number in lost if number not in starts]
        numbers = [*starts, *numbers, *ends]
        if _unpaired([self.tags[number] for number in numbers]) != _unpaired(self.tags):
            numbers.sort()
        return [*("" for _ in starts), *texts, *("" for _ in ends)], [self.tags[number] for number in numbers]


def _with_content(texts: Sequence[str], tags: Sequence[Tag]) -> set[int]:
    """Return the elements around words, pictures and the like. `tags` stand between the `texts`."""
    found, around = set[int](), list[int]()
    for text, tag in zip(texts, [None, *tags], strict=True):
        if tag is not None and tag.token.kind == "start":
            around.append(tag.element)
        elif tag is not None and tag.element in around:
            around.remove(tag.element)
        if has_words(text) or (tag is not None and tag.token.kind == "unit"):
            found |= {*around}
    return found


@dataclass(frozen=True)
class _Block(Document):
    """The sentences of a block, and the white space around them."""

    parts: Sequence[_Sentence]
    before: str
    after: str

    @property
    def sentences(self) -> list[str]:
        return [sentence for part in self.parts for sentence in part.sentences]

    def filled(self, translations: Sequence[str]) -> str:
        found, last = [self.before], ""
        for part, own in zip(self.parts, self._shares(translations), strict=True):
            markup, text = part.filled(own)
            found += [gap(last) if text else "", markup]
            last = text or last
        return "".join([*found, self.after])

    def revised(self, translations: Sequence[str]) -> Document:
        pairs = zip(self.parts, self._shares(translations), strict=True)
        return replace(self, parts=[replace(part, whole=part.whole and part.keeps_content(own)) for part, own in pairs])

    def _shares(self, translations: Sequence[str]) -> list[list[str]]:
        rest = iter(translations)
        return [list(islice(rest, len(part.sentences))) for part in self.parts]


def _block(tokens: Sequence[Token], spans: Spans, terms: Terms) -> Document:
    """Return the block of these tokens, in which there are words."""
    text, tags = _placed(tokens)
    places = _places(text, spans, terms)
    shared = zip(places, _shared(tags, places), strict=True)
    parts = [_sentence(text, *place, own, spans, terms) for place, own in shared]
    if spans and not _unpaired(tags):
        parts = [replace(part, whole=part.is_protected()) for part in parts]
    return _Block(parts, text[: parts[0].start], text[parts[-1].end :])


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


def _unpaired(tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags whose element has no other tag among `tags` that they nest with."""
    found = list[Tag]()
    for tag in tags:
        if tag.token.kind == "end" and found and found[-1].element == tag.element:
            found.pop()
        elif tag.token.kind in ("start", "end"):
            found.append(tag)
    return found


def _places(text: str, spans: Spans, terms: Terms) -> list[Place]:
    """Return where each sentence of a text begins and ends. None ends inside a span or term."""
    places, end = list[Place](), 0
    for sentence in (segment.text for segment in split(spans.protect(text, terms))):
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


def _sentence(text: str, start: int, end: int, tags: Sequence[Tag], spans: Spans, terms: Terms) -> _Sentence:
    """Return a sentence, with the tags around all of it outside."""
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
    cuts = [begin, *places, end]
    texts = [_SPACE.sub(" ", text[cut:next_cut]) for cut, next_cut in pairwise(cuts)]
    before, after = ("".join(tag.token.raw for tag in each) for each in (tags[:first], tags[last:]))
    return _Sentence(begin, end, texts, inside, before, after, whole=False, spans=spans, terms=terms)
