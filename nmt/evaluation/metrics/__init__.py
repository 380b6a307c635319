"""Metrics, each in its own file, and `base`, which scores a corpus with several of them."""
