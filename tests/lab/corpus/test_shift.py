"""A shift is found with its lines and its direction, and in no good corpus."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from nmt.data.pair import SentencePair, Split
from nmt.lab.corpus.inspection import BLOCK, sample
from nmt.lab.corpus.shift import WINDOW, Stretch, find_shifts
from tests.lab.corpus.good import CORPORA, good_pairs, paired


def shifted(pairs, start, end, offset):
    """Return the pairs after lines were lost or added: source i has target i + offset, from `start` to before `end`."""
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if offset > 0:
        targets = [*targets[:start], *["?"] * offset, *targets[start : end - offset], *targets[end:]]
    else:
        targets = [*targets[:start], *targets[start - offset : end], *["?"] * -offset, *targets[end:]]
    return paired(sources, targets)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA, ids=" ".join)
def test_ten_shifts_are_found_and_none_in_the_good_corpus(corpus):
    pairs, draw = good_pairs(*corpus), random.Random(5)
    assert find_shifts(pairs) == []
    for number in range(10):
        offset = draw.choice([-1, 1])
        start = draw.randrange(len(pairs) - 300)
        end = len(pairs) if number % 2 else start + 300  # to the end or to another line
        (found,) = find_shifts(shifted(pairs, start, end, offset))
        assert found.offset == offset and abs(found.start - start) <= WINDOW and abs(found.end - end) <= WINDOW


@pytest.mark.parametrize("corpus", CORPORA, ids=" ".join)
def test_what_is_alike_in_neighbouring_lines_is_no_shift(corpus):
    pairs, draw = list(good_pairs(*corpus)), random.Random(5)
    by_length = sorted(pairs, key=lambda pair: len(pair.source))
    by_name = sorted(pairs, key=lambda pair: pair.source)
    twice = [pair for pair in pairs for _ in range(2)]
    many_targets = [replace(pair, target=pair.target + " " * draw.randrange(30)) for pair in pairs for _ in range(5)]
    targets = draw.sample([pair.target for pair in pairs], len(pairs))
    unrelated = [replace(pair, target=target) for pair, target in zip(pairs, targets, strict=True)]
    for other in (by_length, by_name, twice, many_targets, unrelated, pairs[:29], [SentencePair("", "")] * 500):
        assert find_shifts(other) == []


def test_each_lost_line_adds_to_the_shift():
    pairs = good_pairs("cldr", "en", "de")
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    first, second = find_shifts(paired(sources, [*targets[:1000], *targets[1001:2000], *targets[2001:]]))
    assert (first.offset, second.offset) == (-1, -2) and first.end <= second.start
    assert find_shifts(paired(sources[1:], targets[:-1])) == [Stretch(0, len(pairs) - 1, 1)]


def test_a_sample_has_blocks_and_numbers_of_the_whole():
    pairs = list(good_pairs("cldr", "en", "de"))
    for given in (paired(*zip(*((pair.source, pair.target) for pair in pairs), strict=True)), pairs):
        part = list(sample(Split.of(given), 1000))
        assert [pair.line for pair in part] == [n + 1 for n in range(len(pairs)) if n // BLOCK % 3 == 0]
    for size in (1, 99, 100, 101, 350, 1000):
        assert 0 < len(sample(Split.of(pairs[:size]), 100)) <= 100
