"""What training minimizes: one file for each objective, over the hidden states of the decoder."""
