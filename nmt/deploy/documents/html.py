"""HTML as sentences to translate, and markup that keeps its meaning. lxml reads a page, and repairs a damaged one.

Block elements, such as p, li and td, separate texts; `base` says what happens between two of them. Code, keys,
formulas and elements with translate="no" or the class "notranslate" stay, and so do those in another language than the
source (lang="fr"); inside a sentence, one slot stands for the whole element. Attributes, such as alt and title, are not
translated. `lang` follows the translation.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from lxml import etree

from nmt.deploy.documents.base import COMMENT, LINE_BREAK, SEPARATES, Document, Form, Tag
from nmt.errors import UserError
from nmt.text.languages import bcp47
from nmt.text.protect import Spans
from nmt.text.terms import NO_TERMS, Terms

# Elements inside a sentence: text-level ones of the HTML standard, obsolete ones, pictures.
_TEXT_LEVEL = "a abbr b bdi bdo cite data del dfn em i ins mark q s small span strong sub sup time u"
_INLINE_KEPT = frozenset(["code", "kbd", "math", "samp", "svg", "var"])
_INLINE = frozenset(f"{_TEXT_LEVEL} acronym big font img nobr strike tt".split()) | _INLINE_KEPT
_KEPT = _INLINE_KEPT | {"pre", "script", "style", "textarea"}
_VOID = frozenset(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track"])
_LEFT_OUT = ("rb", "rp", "rt", "ruby", "wbr")  # hints for the source: how a word is read, and where it may be divided
_PAGE = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)

Languages = tuple[str, str] | None


def marked_up(text: str, spans: Spans, terms: Terms = NO_TERMS, languages: Languages = None) -> Document:
    """Return HTML whose texts are translated by a model with these spans, and with the `terms` of a glossary.

    `languages` are those of the source and of the target, or None if they are not known. Raises UserError for elements
    that are nested too deeply to be read.
    """
    return Form(spans, terms, partial(html.escape, quote=False)).document(_pieces(text, languages))


def _pieces(text: str, languages: Languages) -> Iterator[str | Tag]:
    """Yield the texts and tags of HTML."""
    whole = bool(_PAGE.search(text))  # otherwise it is a part of a page
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, default_doctype=False)
    root = etree.HTML((text if whole else f"<html><body>{text}</body></html>").encode("utf-8", "replace"), parser)
    if any(error.level == etree.ErrorLevels.FATAL for error in parser.error_log):
        raise UserError("HTML: its elements are nested too deeply; take out the inner ones")
    if root is None:  # the text is a document type alone
        yield Tag(SEPARATES, markup=text)
        return
    if whole:
        _declare_utf_8(root)
        yield Tag(SEPARATES, markup=root.getroottree().docinfo.doctype)
    walker = etree.iterwalk(root.getroottree(), events=("start", "end", "comment", "pi"))
    for number, (event, node) in enumerate(walker):
        if event in ("comment", "pi"):
            yield Tag(COMMENT, markup=_as_html(node))
            yield node.tail or ""
            continue
        stays, name, shown = _stays(node, languages), node.tag, whole or node.tag not in ("html", "body")
        other = LINE_BREAK if name == "br" and (node.tail or "").lstrip()[:1].islower() else SEPARATES
        if name in _LEFT_OUT and not stays:
            stays = name in ("rp", "rt")
        elif event == "start":
            text = f"<{number}/>" if stays or name in _VOID else f"<{name}>"
            start = _as_html(node) if stays else _start_tag(node, languages) * shown
            yield Tag(text if name in _INLINE else other, markup=start)
        elif not stays and name not in _VOID:
            yield Tag(f"</{name}>" if name in _INLINE else SEPARATES, markup=f"</{name}>" * shown)
        if stays:
            walker.skip_subtree()
        yield (node.tail if event == "end" else "" if stays else node.text) or ""


def _stays(node: Any, languages: Languages) -> bool:
    classes, language = node.get("class", "").split(), node.get("lang") or node.get("xml:lang")
    if languages and language and node.tag not in ("html", "body"):
        own, other = (bcp47(each).partition("-")[0] for each in (languages[0], language))
        if own != other:
            return True
    return node.tag in _KEPT or node.get("translate", "").lower() == "no" or "notranslate" in classes


def _start_tag(node: Any, languages: Languages) -> str:
    """Return the start tag of an element. Its language is that of the translation."""
    attributes = dict(node.attrib)
    if languages:
        attributes |= {name: bcp47(languages[1]) for name in ("lang", "xml:lang") if name in attributes}
    values = ((name, value.replace("&", "&amp;").replace('"', "&quot;")) for name, value in attributes.items())
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
