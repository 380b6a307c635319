"""Sinusoidal positions (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from nmt.models.positions.base import Positions


class Sinusoidal(Positions):
    """Adds fixed sine and cosine waves to the embeddings (arXiv:1706.03762, section 3.5).

    Sine in the even and cosine in the odd dimensions, with wavelengths from 2 pi to 10000 * 2 pi.
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
