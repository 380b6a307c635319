"""HTML as sentences to translate, and markup that keeps its meaning: lxml reads a page, and repairs a damaged one.

Block elements, such as p, li and td, separate texts. A model with spans (see `nmt.text.protect`) translates a sentence
of a block with its inline tags: a sentence with a link in it is translated at once. In the sentence, a slot stands for
each tag, so no translation changes a tag. Code, keys, formulas and elements with translate="no" or the class
"notranslate" stay; inside a sentence, one slot stands for the whole element. Tags around a whole sentence are left out
of it.

Every tag is in the result once, and the elements nest. An element that is lost, or empty in the translation, is put
around the whole sentence. If the tags of a translation do not nest, they get the order of the source.

The texts between the tags are translated apart if the model has no spans, or if a sentence of the block has more slots
than a model knows. Attributes, such as alt and title, are not translated.
"""

from __future__ import annotations

import html
import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lxml import etree

from nmt.deploy.documents.base import Document, Joined, Line, Text, divided, has_words
from nmt.errors import UserError
from nmt.text.protect import Segment, Slot, Spans, gap
from nmt.text.sentences import split
from nmt.text.terms import NO_TERMS, Terms

# Elements inside a sentence: text-level ones of the HTML standard, obsolete ones, pictures. A line break ends a text.
_TEXT_LEVEL = "a abbr b bdi bdo cite data del dfn em i ins mark q s small span strong sub sup time u"
_INLINE_KEPT = frozenset(["code", "kbd", "math", "samp", "svg", "var"])
_INLINE = frozenset(f"{_TEXT_LEVEL} acronym big font img nobr strike tt".split()) | _INLINE_KEPT
_KEPT = _INLINE_KEPT | {"pre", "script", "style", "textarea"}
_VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track"])
_PAGE = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")


Kind = Literal["start", "end", "unit", "block", "hidden"]
Parts = Sequence[str | Slot]  # texts, inline tags, and other slots


@dataclass(frozen=True)
class Tag(Slot):
    """A tag, or an element that stays: a `unit` inside a sentence, and a `block` between texts. A comment is `hidden`.

    `markup` is as in the page. `element` is the same number for the two tags of an inline element.
    """

    markup: str = ""
    kind: Kind = "block"
    element: int = 0


def tag_of(markup: str, kind: Kind, element: int = 0) -> Tag:
    """Return a tag, which a translator sees as "<3>", "</3>" or "<3/>"."""
    text = {"start": f"<{element}>", "end": f"</{element}>"}.get(kind, f"<{element}/>")
    return Tag(text, markup=markup, kind=kind, element=element)


def marked_up(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return HTML whose texts are translated by a model with these spans, and with the `terms` of a glossary.

    Raises UserError for elements that are nested too deeply to be read.
    """
    return Joined([part if isinstance(part, str) else _block(part, spans, terms) for part in _parts(text)])


def text_of(text: str) -> str:
    """Return the text of HTML that a translation changes, with a space between blocks and around what stays."""
    runs = (part for part in _parts(text) if not isinstance(part, str))
    return " ".join(
        "".join(part if isinstance(part, str) else " " * (part.kind == "unit") for part in run) for run in runs
    )


# From a page to runs


def _parts(text: str) -> Iterator[str | list[str | Tag]]:
    """Yield the markup of HTML, and between it the runs that have words. HTML without a root is a part of a page."""
    whole = bool(_PAGE.search(text))
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, default_doctype=False)
    root = etree.HTML((text if whole else f"<html><body>{text}</body></html>").encode("utf-8", "replace"), parser)
    if any(error.level == etree.ErrorLevels.FATAL for error in parser.error_log):
        raise UserError("HTML: its elements are nested too deeply; take out the inner ones")
    if root is None:  # a document type alone
        yield text
        return
    etree.strip_tags(root, "wbr")  # it says where a word of the source may be divided
    if whole:
        _declare_utf_8(root)
        yield root.getroottree().docinfo.doctype
    run = list[str | Tag]()
    for piece in _pieces(root, whole):
        if isinstance(piece, str) and run and isinstance(last := run[-1], str):
            run[-1] = last + piece
        elif piece if isinstance(piece, str) else piece.kind in ("start", "end", "unit"):
            run.append(piece)
        elif isinstance(piece, str):
            continue  # an empty text
        elif piece.kind == "hidden":
            yield piece.markup  # before the run that it stands in
        else:
            yield _finished(run)
            yield piece.markup
            run = []
    yield _finished(run)


def _finished(run: list[str | Tag]) -> str | list[str | Tag]:
    """Return a run with single spaces, or its markup if it has no words."""
    if not any(isinstance(part, str) and has_words(part) for part in run):
        return _markup(run)
    return [_SPACE.sub(" ", part) if isinstance(part, str) else part for part in run]


def _pieces(root: Any, whole: bool) -> Iterator[str | Tag]:
    """Yield the texts and tags of a tree."""
    holders, opened = _around_blocks(root), list[int]()
    walker = etree.iterwalk(root.getroottree(), events=("start", "end", "comment", "pi"))
    for number, (event, node) in enumerate(walker):
        if event in ("comment", "pi"):
            yield tag_of(_as_html(node), "hidden")
            yield node.tail or ""
            continue
        inline = node.tag in _INLINE_KEPT or (node.tag in _INLINE and node not in holders)
        stays, hidden = _stays(node), not whole and node.tag in ("html", "body")
        if event == "start" and (stays or node.tag in _VOID):
            yield tag_of(_as_html(node) if stays else _start_tag(node), "unit" if inline else "block", number)
        elif event == "start":
            yield tag_of("" if hidden else _start_tag(node), "start" if inline else "block", number)
            opened += [number] * inline
        elif not stays and node.tag not in _VOID and inline:
            yield tag_of(f"</{node.tag}>", "end", opened.pop())
        elif not stays and node.tag not in _VOID:
            yield tag_of("" if hidden else f"</{node.tag}>", "block")
        if stays:
            walker.skip_subtree()
        yield (node.tail if event == "end" else "" if stays else node.text) or ""


def _stays(node: Any) -> bool:
    classes = node.get("class", "").split()
    return node.tag in _KEPT or node.get("translate", "").lower() == "no" or "notranslate" in classes


def _around_blocks(root: Any) -> set[Any]:
    """Return the elements that have block elements inside, so that they separate texts too."""
    found = set[Any]()
    for node in root.iter(etree.Element):
        if node.tag not in _INLINE:
            for around in node.iterancestors():
                if around in found:
                    break
                found.add(around)
    return found


def _start_tag(node: Any) -> str:
    values = ((name, value.replace("&", "&amp;").replace('"', "&quot;")) for name, value in node.attrib.items())
    return "".join([f"<{node.tag}", *(f' {name}="{value}"' for name, value in values), ">"])


def _as_html(node: Any) -> str:
    return str(etree.tostring(node, encoding="unicode", method="html", with_tail=False))


def _declare_utf_8(root: Any) -> None:
    """Let a page say that it is in UTF-8, as its translation is."""
    declared = [
        meta
        for meta in root.iter("meta")
        if meta.get("charset") or meta.get("http-equiv", "").lower() == "content-type"
    ]
    for meta in declared:
        meta.getparent().remove(meta)
    head = root.find("head")
    (root if head is None else head).insert(0, etree.Element("meta", charset="utf-8"))


# A run


@dataclass(frozen=True)
class _Text(Document):
    """A text between two tags."""

    line: Line

    @property
    def sentences(self) -> list[Text]:
        return self.line.sentences

    def filled(self, translations: Sequence[Text]) -> str:
        return html.escape(self.line.filled(translations), quote=False)


@dataclass(frozen=True)
class _Sentence:
    """A sentence with the tags inside it, and the markup before and after it."""

    before: str
    segment: Segment
    after: str

    @property
    def has_words(self) -> bool:
        return has_words(_plain(self.segment.parts))

    def moved(self, translation: Text) -> Parts:
        """Return the parts of a translation, with all tags, so that the elements nest."""
        tags = _tags(self.segment.parts)
        parts = _with_all(tags, translation.parts if isinstance(translation, Segment) else [translation])
        emptied = _with_content(self.segment.parts) - _with_content(parts)
        parts = _with_all(tags, [part for part in parts if not (isinstance(part, Tag) and part.element in emptied)])
        if _unpaired(_tags(parts)) != _unpaired(tags):
            ordered = iter(tags)
            parts = [next(ordered) if isinstance(part, Tag) else part for part in parts]
        return parts


@dataclass(frozen=True)
class _Block(Document):
    """The sentences of a run, and the white space around them."""

    before: str
    parts: Sequence[_Sentence]
    after: str

    @property
    def sentences(self) -> list[Text]:
        return [part.segment if part.segment.slots else part.segment.text for part in self.parts if part.has_words]

    def filled(self, translations: Sequence[Text]) -> str:
        rest, found, last = iter(translations), self.before, ""
        for sentence in self.parts:
            parts = sentence.moved(next(rest)) if sentence.has_words else sentence.segment.parts
            text = _plain(parts)
            found += f"{gap(last) if text else ''}{sentence.before}{_markup(parts)}{sentence.after}"
            last = text.rstrip() or last
        return found + self.after


def _block(run: list[str | Tag], spans: Spans, terms: Terms) -> Document:
    """Return the document of a run: sentences with tags inside them, or else the texts between its tags."""
    if spans:
        sentences = [_sentence(segment) for segment in split(spans.protect(Segment(tuple(run)), terms))]
        if all(all(sentence.segment.pieces) for sentence in sentences):
            before, after = (
                " " * (isinstance(part, str) and part[end].isspace()) for part, end in ((run[0], 0), (run[-1], -1))
            )
            return _Block(before, sentences, after)
    return Joined([part.markup if isinstance(part, Tag) else _Text(divided(part, spans, terms)) for part in run])


def _sentence(segment: Segment) -> _Sentence:
    """Return a sentence, with the tags around all of it, and those whose partner is in another one, outside."""
    count, left, before, after = Counter(tag.element for tag in _tags(segment.parts)), deque(segment.parts), "", ""

    def is_alone(part: str | Slot) -> bool:
        return isinstance(part, Tag) and part.kind != "unit" and count[part.element] == 1

    while left:
        first, last = left[0], left[-1]
        if isinstance(first, str) and not first.strip():
            left.popleft()
        elif isinstance(last, str) and not last.strip():
            left.pop()
        elif is_alone(first):
            before += _markup([left.popleft()])
        elif is_alone(last):
            after = _markup([left.pop()]) + after
        elif first is not last and getattr(first, "element", 0) == getattr(last, "element", 1):
            before, after = before + _markup([left.popleft()]), _markup([left.pop()]) + after
        else:
            break
    return _Sentence(before, Segment.of(left), after)


def _tags(parts: Parts) -> list[Tag]:
    return [part for part in parts if isinstance(part, Tag)]


def _plain(parts: Parts) -> str:
    """Return what a reader sees."""
    return "".join(part if isinstance(part, str) else part.translation for part in parts if not isinstance(part, Tag))


def _markup(parts: Parts) -> str:
    return "".join(part.markup if isinstance(part, Tag) else html.escape(_plain([part]), quote=False) for part in parts)


def _with_all(tags: Sequence[Tag], parts: Parts) -> Parts:
    """Return `parts` with those of the `tags` that they lack: start tags at the beginning, and others at the end."""
    lost = [tag for tag in tags if tag not in parts]
    starts = [tag for tag in lost if tag.kind == "start"]
    return [*starts, *parts, *(tag for tag in lost if tag not in starts)]


def _with_content(parts: Parts) -> set[int]:
    """Return the elements around words, pictures and the like."""
    found, around = set[int](), list[int]()
    for part in parts:
        if isinstance(part, Tag) and part.kind == "start":
            around.append(part.element)
        elif isinstance(part, Tag) and part.element in around:
            around.remove(part.element)
        elif part.kind == "unit" if isinstance(part, Tag) else has_words(_plain([part])):
            found.update(around)
    return found


def _unpaired(tags: Sequence[Tag]) -> list[Tag]:
    """Return the tags whose element has no other tag among `tags` that they nest with."""
    found = list[Tag]()
    for tag in tags:
        if tag.kind == "end" and found and found[-1].element == tag.element:
            found.pop()
        elif tag.kind != "unit":
            found.append(tag)
    return found
