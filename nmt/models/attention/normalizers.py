"""Functions that turn scores into weights that sum to 1. All of them give exactly 0 where a score is -inf.

- softmax: every weight is above 0.
- sparsemax: the nearest point of the simplex, so that small scores get exactly 0 (arXiv:1602.02068, eq. 2).
- entmax: 1.5-entmax, half-way between the two (arXiv:1905.05702, section 3).

The last two are computed by the package entmax.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal, cast

import torch
from torch import Tensor

from nmt.errors import ParameterError, missing_packages

Normalizer = Literal["softmax", "sparsemax", "entmax"]


def normalizer_function(normalizer: Normalizer) -> Callable[[Tensor], Tensor]:
    """Return a function from scores (..., S) to weights (..., S).

    Raises ParameterError if the package that computes it is not installed.
    """
    if normalizer == "softmax":
        return functools.partial(torch.softmax, dim=-1)
    if missing := missing_packages("entmax", extra="entmax"):
        raise ParameterError("normalizer", f"'{normalizer}' {missing}")
    return functools.partial(_by_entmax, "sparsemax" if normalizer == "sparsemax" else "entmax15")


def _by_entmax(name: str, scores: Tensor) -> Tensor:
    import entmax

    precise = scores.float() if scores.element_size() < 4 else scores  # the functions sum over the sorted scores
    return cast(Tensor, getattr(entmax, name)(precise, dim=-1)).to(scores.dtype)
