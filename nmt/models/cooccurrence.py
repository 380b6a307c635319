"""Embeddings that begin with the co-occurrence of pieces in the training pairs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

MAX_PAIRS = 100_000  # of a larger corpus, every n-th pair is counted
RARE = 3  # the information of two pieces with fewer common pairs is reduced in proportion
ITERATIONS = 4  # of the subspace iteration


@torch.no_grad()
def begin_with_cooccurrence(table: nn.Embedding, pairs: Sequence[tuple[list[int], list[int], Any]]) -> None:
    """Replace half of the variance of a joint table by what the pieces of the pairs say; the other half stays random.

    A pair begins with its source and its target as ids. So a piece begins near the pieces of its own language with
    which it occurs, and near its translations. A piece that is in no pair stays as it is.
    """
    step = -(-len(pairs) // MAX_PAIRS)
    bags = [set(chain(*pairs[place][:2])) for place in range(0, len(pairs), step)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse", category=UserWarning)
        vectors = cooccurrence_vectors(bags, *table.weight.shape)
    mixed = (table.weight + vectors) * 0.5**0.5
    table.weight.copy_(torch.where(vectors.any(1, keepdim=True), mixed, table.weight))


def cooccurrence_vectors(bags: Sequence[set[int]], size: int, width: int) -> Tensor:
    """Return vectors (size, width) of length 1 for the pieces of `bags`, and of length 0 for the others.

    They are the first eigenvectors of the positive pointwise mutual information of two pieces in a bag, times the root
    of their eigenvalues (Levy and Goldberg 2014, section 5), without their mean and in a random rotation.
    """
    rows = torch.arange(len(bags)).repeat_interleave(torch.tensor([len(bag) for bag in bags]))
    columns = torch.tensor(list(chain.from_iterable(bags)))
    occurs = torch.sparse_coo_tensor(torch.stack([rows, columns]), torch.ones(len(rows)), (len(bags), size))
    together = torch.sparse.mm(occurs.t(), occurs).coalesce()
    (one, other), counts = together.indices(), together.values()
    totals = torch.zeros(size).index_add_(0, one, counts)
    information = (counts / totals[one] / totals[other] * counts.sum()).log().clamp(min=0.0)
    information *= (counts / RARE).clamp(max=1.0)
    matrix = torch.sparse_coo_tensor(together.indices(), information, (size, size)).to_sparse_csr()
    basis = torch.randn(size, min(size, width + width // 4))
    for _ in range(ITERATIONS):
        basis = torch.linalg.qr(matrix @ basis)[0]
    values, turn = torch.linalg.eigh(basis.T @ (matrix @ basis))
    largest = values.abs().argsort(descending=True)[:width]
    vectors = basis @ turn[:, largest] * values[largest].abs().sqrt()
    vectors = (vectors - vectors[totals > 0].mean(0)) @ torch.linalg.qr(torch.randn(width, len(largest)))[0].T
    return nn.functional.normalize(vectors, dim=1) * (totals > 0).unsqueeze(1)
