"""Sinusoidal positions (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.models.positions.angles import angles
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
