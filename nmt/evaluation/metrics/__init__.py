"""Metrics: one class in one file each, and `base`, which scores a corpus with several of them."""
