"""The data report: what a parallel corpus holds and what is wrong with it, before anything is trained on it."""
