"""Positions by waves: added to embeddings (arXiv:1706.03762), or rotating queries and keys (arXiv:2104.09864)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from nmt.models.positions.base import Positions


class Sinusoidal(Positions):
    """Adds fixed sine and cosine waves to the embeddings (arXiv:1706.03762, section 3.5).

    Even dimensions have sines, and odd ones cosines. The wavelengths go from 2 pi to 10000 * 2 pi.
    """

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        length, width = x.shape[1:]
        turns = angles(start, length, width, x.device)
        waves = torch.stack((turns.sin(), turns.cos()), dim=-1).flatten(1)[:, :width]
        return x + waves.to(x.dtype)


def angles(start: int, length: int, width: int, device: torch.device) -> Tensor:
    """Return angles (length, ceil(width / 2)) in radians for the positions start, start + 1, ...

    Column i is the position times 10000^(-2i / width) (arXiv:1706.03762, section 3.5).
    """
    positions = torch.arange(start, start + length, device=device, dtype=torch.float32)
    exponents = torch.arange(0, width, 2, device=device, dtype=torch.float32)
    return torch.outer(positions, torch.exp(-math.log(10000.0) / width * exponents))


class Rotary(Positions):
    """Rotates each pair of dimensions of queries and keys by an angle that grows with the position (arXiv:2104.09864).

    (x_2i, x_2i+1) becomes (x_2i cos t - x_2i+1 sin t, x_2i sin t + x_2i+1 cos t) with the angle
    t = position * 10000^(-2i / width) in radians, where `width` is the width of a head (eq. 34).

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
