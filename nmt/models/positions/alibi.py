"""Attention with linear biases, ALiBi (Press, Smith, Lewis 2021, arXiv:2108.12409)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from nmt.models.positions.base import Positions


class Alibi(Positions):
    """Subtracts from each score the distance of query and key, times a slope of the head (arXiv:2108.12409, section 3).

    score_ij = q_i . k_j * scale - m_h |i - j| for query i, key j and head h, with the slope m_h of `head_slopes`.

    In a decoder the distance is i - j as in the paper, because the mask hides later keys. An encoder treats earlier and
    later keys alike. Nothing is learned.
    """

    slopes: Tensor

    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)
        self.register_buffer("slopes", torch.tensor(head_slopes(heads)).view(-1, 1, 1), persistent=False)

    def bias(self, queries: Tensor, length: int, *, start: int = 0, scale: float = 1.0) -> Tensor | None:
        keys = torch.arange(length, device=queries.device)
        distance = (keys[start : start + queries.shape[2], None] - keys).abs()  # (T, S)
        return (-self.slopes * distance).unsqueeze(0).to(queries.dtype)


def head_slopes(heads: int) -> list[float]:
    """Return the slope of each head: for n heads, a power of two, the series 2^(-8/n), 2^(-16/n), ..., 2^-8.

    For another number of heads, the series for the next lower power of two is followed by every other slope of the
    series for twice that power, as in the authors' code.
    """
    power = 2 ** math.floor(math.log2(heads))
    slopes = [2.0 ** (-8 * (head + 1) / power) for head in range(power)]
    return slopes if power == heads else slopes + head_slopes(2 * power)[0::2][: heads - power]
