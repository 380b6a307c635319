"""Embeddings that begin with the co-occurrence of pieces."""

from __future__ import annotations

import torch
from torch import nn

from nmt.models.cooccurrence import RARE, begin_with_cooccurrence, cooccurrence_vectors

# Pieces 1 and 2 are translations of each other: they are always in the same pairs. Piece 8 is in no pair.
IDS = [([0, 1, 3], [2]), ([0, 1, 4], [2]), ([0, 5, 3], [6]), ([0, 5, 4], [6, 7]), ([0, 1], [2, 7])] * 5
PAIRS = [(source, target, None) for source, target in IDS]
SIZE, WIDTH = 9, 8


def test_the_vectors_are_eigenvectors_of_the_information_of_two_pieces() -> None:
    bags = [{*source, *target} for source, target in IDS]
    counts = torch.zeros(SIZE, SIZE, dtype=torch.double)
    for bag in bags:
        for one in bag:
            for other in bag:
                counts[one, other] += 1
    totals = counts.sum(1)
    information = (counts * counts.sum() / totals.outer(totals)).log().nan_to_num(0.0, neginf=0.0).clamp(min=0.0)
    information *= (counts / RARE).clamp(max=1.0)
    values, vectors = torch.linalg.eigh(information)
    largest = values.abs().argsort(descending=True)[:WIDTH]
    wanted = vectors[:, largest] * values[largest].abs().sqrt()
    wanted = nn.functional.normalize(wanted - wanted[:8].mean(0), dim=1)
    found = cooccurrence_vectors(bags, SIZE, WIDTH).double()
    # A rotation and the signs of eigenvectors do not change inner products.
    assert torch.allclose((found @ found.T)[:8, :8], (wanted @ wanted.T)[:8, :8], atol=1e-4)
    assert not found[8].any()


def test_a_table_begins_near_translations_and_keeps_what_no_pair_has() -> None:
    table = nn.Embedding(SIZE, 64)
    nn.init.normal_(table.weight, std=64**-0.5)
    before = table.weight.detach().clone()
    begin_with_cooccurrence(table, PAIRS)
    assert torch.equal(table.weight[8], before[8])

    def likeness(one: int, other: int) -> float:
        return float(torch.cosine_similarity(table.weight[one].detach(), table.weight[other].detach(), dim=0))

    assert likeness(1, 2) > 0.3 > likeness(1, 5)
    assert 0.5 < float(table.weight.detach().norm(dim=1).mean()) < 1.5
