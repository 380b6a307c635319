"""Loads or generates sentence pairs, tokenizes them, and makes batches of ids."""
