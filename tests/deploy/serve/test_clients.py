"""Programs that use LibreTranslate find here what they expect: Weblate and Mastodon, in the shapes that they send."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from nmt.deploy.serve.worker import Worker
from tests.deploy.serve.stub import MAX_WAIT, Client, open_stub, served


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served(Worker({("en", "de"): open_stub(), ("en", "pt-BR"): open_stub()}, max_wait=MAX_WAIT)) as client:
        yield client


def test_weblate_finds_the_languages(client: Client) -> None:
    codes = [each["code"] for each in client.get("/languages").body]
    assert codes == ["en", "de", "pt-BR"]


def test_weblate_sends_lists_and_gets_lists_of_the_same_length(client: Client) -> None:
    texts = [f"Text {number}" for number in range(18)] + ["", "[X5X] files in [X20X ]\n"]
    fields = {"q": texts, "source": "en", "target": "pt-BR", "api_key": ""}
    reply = client.post("/translate", fields)
    assert reply.status == 200 and reply.body.keys() == {"translatedText"}
    assert len(reply.body["translatedText"]) == len(texts) == 20
    assert re.search(r"\[X5X\].*\[X20X *\]", reply.body["translatedText"][-1])


def test_weblate_checks_a_service_with_the_word_test(client: Client) -> None:
    reply = client.post("/translate", {"q": ["test"], "source": "en", "target": "de"})
    assert reply.body == {"translatedText": ["TEST"]}


def test_mastodon_sends_html_and_asks_for_the_language(client: Client) -> None:
    post = '<p>Hello <span translate="no">:blobcat:</span><br />A <a href="https://example.com/@a">@a</a> b</p>'
    reply = client.post("/translate", {"q": [post, "spoiler"], "source": "auto", "target": "de", "format": "html"})
    first, second = reply.body["translatedText"]
    assert first == (
        '<p>HELLO <span translate="no">:blobcat:</span><br />A <a href="https://example.com/@a">@A</a> B</p>'
    )
    assert second == "SPOILER"
    assert [each["language"] for each in reply.body["detectedLanguage"]] == ["en", "en"]


def test_mastodon_finds_the_targets_of_each_language(client: Client) -> None:
    assert {each["code"]: each["targets"] for each in client.get("/languages").body}["en"] == ["de", "en", "pt-BR"]
