"""Attention for recurrent decoders: the contract in `base`, one file a family beside it."""
