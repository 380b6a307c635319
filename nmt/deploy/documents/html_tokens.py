"""HTML as tokens: tags, texts and whole elements, which together are the HTML again."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Literal

# Elements inside a sentence: text-level ones of the HTML standard, obsolete ones, pictures. A line break ends a text.
_TEXT_LEVEL = "a abbr b bdi bdo cite data del dfn em i ins mark q s small span strong sub sup time u"
_OBSOLETE = "acronym big font nobr strike tt"
INLINE = frozenset(f"{_TEXT_LEVEL} {_OBSOLETE}".split())
INLINE_VOID = frozenset({"img", "wbr"})
INLINE_KEPT = frozenset({"code", "kbd", "math", "samp", "svg", "var"})
KEPT = INLINE_KEPT | {"pre", "script", "style", "textarea"}
TEXT_ONLY = ("script", "style", "textarea", "title")  # elements in which there are no tags
VOID = INLINE_VOID | {"area", "base", "br", "col", "embed", "hr", "input", "link", "meta", "source", "track"}

# Elements whose end tags may be left out, and the start tags that end them (HTML standard, "Optional tags"). Those of a
# paragraph include the start tags that end the element around it.
_ROWS = "tr tbody tfoot thead"
_CELLS = f"td th {_ROWS}"
_BLOCKS = (
    "address article aside blockquote center details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 header hgroup hr main menu nav ol p pre search section table ul"
)
ENDED_BY = {
    name: frozenset(tags.split())
    for names, tags in {
        "p": f"{_BLOCKS} li dt dd caption colgroup {_CELLS}",
        "li": "li",
        "dt dd": "dt dd",
        "rt rp": "rt rp",
        "option": "option optgroup hr",
        "optgroup": "optgroup hr",
        "caption": f"colgroup {_ROWS}",
        "tbody tfoot thead": "tbody tfoot thead",
        "tr": _ROWS,
        "td th": _CELLS,
    }.items()
    for name in names.split()
}
# Inside these elements, a start tag ends no element around them.
_LISTS_AND_TABLES = "ul ol menu dl table select datalist ruby"
HOLDERS = frozenset(f"{_LISTS_AND_TABLES} button object template svg math".split())

_INLINE_ENDED = (INLINE | INLINE_KEPT) - {"svg", "math"}
_ENDED_AROUND = _INLINE_ENDED | ENDED_BY.keys()  # without an end tag, these end with the element around them
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:--!?>|\Z))", re.DOTALL)
_DOCTYPE = re.compile(r"<!doctype[^>\[]*\[.{0,9999}?\]\s*>", re.DOTALL | re.IGNORECASE)
_SPACES = {"block": " ", "unit": " "}

Kind = Literal["text", "start", "end", "unit", "hidden", "block"]


@dataclass(frozen=True)
class Token:
    """A piece of HTML.

    A `unit` is inline and has no partner: a picture, or an element that stays. `hidden` is a comment or declaration.
    """

    raw: str
    kind: Kind
    name: str = ""


class _Elements:
    """Open elements, the innermost last. It finds a name in constant time, however many are open."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._counts = Counter[str]()

    def __contains__(self, name: str) -> bool:
        return self._counts[name] > 0

    def open(self, name: str) -> None:
        self.names.append(name)
        self._counts[name] += 1

    def pop(self) -> str:
        name = self.names.pop()
        self._counts[name] -= 1
        return name

    def close(self, name: str) -> None:
        """Close the innermost element of this name and all inside it; nothing if none is open."""
        if name in self:
            while self.pop() != name:
                pass


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of HTML, which may be damaged. The first one may be empty."""
    return _Tokenizer(text).tokens()


def text_of(page: str) -> str:
    """Return the text of HTML that a translation changes, with a space between blocks."""
    texts = (html.unescape(each.raw) if each.kind == "text" else _SPACES.get(each.kind, "") for each in tokens_of(page))
    return "".join(texts)


class _Tokenizer(HTMLParser):
    """Notes where each token begins, so that the tokens together are the whole again."""

    CDATA_CONTENT_ELEMENTS = TEXT_ONLY  # type: ignore[misc]  # final for its stubs only

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self._text = text
        self._begins = [0, *(found.end() for found in re.finditer("\n", text))]  # of the lines
        self._marks: list[tuple[int, Kind, str]] = [(0, "hidden", "")]
        # The open element that stays, and the open elements inside it: all of them if another tag can end it, else only
        # those with its name.
        self._kept = _Elements()
        self._around = _Elements()  # the open elements around it
        self.feed(text)
        self.close()

    def tokens(self) -> list[Token]:
        if self._kept.names or self.cdata_elem:
            self._end_kept()
        ends = [*(start for start, _, _ in self._marks[1:]), len(self._text)]
        return [
            Token(self._text[start:end], kind, name) for (start, kind, name), end in zip(self._marks, ends, strict=True)
        ]

    def _mark(self, kind: Kind, name: str = "") -> None:
        number, column = self.getpos()
        if not self._kept.names and not kind == self._marks[-1][1] == "text":  # neighbours that are text are one text
            self._marks.append((self._begins[number - 1] + column, kind, name))

    def parse_comment(self, i: int, report: bool | int = True) -> int:
        """Return where a comment ends, as browsers see it: without an end, it is the rest of the page."""
        found = _COMMENT.match(self.rawdata, i)
        assert found is not None
        self.handle_comment(found[0])
        return found.end()

    def parse_html_declaration(self, i: int) -> int:
        """Return where a declaration ends. Those that begin with "<![" are comments here.

        Python 3.11 raises an error for most of them, and ends a document type at the first ">" inside its brackets.
        """
        if with_brackets := _DOCTYPE.match(self.rawdata, i):
            self.handle_decl(with_brackets[0])
            return with_brackets.end()
        section = self.rawdata.startswith("<![", i) and not self.rawdata.startswith("<![CDATA[", i)
        return self.parse_bogus_comment(i) if section else super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and whether its element stays."""
        self._end_before(tag)
        stays = tag in KEPT or _stays(dict(attrs))
        self._mark(_inside_text(tag, "unit" if stays or tag in VOID else "start"), tag)
        if tag not in VOID and (self._is_recorded(tag) if self._kept.names else stays):
            self._kept.open(tag)
        elif tag not in VOID and not self._kept.names:
            while self._around.names and tag in ENDED_BY.get(self._around.names[-1], ()):
                self._around.pop()
            self._around.open(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that ends itself, which in HTML only elements without content do."""
        self._end_before(tag)
        self._mark(_inside_text(tag, "unit"))

    def handle_endtag(self, tag: str) -> None:
        """Note an end."""
        kind = _inside_text(tag, "end")
        around = kind == "block" and (tag in self._around or tag in ("body", "html"))
        if self._kept.names and self._kept.names[0] in _ENDED_AROUND and around and tag not in self._kept:
            self._end_kept()
        self._mark(kind, tag)
        (self._kept if self._kept.names else self._around).close(tag)

    def _end_before(self, start_tag: str) -> None:
        """End the element that stays if its end tag is left out before this start tag."""
        kept, around = self._kept.names, self._around.names[-1:]
        # A kbd ends with its paragraph. Browsers carry a code element into the next one.
        can_end = kept[:1] + around * (bool(kept) and kept[0] in _INLINE_ENDED - {"code"})
        if any(start_tag in ENDED_BY.get(name, ()) for name in can_end) and HOLDERS.isdisjoint(kept[1:]):
            self._end_kept()

    def _end_kept(self) -> None:
        """End the element that stays, whose end tag is missing, so that it cannot move in a sentence."""
        self._marks[-1] = (self._marks[-1][0], "block", "")
        self._kept = _Elements()

    def _is_recorded(self, tag: str) -> bool:
        """Return whether the elements inside the one that stays include a `tag`."""
        return tag == self._kept.names[0] or self._kept.names[0] in _ENDED_AROUND

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self._mark("text")

    def handle_comment(self, data: str) -> None:
        """Note a comment."""
        self._mark("hidden")

    handle_pi = unknown_decl = handle_comment  # instructions, and declarations that begin with "<!["

    def handle_decl(self, decl: str) -> None:
        """Note a declaration."""
        self._mark("hidden")


def _inside_text(name: str, kind: Kind) -> Kind:
    return kind if name in INLINE | INLINE_VOID | INLINE_KEPT else "block"


def _stays(attributes: dict[str, str | None]) -> bool:
    classes = (attributes.get("class") or "").split()
    return (attributes.get("translate") or "").lower() == "no" or "notranslate" in classes
