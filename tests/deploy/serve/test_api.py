"""The interface of LibreTranslate over HTTP: what each request is answered."""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from socket import create_connection
from typing import Any
from unittest.mock import ANY

import pytest
import torch

from nmt.deploy.serve import api, translation
from nmt.deploy.serve.api import UNREADABLE
from nmt.text.protect import Spans
from tests.deploy.serve.stub import LIMITS, PAIR, POISON, Client, Stub, open_stub, served, wait_for, worker_of
from tests.tiny_run import Run

FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
JSON = {"Content-Type": "application/json"}
ASK = {"q": "Two men sit.", "source": "en", "target": "de"}
EN = {"confidence": ANY, "language": "en"}
MISSING = "Invalid request: missing {} parameter"
NO_TERMS = "Invalid request: terms must be an object of terms and their translations"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A server from English to German and to Portuguese."""
    with served(worker_of({PAIR: open_stub(), ("en", "pt-BR"): open_stub()})) as client:
        yield client


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"translatedText": "TWO MEN SIT."}),
        ({"q": ["A dog.", "A cat."]}, {"translatedText": ["A DOG.", "A CAT."]}),
        ({"q": "  "}, {"translatedText": "  "}),
        ({"q": "A dog.\n\nA cat.\n"}, {"translatedText": "A DOG.\n\nA CAT.\n"}),
        ({"q": "a", "alternatives": 2}, {"translatedText": "A", "alternatives": ["A 1", "A 2"]}),
        ({"q": ["a", ""], "alternatives": 1}, {"translatedText": ["A", ""], "alternatives": [["A 1"], []]}),
        ({"source": "auto"}, {"translatedText": "TWO MEN SIT.", "detectedLanguage": EN}),
        ({"q": ["a"], "source": "auto"}, {"translatedText": ["A"], "detectedLanguage": [EN]}),
        ({"source": "de"}, {"translatedText": "Two men sit."}),
        ({"source": "en-US", "target": "pb"}, {"translatedText": "TWO MEN SIT."}),
        ({"format": "html", "q": "<p>a <b>b</b></p>"}, {"translatedText": "<p>A <b>B</b></p>"}),
        (
            {"format": "html", "q": "<p class=한국>a", "source": "auto", "target": "en"},
            {"translatedText": "<p class=한국>a", "detectedLanguage": EN},
        ),
        ({"q": ["Text 1", "", "[X5X] [X20X ]\n"]}, {"translatedText": ["TEXT 1", "", "[X5X] [X20X ]\n"]}),  # Weblate
    ],
    ids=str,
)
def test_translations(client: Client, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    reply = client.post("/translate", {**ASK, **fields})
    assert (reply.status, reply.body) == (200, expected)
    assert reply.headers["access-control-allow-origin"] == "*"  # pages of other servers may ask


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        *(({"q": empty}, MISSING.format("q")) for empty in ("", None, [])),
        ({"source": None}, MISSING.format("source")),
        *(({"q": bad}, "Invalid request: q must be a text or a list of texts") for bad in (5, ["a", 5])),
        *(({"alternatives": bad}, "Invalid request: alternatives must be a number") for bad in ("x", math.inf, [1])),
        *(({name: "\ud800"}, UNREADABLE) for name in ("q", "source", "format")),
        ({"source": "en-Cyrl"}, "en-cyrl is not supported; expected one of en, de, pt-BR"),
        *(({name: [["en"]]}, f"Invalid request: {name} must be a text") for name in ("source", "target", "format")),
        ({"source": "de", "target": "en"}, "English (en) is not available as a target language from German (de)"),
        ({"format": "xml"}, "xml format is not supported"),
        ({"q": "a" * 240}, "Invalid request: request (240) exceeds text limit (200)"),
        ({"q": ["a"] * 21}, "Invalid request: request (21) exceeds text limit (20)"),
        ({"q": ["a" * 50] * 3, "terms": {"b": "c" * 59}}, "Invalid request: request (210) exceeds text limit (200)"),
        *(({"terms": bad}, NO_TERMS) for bad in (["a"], {"a": 1}, "a")),
        ({"terms": {"a": " "}},
         "Invalid request: terms: got 'a' with the translation '', expected a text for both"),
    ],
    ids=lambda each: str(each)[:60],
)  # fmt: skip
def test_requests_that_cannot_be_answered(client: Client, fields: dict[str, Any], error: str) -> None:
    reply = client.post("/translate", {**ASK, **fields})
    assert (reply.status, reply.body) == (400, {"error": error})


def test_forms_and_addresses_hold_the_same_fields(client: Client) -> None:
    expected = {"translatedText": "TWO MEN SIT."}
    assert client.form("/translate", **ASK).body == expected
    assert client.send("POST", "/translate?q=Two+men+sit.&source=en&target=de").body == expected
    parts = [f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{ASK[name]}\r\n' for name in ASK]
    assert client.send("POST", "/translate", "".join([*parts, "--x--\r\n"]).encode(), PARTS).body == expected
    unescaped = client.send("POST", "/translate", "q=ä&q=b&source=en&target=de".encode(), FORM)  # as curl -d sends it
    assert unescaped.body == {"translatedText": "Ä"}


HEAD, END = b'--x\r\nContent-Disposition: form-data; name="q"', b"\r\n\r\nx\r\n--x--"
SLOW = {
    "parameters": (PARTS, HEAD + b";" * 80_000 + END),
    "quotes": (PARTS, HEAD + b';"' * 40_000 + END),
    "comments": (PARTS, HEAD + b"(" * 990_000),
    "headers": (PARTS, HEAD + b"\r\na: b" * 160_000),
    "parts": (PARTS, (HEAD + b"\r\n\r\n") * 20_000),
    "parts without headers": (PARTS, b"--x\r\n\r\n\r\n" * 80_000),
    "lines": (PARTS, HEAD + b"\r\n\r\n" + b"\r\n" * 600_000),
    "padding": (PARTS, HEAD + b"\r\n\r\nx\r\n--x" + b" " * 900_000),
    "punycode": (PARTS + "; charset=punycode", HEAD + b"\r\n\r\n" + b"a" * 500_000 + b"-" + b"z" * 400_000 + END),
    "base64": (PARTS, HEAD + b"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b"A" * 900_000 + END),
    "file": (PARTS, HEAD + b'; filename="a"\r\n\r\n' + b"a" * 900_000 + END),
    "parameters of the type": (PARTS + ";" * 60_000, HEAD + END),
    "quotes of the type": (PARTS + ';"' * 30_000, HEAD + END),
    "fields": (FORM, b"&" * 1_000_000),
    "percent signs": (FORM, b"q=" + b"%" * 900_000),
    "depth": ("application/json", b'{"a":' * 200_000),
    "digits": ("application/json", b"1" * 1_000_000),
    "names": ("application/json", b'{"a":1' + b"".join(b',"%d":1' % number for number in range(90_000)) + b"}"),
    "texts": ("application/json", b'{"q":["' + b'","' * 300_000 + b'"]}'),
}


@pytest.mark.parametrize(("kind", "body"), SLOW.values(), ids=SLOW)
def test_a_body_that_was_written_to_be_slow_is_refused_at_once(kind: str, body: bytes) -> None:
    with served(worker_of({PAIR: open_stub()}), max_bytes=1_000_000) as client:
        begun = time.process_time()
        reply = client.send("POST", "/translate", body, kind)
        assert time.process_time() - begun < 1.5
    assert reply.status in (400, 413)


def test_bodies_that_are_no_fields(client: Client) -> None:
    broken = client.send("POST", "/translate", b'{"q":', "application/json")
    assert broken.status == 400 and "could not understand" in broken.body["error"]
    assert client.post("/translate", [1]).body == {"error": "Invalid JSON format"}
    untyped = client.send("POST", "/translate", json.dumps(ASK).encode(), "text/plain")
    assert (untyped.status, untyped.body) == (400, {"error": MISSING.format("q")})
    for body in (HEAD + b'; filename="a"' + END, b"--x\r\nContent-Disposition: form-data" + END):
        assert client.send("POST", "/translate", body, PARTS).status == 400
    large = client.send("POST", "/translate", b"q=" + b"a" * LIMITS["max_bytes"], FORM)
    assert large.status == 413 and str(LIMITS["max_bytes"]) in large.body["error"]


@pytest.mark.parametrize("begun", [b"Content-Length: 9\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"])
def test_a_slow_sender_is_cut_off(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(api, "BODY_SECONDS", 0.5)
    with served(worker_of({PAIR: open_stub()})) as client, create_connection(("127.0.0.1", client.port), 10) as slow:
        slow.sendall(b"POST /translate HTTP/1.1\r\nHost: a\r\n" + begun)
        answer = b"".join(iter(lambda: slow.recv(9999), b""))  # until the server closes the connection
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_what_a_server_says_about_itself(client: Client) -> None:
    assert client.get("/health").body == {"status": "ok"}
    assert client.get("/languages").body == [
        {"code": "en", "name": "English", "targets": ["de", "en", "pt-BR"]},
        {"code": "de", "name": "German", "targets": ["de"]},
        {"code": "pt-BR", "name": "Portuguese (Brazil)", "targets": ["pt-BR"]},
    ]
    settings = client.get("/frontend/settings").body
    assert settings["charLimit"] == 200 and settings["keyRequired"] is False
    assert settings["language"]["target"] == {"code": "de", "name": "German"}
    assert client.post("/detect", {"q": "Two men sit on the grass."}).body == [EN]
    asked = {"Origin": "http://a.b", "Access-Control-Request-Method": "POST"}
    assert client.send("OPTIONS", "/translate", **asked).headers["access-control-allow-methods"] == "GET, POST"
    page = client.get("/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html") and "://" not in page.body


def test_a_key_is_asked_for() -> None:
    with served(worker_of({PAIR: open_stub()}), key="sesame") as client:
        assert client.post("/translate", ASK).status == 400
        wrong = client.post("/translate", {**ASK, "api_key": "ключ"})
        assert (wrong.status, wrong.body) == (403, {"error": "Invalid API key"})
        assert client.post("/translate", {**ASK, "api_key": "sesame"}).status == 200
        assert client.form("/detect", q="a", api_key="no").status == 403
        assert client.get("/languages").status == client.get("/health").status == 200
        assert client.get("/frontend/settings").body["keyRequired"] is True


def test_terms_of_a_request_are_used_or_said_to_be_ignored(client: Client) -> None:
    asked = {**ASK, "q": ["a dog", "a cat"], "terms": {"dog": "Hund"}}
    reply = client.post("/translate", asked)
    assert reply.body["translatedText"] == ["A DOG", "A CAT"]
    assert reply.body["warnings"] == ["The terms are ignored, because the model was trained without spans."]
    with served(worker_of({PAIR: open_stub(spans=Spans({"braces": r"\{.\}"}))})) as knowing:
        assert knowing.post("/translate", asked).body == {"translatedText": ["A HUND", "A CAT"]}
        assert knowing.post("/translate", {**asked, "terms": None}).body == {"translatedText": ["A DOG", "A CAT"]}


def test_a_text_that_fails_is_not_logged(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        reply = client.post("/translate", {**ASK, "q": POISON})
    assert reply.status == 500 and "internal error" in reply.body["error"]
    assert "RuntimeError" in caplog.text and POISON not in caplog.text


def test_a_client_that_goes_gives_its_place_to_others(caplog: pytest.LogCaptureFixture) -> None:
    stub = Stub()
    worker = worker_of({PAIR: stub})
    with served(worker) as client:
        first = threading.Thread(target=client.post, args=("/translate", ASK))
        first.start()
        wait_for(lambda: stub.batches)
        with closing(HTTPConnection("127.0.0.1", client.port)) as leaving:
            leaving.request("POST", "/translate", json.dumps(ASK), JSON)
            wait_for(lambda: worker._waiting)
        wait_for(lambda: worker._waiting[0].answer.done())
        stub.gate.set()
        first.join()
    assert stub.batches == [["Two men sit."]] and not caplog.text


def test_texts_of_a_client_that_has_gone_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read, gate, long = list[str](), threading.Event(), "a" * 3000
    monkeypatch.setattr(translation, "paragraphs", lambda text, *_: (read.append(text), gate.wait(10)))
    with served(worker_of({PAIR: open_stub()}), max_characters=50_000) as client:
        with closing(HTTPConnection("127.0.0.1", client.port)) as leaving:
            leaving.request("POST", "/translate", json.dumps({**ASK, "q": [long] * 5}), JSON)
            wait_for(lambda: read)
        time.sleep(2 * api.CLOSED_SECONDS)
        gate.set()
    assert read == [long]


def test_a_model_without_attention_has_details_too(client: Client) -> None:
    (sentence,) = client.post("/translate", {**ASK, "nmt": True}).body["nmt"]
    assert sentence["translation"] == "TWO MEN SIT." and sentence["attention"] is None


def test_details_of_each_sentence(run: Run) -> None:
    ask = {**ASK, "q": ["a man reads.\n\na dog", ""], "nmt": True}
    with served(worker_of({PAIR: run.translator}), max_characters=3000) as client:
        (first, second), empty = client.post("/translate", ask).body["nmt"]
        ((large, *_),) = client.post("/translate", {**ask, "q": ["a dog. " * 300]}).body["nmt"]
    (best,) = run.translator.translate(["a man reads."])
    (whole,) = run.translator.attention_maps([best])
    assert empty == [] and [first["source"], second["source"]] == ["a man reads.", "a dog"]
    assert (first["translation"], first["doubts"], first["pieces"]) == (best.text, best.doubts, best.pieces)
    assert first["score"] == pytest.approx(best.score, abs=1e-3)
    assert first["log_probs"] == pytest.approx(best.token_log_probs, abs=1e-3)
    for kind in ("cross", "encoder_self", "decoder_self"):
        torch.testing.assert_close(torch.tensor(first["attention"][kind]), getattr(whole, kind), atol=1e-4, rtol=0)
    assert large["pieces"] and large["attention"] is None  # of 2,100 characters
