"""The ids of the special tokens, the reserved pieces and the mark of a new word, the same in every vocabulary."""

from __future__ import annotations

import re
from dataclasses import dataclass

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIAL = ("<s>", "</s>", "<pad>")
WORD_MARK = "\u2581"  # "▁": SentencePiece writes this character for a space
# Pieces of every vocabulary, because a trained model cannot get new ones. The last one has no use yet. OpenNMT has the
# same brackets.
RESERVED = [f"\uff5f{number}\uff60" for number in range(16)]
SPAN_MARKS = RESERVED[:8]  # each stands for a part of a text that must not be changed; see `nmt.text.protect`
ELEMENT_MARKS = list(zip(RESERVED[8:14:2], RESERVED[9:14:2], strict=True))  # for a start tag and its end tag
START_MARKS = frozenset(start for start, _ in ELEMENT_MARKS)
MACHINE_MARK = RESERVED[14]  # begins a training source that a model has written; see scripts/synthesize.py
TAG = re.compile(r">>(.+)<<")  # of a target language, as OPUS-MT writes it: ">>de<<"


@dataclass(frozen=True)
class Piece:
    """One token, for pictures and tables.

    `label` is readable text: "▁" stands for a space, "</s>" for the end of the sentence, "<9F>" for a byte. Several
    byte tokens can spell one character. Then the first has the character as its label ("<U+200B>" if it is invisible),
    and `continues` is True for the others. The label of a span is its text, and `mark` is the token in its place (see
    `nmt.text.protect`).
    """

    label: str
    continues: bool = False
    mark: str = ""

    @property
    def is_special(self) -> bool:
        """Whether this is a token of every sentence, such as its end. A tag `</s>` that is a span is not."""
        return self.label in SPECIAL and not self.mark

    @property
    def is_outside(self) -> bool:
        """Whether this is a token outside the text: a special one, or the tag of a target language."""
        return self.is_special or (TAG.fullmatch(self.label) is not None and not self.mark)
