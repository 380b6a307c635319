"""The fonts that a text needs, and what stands in where there is none."""

from __future__ import annotations

import importlib
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest
from matplotlib.font_manager import fontManager

from nmt.lab.attention import fonts
from nmt.lab.attention.fonts import BOX, Font, FontBook, extra_font, script, typeface

BUNDLED = Path(matplotlib.get_data_path(), "fonts", "ttf")
DEJAVU = Font("DejaVu Sans", str(BUNDLED / "DejaVuSans.ttf"))
ROMAN = Font("cmr10", str(BUNDLED / "cmr10.ttf"))  # has hardly more than ASCII
TIMES = Font("STIXGeneral", str(BUNDLED / "STIXGeneral.ttf"))

Installed = Callable[..., FontBook]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Return a function that lets only the given fonts be installed, the first as default, and returns a new book."""

    def book(*given: Font) -> FontBook:
        monkeypatch.setattr(fonts, "DEFAULT", given[0].family)
        monkeypatch.setattr(fonts, "installed_fonts", lambda: given)
        return FontBook()

    return book


def test_latin_needs_the_default_alone() -> None:
    face = typeface(["▁Straße", "</s>", "…"])
    assert face.families == ("DejaVu Sans",) and face.replaced == {}
    assert face.show("▁Straße") == "▁Straße"


def test_fonts_are_added_for_what_the_first_lacks_and_only_then(installed: Installed) -> None:
    book = installed(ROMAN, DEJAVU)
    assert book.typeface(["plain"]).families == ("cmr10",)
    assert book.typeface(["Ω ▁"]).families == ("cmr10", "DejaVu Sans")
    assert book.typeface(["plain"]).families == ("cmr10",)


def test_the_font_that_covers_most_is_taken(installed: Installed) -> None:
    everything = "λΩψ Ж"
    assert installed(ROMAN, TIMES, DEJAVU).typeface([everything]).families == ("cmr10", "STIXGeneral")
    arabic_too = everything + "مرحبا"
    assert installed(ROMAN, TIMES, DEJAVU).typeface([arabic_too]).families == ("cmr10", "DejaVu Sans")


def test_the_word_mark_becomes_what_the_font_has(installed: Installed) -> None:
    assert installed(ROMAN).typeface(["▁a"]).show("▁a") == "_a"


def test_characters_without_shape_vanish_and_control_characters_show(installed: Installed) -> None:
    show = installed(ROMAN).typeface(["a\u200db\ufe0f\t"]).show
    assert show("a\u200db\ufe0f\t") == "ab\N{REPLACEMENT CHARACTER}"


def test_a_script_without_font_is_named_once(caplog: pytest.LogCaptureFixture, installed: Installed) -> None:
    book = installed(DEJAVU)
    with caplog.at_level(logging.WARNING):
        assert book.typeface(["▁시속", "\u200b"]).show("▁시속!") == f"▁{BOX}{BOX}!"
        book.typeface(["시속", "다른 말"])
        assert len(caplog.records) == 1
        assert "Hangul (속시)" in caplog.text and "pip install noto-cjk-sans-jp-regular" in caplog.text
        book.typeface(["한 ไทย"])
    assert len(caplog.records) == 2 and "Noto Sans Thai" in caplog.records[1].message


def test_a_word_mark_or_a_joiner_alone_warns_of_nothing(caplog: pytest.LogCaptureFixture, installed: Installed) -> None:
    installed(ROMAN).typeface(["▁\u200d\n"])
    assert not caplog.records


@pytest.mark.parametrize(
    ("char", "name"),
    [
        ("한", "Hangul"),
        ("漢", "Han"),
        ("の", "Hiragana"),
        ("ไ", "Thai"),
        ("🍕", "Symbols"),
        ("\U000e0fff", "Unassigned"),
    ],
)
def test_names_of_scripts(char: str, name: str) -> None:
    assert script(char) == name


def test_a_damaged_font_file_is_no_candidate(tmp_path: Path, installed: Installed) -> None:
    damaged = tmp_path / "damaged.ttf"
    damaged.write_bytes(b"no font")
    assert installed(DEJAVU, Font("Damaged", str(damaged))).typeface(["말"]).families == ("DejaVu Sans",)


def test_the_extra_is_found_without_running_it_and_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, file = fonts.CJK_FILE
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('was run')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(fontManager, "ttflist", list(fontManager.ttflist))
    importlib.invalidate_caches()
    assert extra_font() is None
    shutil.copy(BUNDLED / "STIXGeneral.ttf", folder / file)
    assert extra_font() == folder / file
    fonts.installed_fonts.cache_clear()
    assert fonts.installed_fonts()[0] == Font("STIXGeneral", str(folder / file))
    fonts.installed_fonts.cache_clear()


@pytest.mark.skipif(extra_font() is None, reason="the optional extra with a CJK font is not installed")
def test_the_extra_covers_korean_japanese_and_chinese() -> None:
    face = typeface(["▁시속 150킬로미터", "ありがとう、カメラ。", "我们在训练模型"])
    assert face.replaced == {}
