"""The fonts that a text needs, and what stands in where there is none."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest

from nmt.lab.attention import fonts
from nmt.lab.attention.fonts import BOX, Font, script, typeface

BUNDLED = Path(matplotlib.get_data_path(), "fonts", "ttf")
DEJAVU = Font("DejaVu Sans", str(BUNDLED / "DejaVuSans.ttf"))
ROMAN = Font("cmr10", str(BUNDLED / "cmr10.ttf"))  # has hardly more than ASCII
TIMES = Font("STIXGeneral", str(BUNDLED / "STIXGeneral.ttf"))

Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that lets only the given fonts be installed, the first as default."""

    def installed(*given: Font) -> None:
        monkeypatch.setattr(fonts, "DEFAULT", given[0].family)
        monkeypatch.setattr(fonts, "installed_fonts", lambda: given)
        monkeypatch.setattr(fonts, "_told", set())

    return installed


def test_fonts_are_added_for_what_the_first_lacks_and_the_one_that_covers_most_comes_first(install: Install) -> None:
    face = typeface(["▁Straße", "</s>", "…"])
    assert face.families == ("DejaVu Sans",) and face.show("▁Straße") == "▁Straße"
    install(ROMAN, TIMES, DEJAVU)
    everything = "λΩψ Ж"
    for text, families in (
        ("plain", ["cmr10"]),
        ("Ω ▁", ["cmr10", "DejaVu Sans"]),
        (everything, ["cmr10", "STIXGeneral"]),
        (everything + "مرحبا", ["cmr10", "DejaVu Sans"]),
    ):
        assert list(typeface([text]).families) == families, text


def test_a_script_without_font_is_named_once(caplog: pytest.LogCaptureFixture, install: Install) -> None:
    install(DEJAVU)
    with caplog.at_level(logging.WARNING):
        assert typeface(["▁시속", "\u200b"]).show("▁시속!") == f"▁{BOX}{BOX}!"
        typeface(["시속", "다른 말"])
        assert len(caplog.records) == 1
        assert "Hangul (속시)" in caplog.text and "pip install noto-cjk-sans-jp-regular" in caplog.text
        typeface(["한 ไทย"])
    assert len(caplog.records) == 2 and "Noto Sans Thai" in caplog.records[1].message
    names = {"漢": "Han", "の": "Hiragana", "🍕": "Symbols", "\U000e0fff": "Unassigned"}
    assert {char: script(char) for char in names} == names
