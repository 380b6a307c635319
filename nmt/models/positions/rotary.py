"""Rotary positions (Su et al. 2021, arXiv:2104.09864)."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.models.positions.angles import angles
from nmt.models.positions.base import Positions


class Rotary(Positions):
    """Rotates each pair of dimensions of queries and keys by an angle that grows with the position (eq. 34).

    The product of a rotated query and a rotated key depends on their distance, not on where they stand. Raises
    ValueError for heads of an odd width.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__(width, heads)
        if (width // heads) % 2:
            raise ValueError(
                f"rotary needs an even width of each head, got {width} / {heads} = {width // heads}; "
                f"change the width or the number of heads"
            )

    def rotate(self, heads: Tensor, start: int = 0) -> Tensor:
        turns = angles(start, heads.shape[2], heads.shape[3], heads.device)
        cos, sin = turns.cos().to(heads.dtype), turns.sin().to(heads.dtype)
        even, odd = heads[..., 0::2], heads[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)
