"""The base class of all positions: three hooks, each of which changes nothing unless a subclass overrides it.

Legend: B sentences, H heads, T queries, S keys, D width of the model.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn


class Positions(nn.Module):
    """Gives the layers of one encoder or decoder the positions of tokens.

    A subclass overrides one hook: `embed` changes the embeddings once, below the first layer; `rotate` changes the
    queries and keys of every self-attention; `bias` adds to its scores. Positions count from 0. In a decoding step,
    `start` is the position of the new token; otherwise it is 0.

    `max_length` is the largest number of tokens that a sentence may have, or None if every length works.
    """

    max_length: int | None = None

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        """Return the embeddings `x` (B, T, D) with their positions start, start + 1, ... added."""
        return x

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        """Return the queries or keys `x` (B, H, T, D / H), changed by their positions start, start + 1, ..."""
        return x

    def bias(self, queries: Tensor, length: int, *, start: int = 0, scale: float = 1.0) -> Tensor | None:
        """Return a bias for the attention scores, (1 or B, 1 or H, T, S) in the dtype of `queries`, or None.

        `queries` (B, H, T, D / H) are at the positions start, start + 1, ..., and the S = `length` keys at 0, 1, ...
        Scores are queries times keys times `scale`. The mask is applied after the bias is added.
        """
        return None


class NoPositions(Positions):
    """No positions: an encoder reads a bag of words, and a decoder learns the order from the causal mask alone."""


# Makes positions for a `width` D and the number of `heads` H: a class derived from `Positions`, or a partial of one
PositionsFactory = Callable[..., Positions]
