"""Metrics, and a split translated and scored with them."""
