"""Batches that several workers compute: the same results, one thread of torch each, and an end for all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translation.batches import in_batches, stoppable
from tests.tiny_run import Run, sentences


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("search", [BeamSearch(beam_size=2), Sampling(samples=2, seed=5)])
def test_workers_find_what_one_thread_finds(run: Run, three_threads: None, search: Search) -> None:
    translator, texts = run.translator, sentences(30, seed=2)
    names, random = set[str](), torch.get_rng_state()
    find = translator.model.encoder.register_forward_hook(lambda *_: names.add(threading.current_thread().name))
    modes = [module.training for module in translator.model.train().modules()]  # with dropout
    with find:
        several = translator.hypotheses(texts, search=search, batch_tokens=200)
        scored = translator.score(texts, texts)
    assert len(names) > 1 and torch.get_num_threads() == 3 and torch.equal(torch.get_rng_state(), random)
    assert [module.training for module in translator.model.modules()] == modes
    translator.model.eval()
    torch.set_num_threads(1)
    alone = translator.hypotheses(texts, search=search)
    assert [[each.tokens for each in found] for found in several] == [[each.tokens for each in one] for one in alone]
    for one, other in zip(scored, translator.score(texts, texts), strict=True):
        assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=1e-4)


def test_each_worker_has_one_thread_and_an_equal_share() -> None:
    batches, caller = list[list[int]](), threading.get_ident()

    def compute(batch: list[int]) -> list[Any]:
        time.sleep(0.01)
        return [(threading.get_ident(), torch.get_num_threads(), torch.is_inference_mode_enabled()) for _ in batch]

    def done(batch: list[int]) -> None:
        assert threading.get_ident() == caller
        batches.append(batch)

    with torch.inference_mode():
        found = in_batches(range(1000), [10] * 1000, 8000, compute, 2, done)
    assert len({thread for thread, *_ in found} - {caller}) == 2
    assert {each[1:] for each in found} == {(1, True)}
    assert [item for batch in batches for item in batch] == list(range(1000))
    assert list(map(len, batches)) == [262, 262, 262, 214]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_ends_all_workers(error: type[BaseException]) -> None:
    busy = threading.Event()

    def compute(batch: list[int]) -> list[int]:
        if batch == [0]:
            assert busy.wait(20)
            return batch
        while True:
            stoppable(busy.set)()

    def done(batch: list[int]) -> None:
        raise error

    with pytest.raises(error):
        in_batches(range(9), [1] * 9, 1, compute, 2, done)
    assert not [each for each in threading.enumerate() if "Pool" in each.name]
