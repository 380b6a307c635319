"""Attention of recurrent decoders: the base class in `base`, and one file for each family."""
