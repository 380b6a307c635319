"""Learned absolute positions (Gehring et al. 2017, arXiv:1705.03122)."""

from __future__ import annotations

from torch import Tensor, nn

from nmt.errors import UserError
from nmt.models.positions.base import Positions
from nmt.parameters import Length, checked


@checked
class Learned(Positions):
    """Adds a learned vector for each position to the embeddings (arXiv:1705.03122, section 3.1).

    `max_length` is the number of positions and therefore the largest number of tokens of a sentence, eos included. A
    longer sentence raises UserError.
    """

    def __init__(self, width: int, heads: int, max_length: Length = 512) -> None:
        super().__init__(width, heads)
        self.max_length = max_length
        self.table = nn.Embedding(max_length, width)
        nn.init.normal_(self.table.weight, std=width**-0.5)

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        end = start + x.shape[1]
        if end > self.table.num_embeddings:
            raise UserError(
                f"learned positions: got a sentence of {end} tokens, expected at most max_length="
                f"{self.table.num_embeddings}; use shorter sentences, or train with a larger max_length or with "
                f"other positions"
            )
        return x + self.table.weight[start:end].to(x.dtype)
