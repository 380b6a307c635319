"""Attention maps drawn and measured."""
