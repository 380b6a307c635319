"""Filters of training pairs: one class for each thing that can be wrong with a pair."""
