"""Callbacks, each in its own file. Those that a user may set have a node in configs/callbacks."""
