"""No positions."""

from __future__ import annotations

from nmt.models.positions.base import Positions


class NoPositions(Positions):
    """No positions: an encoder reads a bag of words, and a decoder learns the order from the causal mask alone."""
