"""Batches: every pair once, within the budget, in an order that seed, epoch and rank decide, resumable anywhere."""

import itertools
import random

import numpy as np
import pytest
import torch

from nmt.data.batch import make_batch
from nmt.data.encoded import Encoded
from nmt.data.loader import BatchLoader, plan_batches
from nmt.errors import UserError
from nmt.tokens import BOS, EOS, PAD

FIRST = 10  # the sources of pair i are ids of FIRST + i


def pairs(count=200, seed=0):
    draw = random.Random(seed)
    return [
        Encoded([FIRST + number] * draw.randint(1, 30) + [EOS], [6] * draw.randint(1, 30) + [EOS])
        for number in range(count)
    ]


def lengths_of(pairs):
    return tuple(np.array([len(pair[side]) for pair in pairs], np.int32) for side in (0, 1))


def plan_by_hand(pairs, budget, order):
    """The plan, pair by pair, as NumPy's generator shuffles it."""
    lengths = [(len(pair.source), len(pair.target)) for pair in pairs]
    indices = list(range(len(lengths)))
    if order:
        order.shuffle(indices)
    indices.sort(key=lambda i: (max(lengths[i]), lengths[i]))
    batches = []
    for i in indices:
        if not batches or (len(batches[-1]) + 1) * max(lengths[i]) > budget:
            batches.append([])
        batches[-1].append(i)
    if order:
        order.shuffle(batches)
    return batches


def indices(loader):
    return [places(batch) for batch in loader]


def places(batch):
    return (batch.source[:, 0] - FIRST).tolist()


def test_batch_by_hand():
    batch = make_batch([[7, 8, EOS], [9, EOS]], [[4, EOS], [5, 6, EOS]])
    assert batch.source.tolist() == [[7, 8, EOS], [9, EOS, PAD]]
    assert batch.source_mask.tolist() == [[True, True, True], [True, True, False]]
    assert batch.target_in.tolist() == [[BOS, 4, PAD], [BOS, 5, 6]]
    assert batch.target_out.tolist() == [[4, EOS, PAD], [5, 6, EOS]]
    assert batch.target_mask.tolist() == [[True, True, False], [True, True, True]]


def test_links_say_which_sentence_they_belong_to():
    links = [np.array([[0, 1], [1, 0]], np.uint16), np.empty((0, 2), np.uint16), np.array([[2, 2]], np.uint16)]
    batch = make_batch([[7, 8, EOS]] * 3, [[4, 5, EOS]] * 3, links)
    assert batch.links.tolist() == [[0, 0, 1], [0, 1, 0], [2, 2, 2]] and batch.links.dtype == torch.int64
    assert make_batch([[7, EOS]], [[4, EOS]], links[1:2]).links.shape == (0, 3)
    assert make_batch([[7, EOS]], [[4, EOS]]).links is None


def test_links_stay_with_their_pairs_in_every_order():
    data = [
        pair._replace(links=np.array([[number % len(pair.target), number % len(pair.source)]]))
        for number, pair in enumerate(pairs())
    ]
    loader = BatchLoader(data, 100, seed=3)
    seen = set()
    for batch in loader:
        numbers = places(batch)
        for row, t, s in batch.links.tolist():
            assert [t, s] == data[numbers[row]].links[0].tolist()
            seen.add(numbers[row])
    assert len(seen) == len(data)


@pytest.mark.parametrize("budget", [1, 64, 500])
def test_every_pair_once_within_the_budget(budget):
    data = pairs()
    plan = plan_batches(*lengths_of(data), budget, np.random.default_rng(0))
    assert sorted(i for batch in plan for i in batch) == list(range(len(data)))
    for batch in plan:
        widest = max(max(len(data[i][0]), len(data[i][1])) for i in batch)
        assert len(batch) == 1 or len(batch) * widest <= budget


@pytest.mark.parametrize("shuffled", [True, False])
@pytest.mark.parametrize("budget", [1, 31, 64, 500, 10_000])
@pytest.mark.parametrize("count", [0, 1, 2, 3000])
def test_the_plan_equals_the_plain_one(count, budget, shuffled):
    data = pairs(count, seed=budget)
    orders = [np.random.default_rng([1, 7]) if shuffled else None for _ in range(2)]
    assert list(plan_batches(*lengths_of(data), budget, orders[0])) == plan_by_hand(data, budget, orders[1])


def test_the_order_of_an_epoch_follows_from_seed_and_epoch():
    loader = BatchLoader(pairs(), 100, seed=3)
    loader.set_epoch(2)
    assert indices(loader) == plan_by_hand(pairs(), 100, np.random.default_rng([3, 2]))


def changed_lengths(lengths, seed):
    draw = np.random.default_rng(seed)
    return [np.maximum(2, side + draw.integers(-2, 3, len(side))).astype(np.int32) for side in lengths]


@pytest.mark.parametrize("budget", [1, 40, 100, 10_000])
def test_pairs_of_other_lengths_make_as_many_batches_with_about_the_budget(budget):
    lengths = lengths_of(pairs())
    count = len(plan_batches(*lengths, budget, None))
    for seed in range(8):
        others = changed_lengths(lengths, seed)
        usual = list(plan_batches(*others, budget, np.random.default_rng(5)))
        plan = list(plan_batches(*others, budget, np.random.default_rng(5), count=count))
        assert len(plan) == count and sorted(i for batch in plan for i in batch) == list(range(200))
        if len(usual) == count:
            assert plan == usual
        padded = [len(batch) * max(max(side[i] for i in batch) for side in others) for batch in plan]
        if len(usual) < count:
            assert all(len(batch) == 1 or tokens <= budget for batch, tokens in zip(plan, padded, strict=True))
        elif len(usual) > count:
            assert len(plan_batches(*others, max(padded) - 1, np.random.default_rng(5))) > count, "no lower budget does"


def test_padding_is_small():
    draw = random.Random(1)
    lengths = [(n, max(2, n + draw.randint(-3, 3))) for n in (draw.randint(5, 30) for _ in range(20_000))]
    plan = plan_batches(*np.array(lengths, np.int32).T, 1250, np.random.default_rng(0))
    padded = sum(len(b) * (max(lengths[i][0] for i in b) + max(lengths[i][1] for i in b)) for b in plan)
    assert 1 - sum(map(sum, lengths)) / padded < 0.05


def test_epochs_differ_and_repeat_by_seed():
    loader, again = BatchLoader(pairs(), 100, seed=5), BatchLoader(pairs(), 100, seed=5)
    first = indices(loader)
    assert first == indices(again)
    loader.set_epoch(1)
    assert indices(loader) != first
    assert indices(BatchLoader(pairs(), 100, seed=6)) != first
    loader.set_epoch(0)
    assert indices(loader) == first


def test_length_is_the_same_in_every_epoch():
    loader = BatchLoader(pairs(), 100)
    lengths = set()
    for epoch in range(20):
        loader.set_epoch(epoch)
        lengths.add(len(loader))
        assert len(list(loader)) == len(loader)
    assert len(lengths) == 1


def loaders(ranks, **settings):
    return [BatchLoader(pairs(), 100, seed=1, rank=rank, world_size=ranks, **settings) for rank in range(ranks)]


def read_together(parts, updates=None):
    """The batches of the next updates of all ranks that count, in the order of the ranks."""
    updates = zip(*parts, strict=True) if updates is None else itertools.islice(zip(*parts, strict=True), updates)
    return [places(batch) for update in updates for batch in update if batch.counts]


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_ranks_read_the_batches_of_one_process(ranks):
    together = loaders(ranks)
    assert read_together(together) == indices(BatchLoader(pairs(), 100, seed=1))
    assert {len(loader) for loader in together} == {len(list(together[0]))}


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_a_rank_without_a_batch_gets_another_one_that_does_not_count(ranks):
    number = len(BatchLoader(pairs(), 100))
    last = [list(loader)[-1] for loader in loaders(ranks)]
    assert [batch.counts for batch in last] == [rank < (number % ranks or ranks) for rank in range(ranks)]
    assert all(
        places(batch) == places([each for each in last if each.counts][-1]) for batch in last if not batch.counts
    )


def test_any_number_of_ranks_continues_an_epoch():
    whole, draw = indices(BatchLoader(pairs(), 100, seed=1)), random.Random(7)
    for _ in range(60):
        seen, state = [], None
        while len(seen) < len(whole):
            together = loaders(draw.randint(1, 9))
            for loader in together if state else ():
                loader.load_state_dict(state)
            done = together[0].done
            left, updates = together[0].left, draw.randint(1, 5)
            new = read_together([iter(loader) for loader in together], updates)
            assert len(new) == together[0].done - done and together[0].left == max(0, left - updates)
            seen, state = seen + new, together[0].state_dict()
            assert state["read"] == sum(map(len, seen)) and all(loader.state_dict() == state for loader in together)
        assert seen == whole


@pytest.mark.parametrize("ranks", [1, 2])
def test_loader_resumes_where_it_stopped(ranks):
    whole = indices(BatchLoader(pairs(), 100, seed=1, world_size=ranks))
    for stop in range(len(whole)):
        loader = BatchLoader(pairs(), 100, seed=1, world_size=ranks)
        iterator = iter(loader)
        head = [places(next(iterator)) for _ in range(stop)]
        resumed = BatchLoader(pairs(), 100, seed=1, world_size=ranks)
        resumed.load_state_dict(loader.state_dict())
        assert head + indices(resumed) == whole


def test_loader_refuses_to_resume_with_other_batches():
    loader = BatchLoader(pairs(), 100)
    at_the_start = loader.state_dict()
    next(iter(loader))
    inside = loader.state_dict()
    for other in (BatchLoader(pairs(), 90), BatchLoader(pairs(199), 100), BatchLoader(pairs()[::-1], 100)):
        with pytest.raises(UserError, match=r"epoch of 200 pairs in \d+ batches"):
            other.load_state_dict(inside)
    other.load_state_dict(at_the_start)
    del inside["check"]
    BatchLoader(pairs(), 100).load_state_dict(inside)  # of an older version


def test_an_epoch_in_the_order_of_an_older_version_is_not_gone_on_with():
    loader = BatchLoader(pairs(), 100)
    batches = iter(loader)
    next(batches)
    inside = {**loader.state_dict(), "order": 1}
    with pytest.raises(UserError, match="got order 1, expected 2"):
        BatchLoader(pairs(), 100).load_state_dict(inside)
    list(batches)
    ended = {**loader.state_dict(), "order": 1}
    other = BatchLoader(pairs(), 100)
    other.load_state_dict(ended)
    assert indices(other) == [], "nothing is left of that epoch"


@pytest.mark.parametrize("batch_tokens", [60, 90, 300])
def test_after_a_whole_epoch_other_batches_begin_with_the_next_one(batch_tokens):
    loader = BatchLoader(pairs(), 100, seed=1)
    indices(loader)
    other, fresh = (BatchLoader(pairs(), batch_tokens, seed=1) for _ in range(2))
    other.load_state_dict(loader.state_dict())
    assert indices(other) == [], "nothing is left of that epoch"
    other.set_epoch(1), fresh.set_epoch(1)
    assert indices(other) == indices(fresh) != []


def test_validation_is_whole_and_ordered():
    assert sorted(i for batch in indices(BatchLoader(pairs(), 100, shuffled=False)) for i in batch) == list(range(200))
    lengths = [max(b.source.shape[1], b.target_in.shape[1]) for b in BatchLoader(pairs(), 100, shuffled=False)]
    assert lengths == sorted(lengths)


def test_loader_left_early_starts_again():
    loader = BatchLoader(pairs(), 100, shuffled=False)
    whole = indices(loader)
    for count in (1, len(whole)):
        iterator = iter(loader)
        for _ in range(count):
            next(iterator)
        assert indices(loader) == whole


def test_a_batch_moves_whole():
    moved = make_batch([[4, EOS]], [[4, EOS]], [np.array([[0, 0]])]).to("meta")
    assert all(each.device == torch.device("meta") for each in vars(moved).values() if isinstance(each, torch.Tensor))
