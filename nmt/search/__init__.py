"""Decoding strategies over any step function: tensors in, hypotheses out."""
