"""Markdown: CommonMark with the tables, footnotes, task lists and alerts of GitHub. pyromark finds the texts.

Only the texts change. Front matter, code, images, addresses, formulas and blocks of HTML stay as they are in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pyromark
import regex
from pyromark import Options

from nmt.deploy.documents.base import LINE_BREAK, SEPARATES, Document, Form, Parts, Tag, has_words, plain
from nmt.text.protect import Spans
from nmt.text.terms import NO_TERMS, Terms

_GITHUB = Options.ENABLE_GFM | Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_TASKLISTS
_MORE = Options.ENABLE_FOOTNOTES | Options.ENABLE_MATH | Options.ENABLE_DEFINITION_LIST
_FRONT = Options.ENABLE_YAML_STYLE_METADATA_BLOCKS | Options.ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
_READER: Any = pyromark.Markdown(options=_GITHUB | _MORE | _FRONT | Options.ENABLE_HEADING_ATTRIBUTES)
_KEPT = ("CodeBlock", "HtmlBlock", "MetadataBlock", "Image")  # with all that is inside
_ELEMENTS = ("Emphasis", "Link", "Strikethrough", "Strong")
_INLINE = ("Text", "SoftBreak", "HardBreak", "Code", "DisplayMath", "FootnoteReference", "InlineHtml", "InlineMath")
_IN_HTML = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~": "del", "~~": "del"}
_SPECIAL = regex.compile(r"[\\`*_\[\]<>&|~#=$+-]|(?<=\d)[.)]")  # what may be markup, if a text is misread
_BEGINS_BLOCK = regex.compile(r"^(\d{0,9})(?=[-+*.)](?:\s|$)|#{1,6}(?:\s|$)|>)")  # a list, a heading, a quotation


def markdown(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return Markdown whose texts are translated by a model with these spans, and with the `terms` of a glossary."""
    return _Markdown(spans, terms).document(_pieces(text))


def _pieces(text: str) -> Iterator[str | Tag]:
    """Yield the texts and tags of Markdown."""
    source, done, kept, separate = text.encode(), 0, 0, True
    events = [*_READER.events_with_range(text), ({"End": ""}, {"start": len(source), "end": len(source)})]
    for (event, place), (_, following) in pairwise(events):
        start, end = place["start"], place["end"]
        kind, value = next(iter(event.items())) if isinstance(event, dict) else (event, "")
        name = next(iter(value)) if isinstance(value, dict) else value
        if end <= kept:
            continue
        if kind == "Start" and (name in _KEPT or (name == "Link" and source.startswith(b"<", start))):
            kept = end
            kind = "Code" if name in ("Image", "Link") else "Start"
        if kind not in _INLINE and name not in _ELEMENTS:
            separate = True
            continue
        if separate or (kind == "Text" and source[done:start].strip(b"\\")):
            yield Tag(SEPARATES, markup=source[done:start].decode())
            done, separate = start, False
        if kind in ("SoftBreak", "HardBreak", "Start"):  # with what stands before the next text, as in a quotation
            end = max(start if kind == "Start" else end, following["start"])
            end -= source[start:end].endswith(b"\\")  # which escapes the text
        raw = source[done:end].decode()
        done = end
        if kind == "Text":
            cell = raw.startswith("\\|")  # in a table
            yield from (Tag(f"<{start}/>", markup="\\|"), value[1:]) if cell else (value,)
        else:
            html = regex.match("</?[A-Za-z]+", raw) if kind == "InlineHtml" else None
            elements = {"Start": f"<{name}>", "End": f"</{name}>", "SoftBreak": LINE_BREAK, "HardBreak": SEPARATES}
            yield Tag(f"{html[0]}>" if html else elements.get(kind, f"<{start}/>"), markup=raw)
    yield Tag(SEPARATES, markup=source[done:].decode())


class _Markdown(Form):
    def write(self, parts: Parts) -> str:
        """Return parts as Markdown. If it would be misread, marks in a text are escaped, and elements become HTML."""
        tags, texts = [part if isinstance(part, Tag) else None for part in parts], [plain([part]) for part in parts]
        cells = [tag.markup if tag else text for tag, text in zip(tags, texts, strict=True)]
        shown = [
            cell if not tag else "](x)" if cell[:1] == "]" else cell if tag.element else "`x`"
            for tag, cell in zip(tags, cells, strict=True)
        ]
        read = "".join(event["Text"] for event in _READER.events(f"x {''.join(shown)}") if "Text" in event)
        if has_words(plain(parts)) and read.split() != f"x {plain(parts)}".split():
            cells = [_SPECIAL.sub(r"\\\g<0>", text) for text in texts]
            for place, tag in enumerate(tags):
                if tag:
                    name = _IN_HTML.get(tag.markup)
                    cells[place] = f"<{'/' * bool(tag.ends)}{name}>" if name else tag.markup
        return "".join(cells)

    def plain_start(self, written: str, source: str) -> str:
        return written if _BEGINS_BLOCK.match(source) else _BEGINS_BLOCK.sub(r"\1\\", written)
