"""Hides pieces of the input, for word dropout and SimCut."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.tokens import BOS, EOS, PAD


def hide(tokens: Tensor, share: float) -> Tensor:
    """Return `tokens` (B, T) with PAD in place of a random `share` of the pieces.

    The embedding of PAD is zero, so a hidden piece is a position without content: its mask stays True. The beginning
    and the end of a sentence are never hidden.
    """
    if share == 0.0:
        return tokens
    special = (tokens == PAD) | (tokens == BOS) | (tokens == EOS)
    chosen = torch.rand(tokens.shape, device=tokens.device) < share
    return tokens.masked_fill(chosen & ~special, PAD)
