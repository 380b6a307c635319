"""The ids of the special tokens and the mark of a new word, the same in every vocabulary."""

PAD, UNK, BOS, EOS = 0, 1, 2, 3
WORD_MARK = "\u2581"  # "▁": SentencePiece writes this character for a space
