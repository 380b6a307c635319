"""Corpora of the laboratory: the texts of programs, and a translation with word alignments made by people."""
