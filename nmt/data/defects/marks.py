"""Defects of markup, addresses and symbols, as in texts from scraped pages."""

from __future__ import annotations

import re
from html.entities import html5
from typing import Any

import regex

from nmt.data.defects.base import SIDES, Defect, TextDefect
from nmt.data.pair import SentencePair

# Tags of running text. Words in angle brackets for a key or for a text to fill in (<Del>, <title>), as in manuals, are
# not tags.
TAGS = (
    "a abbr b big blockquote br center dd div dl dt em font h[1-6] hr i iframe img li ol p pre s script small span "
    "strike strong style sub sup tbody td th thead tr tt u ul"
)
_TAG = re.compile(rf"</?({'|'.join(TAGS.split())})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE | re.ASCII)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

# ASCII alone, because a Korean particle may follow an address without a space
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp)://|www\.)[\w.~:/?#@!$&'*+,;=%()\[\]-]+|(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+",
    re.ASCII,
)
_ADDRESS_PARTS = re.compile(r"[a-z0-9_]+")
UNCOMPARED = {"http", "https", "ftp", "www", "html", "htm"}

FEWEST_CHARACTERS = 5
LEAST_SHARE = 1 / 3
MOST_REPEATED = 5
_RUN = re.compile(rf"([^\w\s]|_)\1{{{MOST_REPEATED}}}")
_SYMBOL = re.compile(r"[^\w ]")
_TEXT = regex.compile(r"[\p{L}\p{M}\p{N}]")  # with marks: many vowels of Hindi are marks
# The bytes of UTF-8 or EUC-KR, read as Latin-1 or Windows-1252: "ì•ˆë…•", "¾È³ç"
_LATIN_1 = re.compile(f"[\u0080-\u00ff{bytes(range(0x80, 0xA0)).decode('cp1252', 'ignore')}]{{6,}}")


class Markup(Defect):
    """One side has HTML tags and the other has none, or the same with entities. Tags on both sides are no defect."""

    name = "markup"
    explanation = "has HTML tags or entities, as <b> or &amp;, on one side only"

    def find(self, index: int, pair: SentencePair) -> str:
        for mark, first in (("<", _first_tag), ("&", _first_entity)):
            if mark in pair.source or mark in pair.target:
                found = first(pair.source), first(pair.target)
                if bool(found[0]) != bool(found[1]):
                    return next(f"{side}: {text}" for side, text in zip(SIDES, found, strict=True) if text)
        return ""


def _first_tag(text: str) -> str:
    found = _TAG.search(text)
    return f"<{found[1].lower()}>" if found else ""


def _first_entity(text: str) -> str:
    return next((each[0] for each in _ENTITY.finditer(text) if each[0][1] == "#" or each[0][1:] in html5), "")


class Addresses(Defect):
    """A URL or an e-mail address is on one side only. Language codes in the addresses may differ."""

    name = "addresses"
    explanation = "has a URL or an e-mail address on one side that the other side has not"

    def find(self, index: int, pair: SentencePair) -> str:
        if not any(mark in text for text in (pair.source, pair.target) for mark in ("://", "www.", "@")):
            return ""
        source, target = (self._addresses(text) for text in (pair.source, pair.target))
        more = [side for side, left in zip(SIDES, (source - target, target - source), strict=True) if left]
        return " and ".join(more)

    def identity(self) -> Any:
        return [*super().identity(), *self.context.languages]

    def _addresses(self, text: str) -> set[tuple[str, ...]]:
        """Return the parts of each address that must be the same on both sides."""
        passed_over = UNCOMPARED | {part for language in self.context.languages for part in _parts(language)}
        return {tuple(part for part in _parts(each) if part not in passed_over) for each in _ADDRESS.findall(text)}


def _parts(text: str) -> list[str]:
    return _ADDRESS_PARTS.findall(text.lower())


class Symbols(TextDefect):
    """A text is mostly punctuation and symbols, repeats a symbol many times in a row, or was decoded wrongly.

    A wrong decoding is found here only if nearly all letters are wrong. `encoding` finds single wrong letters.
    """

    name = "symbols"
    explanation = (
        "has a side with less than a third letters and digits, with the same symbol six times in a row, or with "
        "symbols for letters, as ì•ˆë…• for 안녕"
    )

    def problem(self, text: str, language: str) -> str:
        symbols = len(_SYMBOL.findall(text)) + text.count("_")
        if symbols > MOST_REPEATED and (run := _RUN.search(text)):
            return f"{run[1]} repeated"
        if not text.isascii() and any(_is_mixed(found) for found in _LATIN_1.findall(text)):
            return "wrong decoding"
        if symbols <= (1 - LEAST_SHARE) * (len(text) - text.count(" ")):  # the usual case, and a fast check
            return ""
        characters = "".join(text.rstrip(" .…").split())
        few = len(characters) >= FEWEST_CHARACTERS and len(_TEXT.findall(characters)) < LEAST_SHARE * len(characters)
        return "mostly symbols" if few else ""


def _is_mixed(text: str) -> bool:
    return any(map(str.isalpha, text)) and not text.isalpha()
