"""Positions of a Transformer: the three hooks in `base`, and the kinds of positions."""
