"""The thread that owns the models: which sentences it translates together, and what happens to the others."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future
from typing import Any

import pytest

from nmt.search.beam import BeamSearch
from nmt.serve import worker as worker_module
from nmt.serve.worker import Answer, Busy, Work, Worker
from tests.serve.stub import POISON, Stub, open_stub, wait_for
from tests.tiny_run import Run, sentences

PAIR = ("en", "de")
WORK = Work(PAIR)


def texts(future: Future[Any]) -> list[str]:
    return [answer.translations[0].text for answer in future.result(10)]


def test_a_sentence_gets_the_same_translation_alone_and_beside_others(run: Run) -> None:
    given = sentences(40, seed=3)
    together = Worker({PAIR: run.translator})
    futures = [together.submit(WORK, given[start : start + 3]) for start in range(0, len(given), 3)]
    found = [answer for future in futures for answer in future.result(60)]
    together.close()
    for sentence, answer in zip(given, found, strict=True):
        (alone,) = run.translator.translate([sentence])
        assert answer.translations[0].tokens == alone.tokens
        assert answer.translations[0].text == alone.text


def test_requests_that_wait_are_translated_together_if_their_settings_are_equal() -> None:
    stub = Stub()
    worker = Worker({PAIR: stub, ("de", "en"): stub})
    first = worker.submit(WORK, ["one"])
    wait_for(lambda: stub.batches)
    others = [worker.submit(work, [text]) for work, text in (
        (WORK, "two"), (Work(("de", "en")), "drei"), (WORK, "four"), (Work(PAIR, best=2), "five"))]  # fmt: skip
    stub.gate.set()
    assert [texts(future) for future in (first, *others)] == [["ONE"], ["TWO"], ["DREI"], ["FOUR"], ["FIVE"]]
    assert stub.batches == [["one"], ["two", "four"], ["drei"], ["five"]]
    worker.close()


def test_the_first_sentence_waits_a_moment_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "WINDOW", 0.3)
    stub = open_stub()
    worker = Worker({PAIR: stub})
    futures = [worker.submit(WORK, [text]) for text in ("a", "b")]
    assert [texts(future) for future in futures] == [["A"], ["B"]]
    assert stub.batches == [["a", "b"]]
    worker.close()


def test_sentences_of_a_long_request_take_turns_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 2)
    stub = Stub()
    worker = Worker({PAIR: stub})
    long = worker.submit(WORK, list("abcdef"))
    wait_for(lambda: stub.batches)
    short = worker.submit(WORK, ["x"])
    stub.gate.set()
    assert texts(short) == ["X"] and texts(long) == list("ABCDEF")
    assert "x" in [text for batch in stub.batches[:3] for text in batch]
    worker.close()


def test_a_sentence_that_fails_fails_alone(caplog: pytest.LogCaptureFixture) -> None:
    stub = Stub()
    worker = Worker({PAIR: stub})
    worker.submit(WORK, ["first"])
    wait_for(lambda: stub.batches)
    futures = [worker.submit(WORK, [text]) for text in ("a", "b", POISON, "c", "d")]
    with caplog.at_level(logging.ERROR):
        stub.gate.set()
        found = [future.result(10)[0] for future in futures]
    assert [isinstance(each, Answer) for each in found] == [True, True, False, True, True]
    assert isinstance(found[2], RuntimeError)
    assert "RuntimeError" in caplog.text and POISON not in caplog.text
    worker.close()


def test_there_is_place_for_so_many_sentences_and_who_cancels_gives_it_back() -> None:
    stub = Stub()
    worker = Worker({PAIR: stub}, capacity=3)
    worker.submit(WORK, ["first"])
    wait_for(lambda: stub.batches)
    gone = worker.submit(WORK, ["a", "b"])
    with pytest.raises(Busy):
        worker.submit(WORK, ["c", "d"])
    assert gone.cancel()
    last = worker.submit(WORK, ["c", "d"])
    stub.gate.set()
    assert texts(last) == ["C", "D"]
    assert stub.batches == [["first"], ["c", "d"]]
    worker.close()


def test_a_request_that_waited_too_long_is_refused_and_not_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "PATIENCE", 0.05)
    stub = Stub()
    worker = Worker({PAIR: stub})
    begun = worker.submit(WORK, ["first"])
    wait_for(lambda: stub.batches)
    late = worker.submit(WORK, ["late"])
    with pytest.raises(TimeoutError):
        late.result(0.1)
    stub.gate.set()
    with pytest.raises(Busy):
        late.result(10)
    assert texts(begun) == ["FIRST"] and stub.batches == [["first"]]
    worker.close()


def test_what_was_accepted_is_translated_before_the_end() -> None:
    stub = open_stub(seconds=0.01)
    worker = Worker({PAIR: stub})
    futures = [worker.submit(WORK, [str(number)]) for number in range(20)]
    worker.close()
    assert all(future.done() for future in futures) and not worker.alive
    with pytest.raises(Busy):
        worker.submit(WORK, ["late"])


def test_a_request_without_sentences_has_its_answer() -> None:
    worker = Worker({PAIR: Stub()})
    assert worker.submit(WORK, []).result(0) == []
    worker.close()


@pytest.mark.parametrize(
    ("search", "fields"),
    [
        (BeamSearch(beam_size=4), {"n_best": 3}),
        (BeamSearch(beam_size=2), {"n_best": 2}),
        (BeamSearch(beam_size=4, n_best=4), {}),
        (BeamSearch(beam_size=4, n_best=4, utility="chrf"), {}),
    ],
)
def test_alternatives_are_those_that_the_beam_has_room_for(search: BeamSearch, fields: dict[str, int]) -> None:
    stub = open_stub(search=search)
    worker = Worker({PAIR: stub})
    worker.submit(Work(PAIR, best=3), ["text"]).result(10)
    assert stub.fields == [fields]
    worker.close()


def test_attention_is_that_of_the_best_translation(run: Run) -> None:
    worker = Worker({PAIR: run.translator})
    (answer,) = worker.submit(Work(PAIR, attention=True), ["a man reads."]).result(30)
    best = answer.translations[0]
    assert answer.attention.axes("cross")[0] == best.pieces
    assert answer.attention.cross.allclose(run.translator.attention_maps([best])[0].cross)
    worker.close()


def test_a_model_without_attention_translates_all_the_same() -> None:
    worker = Worker({PAIR: open_stub()})
    (answer,) = worker.submit(Work(PAIR, attention=True), ["text"]).result(10)
    assert answer.attention is None and answer.translations[0].text == "TEXT"
    worker.close()


def test_a_model_that_does_not_work_is_found_before_the_first_request() -> None:
    class Broken(Stub):
        def hypotheses(self, sentences: Any, **fields: Any) -> Any:
            raise RuntimeError("broken")

    worker = Worker({PAIR: Broken()})
    with pytest.raises(RuntimeError, match="broken"):
        worker.warm_up()
    worker.close()


def test_requests_that_are_cancelled_when_they_are_refused_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "_forget", lambda worker, job: None)  # as if it came only after the refusal
    monkeypatch.setattr(worker_module, "PATIENCE", 0.02)
    stub = Stub()
    worker = Worker({PAIR: stub})
    worker.submit(WORK, ["first"])
    wait_for(lambda: stub.batches)
    assert worker.submit(WORK, ["late"]).cancel()
    time.sleep(0.05)
    stub.gate.set()
    wait_for(lambda: worker.waiting == 0)
    assert texts(worker.submit(WORK, ["next"])) == ["NEXT"]
    assert stub.batches == [["first"], ["next"]]
    worker.close()
