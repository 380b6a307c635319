"""A glossary of terms that only the test set has."""

from __future__ import annotations

import random
from collections.abc import Callable

from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from scripts.recipes.glossary import unseen

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
