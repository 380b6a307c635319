"""Texts that are numbers, and a tokenizer that reads them as their ids."""

import random

from nmt.data.filters import Filters
from nmt.data.pair import SentencePair
from nmt.text.protect import NO_SPANS
from nmt.tokens import EOS

KEEP_ALL = Filters(max_length=10_000, max_ratio=10_000.0)


class Numbers:
    """Stands in for a tokenizer: a text is its ids, written out."""

    spans = NO_SPANS

    def __init__(self, size=1000, name="numbers"):
        self.source_vocab_size = self.target_vocab_size = size
        self.name = name

    @property
    def word_starts(self):
        return [range(EOS + 1, self.source_vocab_size)] * 2  # each number is a word

    def digest(self):
        return self.name

    def encode_source(self, texts):
        return [[*map(int, text.split()), EOS] for text in texts]

    encode_target = encode_source


def sentence(length, *, draw=None, size=1000):
    return " ".join(str(draw.randrange(4, size) if draw else 9) for _ in range(length))


def pair(source, target):
    return SentencePair(sentence(source), sentence(target))


def random_pairs(count, *, size=1000, seed=0):
    draw = random.Random(seed)
    return [
        SentencePair(*(sentence(draw.randint(1, 12), draw=draw, size=size) for _ in range(2))) for _ in range(count)
    ]


def linked_pairs(count):
    """Return random pairs with random links; every third has none."""
    draw, found = random.Random(1), []
    for number, pair in enumerate(random_pairs(count)):
        words = len(pair.source.split()), len(pair.target.split())
        links = {(draw.randrange(words[0]), draw.randrange(words[1])) for _ in range(number % 3 * 4)}
        text = " ".join(f"{i}-{j}" for i, j in links) if number % 3 else draw.choice(["", None])
        found.append(SentencePair(pair.source, pair.target, alignment=text))
    return found


def plain(pairs):
    return [(pair.source, pair.target, pair.links.tolist()) for pair in pairs]
