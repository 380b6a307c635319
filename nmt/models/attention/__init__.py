"""Attention of recurrent decoders: the base class in `base`, and the families, similar ones in one file."""
