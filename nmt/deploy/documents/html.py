"""HTML as sentences to translate, and markup that keeps its meaning. lxml reads a page, and repairs a damaged one.

Block elements, such as p, li and td, separate texts. A model with spans (see `nmt.text.protect`) translates a sentence
with its inline tags, so a sentence with a link is translated as a whole. In the sentence, a slot stands for each tag,
so no translation changes a tag. Code, keys, formulas and elements with translate="no" or the class "notranslate" stay;
inside a sentence, one slot stands for the whole element. Tags around a whole sentence are left out of it.

Every tag is in the result once, and the elements nest. An element that is lost or empty in the translation, or does not
nest there, is put around the whole sentence.

An inline element separates texts too if a block element or the end of a sentence is inside. So do all inline tags of a
text if the model has no spans, or if one of its sentences has more slots than a model knows. Attributes, such as alt
and title, are not translated.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from lxml import etree

from nmt.deploy.documents.base import Document, Joined, Text, has_words
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
_COMMENT = "<!>"

Parts = Sequence[str | Slot]  # texts, inline tags, and other slots


@dataclass(frozen=True)
class Tag(Slot):
    """A tag, or a whole element that stays, with its `markup` as in the page.

    Its `text`, which a translator sees, has the number of its element: "<3>" and "</3>", or "<3/>" for an element that
    stays whole. The `text` is "" if the tag separates texts.
    """

    markup: str = ""

    @property
    def element(self) -> str:
        """What the two tags of an element have in common; "" for another tag."""
        return self.starts or self.ends


def marked_up(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return HTML whose texts are translated by a model with these spans, and with the `terms` of a glossary.

    Raises UserError for elements that are nested too deeply to be read.
    """
    return Joined([part if isinstance(part, str) else _block(part, spans, terms) for part in _parts(text)])


def text_of(text: str) -> str:
    """Return the text of HTML that a translation changes, with a space between blocks and around what stays."""
    runs = (part for part in _parts(text) if not isinstance(part, str))
    return " ".join(
        "".join(part if isinstance(part, str) else " " * (not part.element) for part in run) for run in runs
    )


# From a page to runs of texts and inline tags


def _parts(text: str) -> Iterator[str | list[str | Tag]]:
    """Yield the markup of HTML as texts, and the runs between them as lists."""
    whole = bool(_PAGE.search(text))  # otherwise it is a part of a page
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, default_doctype=False)
    root = etree.HTML((text if whole else f"<html><body>{text}</body></html>").encode("utf-8", "replace"), parser)
    if any(error.level == etree.ErrorLevels.FATAL for error in parser.error_log):
        raise UserError("HTML: its elements are nested too deeply; take out the inner ones")
    if root is None:  # the text is a document type alone
        yield text
        return
    etree.strip_tags(root, "wbr")  # it says where a word of the source may be divided
    if whole:
        _declare_utf_8(root)
        yield root.getroottree().docinfo.doctype
    run = list[str | Tag]()
    for piece in _pieces(root, hidden=() if whole else ("html", "body")):
        if isinstance(piece, Tag) and piece.text in ("", _COMMENT):
            if not piece.text:
                yield run
                run = []
            yield piece.markup  # a comment stands before the run that it is in
        elif isinstance(piece, str) and run and isinstance(last := run[-1], str):
            run[-1] = last + piece
        elif piece:
            run.append(piece)
    yield run


def _pieces(root: Any, hidden: Sequence[str]) -> Iterator[str | Tag]:
    """Yield the texts and tags of a tree, without the markup of the elements that are `hidden`."""
    numbers = dict[Any, int]()
    walker = etree.iterwalk(root.getroottree(), events=("start", "end", "comment", "pi"))
    for event, node in walker:
        if event in ("comment", "pi"):
            yield Tag(_COMMENT, markup=_as_html(node))
            yield node.tail or ""
            continue
        number = numbers.setdefault(node, len(numbers)) if node.tag in _INLINE else None
        stays = _stays(node)
        if event == "start":
            markup = _as_html(node) if stays else "" if node.tag in hidden else _start_tag(node)
            end = "/>" if stays or node.tag in _VOID else ">"
            yield Tag("" if number is None else f"<{number}{end}", markup=markup)
        elif not stays and node.tag not in _VOID:
            markup = "" if node.tag in hidden else f"</{node.tag}>"
            yield Tag("" if number is None else f"</{number}>", markup=markup)
        if stays:
            walker.skip_subtree()
        yield (node.tail if event == "end" else "" if stays else node.text) or ""


def _stays(node: Any) -> bool:
    classes = node.get("class", "").split()
    return node.tag in _KEPT or node.get("translate", "").lower() == "no" or "notranslate" in classes


def _start_tag(node: Any) -> str:
    values = ((name, value.replace("&", "&amp;").replace('"', "&quot;")) for name, value in node.attrib.items())
    return "".join([f"<{node.tag}", *(f' {name}="{value}"' for name, value in values), ">"])


def _as_html(node: Any) -> str:
    return str(etree.tostring(node, encoding="unicode", method="html", with_tail=False))


def _declare_utf_8(root: Any) -> None:
    """Make a page say that it is in UTF-8, because its translation is."""
    for meta in list(root.iter("meta")):
        if meta.get("charset") or meta.get("http-equiv", "").lower() == "content-type":
            meta.getparent().remove(meta)
    head = root.find("head")
    (root if head is None else head).insert(0, etree.Element("meta", charset="utf-8"))


# A run


def _block(run: Sequence[str | Tag], spans: Spans, terms: Terms) -> Document | str:
    """Return the document of a run, or its markup if it has no words."""
    if not has_words(_plain(run)):
        return _markup(run)
    whole = tuple(_SPACE.sub(" ", part) if isinstance(part, str) else part for part in run)
    sentences = split(spans.protect(Segment(whole), terms))
    dividing = _tags(run)
    if spans and all(all(sentence.pieces) for sentence in sentences):
        counts = [Counter(tag.element for tag in _tags(parts)) for parts in (run, *(each.parts for each in sentences))]
        dividing = [tag for tag in dividing if tag.element and any(count[tag.element] == 1 for count in counts)]
    if not dividing:
        before, after = (" " * _is_space(whole[place], place) for place in (0, -1))
        return _Block(before, [_sentence(each) for each in sentences], after)
    groups = [(separates, list(parts)) for separates, parts in groupby(whole, set[str | Tag](dividing).__contains__)]
    return Joined([_markup(parts) if separates else _block(parts, spans, terms) for separates, parts in groups])


def _is_space(part: str | Tag, place: int) -> bool:
    return isinstance(part, str) and part[place].isspace()


@dataclass(frozen=True)
class _Sentence:
    """A sentence with the tags inside it, and the markup before and after it."""

    before: str
    segment: Segment
    after: str

    @property
    def text(self) -> Text:
        """What is translated."""
        return self.segment if _tags(self.segment.parts) else self.segment.text

    @property
    def has_words(self) -> bool:
        return has_words(_plain(self.segment.parts))

    def moved(self, translation: Text) -> Parts:
        """Return the parts of a translation, with all tags, so that the elements nest."""
        found: Parts = translation.parts if isinstance(translation, Segment) else [translation]
        before = _nested(self.segment.parts)
        kept = {element for element, is_filled in _nested(found).items() if is_filled or not before[element]}
        tags = [tag for tag in _tags(self.segment.parts) if tag.element not in kept]
        starts, ends = [tag for tag in tags if tag.starts], {tag.ends: tag for tag in tags}
        inside = [part for part in found if not isinstance(part, Tag) or not part.element or part.element in kept]
        whole = [tag for tag in tags if not tag.element and tag not in _tags(found)]
        return [*starts, *inside, *whole, *(ends[tag.starts] for tag in reversed(starts))]


def _sentence(segment: Segment) -> _Sentence:
    """Return a sentence, with the tags around all of it outside."""
    before, after = "", ""
    while (tags := _tags([*segment.parts[:1], *segment.parts[-1:]])) and tags[0].starts == tags[-1].ends != "":
        before, after = before + tags[0].markup, tags[-1].markup + after
        segment = Segment.of(segment.parts[1:-1])
    return _Sentence(before, segment, after)


@dataclass(frozen=True)
class _Block(Document):
    """The sentences of a run, and the white space around them."""

    before: str
    parts: Sequence[_Sentence]
    after: str

    @property
    def sentences(self) -> list[Text]:
        return [part.text for part in self.parts if part.has_words]

    def filled(self, translations: Sequence[Text]) -> str:
        rest, found, last = iter(translations), self.before, ""
        for sentence in self.parts:
            parts = sentence.moved(next(rest)) if sentence.has_words else sentence.segment.parts
            text = _plain(parts)
            found += f"{gap(last) if text else ''}{sentence.before}{_markup(parts)}{sentence.after}"
            last = text.rstrip() or last
        return found + self.after


def _tags(parts: Parts) -> list[Tag]:
    return [part for part in parts if isinstance(part, Tag)]


def _plain(parts: Parts) -> str:
    """Return what a reader sees."""
    return "".join(part if isinstance(part, str) else part.translation for part in parts if not isinstance(part, Tag))


def _markup(parts: Parts) -> str:
    return "".join(part.markup if isinstance(part, Tag) else html.escape(_plain([part]), quote=False) for part in parts)


def _nested(parts: Parts) -> dict[str, bool]:
    """Return the elements that nest, each with whether it has words, a picture or the like inside."""
    opened, found, content = list[tuple[str, int]](), dict[str, bool](), 0
    for part in parts:
        if not isinstance(part, Tag):
            content += has_words(_plain([part]))
        elif part.starts:
            opened.append((part.starts, content))
        elif not part.ends:
            content += 1
        elif part.ends in dict(opened):
            while (last := opened.pop())[0] != part.ends:
                continue
            found[part.ends] = content > last[1]
    return found
