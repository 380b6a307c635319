"""The thread that owns the models: which sentences it translates together, and what happens to the others."""

from __future__ import annotations

import itertools
import logging
import time
from concurrent.futures import Future
from typing import Any

import pytest

from nmt.deploy.serve import worker as worker_module
from nmt.deploy.serve.waiting import Work
from nmt.deploy.serve.worker import Busy, Worker
from nmt.search.beam import BeamSearch
from tests.deploy.serve.stub import MAX_WAIT, POISON, Stub, open_stub, wait_for
from tests.tiny_run import Run, sentences

PAIR = ("en", "de")
WORK = Work(PAIR)


def texts(future: Future[Any]) -> list[str]:
    return [answer.translations[0].text for answer in future.result(10)]


def busy(worker: Worker, stub: Stub) -> Worker:
    """Return the worker once it waits, with the sentence "first", for the gate."""
    worker.submit(WORK, ["first"])
    wait_for(lambda: stub.batches)
    return worker


def test_a_sentence_gets_the_same_translation_alone_and_beside_others(run: Run) -> None:
    given = sentences(40, seed=3)
    together = Worker({PAIR: run.translator}, max_wait=MAX_WAIT)
    futures = [together.submit(WORK, given[start : start + 3]) for start in range(0, len(given), 3)]
    found = [answer for future in futures for answer in future.result(60)]
    together.close()
    for sentence, answer in zip(given, found, strict=True):
        (alone,) = run.translator.translate([sentence])
        assert answer.translations[0].tokens == alone.tokens
        assert answer.translations[0].text == alone.text


def test_requests_that_wait_are_translated_together_if_their_settings_are_equal() -> None:
    stub = Stub()
    worker = Worker({PAIR: stub, ("de", "en"): stub}, max_wait=MAX_WAIT)
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
    worker = Worker({PAIR: stub}, max_wait=MAX_WAIT)
    futures = [worker.submit(WORK, [text]) for text in ("a", "b")]
    assert [texts(future) for future in futures] == [["A"], ["B"]]
    assert stub.batches == [["a", "b"]]
    worker.close()


def test_sentences_of_a_long_request_take_turns_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 2)
    stub = Stub()
    worker = Worker({PAIR: stub}, max_wait=MAX_WAIT)
    long = worker.submit(WORK, list("abcdef"))
    wait_for(lambda: stub.batches)
    short = worker.submit(WORK, ["x"])
    stub.gate.set()
    assert texts(short) == ["X"] and texts(long) == list("ABCDEF")
    assert "x" in [text for batch in stub.batches[:3] for text in batch]
    worker.close()


def test_a_sentence_that_fails_lets_its_request_fail_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    stub = Stub()
    worker = busy(Worker({PAIR: stub}, max_wait=MAX_WAIT), stub)
    good = [worker.submit(WORK, [text]) for text in ("a", "b")]
    bad = worker.submit(WORK, ["c", POISON, "d"])
    good += [worker.submit(WORK, [text]) for text in ("e", "f")]
    with caplog.at_level(logging.ERROR):
        stub.gate.set()
        assert [texts(future) for future in good] == [["A"], ["B"], ["E"], ["F"]]
    with pytest.raises(RuntimeError, match=POISON):
        bad.result(10)
    assert "RuntimeError" in caplog.text and POISON not in caplog.text
    worker.close()


def test_what_is_left_of_a_request_that_failed_or_was_cancelled_is_not_translated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 2)
    stub = Stub()
    worker = Worker({PAIR: stub}, max_wait=MAX_WAIT)
    failing, leaving = worker.submit(WORK, [POISON, *"abcd"]), worker.submit(WORK, list("efghij"))
    wait_for(lambda: stub.batches)
    stub.gate.set()
    with pytest.raises(RuntimeError):
        failing.result(10)
    stub.gate.clear()
    wait_for(lambda: ["e", "f"] in stub.batches)
    assert leaving.cancel()
    stub.gate.set()
    worker.close()
    assert not {"b", "c", "d", "i", "j"} & {text for batch in stub.batches for text in batch}


def measured(stub: Stub, size: int = 1, **settings: Any) -> Worker:
    """Return a worker that has just translated batches of one size, and now waits with one sentence for the gate."""
    stub.gate.set()
    worker = Worker({PAIR: stub}, **settings)
    for _ in range(3):
        worker.submit(WORK, ["x"] * size).result(10)
    stub.gate.clear()
    stub.batches.clear()
    return busy(worker, stub)


def test_requests_are_accepted_as_long_as_their_answer_is_expected_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 2)
    stub = Stub(seconds=0.1)
    worker = measured(stub, 2, max_wait=0.45)
    accepted = [worker.submit(WORK, [text, text]) for text in "abcd"]  # they take 0.4 s
    with pytest.raises(Busy) as refused:
        worker.submit(WORK, ["e", "e"])
    assert 0 < refused.value.seconds < 0.2
    assert accepted[0].cancel()
    accepted[0] = worker.submit(WORK, ["f"])
    stub.seconds = 0.0
    stub.gate.set()
    assert texts(accepted[0]) == ["F"] and all(future.result(10) for future in accepted)
    worker.close()


def test_a_request_that_nobody_waits_before_is_accepted_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 2)
    stub = Stub(seconds=0.05)
    worker = measured(stub, 2, max_wait=0.1)
    long = worker.submit(WORK, list("abcdefghij"))
    short = worker.submit(WORK, ["x"])  # has its turn after one batch of the long one
    with pytest.raises(Busy):
        worker.submit(WORK, list("klmnop"))
    second = worker.submit(WORK, list("klmnop"), admitted=True)  # the rest of a request that was accepted
    stub.gate.set()
    assert texts(short) == ["X"] and not long.done()
    assert texts(long) == list("ABCDEFGHIJ") and texts(second) == list("KLMNOP")
    worker.close()


def test_what_is_not_known_of_a_large_batch_refuses_nobody() -> None:
    stub = Stub(seconds=0.1)
    worker = measured(stub, max_wait=1.0)
    futures = [worker.submit(WORK, [str(number)]) for number in range(400)]  # as single sentences, they take 40 s
    stub.gate.set()
    assert all(future.result(10) for future in futures)
    worker.close()


def test_a_request_that_fits_a_batch_is_not_put_back_behind_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 4)
    stub = Stub()
    worker = busy(Worker({PAIR: stub}, max_wait=MAX_WAIT), stub)
    for letters in ("abc", "defg", "hij"):
        worker.submit(WORK, list(letters))
    stub.gate.set()
    worker.close()
    assert ["".join(batch) for batch in stub.batches[1:]] == ["abcd", "efgh", "ij"]


def test_a_sentence_of_many_characters_counts_as_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(worker_module.TOGETHER, "cpu", 4)
    stub = Stub()
    worker = busy(Worker({PAIR: stub}, max_wait=MAX_WAIT), stub)
    given = ["a", "b" * 399, "c", "d" * 400, "e" * 5000, "f", "g"]
    futures = [worker.submit(WORK, [sentence]) for sentence in given]
    stub.gate.set()
    assert [texts(future) for future in futures] == [[sentence.upper()] for sentence in given]
    worker.close()
    assert stub.batches[1:] == [given[:3], given[3:4], given[4:5], given[5:]]


def test_a_request_that_waited_too_long_is_refused_and_not_translated() -> None:
    stub = Stub()
    worker = Worker({PAIR: stub}, max_wait=0.05)
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


@pytest.mark.parametrize("sizes", [(1,), (4,), (1, 1, 4, 12)], ids=str)
def test_at_twice_the_load_the_answers_are_as_many_and_in_time(sizes: tuple[int, ...]) -> None:
    """64 sentences take 0.1 s, so there are 640 in a second. Sizes are the sentences of the requests, in turn."""
    stub, capacity, seconds, limit = open_stub(seconds=0.036, each=0.001), 640, 3.0, 1.0
    worker = Worker({PAIR: stub}, max_wait=limit)
    times: list[float] = []
    futures, refused, sent = [], 0, 0
    begun = time.monotonic()
    for size in itertools.cycle(sizes):
        if (rest := begun + sent / (2 * capacity) - time.monotonic()) > 0:
            time.sleep(rest)
        start = time.monotonic()
        if start > begun + seconds:
            break
        sent += size
        try:
            future = worker.submit(WORK, ["text"] * size)
        except Busy:
            refused += size
            continue
        future.add_done_callback(lambda _, start=start: times.append(time.monotonic() - start))
        futures.append(future)
    translated = sum(len(future.result(10)) for future in futures)  # no one fails that was accepted
    goodput = translated / (time.monotonic() - begun)
    worker.close()
    assert sent > 1.9 * capacity * seconds and refused > 0.25 * sent
    assert goodput > 0.8 * capacity, goodput
    assert max(times) < 4 / 3 * limit, max(times)  # 20 s of 15 s
    assert len(times) == len(futures)


def test_what_was_accepted_is_translated_before_the_end() -> None:
    stub = open_stub(seconds=0.01)
    worker = Worker({PAIR: stub}, max_wait=MAX_WAIT)
    futures = [worker.submit(WORK, [str(number)]) for number in range(20)]
    worker.close()
    assert all(future.done() for future in futures) and not worker.alive
    with pytest.raises(Busy):
        worker.submit(WORK, ["late"])


def test_a_request_without_sentences_has_its_answer() -> None:
    worker = Worker({PAIR: Stub()}, max_wait=MAX_WAIT)
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
    worker = Worker({PAIR: stub}, max_wait=MAX_WAIT)
    worker.submit(Work(PAIR, best=3), ["text"]).result(10)
    assert stub.fields == [fields]
    worker.close()


def test_attention_is_that_of_the_best_translation(run: Run) -> None:
    worker = Worker({PAIR: run.translator}, max_wait=MAX_WAIT)
    (answer,) = worker.submit(Work(PAIR, attention=True), ["a man reads."]).result(30)
    best = answer.translations[0]
    assert answer.attention.axes("cross")[0] == best.pieces
    assert answer.attention.cross.allclose(run.translator.attention_maps([best])[0].cross)
    worker.close()


def test_a_model_without_attention_translates_all_the_same() -> None:
    worker = Worker({PAIR: open_stub()}, max_wait=MAX_WAIT)
    (answer,) = worker.submit(Work(PAIR, attention=True), ["text"]).result(10)
    assert answer.attention is None and answer.translations[0].text == "TEXT"
    worker.close()


def test_a_model_that_does_not_work_is_found_before_the_first_request() -> None:
    class Broken(Stub):
        def hypotheses(self, sentences: Any, **fields: Any) -> Any:
            raise RuntimeError("broken")

    worker = Worker({PAIR: Broken()}, max_wait=MAX_WAIT)
    with pytest.raises(RuntimeError, match="broken"):
        worker.warm_up()
    worker.close()


def test_requests_that_are_cancelled_when_they_are_refused_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "_forget", lambda worker, job: None)  # as if it came only after the refusal
    stub = Stub()
    worker = Worker({PAIR: stub}, max_wait=0.02)
    worker.submit(WORK, ["first"])
    wait_for(lambda: stub.batches)
    assert worker.submit(WORK, ["late"]).cancel()
    time.sleep(0.05)
    stub.gate.set()
    wait_for(lambda: worker.waiting == 0)
    assert texts(worker.submit(WORK, ["next"])) == ["NEXT"]
    assert stub.batches == [["first"], ["next"]]
    worker.close()
