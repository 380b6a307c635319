"""A glossary of terms that only the test set has."""

from __future__ import annotations

import random
from collections.abc import Callable

from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from scripts.recipes.glossary import is_whole, unseen

WORDS = {f"{first}{second}{first}": f"{second}o{first}o" for first in "bcdfgk" for second in "lmnprs"}
FREQUENT = [f"the{number:03}" for number in range(200)]


def test_a_glossary_has_the_words_that_training_does_not_translate(
    tokenizer_config: Callable[..., TokenizerConfig],
) -> None:
    draw, new = random.Random(0), ["bl", "cm"]

    def pairs(words: list[str], count: int) -> list[SentencePair]:
        sources = [[draw.choice(words), *draw.choices(FREQUENT, k=3), draw.choice(words)] for _ in range(count)]
        return [SentencePair(" ".join(each), " ".join(WORDS.get(word, word) for word in each)) for each in sources]

    train = pairs([word for word in WORDS if word[:2] not in new], 400) + [SentencePair(w, w) for w in FREQUENT] * 5
    test = pairs([word for word in WORDS if word[:2] in new], 60)
    tokenizer = Tokenizer.train(Split.of([*train, *test]), tokenizer_config(vocab_size=370, joint=True), cache_dir=None)
    found = dict(unseen(train, test, tokenizer))
    single = {term: translation for term, translation in found.items() if " " not in term}
    assert single == {word: WORDS[word] for word in WORDS if word[:2] in new}


def test_a_term_does_not_end_inside_a_word() -> None:
    pieces = ["\u2581Calc", "\u2581F", "eature", "s", ".", "\u2581최적", "화를"]
    whole = [(0, 1), (1, 4), (0, 4), (5, 6), (5, 7)]  # a particle may follow Hangul
    parts = [(start, stop) for start in range(7) for stop in range(start + 1, 8) if not {4} & {*range(start, stop)}]
    assert [part for part in parts if is_whole(pieces, range(*part))] == sorted(whole)
