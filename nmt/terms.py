"""Terms: words of a source whose translation is given, as in a glossary.

The translation takes the place of the term in the source: "Close the ｟13｠ 대화 상자｟14｠." A model that has learned
from such sources (augment=terms) copies the given word, and inflects it where the sentence asks for it. Dinu et al.
2019 (arXiv:1906.01105) propose this, as "replace". Their other way is "append": the translation stands beside the
term. A small model that has both translates the term, and does not learn to copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import regex

from nmt.errors import UserError
from nmt.system.lines import decoded, raw
from nmt.tokens import TERM_MARKS

LETTER = r"[\p{L}\p{N}]"
# A word of these scripts can have a particle at its end, or stands beside the next word without a space.
JOINED = regex.compile(r"[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\Z")


class Terms:
    """A glossary: translations by terms of the source language.

    Small letters of a term match capitals too, but a term with capitals after its first letter, such as "URL", matches
    itself only. Of two terms at one place, the longer one counts. Raises UserError for an empty term or translation.
    """

    def __init__(self, translations: Mapping[str, str]) -> None:
        self.translations = {term.strip(): translation.strip() for term, translation in translations.items()}
        for term, translation in self.translations.items():
            if not term or not translation:
                raise UserError(f"terms: got '{term}' with the translation '{translation}', expected a text for both")
        self._ordered = sorted(self.translations, key=len, reverse=True)
        self._pattern = regex.compile("|".join(f"({_pattern(term)})" for term in self._ordered), regex.V1)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same translations of the same terms."""
        return isinstance(other, Terms) and self.translations == other.translations

    def __hash__(self) -> int:
        """Return a number that is equal for equal glossaries."""
        return hash(frozenset(self.translations.items()))

    def __bool__(self) -> bool:
        """Return whether there is a term."""
        return bool(self.translations)

    def find(self, text: str) -> list[str]:
        """Return the terms that stand in a text, as the glossary writes them, in their order."""
        return [self._term(found) for found in self._pattern.finditer(text)] if self else []

    def insert(self, text: str) -> str:
        """Return a source with the translation of each term in its place."""
        if not self:
            return text
        return str(self._pattern.sub(lambda found: given(self.translations[self._term(found)]), text))

    def _term(self, found: regex.Match[str]) -> str:
        number: int = found.lastindex
        return self._ordered[number - 1]


NO_TERMS = Terms({})


def given(translation: str) -> str:
    """Return the given translation of a term, as the models read it in place of the term."""
    before, after = TERM_MARKS
    return f"{before} {translation}{after}"


def read_terms(path: Path) -> Terms:
    """Return the glossary of a file: on each line a term, a tab and its translation.

    Empty lines and lines that begin with "#" are left out. Raises UserError for a file that cannot be read or is not
    UTF-8, for a line of another form, and for a term with two translations.
    """
    try:
        with path.open("rb") as file:
            lines = list(decoded(raw(file), f"{path}, line "))
    except OSError as error:
        raise UserError(f"terms: {path} cannot be read ({error.strerror}); give another file") from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise UserError(f"{path}, line {number}: got '{line}', expected a term, a tab and its translation")
        if found.setdefault(*fields) != fields[1]:
            raise UserError(f"{path}, line {number}: '{fields[0]}' has another translation before; keep one of them")
    return Terms(found)


def _pattern(term: str) -> str:
    """Return a regular expression for a term as a whole word."""
    exact = any(map(str.isupper, term[1:]))
    words = r"\s+".join(map(regex.escape, term.split()))
    before = f"(?<!{LETTER})" if regex.match(LETTER, term) else ""
    after = f"(?!{LETTER})" if regex.match(LETTER, term[-1]) and not JOINED.search(term) else ""
    return f"{before}{words if exact else f'(?i:{words})'}{after}"
