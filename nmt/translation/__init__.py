"""Sentences in, translations out: with one model or several, loaded from checkpoints."""
