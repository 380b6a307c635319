"""The sources of sentence pairs, each in its own file."""
