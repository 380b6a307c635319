"""Callbacks: one file each, and a node of configs/callbacks for those that a user may set."""
