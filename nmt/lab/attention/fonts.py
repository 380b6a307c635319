"""Chooses the installed fonts that a picture needs, and replaces the characters that no font has.

For each character, matplotlib takes the first font of a list of families that has it. Its default list is DejaVu Sans,
which has no Hangul, Kana or Han. This module makes the list from the characters of the picture.
"""

from __future__ import annotations

import importlib.util
import logging
import unicodedata
from collections.abc import Iterable
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


def typeface(texts: Iterable[str]) -> Typeface:
    """Return the typeface that draws `texts`: the default font, and fonts for the characters that it does not have.

    Warns once for each script with characters that no installed font has.
    """
    from matplotlib.font_manager import findfont

    needed = set().union(*texts)
    fonts = [Font(DEFAULT, str(findfont(DEFAULT)))]
    left = {char for char in needed if unicodedata.category(char) != "Cc"} - _having(fonts[0].path, needed)
    while left:
        best = max(installed_fonts(), key=lambda font: len(_having(font.path, left)), default=fonts[0])
        found = _having(best.path, left)
        if not found:
            break
        fonts.append(best)
        left -= found
    missing = left | {char for char in needed if unicodedata.category(char) == "Cc"}
    for name in sorted({script(char) for char in missing if _substitute(char) == BOX}):
        chars = "".join(sorted(char for char in missing if _substitute(char) == BOX and script(char) == name))
        _warn(name, chars[:10] + "…" * (len(chars) > 10))
    return Typeface(tuple(font.family for font in fonts), {char: _substitute(char) for char in missing})


def _warn(name: str, sample: str) -> None:
    """Warn of a script that no font has, once."""
    if name not in _told:
        _told.add(name)
        remedy = f"pip install {CJK_PACKAGE}" if name in _CJK else f"install one, such as Noto Sans {name}"
        log.warning("pictures: no installed font has %s (%s), drawn as %s; %s", name, sample, BOX, remedy)


_told: set[str] = set()


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


@cache
def _charmap(path: str) -> frozenset[int]:
    """Return the characters of a font file; none if the file cannot be read."""
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def _having(path: str, chars: set[str]) -> set[str]:
    charmap = _charmap(path)
    return {char for char in chars if ord(char) in charmap}
