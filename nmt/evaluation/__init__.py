"""Metrics, and the evaluation of a split with them."""
