"""Position encodings of the Transformer, one file each."""
