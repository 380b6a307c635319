"""Where a token stands: sinusoidal position encodings and rotary position embeddings."""

from __future__ import annotations

import math

import torch
from torch import Tensor


def sinusoids(start: int, length: int, width: int, like: Tensor) -> Tensor:
    """Return the encodings (length, width) of positions start, start+1, ...

    Sine in the even, cosine in the odd dimensions, wavelengths from 2*pi to 10000*2*pi (arXiv:1706.03762, section 3.5).
    """
    angles = _angles(start, length, width, like)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)[:, :width].to(like.dtype)


def rotate(heads: Tensor, start: int) -> Tensor:
    """Return `heads` (B, H, T, D) with each pair of dimensions turned by its position (arXiv:2104.09864, eq. 34).

    The product of a rotated query and a rotated key depends on their distance only. D is even.
    """
    angles = _angles(start, heads.shape[2], heads.shape[3], heads)
    cos, sin = angles.cos().to(heads.dtype), angles.sin().to(heads.dtype)
    even, odd = heads[..., 0::2], heads[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def _angles(start: int, length: int, width: int, like: Tensor) -> Tensor:
    positions = torch.arange(start, start + length, device=like.device, dtype=torch.float32)
    exponents = torch.arange(0, width, 2, device=like.device, dtype=torch.float32)
    return torch.outer(positions, torch.exp(-math.log(10000.0) / width * exponents))
