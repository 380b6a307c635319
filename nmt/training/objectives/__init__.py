"""Training objectives, each in its own file. They are computed from the hidden states of the decoder."""
