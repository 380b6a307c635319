"""Terms: words of a source whose translation is given, as in a glossary.

A term is a slot of its text (see `nmt.text.protect`), as a span is: the model reads "Close the ｟0｠." The given words
take its place in the translation. So the model decides where they stand, and cannot change them.

A model could also read the given words themselves, and learn to inflect them (Dinu et al. 2019, arXiv:1906.01105). This
was tried: the small models that we train used less than a quarter of the terms that they had never seen.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import regex

from nmt.errors import UserError
from nmt.system import lines
from nmt.text.languages import UNSPACED
from nmt.text.particles import AFTER_A_NOUN

LETTER = r"[\p{L}\p{N}\p{M}_]"  # of a word; "_" joins the words of an identifier
INVISIBLE = r"[\u200c\u200d\u00ad]*"  # joiners and soft hyphens, which stand inside words
JOINED = rf"\p{{Hangul}}{UNSPACED}"  # letters that may follow any word directly, as a particle does


class Terms:
    """A glossary: translations by terms of the source language.

    Small letters of a term match capitals too, but a term with capitals after its first letter, such as "URL", matches
    itself only. Of two terms at one place, the longer one counts, and of "polish" and "Polish" the one that is written
    as the text. They are found in texts of any Unicode form. Raises UserError for an empty term or translation.
    """

    def __init__(self, translations: Mapping[str, str]) -> None:
        self.translations = {_plain(term): _plain(translation) for term, translation in translations.items()}
        for term, translation in self.translations.items():
            if not term or not translation:
                raise UserError(f"terms: got '{term}' with the translation '{translation}', expected a text for both")
        self._ordered = sorted(self.translations, key=lambda term: (before(term), -len(term), _end(term)))
        groups = groupby(self._ordered, before)  # one search before all terms of a group: 40 times as fast
        pattern = "|".join(f"{start}(?:{_alternatives(terms)})" for start, terms in groups)
        self._pattern = regex.compile(pattern, regex.V1, cache_pattern=False)  # regex would keep 500 glossaries

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and self.translations == other.translations

    def __hash__(self) -> int:
        return hash(frozenset(self.translations.items()))

    def __bool__(self) -> bool:
        return bool(self.translations)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that differ from those of another glossary."""
        return lines.digest(*map(str, sorted(self.translations.items())))[:8]

    def places(self, text: str) -> list[tuple[int, int, str]]:
        """Return where each term begins and ends in a text, and its translation."""
        composed, places = in_nfc(text)
        terms = list[tuple[int, int, str]]()
        for match in self._pattern.finditer(composed) if self else ():
            written, term = " ".join(match[0].split()), self._ordered[match.lastindex - 1]
            translation = self.translations.get(written, self.translations[term])
            terms.append((places[match.start()], places[match.end()], translation))
        return terms


def read_terms(path: Path) -> Terms:
    """Return the glossary of a file, which may be compressed: on each line a term, a tab and its translation.

    Empty lines and comments are left out. A comment begins with "#" and a space, or with "#" and has no tab. Raises
    UserError for a file that cannot be read or is not UTF-8, for a line of another form, and for a term with two
    translations.
    """
    with lines.opened(path) as file:
        rows = list(lines.decoded(lines.raw(file), f"{path}, line "))
    translations: dict[str, str] = {}
    for number, line in enumerate(rows, start=1):
        if not line.strip() or line.startswith("# ") or (line.startswith("#") and "\t" not in line):
            continue
        fields = [_plain(field) for field in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise UserError(f"{path}, line {number}: got '{line}', expected a term, a tab and its translation")
        if translations.setdefault(*fields) != fields[1]:
            raise UserError(f"{path}, line {number}: '{fields[0]}' has another translation before; keep one of them")
    return Terms(translations)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def in_nfc(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in Unicode NFC, and where each of its characters, and its end, stands in the given text."""
    if unicodedata.is_normalized("NFC", text):
        return text, range(len(text) + 1)
    parts, places = list[str](), list[int]()
    for match in regex.finditer(r"\X", text):  # no character of NFC is made of several of these
        parts.append(unicodedata.normalize("NFC", match[0]))
        places += [match.start()] * len(parts[-1])
    return "".join(parts), [*places, len(text)]


def _alternatives(terms: Iterable[str]) -> str:
    """Return a regular expression for any of the terms, in their order. Neighbours with one end share it."""
    return "|".join(f"(?:{'|'.join(map(_pattern, same))}){end}" for end, same in groupby(terms, _end))


def _pattern(term: str) -> str:
    """Return a regular expression for a term. Its group holds the term."""
    exact = any(map(str.isupper, term[1:]))
    words = r"\s+".join(map(regex.escape, term.split()))
    return f"({words if exact else f'(?i-f:{words})'})"


def before(words: str) -> str:
    """Return a regular expression (regex.V1) for what stands before `words`, so that they begin a word of the text."""
    begins_inside = regex.match(f"[{UNSPACED}]", words) or not regex.match(LETTER, words)
    beside = rf"{UNSPACED}\p{{N}}" if regex.match(r"\p{Hangul}", words) else UNSPACED  # as in "2열"
    return "" if begins_inside else f"(?<![{LETTER}--[{beside}]]{INVISIBLE})"


def behind(words: str) -> str:
    """Return a regular expression for what stands behind Korean `words` at the end of a word: particles, or nothing."""
    return AFTER_A_NOUN if regex.match(r"\p{Hangul}", words[-1]) else ""


def _end(term: str) -> str:
    """Return a regular expression for what stands behind a term, so that it ends a word."""
    if regex.match(f"[{JOINED}]", term[-1]):
        return rf"(?![\p{{M}}_]){behind(term)}"
    return rf"(?!\p{{M}}|{INVISIBLE}[{LETTER}--[{JOINED}]])" if regex.match(LETTER, term[-1]) else ""


NO_TERMS = Terms({})
