"""A shift is found with its lines and its direction, and in no good corpus."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from nmt.data.pair import SentencePair, Split
from nmt.lab.corpus.inspection import BLOCK, sample
from nmt.lab.corpus.shift import find_shifts
from tests.lab.corpus.good import CORPORA, find, good_pairs

NEAR = 20  # lines from where a shift begins or ends to where that is found


def paired(sources, targets):
    """Return the pairs of two files as a reader would, with their lines."""
    return [SentencePair(*texts, line) for line, texts in enumerate(zip(sources, targets, strict=False), 1)]


def shifted(pairs, start, end, offset):
    """Return the pairs after lines were lost or added: source i has target i + offset, from `start` to before `end`."""
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    if offset > 0:
        targets = [*targets[:start], *["?"] * offset, *targets[start : end - offset], *targets[end:]]
    else:
        targets = [*targets[:start], *targets[start - offset : end], *["?"] * -offset, *targets[end:]]
    return paired(sources, targets)


@pytest.mark.parametrize("corpus", CORPORA, ids=" ".join)
def test_ten_shifts_are_found_and_none_in_the_good_corpus(corpus):
    pairs, draw = good_pairs(*corpus), random.Random(5)
    assert find_shifts(pairs) == []
    for number in range(10):
        offset = draw.choice([-1, 1])
        start = draw.randrange(len(pairs) - 200)
        end = len(pairs) if number % 2 else start + 200  # to the end or to another line
        (found,) = find_shifts(shifted(pairs, start, end, offset))
        assert found.offset == offset and abs(found.start - start) <= NEAR and abs(found.end - end) <= NEAR


@pytest.mark.parametrize("corpus", CORPORA, ids=" ".join)
def test_what_is_alike_in_neighbouring_lines_is_no_shift(corpus):
    pairs, draw = list(good_pairs(*corpus)), random.Random(5)
    by_length = sorted(pairs, key=lambda pair: len(pair.source))
    by_name = sorted(pairs, key=lambda pair: pair.source)
    twice = [pair for pair in pairs for _ in range(2)]
    many_targets = [replace(pair, target=pair.target + " " * draw.randrange(30)) for pair in pairs for _ in range(5)]
    targets = draw.sample([pair.target for pair in pairs], len(pairs))
    unrelated = [replace(pair, target=target) for pair, target in zip(pairs, targets, strict=True)]
    for other in (by_length, by_name, twice, many_targets, unrelated):
        assert find_shifts(other) == []


def test_each_lost_line_adds_to_the_shift():
    pairs = good_pairs("cldr", "en", "de")
    targets = [pair.target for pair in pairs]
    lost = [*targets[:1000], *targets[1001:2000], *targets[2001:]]
    first, second = find_shifts(paired([pair.source for pair in pairs], lost))
    assert (first.offset, second.offset) == (-1, -2)
    assert abs(first.start - 1000) <= NEAR and abs(second.start - 1999) <= NEAR and first.end <= second.start


@pytest.mark.parametrize("size", [1, 2, 15, 29, 500])
def test_few_pairs_are_no_shift(size):
    assert find_shifts(good_pairs("cldr", "en", "de")[:size]) == []
    assert find_shifts([SentencePair("", "")] * size) == []


def test_the_note_names_the_lines():
    pairs = shifted(good_pairs("cldr", "en", "de"), 1500, 2000, 1)
    notes = find("shifted", pairs, ("en", "de"))
    assert set(notes) >= set(range(1510, 1990)) and set(notes) <= set(range(1490, 2010))
    first, last = min(notes), max(notes)
    (note,) = set(notes.values())
    assert note == f"from line {first + 1:,} to line {last + 1:,}, the target of each source is 1 line later"
    without_lines = [replace(pair, line=None) for pair in pairs]
    assert find("shifted", without_lines, ("en", "de"))[first].startswith(
        f"from pair {first + 1:,} to pair {last + 1:,}, "
    )


def test_in_a_sample_the_lines_are_those_of_the_whole():
    pairs = shifted(good_pairs("cldr", "en", "de"), 1550, 3000, -1)
    for given in (pairs, [replace(pair, line=None) for pair in pairs]):
        part = sample(Split.of(given), 1000)
        assert list(part) == [pair for index, pair in enumerate(pairs) if index // BLOCK % 3 == 0] and len(part) == 1000
    assert list(find("shifted", list(part), ("en", "de")).values())[-1].startswith("from line 1,5")
    for size in (1, 99, 100, 101, 350, 1000):
        assert 0 < len(sample(Split.of(pairs[:size]), 100)) <= 100
