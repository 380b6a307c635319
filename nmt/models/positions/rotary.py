"""Rotary positions (Su et al. 2021, arXiv:2104.09864)."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.models.positions.base import Positions
from nmt.models.positions.sinusoidal import angles


class Rotary(Positions):
    """Rotates each pair of dimensions of queries and keys by an angle that grows with the position (eq. 34).

    (x_2i, x_2i+1) becomes (x_2i cos t - x_2i+1 sin t, x_2i sin t + x_2i+1 cos t) with the angle
    t = position * 10000^(-2i / width) in radians, where `width` is the width of a head.

    The product of a rotated query and a rotated key depends on their distance, not on their positions. Raises
    ValueError for heads of an odd width.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)
        if (width // heads) % 2:
            raise ValueError(
                f"rotary needs an even width of each head, got {width} / {heads} = {width // heads}; "
                f"change the width or the number of heads"
            )

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        turns = angles(start, x.shape[2], x.shape[3], x.device)
        cos, sin = turns.cos().to(x.dtype), turns.sin().to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)
