"""Positions of a Transformer: the three hooks in `base`, and one file for each kind of positions."""
