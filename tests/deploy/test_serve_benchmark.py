"""`scripts/benchmark.py serve`: the table of clients and times."""

from __future__ import annotations

import re

import pytest

from nmt.data.tokenizer import Tokenizer
from nmt.deploy.serve.worker import Worker
from nmt.errors import UserError
from scripts import benchmark
from scripts.benchmarks import serve as serve_benchmark
from scripts.benchmarks.serve import Subject
from tests.deploy.serve.stub import MAX_WAIT, POISON, open_stub, served
from tests.tiny_run import Run


@pytest.fixture
def tokenizer(run: Run) -> Tokenizer:
    return run.translator.tokenizer


def test_requests_are_timed_and_errors_counted(tokenizer: Tokenizer) -> None:
    with served(Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT)) as client:
        good = serve_benchmark.measure(client.port, Subject(["a dog", "a cat"], "en", "de", tokenizer), 3, 0.3)
        bad = serve_benchmark.measure(client.port, Subject([POISON], "en", "de", tokenizer), 1, 0.1)
    assert good.errors == 0 and len(good.times) == len(good.texts) >= 3 and set(good.texts) == {"A DOG", "A CAT"}
    assert 0.3 <= good.seconds < 5
    assert bad.errors >= 1 and bad.times == []


def test_requests_that_arrive_too_fast_are_refused_and_the_others_answered(tokenizer: Tokenizer) -> None:
    """64 sentences take 1 s, so the server answers 64 in a second at most; four times as many arrive."""
    subject = Subject(["a dog", "a cat"], "en", "de", tokenizer)
    worker = Worker({("en", "de"): open_stub(seconds=1.0)}, max_wait=2.0)
    with served(worker) as client:
        serve_benchmark.measure(client.port, subject, 1, 0.2)
        easy = serve_benchmark.overload(client.port, subject, 20.0, 0.5)
        found = serve_benchmark.overload(client.port, subject, 256.0, 4.0)
    assert (len(easy.times), easy.refused, easy.errors) == (10, 0, 0)
    assert len(found.times) + found.refused == 1024 and found.errors == 0
    assert found.refused > 200 and found.rate > 0.5 * 64
    assert len(found.texts) == len(found.times) and max(found.times) < 8.0
    assert found.load == "256.0 requests/s arrive"


def test_errors_of_requests_that_arrive_are_counted(tokenizer: Tokenizer) -> None:
    subject = Subject([POISON], "en", "de", tokenizer)
    with served(Worker({("en", "de"): open_stub()}, max_wait=MAX_WAIT)) as client:
        failing = serve_benchmark.overload(client.port, subject, 20.0, 0.2)
    nobody = serve_benchmark.overload(client.port, subject, 20.0, 0.2)  # the port is closed
    assert failing.errors == nobody.errors == 4 and not (failing.times or nobody.times)


@pytest.mark.slow
def test_the_report(run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_benchmark, "CLIENTS", (1, 4))
    monkeypatch.setattr(serve_benchmark, "WARMUP", 0.1)
    benchmark.main(["serve", f"ckpt={run.folder}", f"data.path={run.data}", "seconds=0.5", "search.beam_size=1"])
    said = capsys.readouterr().out
    assert "; 0.5 s each" in said and "| load | requests/s |" in said
    for load in ("1 client", "4 clients", r"[\d.,]+ requests/s arrive"):
        assert re.search(rf"^\| {load} \|( [\d.,]+ \|){{5}} 0 \| 0 \|$", said, re.M), said


@pytest.mark.parametrize("arguments", [[], ["seconds=x"], ["ckpt=run", "seconds=0"], ["ckpt=run", "rate=0"]], ids=str)
def test_mistakes_are_named(arguments: list[str]) -> None:
    with pytest.raises(UserError, match=r"^(benchmark.py serve: got nothing, expected ckpt=RUN|seconds=|rate=)"):
        serve_benchmark.run(arguments)


def test_a_server_that_does_not_start_is_an_error(run: Run) -> None:
    with (
        pytest.raises(UserError, match=r"serve.py: error: .*beams"),
        serve_benchmark.started([f"ckpt={run.folder}", "beams=1"]),
    ):
        pass
