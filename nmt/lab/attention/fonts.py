"""Chooses the installed fonts that a picture needs, and replaces the characters that no font has.

For each character, matplotlib takes the first font of a list of families that has it. Its default list is DejaVu Sans,
which has no Hangul, Kana or Han. This module makes the list from the characters of the picture.
"""

from __future__ import annotations

import importlib.util
import logging
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nmt.tokens import WORD_MARK

log = logging.getLogger(__name__)

DEFAULT = "DejaVu Sans"  # comes with matplotlib
CJK_PACKAGE = "noto-cjk-sans-jp-regular"  # the optional extra: one font file with Hangul, Kana and Han
CJK_FILE = ("noto_cjk_sans_jp_regular", "NotoSansCJKjp-Regular.otf")
BOX = "□"
_CJK = {"Hangul", "Han", "Hiragana", "Katakana", "Bopomofo", "Fullwidth", "Halfwidth", "Ideographic"}
_NOT_TEXT = ("cm", "STIXNon", "STIXSize", "Last Resort")  # bundled: mathematics, and boxes for missing glyphs


@dataclass(frozen=True)
class Font:
    """A font family and its file."""

    family: str
    path: str


@dataclass(frozen=True)
class Typeface:
    """Font families for a picture's text, best first, and replacements for the characters that they lack."""

    families: tuple[str, ...]
    replaced: dict[str, str]

    def show(self, text: str) -> str:
        """Return `text` with the characters that the families lack replaced."""
        return "".join(self.replaced.get(char, char) for char in text)


class FontBook:
    """The fonts in use: `DEFAULT`, and those of `installed_fonts` that the texts so far needed."""

    def __init__(self) -> None:
        self._chosen: list[Font] = []
        self._hopeless: set[str] = set()
        self._warned: set[str] = set()

    def typeface(self, texts: Iterable[str]) -> Typeface:
        """Return the typeface that draws `texts`. Warns once for each script with characters that no font has."""
        needed = set().union(*texts)
        missing = needed - self._covered(needed)
        if missing - self._hopeless:
            self._extend(missing - self._hopeless)
            missing = needed - self._covered(needed)
            self._hopeless |= missing
        self._warn(missing)
        return Typeface(tuple(self._families(needed)), {char: _substitute(char) for char in missing})

    def _families(self, needed: set[str]) -> Iterator[str]:
        """Yield the default family, and each other family that has characters which the families before it lack."""
        for index, font in enumerate(self._chosen):
            found = _having(font.path, needed)
            if found or index == 0:
                yield font.family
            needed = needed - found

    def _covered(self, needed: set[str]) -> set[str]:
        from matplotlib.font_manager import findfont

        if not self._chosen:
            self._chosen = [Font(DEFAULT, str(findfont(DEFAULT)))]
        printable = {char for char in needed if unicodedata.category(char) != "Cc"}
        return set().union(*(_having(font.path, printable) for font in self._chosen))

    def _extend(self, missing: set[str]) -> None:
        """Choose the font with the most characters of `missing`, then the font with the most of the rest, and so on."""
        left = set(missing)
        having = [(font, _scan(font.path, left)) for font in installed_fonts()]
        while left:
            font, found = max(having, key=lambda pair: len(pair[1] & left), default=(None, set()))
            if font is None or not found & left:
                return
            self._chosen.append(font)
            left -= found

    def _warn(self, missing: set[str]) -> None:
        by_script: dict[str, list[str]] = {}
        for char in sorted(char for char in missing if _substitute(char) == BOX):
            by_script.setdefault(script(char), []).append(char)
        for name, chars in by_script.items():
            if name in self._warned:
                continue
            self._warned.add(name)
            sample = "".join(chars[:10]) + ("…" if len(chars) > 10 else "")
            remedy = f"pip install {CJK_PACKAGE}" if name in _CJK else f"install one, such as Noto Sans {name}"
            log.warning("pictures: no installed font has %s (%s), drawn as %s; %s", name, sample, BOX, remedy)


_book = FontBook()


def typeface(texts: Iterable[str]) -> Typeface:
    """Return the typeface that draws `texts` with the installed fonts; see `FontBook.typeface`."""
    return _book.typeface(texts)


def script(char: str) -> str:
    """Return the name of the script of `char`: "Hangul", "Han", "Thai", ...; "Symbols" for emoji and the like."""
    if unicodedata.category(char) in ("So", "Sk", "Sm"):
        return "Symbols"
    name = unicodedata.name(char, "Unassigned").split()[0]
    return "Han" if name == "CJK" else name.capitalize()


def extra_font() -> Path | None:
    """Return the font file of the optional extra, or None if it is not installed."""
    package, file = CJK_FILE
    spec = importlib.util.find_spec(package)  # finds the folder without running the package
    folders = spec.submodule_search_locations if spec else None
    path = Path(folders[0], file) if folders else None
    return path if path and path.is_file() else None


def _substitute(char: str) -> str:
    if char == WORD_MARK:
        return "_"
    category = unicodedata.category(char)
    if category == "Cf" or unicodedata.name(char, "").startswith("VARIATION SELECTOR"):
        return ""  # joiners and the like have no shape of their own
    return "\N{REPLACEMENT CHARACTER}" if category == "Cc" else BOX


@cache
def installed_fonts() -> tuple[Font, ...]:
    """Return all installed text fonts, best first: the optional extra, then upright, regular and sans serif fonts."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    extra = extra_font()
    # matplotlib keeps its list of fonts on disk and does not notice fonts that were installed later.
    new = {*findSystemFonts(), *([str(extra)] if extra else [])} - {entry.fname for entry in fontManager.ttflist}
    for path in sorted(new):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError, ValueError, NotImplementedError):  # colour bitmaps, damaged files: no candidates
            log.debug("fonts: cannot use %s", path)
    entries = [entry for entry in fontManager.ttflist if not entry.name.startswith(_NOT_TEXT)]

    def rank(entry: object) -> tuple[bool, bool, bool, bool, str]:
        name, weight, style = entry.name, entry.weight, entry.style  # type: ignore[attr-defined]
        plain = weight in (400, "normal", "regular")
        sans = any(word in name for word in ("Sans", "Gothic", "Hei"))
        return (entry.fname != str(extra), style != "normal", not plain, not sans, name)  # type: ignore[attr-defined]

    return tuple(dict.fromkeys(Font(entry.name, entry.fname) for entry in sorted(entries, key=rank)))


def _scan(path: str, chars: set[str]) -> set[str]:
    """Return the characters of `chars` that the font file has; none if the file cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        charmap = FT2Font(path).get_charmap()
    except (OSError, RuntimeError):
        return set()
    return {char for char in chars if ord(char) in charmap}


@cache
def _charmap(path: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(path).get_charmap())


def _having(path: str, chars: set[str]) -> set[str]:
    charmap = _charmap(path)
    return {char for char in chars if ord(char) in charmap}
