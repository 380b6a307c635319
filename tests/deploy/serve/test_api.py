"""The interface of LibreTranslate over HTTP: what each request is answered."""

from __future__ import annotations

import json
import logging
import math
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from nmt.deploy.documents.base import Document
from nmt.deploy.documents.paragraphs import paragraphs
from nmt.deploy.serve import api, request, translation
from nmt.deploy.serve.worker import Worker
from nmt.spans import Spans
from nmt.terms import Terms
from tests.deploy.serve.stub import LIMITS, MAX_WAIT, POISON, Client, Stub, open_stub, served, wait_for
from tests.tiny_run import Run

FORM = "application/x-www-form-urlencoded"
ASK = {"q": "Two men sit.", "source": "en", "target": "de"}
CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "Authorization, Content-Type",
    "access-control-allow-methods": "GET, POST",
    "access-control-expose-headers": "Authorization",
    "access-control-max-age": "1728000",
    "access-control-allow-credentials": "true",
}
EN = {"confidence": 50.0, "language": "en"}
NO_DIRECTION = "English (en) is not available as a target language from German (de)"
MISSING = {name: f"Invalid request: missing {name} parameter" for name in ("q", "source", "target")}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A server from English to German."""
    with served(Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT)) as client:
        yield client


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (ASK, {"translatedText": "TWO MEN SIT."}),
        ({**ASK, "q": ["A dog.", "A cat."]}, {"translatedText": ["A DOG.", "A CAT."]}),
        ({**ASK, "q": ["A dog."]}, {"translatedText": ["A DOG."]}),
        ({**ASK, "q": ["", "A dog."]}, {"translatedText": ["", "A DOG."]}),
        ({**ASK, "q": "  "}, {"translatedText": "  "}),
        ({**ASK, "q": "A dog.\n\nA cat.\n"}, {"translatedText": "A DOG.\n\nA CAT.\n"}),
        ({**ASK, "q": "a", "alternatives": 2}, {"translatedText": "A", "alternatives": ["A 1", "A 2"]}),
        ({**ASK, "q": ["a", ""], "alternatives": 1}, {"translatedText": ["A", ""], "alternatives": [["A 1"], []]}),
        ({**ASK, "alternatives": -1}, {"translatedText": "TWO MEN SIT."}),
        ({**ASK, "source": "auto"}, {"translatedText": "TWO MEN SIT.", "detectedLanguage": EN}),
        ({**ASK, "q": ["a"], "source": "auto"}, {"translatedText": ["A"], "detectedLanguage": [EN]}),
        ({**ASK, "source": "EN", "target": "DE"}, {"translatedText": "TWO MEN SIT."}),
        ({**ASK, "source": "de"}, {"translatedText": "Two men sit."}),
        ({**ASK, "format": "html", "q": "<p>a <b>b</b></p>"}, {"translatedText": "<p>A <b>B</b></p>"}),
        ({**ASK, "format": "text", "api_key": "", "foo": 1}, {"translatedText": "TWO MEN SIT."}),
    ],
)  # fmt: skip
def test_translations(client: Client, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    reply = client.post("/translate", fields)
    assert (reply.status, reply.body) == (200, expected)
    assert reply.headers.items() >= CORS.items()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({**ASK, "q": ""}, MISSING["q"]),
        ({**ASK, "q": None}, MISSING["q"]),
        ({**ASK, "q": []}, MISSING["q"]),
        ({"source": "en", "target": "de"}, MISSING["q"]),
        ({"q": "a", "target": "de"}, MISSING["source"]),
        ({"q": "a", "source": "en"}, MISSING["target"]),
        ({**ASK, "q": 5}, "Invalid request: q must be a text or a list of texts"),
        ({**ASK, "q": ["a", 5]}, "Invalid request: q must be a text or a list of texts"),
        ({**ASK, "q": "\ud800"}, "Invalid request: q has half of a character (a lone surrogate)"),
        ({**ASK, "alternatives": "x"}, "Invalid request: alternatives must be a number"),
        *(({**ASK, name: math.inf}, f"Invalid request: {name} must be a number") for name in ("alternatives", "layer")),
        ({**ASK, "source": "\ud800"}, "? is not supported"),
        ({**ASK, "format": "\ud800"}, "? format is not supported"),
        ({**ASK, "source": "xx"}, "xx is not supported"),
        ({**ASK, "target": "xx"}, "xx is not supported"),
        ({**ASK, "source": "en-US"}, "en-us is not supported"),
        ({**ASK, "source": ["en"]}, "['en'] is not supported"),
        ({**ASK, "source": "de", "target": "en"}, NO_DIRECTION),
        ({**ASK, "format": "xml"}, "xml format is not supported"),
        ({**ASK, "q": "a" * 240}, "Invalid request: request (240) exceeds text limit (200)"),
        ({**ASK, "q": ["a"] * 21}, "Invalid request: request (21) exceeds text limit (20)"),
        *(({**ASK, "terms": bad}, "Invalid request: terms must be an object of terms and their translations")
          for bad in (["a"], {"a": 1}, "a", "[" * 10_000)),
        ({**ASK, "terms": {str(n): "x" for n in range(1_001)}},
         "Invalid request: terms (1001) exceed term limit (1000)"),
        ({**ASK, "terms": {"a": " "}},
         "Invalid request: terms: got 'a' with the translation '', expected a text for both"),
        ([1], "Invalid JSON format"),
    ],
)  # fmt: skip
def test_requests_that_cannot_be_answered(client: Client, fields: Any, error: str) -> None:
    reply = client.post("/translate", fields)
    assert (reply.status, reply.body) == (400, {"error": error})
    assert reply.headers.items() >= CORS.items()


def test_long_terms_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MOST_CHARACTERS", 5)
    assert client.post("/translate", {**ASK, "terms": {"ab": "x", "c": "x"}}).status == 200
    reply = client.post("/translate", {**ASK, "terms": {"a": "xy", "de": "x"}})
    assert reply.body == {"error": "Invalid request: terms (6 characters) exceed character limit (5)"}


def test_terms_of_a_request_are_used_or_said_to_be_ignored(client: Client) -> None:
    asked = {**ASK, "q": ["a dog", "a cat"], "terms": {"dog": "Hund"}}
    reply = client.post("/translate", asked)
    assert reply.body["translatedText"] == ["A DOG", "A CAT"]
    assert reply.body["warnings"] == ["The terms are ignored, because the model was trained without spans."]
    spans = SimpleNamespace(spans=Spans({"braces": r"\{.\}"}))
    with served(Worker({("en", "de"): open_stub(tokenizer=spans)}, max_wait=MAX_WAIT)) as knowing:
        used = {"translatedText": ["A HUND", "A CAT"]}
        assert knowing.post("/translate", asked).body == used
        assert knowing.post("/translate", {**asked, "terms": None}).body == {"translatedText": ["A DOG", "A CAT"]}
        form = knowing.form("/translate", q="dog", source="en", target="de", terms='{"dog": "Hund"}')
        assert form.body == {"translatedText": "HUND"}


def test_forms_and_addresses_hold_the_same_fields(client: Client) -> None:
    expected = {"translatedText": "TWO MEN SIT."}
    assert client.form("/translate", **ASK).body == expected
    assert client.send("POST", "/translate?q=Two+men+sit.&source=en&target=de").body == expected
    parts = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in ASK.items()
    )
    reply = client.send("POST", "/translate", f"{parts}--x--\r\n".encode(), "multipart/form-data; boundary=x")
    assert reply.body == expected
    unescaped = client.send("POST", "/translate", "q=ä&q=b&source=en&target=de".encode(), FORM)  # as curl -d sends it
    assert unescaped.body == {"translatedText": "Ä"}


def test_bodies_that_are_no_fields(client: Client) -> None:
    broken = client.send("POST", "/translate", b'{"q":', "application/json")
    assert broken.status == 400 and "could not understand" in broken.body["error"]
    deep = client.send("POST", "/translate", b"[" * 9_000, "application/json")
    assert deep.status == 400
    assert client.send("POST", "/translate").body == {"error": MISSING["q"]}
    untyped = client.send("POST", "/translate", json.dumps(ASK).encode(), "text/plain")
    assert (untyped.status, untyped.body) == (400, {"error": MISSING["q"]})
    large = client.send("POST", "/translate", b"q=" + b"a" * LIMITS.body, FORM)
    assert large.status == 413 and str(LIMITS.body) in large.body["error"]


HEAD = b'--x\r\nContent-Disposition: form-data; name="q"'
ATTACKS = {
    "many parameters": HEAD + b";" * 80_000 + b"\r\n\r\nx\r\n--x--",
    "many quotes": HEAD + b';"' * 40_000 + b"\r\n\r\nx\r\n--x--",
    "many comments": HEAD + b"(" * 990_000,
    "many headers": HEAD + b"\r\na: b" * 160_000,
    "many parts": (HEAD + b"\r\n\r\n") * 20_000,
    "parts without headers": b"--x\r\n\r\n\r\n" * 80_000,
    "a file": HEAD + b'; filename="a"\r\n\r\nx\r\n--x--',
    "a part without a name": b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--",
    "too long": HEAD + b"\r\n\r\n" + b"\r\n" * 600_000,
}  # fmt: skip


@pytest.mark.parametrize("body", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("key", [None, "sesame"])
def test_a_form_that_was_written_to_be_slow_is_refused_at_once(body: bytes, key: str | None) -> None:
    limits = replace(LIMITS, body=1_000_000)
    with served(Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT), limits=limits, key=key) as client:
        begun = time.process_time()
        reply = client.send("POST", "/translate", body, "multipart/form-data; boundary=x")
        assert time.process_time() - begun < 1
    assert reply.status in (400, 413)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (f"multipart/form-data; boundary=x{';' * 60_000}", HEAD + b"\r\n\r\nx\r\n--x--"),
        ("multipart/form-data; boundary=x" + ';"' * 30_000, HEAD + b"\r\n\r\nx\r\n--x--"),
        (FORM, b"&" * 1_000_000),
        (FORM, b"q=" + b"%" * 900_000),
        ("application/json", b'{"a":' * 200_000),
        ("application/json", b"1" * 1_000_000),
    ],
    ids=("parameters of the type", "quotes of the type", "fields", "percent signs", "depth", "digits"),
)  # fmt: skip
def test_a_body_that_was_written_to_be_slow_is_refused_at_once(kind: str, body: bytes) -> None:
    with served(
        Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT), limits=replace(LIMITS, body=1_000_000)
    ) as client:
        begun = time.process_time()
        reply = client.send("POST", "/translate", body, kind)
        assert time.process_time() - begun < 1.5
    assert reply.status == 400


def test_a_body_that_does_not_arrive_is_not_waited_for(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "BODY_SECONDS", 0.05)
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as slow:
        head = f"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: {FORM}\r\nContent-Length: 9\r\n\r\nq=a"
        slow.sendall(head.encode())
        assert slow.recv(100).startswith(b"HTTP/1.1 408")


def test_what_a_server_says_about_itself(client: Client) -> None:
    assert client.get("/health").body == {"status": "ok"}
    assert client.get("/languages").body == [
        {"code": "en", "name": "English", "targets": ["de", "en"]},
        {"code": "de", "name": "German", "targets": ["de"]},
    ]
    settings = client.get("/frontend/settings").body
    assert settings["charLimit"] == 200 and settings["keyRequired"] is False
    assert settings["language"]["target"] == {"code": "de", "name": "German"}
    assert settings.keys() == {
        *("apiKeys", "charLimit", "filesTranslation", "frontendTimeout", "keyRequired", "language", "suggestions"),
        "supportedFilesFormat",
    }


def test_detection(client: Client) -> None:
    assert client.post("/detect", {"q": "Two men"}).body == [{"confidence": 50.0, "language": "en"}]
    assert client.form("/detect", q="Two men").status == 200
    assert client.post("/detect", {"q": ""}).body == {"error": MISSING["q"]}


def test_addresses_that_there_are_not(client: Client) -> None:
    for verb, path, status in (("GET", "/nope", 404), ("GET", "/translate", 405), ("POST", "/languages", 405)):
        reply = client.send(verb, path)
        assert reply.status == status and reply.headers["content-type"].startswith("text/html")
    for path in ("/suggest", "/translate_file"):
        reply = client.post(path, {})
        assert reply.status == 403 and "disabled on this server" in reply.body["error"]
    options = client.send("OPTIONS", "/translate")
    assert options.status == 200 and options.headers.items() >= CORS.items()


def test_a_key_is_asked_for() -> None:
    with served(Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT), key="sesame") as client:
        assert client.post("/translate", ASK).status == 400
        wrong = client.post("/translate", {**ASK, "api_key": "ключ"})
        assert (wrong.status, wrong.body) == (403, {"error": "Invalid API key"})
        assert client.post("/translate", {**ASK, "api_key": "sesame"}).status == 200
        assert client.form("/detect", q="a", api_key="no").status == 403
        assert client.get("/languages").status == client.get("/health").status == 200
        assert client.get("/frontend/settings").body["keyRequired"] is True


def test_a_text_that_fails_fails_alone_and_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    stub = Stub()
    with served(Worker({("en", "de"): stub}, max_wait=MAX_WAIT)) as client, ThreadPoolExecutor(5) as pool:
        first = pool.submit(client.post, "/translate", ASK)
        wait_for(lambda: stub.batches)
        others = [pool.submit(client.post, "/translate", {**ASK, "q": text}) for text in ("a", POISON, "b")]
        with caplog.at_level(logging.DEBUG):
            stub.gate.set()
            statuses = [each.result().status for each in (first, *others)]
    assert statuses == [200, 200, 500, 200]
    assert "internal error" in others[1].result().body["error"]
    assert POISON not in caplog.text


def test_64_clients_at_once_get_their_own_translations(run: Run) -> None:
    texts = [f"a man {'rides ' * (number % 5)}{number}" for number in range(64)]
    alone = [each.text for each in run.translator.translate(texts)]
    worker = Worker({("en", "de"): run.translator}, max_wait=MAX_WAIT)
    with served(worker) as client, ThreadPoolExecutor(64) as pool:
        replies = list(pool.map(lambda text: client.post("/translate", {**ASK, "q": text}), texts))
    assert [reply.status for reply in replies] == [200] * 64
    assert [reply.body["translatedText"] for reply in replies] == alone


def test_overload_is_answered_and_the_rest_is_translated() -> None:
    stub = open_stub(seconds=0.2)
    with served(Worker({("en", "de"): stub}, max_wait=0.5)) as client, ThreadPoolExecutor(40) as pool:
        assert client.post("/translate", {**ASK, "q": ["text"] * 20}).status == 200
        lists = [{**ASK, "q": [f"text {number}"] * 20} for number in range(40)]
        replies = [each.result() for each in [pool.submit(client.post, "/translate", fields) for fields in lists]]
        assert client.post("/translate", ASK).status == 200
    statuses = [reply.status for reply in replies]
    assert set(statuses) == {200, 503} and statuses.count(200) >= 4
    for reply in replies:
        if reply.status == 503:
            assert reply.body == {"error": "The server has too much to do; try again later."}
            assert int(reply.headers["retry-after"]) >= 1 and reply.headers.items() >= CORS.items()


def test_a_request_of_too_many_sentences_is_refused(client: Client) -> None:
    reply = client.post("/translate", {**ASK, "q": "Ab. " * (LIMITS.sentences + 1)})
    error = f"Invalid request: request ({LIMITS.sentences + 1} sentences) exceeds sentence limit ({LIMITS.sentences})"
    assert (reply.status, reply.body) == (400, {"error": error})


def test_a_text_that_takes_long_to_read_keeps_no_other_waiting(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    read, begun = threading.Event(), threading.Event()

    def slow(text: str, spans: Spans, terms: Terms) -> Document:
        begun.set()
        assert read.wait(10)
        return paragraphs(text, spans)

    monkeypatch.setattr(translation, "marked_up", slow)
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(client.post, "/translate", {**ASK, "format": "html"})
        assert begun.wait(10)
        assert client.post("/translate", ASK).status == 200
        assert not pending.done()
        read.set()
        assert pending.result().status == 200


def test_a_client_that_goes_gives_its_place_to_others() -> None:
    stub = Stub()
    worker = Worker({("en", "de"): stub}, max_wait=MAX_WAIT)
    with served(worker) as client:
        first = threading.Thread(target=client.post, args=("/translate", ASK))
        first.start()
        wait_for(lambda: stub.batches)
        with socket.create_connection(("127.0.0.1", client.port)) as leaving:
            body = json.dumps({**ASK, "q": "gone"}).encode()
            lines = ["POST /translate HTTP/1.1", "Host: x", "Content-Type: application/json"]
            head = [*lines, f"Content-Length: {len(body)}", "", ""]
            leaving.sendall("\r\n".join(head).encode() + body)
            wait_for(lambda: worker.waiting == 1)
        wait_for(lambda: worker.waiting == 0)
        stub.gate.set()
        first.join()
    assert stub.batches == [["Two men sit."]]


def test_a_server_whose_thread_has_ended_is_not_healthy() -> None:
    worker = Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT)
    with served(worker) as client:
        worker.close()
        assert client.get("/health").status == 503
        assert client.post("/translate", ASK).status == 503


def test_details_of_each_sentence(run: Run) -> None:
    with served(Worker({("en", "de"): run.translator}, max_wait=MAX_WAIT)) as client:
        reply = client.post("/translate", {**ASK, "q": ["a man reads.\n\na dog", ""], "nmt": True})
        single = client.form("/translate", **ASK, nmt="true")
    (first, second), empty = reply.body["nmt"]
    assert empty == [] and [first["source"], second["source"]] == ["a man reads.", "a dog"]
    assert len(first["pieces"]) == len(first["log_probs"]) == len(first["attention"])
    assert all(len(row) == len(first["source_pieces"]) for row in first["attention"])
    assert sum(first["attention"][0]) == pytest.approx(1, abs=0.01)
    assert first["score"] == pytest.approx(run.translator.translate(["a man reads."])[0].score, abs=1e-3)
    assert first["doubts"] == run.translator.translate(["a man reads."])[0].doubts != []
    assert isinstance(single.body["nmt"][0], dict)
    assert "nmt" not in ASK


def test_the_attention_of_one_layer_and_head(run: Run) -> None:
    (translation,) = run.translator.translate(["a man reads."])
    (whole,) = run.translator.attention_maps([translation])
    assert whole.cross is not None
    ask = {**ASK, "q": "a man reads.", "nmt": True}
    with served(Worker({("en", "de"): run.translator}, max_wait=MAX_WAIT)) as client:
        mean, layer, one = (
            client.post("/translate", {**ask, **chosen}).body["nmt"][0]
            for chosen in ({}, {"layer": 2}, {"layer": "1", "head": "2"})
        )
        refused = client.post("/translate", {**ask, "layer": 3})
        no_number = client.post("/translate", {**ask, "head": "x"})
    assert (mean["layers"], mean["heads"]) == tuple(whole.cross.shape[:2])
    for found, expected in (
        (mean, whole.cross.mean((0, 1))),
        (layer, whole.cross[1].mean(0)),
        (one, whole.cross[0, 1]),
    ):
        torch.testing.assert_close(torch.tensor(found["attention"]), expected, atol=1e-4, rtol=0)
    assert (refused.status, refused.body["error"]) == (400, "Invalid request: layer must be at most 2")
    assert (no_number.status, no_number.body["error"]) == (400, "Invalid request: head must be a number")


def test_the_page_asks_no_other_machine(client: Client) -> None:
    page = client.get("/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "://" not in page.body
