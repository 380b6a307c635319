"""Encoders, decoders and attention in plain PyTorch."""
