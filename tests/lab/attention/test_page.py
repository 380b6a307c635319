"""The page that one can explore: its data are the map's, markup is text, and choices change what is shown."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nmt.attention_map import AttentionMap
from nmt.lab.attention.page import page
from nmt.lab.attention.view import rollout, view
from tests.attention_maps import ENGLISH, GERMAN, make
from tests.browser import Browser
from tests.html_page import Page

EVIL = "<script>document.title = 'evil'</script> & <img src=x onerror=alert(1)> {{ 1 + 1 }} </script>"


def evil() -> AttentionMap:
    return replace(make(["▁<img", "▁src=x", "▁onerror=alert(1)>", "</s>"]), source=EVIL, target=EVIL)


def data_of(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_the_data_are_those_of_the_map() -> None:
    attention = make()
    ((found,),) = data_of(page([[attention]]))["sentences"]
    expected = json.loads(attention.to_json())
    for level in ("pieces", "words"):
        rolled, reach = found[level].pop("rollout"), found[level].pop("reach")
        assert found[level].pop("views") == {}
        assert found[level] == expected[level]
        np.testing.assert_allclose(rolled, view(attention, "rollout", words=level == "words").weights[:, 0], atol=5e-5)
        assert reach == view(attention, "decoder_self", words=level == "words").reach
    assert (found["source"], found["target"], found["origin"]) == ("the source", "das Ziel", expected["origin"])
    recurrent = replace(attention, encoder_self=None, decoder_self=None)
    assert data_of(page([[recurrent]]))["sentences"][0][0]["words"]["rollout"] is None


def test_markup_in_a_sentence_is_text_and_only_the_pages_script_may_run() -> None:
    text = page([[evil()], [make()]])
    assert data_of(text)["sentences"][0][0]["source"] == EVIL
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(|<img|<script>document", text)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    (digest,) = re.findall(r"script-src 'sha256-(.*?)'", text)
    (code,) = scripts
    assert base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() == digest
    assert "default-src 'none'" in text and Page(text).addresses == []


# --- in a browser


@pytest.fixture
def shown(chromium: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The page of two sentences, one of them markup, open in a browser."""
    path = tmp_path / "attention.html"
    path.write_text(page([[make()], [evil()]]), "utf-8")
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(path)
    yield chromium
    assert chromium.errors == [] and chromium.requests == [path.as_uri()]


def shades(page: Browser) -> Any:
    script = "[...document.querySelectorAll('tbody tr')].map(row => [...row.querySelectorAll('td')].map("
    return np.array(page.run(script + "cell => Number(cell.style.getPropertyValue('--weight'))))"))


def test_choices_change_what_is_shown(shown: Browser) -> None:
    attention = make()
    assert attention.cross is not None and attention.encoder_self is not None
    np.testing.assert_allclose(shades(shown), attention.cross.mean((0, 1)), atol=1e-4)
    assert (shown.texts("tbody th"), shown.texts("thead th")) == (GERMAN, ENGLISH)
    shown.choose("layer", "2")
    shown.choose("head", "3")
    np.testing.assert_allclose(shades(shown), attention.cross[1, 2], atol=1e-4)
    shown.choose("kind", "encoder_self")
    np.testing.assert_allclose(shades(shown), attention.encoder_self[1, 2], atol=1e-4)
    shown.choose("kind", "rollout")
    shown.choose("layer", "")
    np.testing.assert_allclose(shades(shown), rollout(attention.encoder_self)[-1], atol=1e-4)
    shown.choose("level", "words")
    assert shown.texts("thead th") == attention.words().axes("encoder_self")[1]
    shown.choose("kind", "cross")
    shown.choose("scale", "highest")
    assert shades(shown).max() == 1


def test_what_a_row_cannot_see_is_hatched(shown: Browser) -> None:
    shown.choose("kind", "decoder_self")
    hatched = shown.run("[...document.querySelectorAll('td.masked')].length")
    assert hatched == len(GERMAN) * (len(GERMAN) - 1) / 2
    shown.hover("tbody tr:nth-child(2) td:nth-child(5)")
    assert shown.run("readout.textContent") == "“▁Mann” cannot see “▁in”, which comes later."


def test_the_keyboard_moves_over_tokens_and_cells(shown: Browser) -> None:
    cross = make().cross
    assert cross is not None
    shown.click("tbody tr:nth-child(1) th")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        shown.press(key)
    weight = float(cross.mean((0, 1))[1, 1])
    assert shown.run("readout.textContent") == f"“▁Mann” gives {weight:.2f} to “▁man”."
    assert shown.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
