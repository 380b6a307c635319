"""Tables of vectors that are looked up by an index."""

from __future__ import annotations

from torch import nn


def make_embedding(size: int, width: int) -> nn.Embedding:
    """Return a table of `size` vectors, drawn from a normal distribution with a standard deviation of 1 / sqrt(width).

    These values are small enough for an output layer that shares the table.
    """
    embedding = nn.Embedding(size, width)
    nn.init.normal_(embedding.weight, std=width**-0.5)
    return embedding
