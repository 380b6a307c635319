"""The factor of scores that grow with the width of the states."""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

from nmt.require import require_choice

Scale = Literal["none", "sqrt", "learned"]
SCALES = ("none", "sqrt", "learned")


def make_factor(scale: str, width: int) -> nn.Parameter | float:
    """Return the factor of scores that sum over `width` terms.

    It is 1 for "none"; 1 / sqrt(width) for "sqrt" (arXiv:1706.03762, eq. 1); a parameter that begins at 1 / sqrt(width)
    for "learned". Raises ParameterError for another scale.
    """
    require_choice(SCALES, scale=scale)
    if scale == "none":
        return 1.0
    return nn.Parameter(torch.tensor(width**-0.5)) if scale == "learned" else width**-0.5


def require_equal_widths(query_width: int, memory_width: int) -> None:
    """Raise ValueError if the widths differ."""
    if query_width != memory_width:
        raise ValueError(
            f"got a decoder of width {query_width} and a memory of width {memory_width}, expected equal widths for a "
            f"score without a matrix; make them equal, or use general, concat, additive, location or multihead"
        )
