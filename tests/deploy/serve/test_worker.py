"""The thread that owns the models: which sentences it translates together, and what happens to the others."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest

from nmt.deploy.serve import worker as worker_module
from nmt.deploy.serve.worker import Task, Worker
from nmt.search.beam import BeamSearch
from tests.deploy.serve.stub import PAIR, POISON, Stub, open_stub, wait_for, worker_of
from tests.tiny_run import Run, sentences

BACK = ("de", "en")


async def translate(worker: Worker, *texts: str, **settings: Any) -> list[str]:
    """Return the best translations of the texts of one request."""
    tasks = [Task(text, **{"pair": PAIR, **settings}) for text in texts]
    return [answer.translations[0].text for answer in await worker.answers(tasks)]


def behind_one(stub: Stub, worker: Worker, *requests: Coroutine[Any, Any, list[str]]) -> list[Any]:
    """Return the results of requests that all wait while a sentence, "first", is translated."""

    async def run() -> list[Any]:
        first = asyncio.create_task(translate(worker, "first"))
        await asyncio.to_thread(wait_for, lambda: stub.batches)
        waiting = asyncio.gather(*requests, return_exceptions=True)
        await asyncio.sleep(0.01)
        stub.gate.set()
        await first
        return await waiting

    return asyncio.run(run())


def test_a_sentence_gets_the_same_translation_alone_and_beside_others(run: Run) -> None:
    given = sentences(40, seed=3)
    worker = worker_of({PAIR: run.translator})

    async def together() -> list[list[str]]:
        return await asyncio.gather(*[translate(worker, *given[start : start + 4]) for start in range(0, 40, 4)])

    alone = [run.translator.translate([sentence])[0].text for sentence in given]
    assert [text for texts in asyncio.run(together()) for text in texts] == alone


def test_sentences_that_wait_are_translated_together_if_their_settings_are_equal() -> None:
    stub = Stub()
    worker = worker_of({PAIR: stub, BACK: stub})
    found = behind_one(
        *(stub, worker, translate(worker, "two"), translate(worker, "drei", pair=BACK), translate(worker, "four")),
        translate(worker, "five", best=2),
    )
    assert found == [["TWO"], ["DREI"], ["FOUR"], ["FIVE"]]
    assert stub.batches == [["first"], ["two", "four"], ["drei"], ["five"]]


def test_a_long_request_gives_way_to_others_after_each_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "BATCH", 0.45)  # two of these sentences
    stub = Stub()
    worker = worker_of({PAIR: stub})
    long, short = behind_one(stub, worker, translate(worker, *"abcdefg"), translate(worker, "x"))
    assert (long, short) == (list("ABCDEFG"), ["X"])
    assert "x" in stub.batches[1] + stub.batches[2]
    assert max(map(len, stub.batches)) == 2


def test_short_texts_overtake_long_ones_every_second_time() -> None:
    stub, giant = Stub(), "a" * 200
    worker = worker_of({PAIR: stub})
    asked = ((giant, 1), (giant, 1), ("x", 1), ("y", 3), ("z", 4))
    behind_one(stub, worker, *(translate(worker, text, best=best) for text, best in asked))
    assert stub.batches == [["first"], ["x"], [giant], ["y"], [giant], ["z"]]


def test_a_short_text_does_not_wait_for_the_steps_of_a_long_one(run: Run) -> None:
    """With a limit of 20 pieces, the long sentence is translated in parts, whose cost is that of as many sentences."""
    long, search = " ".join(sentences(25, seed=4)), run.translator.search.replace(max_source_length=20)
    translator = replace(run.translator, search=search)
    worker = worker_of({PAIR: translator})
    (one,), (found,) = translator.translate([long]), asyncio.run(worker.answers([Task(long, PAIR, attention=True)]))
    assert found.translations == [one] and len(one.parts) > 8 and found.attention is None
    costs = [cost for *_, cost in worker._searches(Task(long, PAIR))[1]]
    assert max(costs) < 2 and sum(costs) > len(costs) / 10


def test_a_sentence_that_fails_lets_its_request_fail_and_no_other() -> None:
    stub = Stub()
    worker = worker_of({PAIR: stub})
    requests = (translate(worker, *texts) for texts in (["a"], ["b"], ["c", POISON, "d"], ["e"]))
    *good, bad, last = behind_one(stub, worker, *requests)
    assert [*good, last] == [["A"], ["B"], ["E"]] and isinstance(bad, RuntimeError)


def test_a_full_queue_refuses_new_requests_that_would_wait_for_it() -> None:
    stub = Stub()
    worker = worker_of({PAIR: stub}, max_waiting=5)
    found = behind_one(stub, worker, *(translate(worker, *"abcdefgh") for _ in range(4)), translate(worker, "short"))
    *full, refused, short = [each if isinstance(each, list) else each.status_code for each in found]
    assert full == [[*"ABCDEFGH"]] * 3 and (refused, short) == (503, ["SHORT"])


@pytest.mark.parametrize(
    ("search", "found"), [({}, 3), ({"beam_size": 2}, 2), ({"n_best": 4, "utility": "chrf"}, 4)], ids=str
)
def test_alternatives_are_those_that_the_beam_has_room_for(search: dict[str, Any], found: int) -> None:
    stub = open_stub(search=BeamSearch(**{"beam_size": 4, **search}))
    asyncio.run(translate(worker_of({PAIR: stub}), "text", best=3))
    assert [each.n_best for each in stub.searches] == [found]
