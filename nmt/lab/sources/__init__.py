"""Corpora for looking at models: the texts of programs, and a translation with word alignments made by people."""
