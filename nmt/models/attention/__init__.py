"""Attention of recurrent decoders: the contract in `base`, and one file for each family."""
