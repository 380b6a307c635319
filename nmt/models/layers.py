"""Layers that models share: dropout with fast random numbers on a CPU, gated linear units, and token embeddings."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from nmt.tokens import PAD


class _Draws(threading.local):
    generator: torch.Generator | None = None


draws = _Draws()  # for random numbers of this thread on a CPU; None: torch's own generator, which all threads share


class Dropout(nn.Dropout):
    """Inverted dropout (Srivastava et al. 2014): sets elements to zero with probability `p` and scales the rest.

    The scale is 1 / (1 - p), so that the expectation does not change. On a CPU the mask compares random bytes, which is
    five times as fast as torch's Bernoulli sampler. It rounds `p` to a multiple of 1/256; the scale uses the rounded
    value.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return `x` with a new random mask applied; in evaluation mode, or if `p` is 0, return `x` itself."""
        if not self.training or self.p == 0.0:
            return x
        if x.device.type != "cpu":
            return nn.functional.dropout(x, self.p)
        threshold = min(255, round(self.p * 256))
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64)
        words.random_(-(2**63), 2**63 - 1, generator=draws.generator)
        # A comparison in the type of the numbers is five times as fast as one of bytes with bools as its result.
        keep = words.view(torch.uint8)[: x.numel()].view(x.shape).to(x.dtype).ge_(threshold)
        return x * keep.mul_(256 / (256 - threshold))


class GatedLinearUnit(nn.Module):
    """The second half of the input times the activated first half (arXiv:1612.08083).

    GEGLU has the activation GELU, and SwiGLU has Swish, x * sigmoid(x), also called SiLU (Shazeer 2020,
    arXiv:2002.05202, eq. 5 and 6).
    """

    def __init__(self, activation: nn.Module) -> None:
        super().__init__()
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        """Return (..., F) for `x` (..., 2 F)."""
        gate, values = x.chunk(2, dim=-1)
        out: Tensor = self.activation(gate) * values
        return out


class TokenEmbedding(nn.Embedding):
    """A table of `size` vectors, drawn from a normal distribution with a standard deviation of 1 / sqrt(width).

    These values are small enough for an output layer that shares the table. The vector of padding is zero, even if such
    an output layer trains its row; training uses it to hide words.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__(size, width)
        nn.init.normal_(self.weight, std=width**-0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the vectors (..., width) of `tokens` (...)."""
        return super().forward(tokens) * (tokens != PAD).unsqueeze(-1)


class _WithoutDraws(TorchFunctionMode):
    """Leaves out `normal_` and `uniform_`. For the meta device, torch would import its compiler to run them."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function in (nn.init.normal_, Tensor.normal_, nn.init.uniform_, Tensor.uniform_):
            return args[0] if args else kwargs["tensor"]
        return function(*args, **kwargs or {})


@contextmanager
def shapes_only() -> Iterator[None]:
    """Make every tensor on the meta device while the block runs: it has a shape, but neither memory nor values."""
    with torch.device("meta"), _WithoutDraws():
        yield
