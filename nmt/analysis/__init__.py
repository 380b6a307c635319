"""Draws attention maps as pictures."""
