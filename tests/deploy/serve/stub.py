"""A translator without a model, and a server around it."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import urlencode

import torch
import uvicorn

from nmt.attention_map import AttentionMap
from nmt.deploy.serve.api import SERVER, Api
from nmt.deploy.serve.languages import Languages
from nmt.deploy.serve.worker import Worker
from nmt.errors import UserError
from nmt.models.interface import AttentionWeights
from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.text.protect import NO_SPANS, Segment, Spans
from nmt.text.terms import NO_TERMS, Terms
from nmt.tokens import WORD_MARK, Piece
from nmt.translation.base import SearchRequest
from nmt.translation.translation import EncodedSource, Translation

LIMITS = {"max_characters": 200, "max_texts": 20, "max_bytes": 20_000}
PAIR = ("en", "de")
POISON = "poison"


@dataclass
class Stub:
    """Translates to capital letters. It waits for `gate` before each batch, and fails for the text `POISON`.

    `batches` are the sentences of each search so far, and `searches` its settings.
    """

    gate: threading.Event = field(default_factory=threading.Event)
    batches: list[list[str]] = field(default_factory=list)
    searches: list[BeamSearch] = field(default_factory=list)
    search: BeamSearch = field(default_factory=lambda: BeamSearch(beam_size=4))
    attends: bool = False
    spans: Spans = NO_SPANS
    terms: Terms = NO_TERMS

    @property
    def tokenizer(self) -> Any:
        return SimpleNamespace(spans=self.spans)

    def with_terms(self, terms: Terms) -> Stub:
        return replace(self, terms=terms) if self.spans else self

    def requests(self, sentences: Sequence[str], search: BeamSearch) -> list[tuple[EncodedSource, list[SearchRequest]]]:
        """Return a search for each sentence, which has a piece for each byte."""
        for term, given in self.terms.translations.items():
            sentences = [text.replace(term, given) for text in sentences]
        sources = [EncodedSource(Segment((text,)), [5] * len(text.encode()) + [3]) for text in sentences]
        return [(each, [SearchRequest(each, [], search.target_limit(each.tokens), True)]) for each in sources]

    def search_all(self, requests: Sequence[SearchRequest], search: BeamSearch) -> list[list[Translation]]:
        sentences = [request.source.text for request in requests]
        self.batches.append(sentences)
        self.searches.append(search)
        assert self.gate.wait(20)
        if POISON in sentences:
            raise RuntimeError(f"cannot translate {POISON}")
        return [[translation(text, rank) for rank in range(search.n_best)] for text in sentences]

    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return maps in which each word looks at the word of its place."""
        if not self.attends:
            raise UserError("attention map: this model has no attention")
        return [diagonal(each) for each in translations]


def translation(text: str, rank: int) -> Translation:
    words = text.upper() if rank == 0 else f"{text.upper()} {rank}"
    pieces = pieces_of(words)
    source = EncodedSource(Segment((text,)), [5, 3])
    named: Any = SimpleNamespace(spans=NO_SPANS, target_pieces=lambda _: list(map(Piece, pieces)))
    count = len(pieces)
    return Translation(source, Segment((words,)), Hypothesis([7] * count, [-0.5] * count, -1.0 - rank), named)


def pieces_of(text: str) -> list[str]:
    return [*(WORD_MARK + word for word in text.split()), "</s>"]


def diagonal(translation: Translation) -> AttentionMap:
    texts = translation.source, translation.text
    source, target = ([Piece(each) for each in pieces_of(text)] for text in texts)
    weights = AttentionWeights(torch.eye(len(target), len(source))[None, None, None], None, None)
    return AttentionMap.from_weights(
        weights, source_pieces=source, target_pieces=target, source=texts[0], target=texts[1]
    )


def open_stub(kind: type[Stub] = Stub, **settings: Any) -> Any:
    """Return a translator that waits for nothing."""
    stub = kind(**settings)
    stub.gate.set()
    return stub


class Reply(NamedTuple):
    """The answer to a request."""

    status: int
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Client:
    """Sends requests to a server of this machine."""

    port: int

    def send(self, method: str, path: str, body: bytes | None = None, kind: str | None = None, **more: str) -> Reply:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        kinds = {} if kind is None else {"Content-Type": kind}
        connection.request(method, path, body, {**kinds, "Origin": "http://example.com", **more})
        answer = connection.getresponse()
        content, headers = answer.read().decode(), dict(answer.getheaders())
        connection.close()
        is_json = headers.get("content-type") == "application/json"
        return Reply(answer.status, headers, json.loads(content) if is_json else content)

    def get(self, path: str) -> Reply:
        return self.send("GET", path)

    def post(self, path: str, fields: Any) -> Reply:
        return self.send("POST", path, json.dumps(fields).encode(), "application/json")

    def form(self, path: str, **fields: str) -> Reply:
        return self.send("POST", path, urlencode(fields).encode(), "application/x-www-form-urlencoded")


def worker_of(models: Mapping[Any, Any], max_waiting: float = 100_000) -> Worker:
    return Worker(models, ThreadPoolExecutor(1), max_waiting=max_waiting)


@contextmanager
def served(worker: Worker, key: str | None = None, **limits: int) -> Iterator[Client]:
    """Serve the models of a worker while the block runs."""
    app = Api(worker, Languages(tuple(worker.translators)), key, **{**LIMITS, **limits}).app()
    server = uvicorn.Server(uvicorn.Config(app, **SERVER))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Client(listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def wait_for(condition: Any) -> None:
    """Return as soon as `condition()` is true."""
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)
