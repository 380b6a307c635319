"""Batches: every pair once, within the budget, in an order that seed, epoch and rank decide, resumable anywhere."""

import itertools
import random

import numpy as np
import pytest
import torch

from nmt.data.batches import BatchLoader, make_batch, plan_batches
from nmt.data.encoded import Encoded, lengths_of
from nmt.errors import UserError
from nmt.tokens import BOS, EOS, PAD

FIRST = 10  # the sources of pair i are ids of FIRST + i


def pairs(count=200, seed=0):
    """Return pairs of random lengths, each with one random link."""
    draw, made = random.Random(seed), []
    for number in range(count):
        source, target = draw.randint(1, 30), draw.randint(1, 30)
        link = np.array([[draw.randrange(target), draw.randrange(source)]])
        made.append(Encoded([FIRST + number] * source + [EOS], [6] * target + [EOS], link))
    return made


PAIRS = pairs()


def loader(budget=100, of=PAIRS, **settings):
    return BatchLoader(lambda _: of, budget, **settings)


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


def places(batch):
    return (batch.source[:, 0] - FIRST).tolist()


def indices(loader):
    return [places(batch) for batch in loader]


def test_batch_by_hand():
    links = [np.array([[0, 1], [1, 0]], np.uint16), np.empty((0, 2), np.uint16)]
    batch = make_batch([[7, 8, EOS], [9, EOS]], [[4, EOS], [5, 6, EOS]], links)
    assert batch.source.tolist() == [[7, 8, EOS], [9, EOS, PAD]]
    assert batch.source_mask.tolist() == [[True, True, True], [True, True, False]]
    assert batch.target_in.tolist() == [[BOS, 4, PAD], [BOS, 5, 6]]
    assert batch.target_out.tolist() == [[4, EOS, PAD], [5, 6, EOS]]
    assert batch.target_mask.tolist() == [[True, True, False], [True, True, True]]
    assert batch.links.tolist() == [[0, 0, 1], [0, 1, 0]] and batch.links.dtype == torch.int64
    assert make_batch([[7, EOS]], [[4, EOS]], links[1:]).links.shape == (0, 3)
    assert make_batch([[7, EOS]], [[4, EOS]]).links is None
    assert all(each.device == torch.device("meta") for each in vars(batch.to("meta")).values() if torch.is_tensor(each))


def test_links_stay_with_their_pairs_in_every_order():
    seen = set()
    for batch in loader(seed=3):
        numbers = places(batch)
        for row, target, source in batch.links.tolist():
            assert [target, source] == PAIRS[numbers[row]].links[0].tolist()
            seen.add(numbers[row])
    assert len(seen) == len(PAIRS)


@pytest.mark.parametrize("shuffled", [True, False])
@pytest.mark.parametrize("budget", [1, 31, 64, 500, 10_000])
@pytest.mark.parametrize("count", [0, 1, 2, 3000])
def test_the_plan_equals_the_plain_one(count, budget, shuffled):
    data = pairs(count, seed=budget)
    orders = [np.random.default_rng([1, 7]) if shuffled else None for _ in range(2)]
    plan = list(plan_batches(*lengths_of(data), budget, orders[0]))
    assert plan == plan_by_hand(data, budget, orders[1])
    assert sorted(i for batch in plan for i in batch) == list(range(count))


def test_the_order_of_an_epoch_follows_from_seed_and_epoch():
    one, orders = loader(seed=3), []
    for epoch in (0, 1, 2, 0):
        one.set_epoch(epoch)
        orders.append(indices(one))
        assert orders[-1] == plan_by_hand(PAIRS, 100, np.random.default_rng([3, epoch]))
        assert len(orders[-1]) == len(one)
    assert orders[0] == orders[3] != orders[1] != orders[2] and indices(loader(seed=4)) != orders[0]


@pytest.mark.parametrize("budget", [1, 40, 100, 10_000])
def test_pairs_of_other_lengths_make_as_many_batches_with_about_the_budget(budget):
    lengths = lengths_of(PAIRS)
    count = len(plan_batches(*lengths, budget, None))
    for seed in range(8):
        draw = np.random.default_rng(seed)
        others = [np.maximum(2, side + draw.integers(-2, 3, len(side))).astype(np.int32) for side in lengths]
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


def test_fewer_pairs_than_batches_are_refused():
    with pytest.raises(UserError, match=r"^data\.batch_tokens: an epoch has 3 pairs for 4 batches; raise it"):
        plan_batches(*[np.array([9, 9, 9])] * 2, 9, None, count=4)


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_ranks_read_the_batches_of_one_process(ranks):
    """In equal counts; a rank without a batch at the end gets another one, which does not count."""
    together = [list(loader(seed=1, rank=rank, world_size=ranks)) for rank in range(ranks)]
    alone = indices(loader(seed=1))
    updates = list(zip(*together, strict=True))
    assert [places(batch) for update in updates for batch in update if batch.counts] == alone
    assert len(updates) == len(loader(world_size=ranks))
    assert [batch.counts for batch in updates[-1]] == [rank < (len(alone) % ranks or ranks) for rank in range(ranks)]
    assert all(places(batch) == alone[-1] for batch in updates[-1] if not batch.counts)


def test_any_number_of_ranks_continues_an_epoch_anywhere():
    whole, draw = indices(loader(seed=1)), random.Random(7)
    for _ in range(20):
        seen, state = [], None
        while len(seen) < len(whole):
            ranks = draw.randint(1, 9)
            together = [loader(seed=1, rank=rank, world_size=ranks) for rank in range(ranks)]
            for each in together if state else ():
                each.load_state_dict(state)
            done, left, updates = together[0].done, together[0].left, draw.randint(1, 5)
            read = itertools.islice(zip(*together, strict=True), updates)
            new = [places(batch) for update in read for batch in update if batch.counts]
            assert len(new) == together[0].done - done and together[0].left == max(0, left - updates)
            seen, state = seen + new, together[0].state_dict()
            assert state["read"] == sum(map(len, seen)) and all(each.state_dict() == state for each in together)
        assert seen == whole


def stopped(after, **settings):
    one = loader(seed=1, **settings)
    batches = iter(one)
    for _ in range(after):
        next(batches)
    return one.state_dict()


def test_an_epoch_whose_batches_have_changed_is_not_gone_on_with(monkeypatch):
    changed = [loader(90, seed=1), loader(of=pairs(199), seed=1), loader(of=PAIRS[::-1], seed=1), loader(seed=2)]
    monkeypatch.setattr("nmt.data.batches.ORDER", 1)
    changed.append(loader(seed=1))
    changed[-1].plan()
    monkeypatch.undo()
    for other in changed:
        with pytest.raises(UserError, match=r"inside an epoch of 200 pairs, whose batches are now other ones; change"):
            other.load_state_dict(stopped(1))
        other.load_state_dict(stopped(0))
        assert other.done == 0, "an epoch that has not begun may have other batches"


@pytest.mark.parametrize("budget", [60, 90, 300])
def test_after_a_whole_epoch_other_batches_begin_with_the_next_one(budget):
    other, fresh = loader(budget, seed=1), loader(budget, seed=1)
    other.load_state_dict(stopped(len(loader())))
    assert indices(other) == [], "nothing is left of that epoch"
    other.set_epoch(1), fresh.set_epoch(1)
    assert indices(other) == indices(fresh) != []


def test_validation_is_whole_and_goes_from_short_to_long_each_time():
    validation = loader(shuffled=False)
    whole = indices(validation)
    assert sorted(i for batch in whole for i in batch) == list(range(200))
    lengths = [max(batch.source.shape[1], batch.target_in.shape[1]) for batch in validation]
    assert lengths == sorted(lengths)
    next(iter(validation))  # left early
    assert indices(validation) == whole
