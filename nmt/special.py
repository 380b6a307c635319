"""The ids of the special tokens, the reserved pieces and the mark of a new word, the same in every vocabulary."""

PAD, UNK, BOS, EOS = 0, 1, 2, 3
WORD_MARK = "\u2581"  # "▁": SentencePiece writes this character for a space
# Pieces for later use, because a trained model cannot get new ones: each stands for a part of a text that must not be
# changed. The brackets are those of OpenNMT's placeholders.
RESERVED = [f"\uff5f{number}\uff60" for number in range(16)]
