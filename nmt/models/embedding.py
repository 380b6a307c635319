"""Tables of vectors that are looked up by a token."""

from __future__ import annotations

from torch import Tensor, nn

from nmt.tokens import PAD


class TokenEmbedding(nn.Embedding):
    """A table of `size` vectors, drawn from a normal distribution with a standard deviation of 1 / sqrt(width).

    These values are small enough for an output layer that shares the table. The vector of padding is zero, also if such
    a layer trains its row; training hides words in this way.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__(size, width)
        nn.init.normal_(self.weight, std=width**-0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the vectors (..., width) of `tokens` (...)."""
        return super().forward(tokens) * (tokens != PAD).unsqueeze(-1)
