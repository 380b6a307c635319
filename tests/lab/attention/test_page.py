# ruff: noqa: RUF001 - quotation marks of Korean
"""The page that one can explore: its data are the map's, markup is text, and choices change what is shown."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from nmt.attention_map import AttentionMap
from nmt.lab.attention.page import page, plain
from nmt.lab.attention.view import rollout, view
from nmt.page import words
from tests.attention_maps import ENGLISH, GERMAN, WORDS, make
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
    for level, own in (("pieces", attention), ("words", attention.words())):
        for kind in own.kinds:
            shown, seen = found[level][kind], view(attention, kind, words=level == "words")
            assert (shown["rows"], shown["columns"], shown["reach"]) == (*seen.axes, seen.reach)
            assert shown["weights"] == own.to_plain()[kind]
        rolled = view(attention, "rollout", words=level == "words").weights
        np.testing.assert_allclose(found[level]["rollout"]["weights"], rolled, atol=5e-5)
    assert (found["source"], found["target"]) == ("the source", "das Ziel")
    recurrent = replace(attention, encoder_self=None, decoder_self=None)
    assert list(data_of(page([[recurrent]]))["sentences"][0][0]["words"]) == ["cross"]


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


def test_what_a_row_cannot_see_is_hatched(shown: Browser) -> None:
    shown.choose("kind", "decoder_self")
    hatched = shown.run("[...document.querySelectorAll('td.masked')].length")
    assert hatched == len(GERMAN) * (len(GERMAN) - 1) / 2
    shown.hover("tbody tr:nth-child(2) td:nth-child(5)")
    assert shown.run("document.querySelector('.readout').textContent") == "“▁Mann” cannot see “▁in”, which comes later."


def test_the_keyboard_moves_over_tokens_and_cells(shown: Browser) -> None:
    cross = make().cross
    assert cross is not None
    shown.click("tbody tr:nth-child(1) th")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        shown.press(key)
    percent = f"{100 * float(cross.mean((0, 1))[1, 1]):.0f}\N{NO-BREAK SPACE}%"
    assert shown.run("document.querySelector('.readout').textContent") == f"“▁Mann” gives {percent} to “▁man”."
    assert shown.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    shown.run("one = sentences[0][0].pieces.cross, one.columns = one.columns.map(() => '▁שלום'), maps.draw()")
    shown.click("tbody tr:nth-child(2) td:nth-child(3)")
    shown.press("ArrowLeft")  # from right to left, the next column is on the left
    assert shown.run("document.activeElement.cellIndex") == 3
    assert shown.texts(".readout")[0].endswith("to “\u2067▁שלום\u2069”.")


def test_a_small_picture_chooses_its_head_and_the_slider_a_row(shown: Browser) -> None:
    cross = make().cross
    assert cross is not None
    shown.click(".grid button:nth-child(2)")
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        shown.press(key)
    np.testing.assert_allclose(shades(shown), cross[1, 2], atol=1e-4)
    assert shown.run("document.activeElement.ariaLabel + document.activeElement.ariaPressed") == "layer 2, head 3true"
    shown.run("heard = []; maps.onplace = (...place) => heard.push(place); step.value = 3")
    shown.run("step.dispatchEvent(new Event('input'))")
    assert shown.run("heard") == [[0, 2, -1]]
    assert shown.run("step.ariaValueText").startswith("“▁in” attends to: ")
    assert shown.run("document.querySelectorAll('td.dim').length") == (len(GERMAN) - 1) * len(ENGLISH)
    shown.run("maps.point(0, -1, 1)")
    assert shown.run("heard.length") == 1 and shown.run("step.ariaValueText").startswith("“▁man” gets attention from: ")
    shown.click(".grid button:nth-child(6)")
    np.testing.assert_allclose(shades(shown), cross.mean((0, 1)), atol=1e-4)


def test_a_head_that_is_off_is_crossed_out_and_can_be_switched(shown: Browser) -> None:
    shown.run("sentences[0][0].off = new Set(['cross.1.2', 'encoder_self.2.1']), asked = [], maps.show(sentences[0])")
    assert shown.run("document.querySelector('.off').ariaLabel") == "layer 1, head 2: switched off"
    button = ".maps section > div:last-of-type > button"
    shown.run("maps.choose({layer: 1, head: 2})")
    assert shown.texts(button) == []  # nobody could switch it
    shown.run("maps.onoff = (...head) => asked.push(head), maps.draw()")
    assert shown.texts(button) == ["Switch this head on"]
    shown.click(button)
    shown.run("maps.choose({layer: 2, head: 1})")
    assert shown.texts(button) == ["Switch this head off"] and shown.run("asked") == [["cross", 1, 2, 0]]


def test_models_side_by_side_share_the_place_but_not_every_kind(shown: Browser) -> None:
    shown.run("one = sentences[0][0], maps.show([one, {...one, pieces: {cross: one.pieces.cross}}])")
    shown.hover("section:nth-child(2) thead th:nth-child(3)")
    assert shown.texts("th.chosen") == ["▁man", "▁man"]
    shown.choose("kind", "decoder_self")
    assert shown.texts("section:nth-child(2) > p:not(.note)") == ["This model has no such attention."]
    shown.hover("thead th:nth-child(3)")
    assert shown.texts("th.chosen") == ["▁Ein"]
    assert shown.texts(".readout")[0].startswith("“▁Ein” gets attention from: ")


def test_a_page_in_korean(shown: Browser) -> None:
    shown.click("#language")
    assert shown.run("document.documentElement.lang") == "ko" and shown.texts("h1, dt") == ["어텐션", "원문", "번역"]
    assert shown.run("kind.options[1].text") == "인코더의 셀프 어텐션"
    shown.hover("tbody tr:nth-child(2) td:nth-child(5)")
    assert re.fullmatch("‘▁Mann’에서 ‘▁in’ 쪽으로 가는 가중치: \\d+\N{NO-BREAK SPACE}%", shown.texts(".readout")[0])
    english, korean = (words(language) for language in ("en", "ko"))
    assert {name: set(re.findall(r"{\w+}", str(text))) for name, text in english.items()} == {
        name: set(re.findall(r"{\w+}", str(text))) for name, text in korean.items()
    }


def test_the_words_of_an_answer_are_those_of_python(shown: Browser) -> None:
    for pieces, _ in WORDS:
        attention = make(pieces, GERMAN)
        sentence: dict[str, Any] = {"source_pieces": [piece.label for piece in attention.source_pieces]}
        sentence |= {"pieces": GERMAN, "source": attention.source, "translation": attention.target}
        sentence["attention"] = {kind: getattr(attention, kind).tolist() for kind in attention.kinds}
        found, expected = shown.run(f"levels({json.dumps(sentence)})"), plain(attention, {})
        for level in ("pieces", "words"):
            assert [*found[level], "rollout"] == [*expected[level]]
            for kind, one in found[level].items():
                other = expected[level][kind]
                np.testing.assert_allclose(one.pop("weights"), other.pop("weights"), atol=1e-4)
                assert one == other


@pytest.mark.parametrize("dark", [False, True])
def test_texts_have_contrast(dark: bool, chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "attention.html").write_text(page([[make()]]), "utf-8")
    chromium.open(tmp_path / "attention.html", dark=dark)
    names = ("back", "card", "mark", "text", "soft", "wrong", "heat", "cold", "on-pale", "on-strong")
    value = "getComputedStyle(document.body).getPropertyValue('--{}')".format
    colours = {name: rgb(chromium.run(value(name))) for name in names}
    for text, behind in product(("text", "soft", "wrong"), ("back", "card", "mark")):
        assert contrast(colours[text], colours[behind]) >= 4.5
    strong = chromium.run("STRONG")
    for weight in np.linspace(0, 1, 101):
        cell = weight * colours["heat"] + (1 - weight) * colours["back"]
        assert contrast(colours["on-strong" if weight > strong else "on-pale"], cell) >= 4.5
    assert contrast(colours["on-pale"], 0.65 * colours["cold"] + 0.35 * colours["back"]) >= 4.5  # the steps of a trace


def rgb(text: str) -> NDArray[np.float64]:
    return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)] if text[0] == "#" else text.split(), dtype=float)


def contrast(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The contrast of two colours, as the WCAG define it."""
    light = sorted(
        float(np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722))
        for c in (one / 255, other / 255)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)
