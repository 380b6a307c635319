"""HTML as sentences to translate and markup that stays as it is.

Each text between two tags is translated on its own, so a sentence with a link in it is translated in pieces. Scripts,
styles, code and elements with translate="no" or the class "notranslate" stay.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

from nmt.serve.document import Document, Line, line

KEPT = {"script", "style", "code", "pre", "textarea", "svg", "math"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_SPACE = re.compile(r"[ \t\n\r\f]+")


def marked_up(text: str) -> Document:
    """Return HTML whose texts are translated. Markup that no browser understands stays, or becomes text."""
    return Document([part for raw, is_text in _Splitter(text).pieces() for part in _parts(raw, is_text)])


def _parts(raw: str, is_text: bool) -> list[Line | str]:
    if not is_text:
        return [raw]
    parts = line(_SPACE.sub(" ", html.unescape(raw)), escaped=True)
    return [part if isinstance(part, Line) else html.escape(part, quote=False) for part in parts]


class _Splitter(HTMLParser):
    """Notes where each tag and each text begins, so that the pieces together are the whole again."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self._text = text
        self._begins = [0, *(found.end() for found in re.finditer("\n", text))]  # of the lines
        self._marks: list[tuple[int, bool]] = [(0, False)]
        self._kept: list[str] = []  # the open element that stays, and those of its name inside it
        self.feed(text)
        self.close()

    def pieces(self) -> list[tuple[str, bool]]:
        """Return the pieces of the text, and whether each is to be translated."""
        ends = [*(start for start, _ in self._marks[1:]), len(self._text)]
        return [(self._text[start:end], is_text) for (start, is_text), end in zip(self._marks, ends, strict=True)]

    def _mark(self, is_text: bool) -> None:
        number, column = self.getpos()
        if is_text != self._marks[-1][1]:  # neighbours of one kind are one piece
            self._marks.append((self._begins[number - 1] + column, is_text))

    def parse_html_declaration(self, i: int) -> int:
        """Return where a declaration ends. Those that begin with "<![" are comments here.

        Python 3.11 raises an error for most of them.
        """
        section = self.rawdata.startswith("<![", i) and not self.rawdata.startswith("<![CDATA[", i)
        return self.parse_bogus_comment(i) if section else super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and whether its element stays."""
        self._mark(False)
        if tag not in VOID and (tag == self._kept[0] if self._kept else tag in KEPT or _stays(dict(attrs))):
            self._kept.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that ends itself, which in HTML only elements without content do."""
        self._mark(False)

    def handle_endtag(self, tag: str) -> None:
        """Note an end."""
        self._mark(False)
        if self._kept and tag == self._kept[0]:
            self._kept.pop()

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self._mark(not self._kept)

    def handle_comment(self, data: str) -> None:
        """Note a comment."""
        self._mark(False)

    def handle_decl(self, decl: str) -> None:
        """Note a declaration."""
        self._mark(False)

    def handle_pi(self, data: str) -> None:
        """Note an instruction."""
        self._mark(False)

    def unknown_decl(self, data: str) -> None:
        """Note another declaration."""
        self._mark(False)


def _stays(attributes: dict[str, str | None]) -> bool:
    classes = (attributes.get("class") or "").split()
    return (attributes.get("translate") or "").lower() == "no" or "notranslate" in classes
