"""What the data report looks for: the pairs that filters find, and defects that should be repaired in the files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html.entities import html5

import regex

from nmt.data.filters import (
    SIDES,
    CorpusContext,
    Duplicate,
    Filter,
    Finder,
    Identical,
    Language,
    LeakedPair,
    LeakedSource,
    LeakedTarget,
    ManyTargets,
    Script,
    TextFilter,
)
from nmt.data.pair import SentencePair, Split
from nmt.errors import missing_packages
from nmt.lab.corpus.shift import Shifted

# Tags of running text. In manuals, words in angle brackets can also be keys or texts to fill in: <Del>, <title>.
TAGS = (
    "a abbr b big blockquote br center dd div dl dt em font h[1-6] hr i iframe img li ol p pre s script small span "
    "strike strong style sub sup tbody td th thead tr tt u ul"
)
_TAG = re.compile(rf"</?({'|'.join(TAGS.split())})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE | re.ASCII)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_LONG_NUMBER = re.compile(r"\d{3,}")
_SEPARATOR_OF_THOUSANDS = re.compile(r"(?<=\d)[.,'\u2019 ](?=\d{3}(?!\d))")

FEWEST_CHARACTERS = 5
LEAST_SHARE = 1 / 3
MOST_REPEATED = 5
_RUN = re.compile(rf"([^\w\s]|_)\1{{{MOST_REPEATED}}}")
_SYMBOL = re.compile(r"[^\w ]")
_TEXT = regex.compile(r"[\p{L}\p{M}\p{N}]")  # with marks: many vowels of Hindi are marks
# The bytes of UTF-8 or EUC-KR, read as Latin-1 or Windows-1252: "ì•ˆë…•", "¾È³ç"
_LATIN_1 = re.compile(f"[\u0080-\u00ff{bytes(range(0x80, 0xA0)).decode('cp1252', 'ignore')}]{{6,}}")

# Normalization takes away hints such as soft hyphens, and keeps the invisible characters that a script needs: see
# `nmt.data.normalization`. So only control characters and characters for private use are looked for.
_INVISIBLE = regex.compile(r"[\p{Cc}\p{Co}--\s]", regex.V1)
REPLACEMENT = "\ufffd"


class Invisible(TextFilter):
    """A text has a control character, or a character for private use, which most fonts cannot show."""

    explanation = "has a control character or a character for private use, which cannot be seen"

    def problem(self, text: str, language: str) -> str:
        found = _INVISIBLE.search(text)
        return f"U+{ord(found[0]):04X}" if found else ""


class Encoding(TextFilter):
    """A text was decoded with the wrong encoding, as ftfy recognizes it."""

    explanation = "has characters that a wrong decoding leaves behind, as Ã¼ for ü, or � for bytes that were lost"

    def problem(self, text: str, language: str) -> str:
        if text.isascii():
            return ""
        if REPLACEMENT in text:
            return "replacement character"
        from ftfy.badness import is_bad  # late: the import takes a tenth of a second

        return "wrong decoding" if is_bad(text) else ""

    def unavailable_reason(self, languages: tuple[str, str]) -> str:
        return missing_packages("ftfy", extra="inspect")


class Markup(Filter):
    """Only one side has HTML tags, or only one side has entities. Tags on both sides are no defect."""

    explanation = "has HTML tags or entities, as <b> or &amp;, on one side only"

    def finder(self, context: CorpusContext) -> Finder:
        def find(index: int, pair: SentencePair) -> str:
            for first in (_first_tag, _first_entity):
                source, target = first(pair.source), first(pair.target)
                if bool(source) != bool(target):
                    return f"source: {source}" if source else f"target: {target}"
            return ""

        return find


def _first_tag(text: str) -> str:
    found = _TAG.search(text) if "<" in text else None
    return f"<{found[1].lower()}>" if found else ""


def _first_entity(text: str) -> str:
    entities = (found[0] for found in _ENTITY.finditer(text)) if "&" in text else ()
    return next((entity for entity in entities if entity[1] == "#" or entity[1:] in html5), "")


class Numbers(Filter):
    """The sides have different numbers of three digits or more. Shorter ones are often written as words."""

    explanation = "has a number of three digits or more on one side that the other side has not"

    def finder(self, context: CorpusContext) -> Finder:
        def find(index: int, pair: SentencePair) -> str:
            source, target = _numbers(pair.source), _numbers(pair.target)
            sides = zip(SIDES, (source - target, target - source), strict=True)
            return "; ".join(f"{side}: {', '.join(map(str, [*left][:5]))}" for side, left in sides if left)

        return find


def _numbers(text: str) -> Counter[str]:
    """Return the groups of three digits or more, in ASCII, with thousands joined: 1234 for 1,234 and 1.234."""
    joined = _SEPARATOR_OF_THOUSANDS.sub("", text)
    return Counter(found if found.isascii() else str(int(found)) for found in _LONG_NUMBER.findall(joined))


class Symbols(TextFilter):
    """A text is mostly punctuation and symbols, repeats a symbol many times in a row, or was decoded wrongly.

    A wrong decoding is found here only if nearly all letters are wrong. `Encoding` finds single wrong letters.
    """

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
        characters = "".join(text.rstrip(" .…").split())
        few = len(characters) >= FEWEST_CHARACTERS and len(_TEXT.findall(characters)) < LEAST_SHARE * len(characters)
        return "mostly symbols" if few else ""


def _is_mixed(text: str) -> bool:
    return any(map(str.isalpha, text)) and not text.isalpha()


FILTERS: Mapping[str, Filter] = {  # with the names of configs/filters
    "identical": Identical(),
    "duplicate": Duplicate(),
    "many_targets": ManyTargets(),
    "leaked_pair": LeakedPair(),
    "leaked_source": LeakedSource(),
    "leaked_target": LeakedTarget(),
    "script": Script(),
    "language": Language(),
}
DEFECTS: Mapping[str, Filter] = {
    **FILTERS,
    "encoding": Encoding(),
    "invisible": Invisible(),
    "markup": Markup(),
    "numbers": Numbers(),
    "symbols": Symbols(),
    "shifted": Shifted(),
}


def defect_finder(names: Sequence[str], languages: tuple[str, str]) -> Callable[[str, str], str]:
    """Return a function of a source and a target, which returns the first of these defects that the pair has, or "".

    A defect that cannot be found here, as without the extra `inspect`, is left out. None may need the other pairs.
    """
    usable = [name for name in names if not DEFECTS[name].unavailable_reason(languages)]
    finders = {name: DEFECTS[name].finder(CorpusContext(languages, Split.of([]))) for name in usable}

    def find(source: str, target: str) -> str:
        pair = SentencePair(source, target)
        return next((name for name, each in finders.items() if each(0, pair)), "")

    return find
