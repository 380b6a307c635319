"""A page that holds its models, in Chromium and in Firefox: what one sees is what the program computes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

from nmt.checkpoint import LoadedModel, load_model
from nmt.data.normalization import normalized
from nmt.deploy.export.base import Exportable
from nmt.deploy.export.html import packed
from nmt.deploy.page import page
from nmt.search.beam import BeamSearch
from nmt.translation.loading import make_translator
from nmt.translation.translator import Translator
from tests.browser import CHROMIUM, FIREFOX, Browser, Page, firefox

EXAMPLES = Path(__file__).parents[2] / "examples"
SEARCH = BeamSearch(beam_size=4, n_best=4)
TEXT = "August 9, 2027, 2:12 AM"
NAMELESS = (
    "[...document.querySelectorAll('button, input, select, textarea, summary, [role=grid], [role=group]')]"
    ".filter(each => !(each.ariaLabel || each.labels?.[0]?.textContent || each.textContent)).map(each => each.id)"
)


@pytest.fixture(scope="module")
def models() -> list[LoadedModel]:
    return [load_model(EXAMPLES / name) for name in ("transformer", "bahdanau")]


@pytest.fixture(scope="module")
def translators(models: list[LoadedModel]) -> list[Translator]:
    return [make_translator([each], SEARCH) for each in models]


@pytest.fixture(scope="module")
def file(models: list[LoadedModel], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page([packed(Exportable(each, SEARCH, "")) for each in models]), "utf-8")
    return path


@pytest.fixture(scope="module", params=["chromium", pytest.param("firefox", marks=pytest.mark.slow)])
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, file: Path) -> Iterator[Page]:
    if not (CHROMIUM if request.param == "chromium" else FIREFOX):
        pytest.skip(f"no {request.param}")
    address = f"{file.as_uri()}#text={quote(TEXT)}"
    if request.param == "chromium":
        started: Browser = request.getfixturevalue("chromium")
        started.errors, started.requests = [], []
        started.open(address)
        wait(started)
        yield started
        assert started.errors == []
        assert {each.partition(":")[0] for each in started.requests} == {"file", "blob"}
    else:
        with firefox(tmp_path_factory.mktemp("profile")) as other:
            other.open(address)
            wait(other)
            yield other


def wait(shown: Page) -> None:
    """Wait for the second answer of each model: the first one has no other translations."""
    shown.wait(
        "document.querySelector('.card') && [...document.querySelectorAll('.card')].every(card => "
        "card.querySelector('li') && card.querySelector('.translation').ariaBusy === 'false')"
    )


def write(shown: Page, name: str, text: str) -> None:
    shown.write(name, text)
    wait(shown)


def styles(shown: Page, selector: str, name: str) -> list[float]:
    each = f"each => Number(each.style.getPropertyValue('--{name}'))"
    return list(shown.run(f"[...document.querySelectorAll('{selector}')].map({each})"))


def test_it_shows_what_the_program_computes(shown: Page, translators: list[Translator]) -> None:
    write(shown, "prefix", "")
    for number, translator in enumerate(translators, start=1):
        (several,), card = translator.hypotheses([TEXT]), f".card:nth-of-type({number})"
        texts = [*shown.texts(f"{card} .translation"), *shown.texts(f"{card} li button")]
        assert texts == [normalized(hypothesis.text) for hypothesis in several]
        doubts = [1 - math.exp(value) for value in several[0].token_log_probs]
        np.testing.assert_allclose(styles(shown, f"{card} .piece", "doubtful"), doubts[:-1], atol=0.006)
        (expected,) = translator.attention_maps([several[0]])
        assert expected.cross is not None
        shades = styles(shown, f"#maps section:nth-of-type({number}) tbody td", "weight")
        np.testing.assert_allclose(shades, expected.cross.mean((0, 1)).flatten(), atol=1e-4)


def test_first_words_and_another_piece_lead_to_another_translation(shown: Page, translators: list[Translator]) -> None:
    write(shown, "prefix", "12.")
    expected = [translator.translate([TEXT], prefixes=["12."])[0] for translator in translators]
    assert shown.texts(".translation") == [normalized(each.text) for each in expected]
    shown.run("document.querySelector('.translation [data-piece=\"1\"]').click()")
    (first,) = shown.texts('.translation [data-piece="0"]')[:1]
    assert f"“{first}”" in shown.texts("#so_far")[0]
    other = shown.texts("#next button")[1]
    shown.run("document.querySelectorAll('#next button')[1].click()")
    wait(shown)
    assert shown.run("document.getElementById('prefix').value").endswith(other.strip("▁"))
    shown.wait(f"document.querySelector('#next button.chosen')?.textContent === '{other}'")


def test_a_head_is_switched_off_and_on(shown: Page) -> None:
    write(shown, "prefix", "")
    before, head = styles(shown, ".translation .piece", "doubtful"), "document.querySelectorAll('.grid button')[1]"
    shown.run(f"{head}.click()")
    for state in ("off", ""):
        shown.run("document.querySelector('#maps .grid').parentElement.lastElementChild.click()")
        wait(shown)
        shown.wait(f"{head}.className === '{state}'")
        assert (styles(shown, ".translation .piece", "doubtful") == before) == (not state)


def test_the_steps_of_a_piece_end_with_its_probability(shown: Page) -> None:
    write(shown, "prefix", "")
    shown.run("document.querySelector('.translation [data-piece=\"1\"]').click()")
    shown.run("document.getElementById('trace').open = true")
    shown.wait("document.querySelectorAll('#trace_steps li').length > 8")
    shown.run("[...document.querySelectorAll('#trace_steps li button')].at(-1).click()")
    piece, _, probability = shown.texts("#trace_steps tbody tr:first-child > *")[:3]
    assert piece == shown.texts("#next button")[0]
    (shown_probability,) = shown.texts("#next li:first-child > span:last-child")
    assert shown_probability == f"{100 * float(probability):.0f}\N{NO-BREAK SPACE}%"


def test_the_address_keeps_the_text_and_a_long_text_is_refused_in_words(shown: Page) -> None:
    write(shown, "text", "in 12 hours")
    assert shown.wait("location.hash.includes('text=in+12+hours')")
    shown.write("text", "in 12 hours " * 60)
    shown.wait("document.getElementById('message').textContent.includes('Put each sentence on a line of its own')")
    write(shown, "text", TEXT)


def test_it_speaks_korean_and_every_control_has_a_name(shown: Page) -> None:
    for code, title in (("ko", "모델이 본 곳"), ("en", "What the model looked at")):
        shown.run("document.getElementById('language').click()")
        wait(shown)
        assert shown.run("document.documentElement.lang") == code and title in shown.texts("h2")
        assert shown.run(NAMELESS) == []
