"""The page of the server in a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import Browser
from tests.deploy.serve.stub import POISON, Client, open_stub, served, wait_for, worker_of

TYPED = "a man reads.\n\na dog rides."


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A server from English to German with attention, and from Korean to English and back without."""
    models = {("en", "de"): open_stub(attends=True), ("ko", "en"): open_stub(), ("en", "ko"): open_stub()}
    with served(worker_of(models)) as client:
        yield client


@pytest.fixture
def page(chromium: Browser, client: Client) -> Iterator[Browser]:
    chromium.requests.clear()
    chromium.open(f"http://127.0.0.1:{client.port}/")
    wait_for(lambda: chromium.run("document.getElementById('target').value"))
    yield chromium
    address = f"http://127.0.0.1:{client.port}/"
    assert {each.startswith((address, "data:")) for each in chromium.requests} == {True}
    assert not [each for each in chromium.errors if "status of 500" not in each]


def content(page: Browser, selector: str) -> str:
    return "".join(page.texts(selector))


def test_it_translates_what_is_typed(page: Browser, client: Client) -> None:
    page.choose("source", "en")
    page.choose("target", "de")
    page.write("text", TYPED)
    wait_for(lambda: content(page, ".translation"))
    expected = client.post("/translate", {"q": TYPED, "source": "en", "target": "de", "alternatives": 3}).body
    assert content(page, ".translation") == expected["translatedText"]
    assert page.texts(".card li span") == expected["alternatives"]
    page.write("text", "")
    wait_for(lambda: not content(page, ".translation"))
    page.wait("document.getElementById('below').hidden")


def test_pieces_have_their_confidence_and_their_attention(page: Browser) -> None:
    page.choose("source", "en")
    page.choose("target", "de")
    page.write("text", TYPED)
    wait_for(lambda: page.run("document.querySelectorAll('.translation .piece').length") == 6)
    doubts = "[...document.querySelectorAll('.translation .piece')].map(e => e.style.getPropertyValue('--doubtful'))"
    assert page.run(doubts) == ["0.39"] * 6
    weights = "[...document.querySelectorAll('#read .piece')].map(e => Number(e.style.getPropertyValue('--weight')))"
    for sentence, source in enumerate(("a man reads.", "a dog rides.")):
        page.hover(f'.translation [data-sentence="{sentence}"]:nth-of-type({3 * sentence + 2})')
        page.wait(f"document.getElementById('read').textContent === '{source}'")
        assert page.run(weights) == [0, 1, 0]
    assert content(page, "#readout").startswith("“DOG”: probability 61\N{NO-BREAK SPACE}%")
    assert page.run("document.getElementById('what_if').hidden && document.getElementById('trace').hidden")


def test_languages_are_detected_and_swapped(page: Browser) -> None:
    page.choose("source", "auto")
    page.choose("target", "en")
    page.write("text", "안녕하세요")
    wait_for(lambda: content(page, ".translation") == "안녕하세요")
    assert content(page, "#message") == "Detected: Korean"
    page.choose("source", "ko")
    page.click("#swap")
    wait_for(lambda: page.run("document.getElementById('target').value") == "ko")
    assert page.run("document.getElementById('source').value") == "en"


def test_an_error_is_told_and_markup_in_a_text_is_shown_and_not_used(page: Browser) -> None:
    page.choose("source", "ko")
    page.choose("target", "en")
    page.write("text", POISON)
    wait_for(lambda: "internal error" in content(page, "#message"))
    page.write("text", "<img src=x onerror=alert(1)>")
    wait_for(lambda: content(page, ".translation") == "<IMG SRC=X ONERROR=ALERT(1)>")
    assert content(page, "#message") == "" and page.run("document.querySelectorAll('img').length") == 0
