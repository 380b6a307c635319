"""Positions of a Transformer: the three hooks in `base`, and one file for each way to tell where a token stands."""
