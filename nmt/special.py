"""What every vocabulary shares: the ids of the special tokens and the mark of a word's beginning."""

PAD, UNK, BOS, EOS = 0, 1, 2, 3
WORD_MARK = "\u2581"  # "▁": SentencePiece writes it for a space
