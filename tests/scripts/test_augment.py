"""Changed copies of training pairs: both sides keep translating each other."""

from __future__ import annotations

import random

import pytest

from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from scripts.recipes import augment
from scripts.recipes.aligned import Example
from scripts.recipes.augment import CHANGES, SPANS, TAGS, changed_pairs

WORDS = {f"{a}{b}{a}{b}": f"{b}o{a}u" for a in "bcdfg" for b in "lmnprs"}
NEW = (*SPANS, *(tag for tags in TAGS for tag in tags))


def corpus(count: int) -> list[SentencePair]:
    draw, pairs = random.Random(5), []
    for _ in range(count):
        words = draw.sample([*WORDS], draw.randint(3, 7))
        pairs.append(SentencePair(" ".join(words) + ".", " ".join(map(WORDS.__getitem__, words)) + "."))
    return pairs


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    settings = TokenizerConfig(type="unigram", vocab_size=None, joint=True, character_coverage=1.0)
    return Tokenizer.train(Split.of(corpus(400)), settings, cache_dir=None)


def without_spans(text: str) -> str:
    for span in NEW:
        text = text.replace(span, " ")
    return " ".join(text.replace(".", " ").split())


def test_spans_stand_at_places_that_translate_each_other(tokenizer: Tokenizer) -> None:
    made = list(changed_pairs(corpus(400), tokenizer, [augment.spans], 3))
    assert 250 < len(made) < 400  # 30 % in each round
    right = [
        sorted(WORDS[word] for word in without_spans(source).split() if word in WORDS)
        == sorted(without_spans(target).split())
        for source, target in made
    ]
    assert sum(right) > 0.97 * len(made), "the aligner may err"
    for source, target in made:
        assert all(source.count(span) == target.count(span) for span in NEW)


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_test_set_has_every_pair_in_its_place(name: str, tokenizer: Tokenizer) -> None:
    pairs = [*corpus(50), SentencePair("", "x"), SentencePair("see {name} bl.", "siehe {name} lo.")]
    made = list(changed_pairs(pairs, tokenizer, [CHANGES[name]], 0))
    assert len(made) == len(pairs) and made[-2] == ("", "x")
    assert made == list(changed_pairs(pairs, tokenizer, [CHANGES[name]], 0)), "the same in every run"
    assert sum(one != (pair.source, pair.target) for one, pair in zip(made, pairs, strict=True)) > 25
    assert all("{name}" in side for side in made[-1])


def test_parts_that_translate_each_other_have_no_link_outside() -> None:
    draw, found = random.Random(6), 0
    for _ in range(1_000):
        sizes = draw.randint(1, 5), draw.randint(1, 5)
        forward = [draw.randrange(sizes[0]) for _ in range(sizes[1])]
        backward = [draw.randrange(sizes[1]) for _ in range(sizes[0])]
        example = Example(["▁a"] * sizes[0], ["▁b"] * sizes[1], forward, backward)
        links = {(position, place) for place, position in enumerate(forward)} | {*enumerate(backward)}
        sure = {(position, place) for place, position in enumerate(forward) if backward[position] == place}
        start = draw.randrange(sizes[0])
        part = range(start, draw.randint(start + 1, sizes[0]))
        possible = [
            range(first, last)
            for first in range(sizes[1])
            for last in range(first + 1, sizes[1] + 1)
            if all((position in part) == (first <= place < last) for position, place in links)
            and any(position in part for position, _ in sure)
        ]
        assert example.translation(part) == (possible[0] if possible else None)
        found += bool(possible)
    assert found > 100
