"""Attention of recurrent decoders: the base class is in `base`, and similar families share a file."""
