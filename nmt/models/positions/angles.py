"""The angles that sinusoidal and rotary positions share."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def angles(start: int, length: int, width: int, device: torch.device) -> Tensor:
    """Return angles (length, ceil(width / 2)) in radians for the positions start, start + 1, ...

    Column i is the position times 10000^(-2i / width) (arXiv:1706.03762, section 3.5).
    """
    positions = torch.arange(start, start + length, device=device, dtype=torch.float32)
    exponents = torch.arange(0, width, 2, device=device, dtype=torch.float32)
    return torch.outer(positions, torch.exp(-math.log(10000.0) / width * exponents))
