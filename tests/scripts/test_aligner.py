"""The aligner computes what IBM Model 1 computes, and finds pieces that always stand together."""

from __future__ import annotations

import math
import random
from collections import defaultdict

import pytest

from scripts.recipes.aligned import DIAGONAL, ROUNDS, Aligner

Pairs = list[tuple[list[int], list[int]]]
Table = dict[tuple[int, int], float]


def shares(table: Table, source: list[int], piece: int, height: float) -> list[float]:
    weights = [
        table[each, piece] * math.exp(-DIAGONAL * abs(place / len(source) - height))
        for place, each in enumerate(source)
    ]
    return [weight / sum(weights) for weight in weights]


def learned(pairs: Pairs) -> Table:
    """Return the probabilities of target pieces, given a source piece, by loops over all possible links."""
    table: Table = defaultdict(lambda: 1.0)
    for _ in range(ROUNDS):
        counts: Table = defaultdict(float)
        totals: dict[int, float] = defaultdict(float)
        for source, target in pairs:
            for place, piece in enumerate(target):
                for position, share in enumerate(shares(table, source, piece, place / len(target))):
                    counts[source[position], piece] += share
                    totals[source[position]] += share
        table = {key: count / totals[key[0]] for key, count in counts.items()}
    return table


def test_links_are_the_most_probable_ones_of_the_model() -> None:
    draw = random.Random(2)
    sources = [[draw.randint(4, 60) for _ in range(draw.randint(1, 9))] for _ in range(80)]
    pairs = [(source, [draw.choice([piece, draw.randint(4, 60)]) for piece in source]) for source in sources]
    aligner, table = Aligner(pairs), learned(pairs)
    for source, target in pairs:
        for place, position in enumerate(aligner.links(source, target)[0]):
            probabilities = shares(table, source, target[place], place / len(target))
            assert probabilities[position] == pytest.approx(max(probabilities), rel=1e-4)


def test_pieces_that_it_has_never_seen_are_linked_along_the_diagonal() -> None:
    aligner = Aligner([([5], [6])])
    assert aligner.links([7, 8, 9], [10, 11, 12]) == ([0, 1, 2], [0, 1, 2])
