"""Filters drop exactly the pairs that they explain, count them, and are part of the cached corpus's name."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from nmt.build import build_filters
from nmt.config.compose import compose
from nmt.data.encoded import encode, encode_corpus
from nmt.data.filters import (
    CorpusContext,
    Duplicate,
    Filters,
    LeakedPair,
    LeakedSource,
    LeakedTarget,
    ManyTargets,
    Script,
    foreign_script,
    make_filters,
)
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError

BESIDE_OTHERS = {
    "duplicate": Duplicate(),
    "many_targets": ManyTargets(most=5),
    "leaked_pair": LeakedPair(),
    "leaked_source": LeakedSource(),
    "leaked_target": LeakedTarget(),
}


def random_corpus(seed):
    """Return splits of few and short texts, so that they often agree, exactly or nearly."""
    draw = random.Random(seed)

    def text():
        return "".join(draw.choice(["a", "b", "B", " ", ".", "!", "ß"]) for _ in range(draw.randint(0, 3)))

    sizes = {"train": draw.randint(1, 400), "val": draw.randint(1, 12), "test": draw.randint(1, 12)}
    return {name: Split.of([SentencePair(text(), text()) for _ in range(size)]) for name, size in sizes.items()}


def plain(text):
    """Return what `simplified` should, one character after the other."""
    return "".join(character for character in text.casefold() if character not in " .!")


def expected(corpus):
    """Return for each filter the indices of the training pairs that it finds, by comparing all with all."""
    pairs, held_out = list(corpus["train"]), [*corpus["val"], *corpus["test"]]
    found = {name: set() for name in BESIDE_OTHERS}
    for index, pair in enumerate(pairs):
        if pair in pairs[:index]:
            found["duplicate"].add(index)
        if len({other.target for other in pairs if other.source == pair.source}) > 5:
            found["many_targets"].add(index)
        same = [other for other in held_out if plain(pair.source) and plain(other.source) == plain(pair.source)]
        if same:
            found["leaked_source"].add(index)
        if plain(pair.target) and any(plain(other.target) == plain(pair.target) for other in same):
            found["leaked_pair"].add(index)
        if plain(pair.target) and any(plain(other.target) == plain(pair.target) for other in held_out):
            found["leaked_target"].add(index)
    return found


def notes(chosen, corpus, languages=("en", "de")):
    """Return what a filter says about each training pair."""
    context = CorpusContext(languages, corpus["train"], {name: corpus[name] for name in corpus if name != "train"})
    find = chosen.finder(context)
    return [find(index, pair) for index, pair in enumerate(corpus["train"])]


@pytest.mark.parametrize("seed", range(6))
def test_what_is_found_beside_other_pairs_is_that_of_comparing_all_with_all(seed):
    corpus = random_corpus(seed)
    for name, indices in expected(corpus).items():
        assert {index for index, note in enumerate(notes(BESIDE_OTHERS[name], corpus)) if note} == indices, name


def test_a_leak_says_where_and_how():
    held_out = [SentencePair("A dog.", "Ein Hund."), SentencePair("Snow", "Schnee")]
    train = [
        SentencePair("A dog.", "Ein Hund."),
        SentencePair("a dog", "EIN HUND!"),
        SentencePair("snow", "Der Schnee"),
    ]
    corpus = {"val": Split.of(held_out[:1]), "test": Split.of(held_out), "train": Split.of(train)}
    pair = notes(LeakedPair(), corpus)
    assert pair == ["val, exactly; test, exactly", "val, nearly; test, nearly", ""] == notes(LeakedTarget(), corpus)
    assert notes(LeakedSource(), corpus) == [*pair[:2], "test, nearly"]


@pytest.mark.parametrize(
    ("text", "language", "script"),
    [
        ("ein Hund", "ko", "Latin"),
        ("Linux에서 파일을 연다", "ko", ""),
        ("1,5 µ", "el", ""),
        ("Ово пас", "sr", ""),
        ("abc", "xx", ""),
    ],
)
def test_a_foreign_script_is_named(text, language, script):
    assert foreign_script(text, language) == script


@pytest.mark.parametrize("names", [["duplicate"], ["leaked_source", "many_targets"], [*BESIDE_OTHERS]])
def test_filters_drop_exactly_the_pairs_that_they_find(data_config, tokenizer_config, tmp_path, names):
    corpus = random_corpus(3)
    pairs, config = list(corpus["train"]), data_config(max_length=4)
    tokenizer = Tokenizer.train(corpus["train"], tokenizer_config(vocab_size=None), cache_dir=None)
    wrong = expected(corpus)
    first = [next((name for name in names if index in wrong[name]), "") for index in range(len(pairs))]
    rest = [pair for pair, name in zip(pairs, first, strict=True) if not name]
    limits = Filters(config.max_length, config.max_ratio)
    kept = encode_corpus(Split.of(rest), tokenizer, limits, folder=tmp_path / "other")
    chosen = {name: BESIDE_OTHERS[name] for name in names}
    for _ in range(2):  # the second time from the cache
        found = encode_corpus(corpus["train"], tokenizer, make_filters(config, chosen, corpus), folder=tmp_path)
        assert list(found) == list(kept) and 0 < len(found) < len(encode(rest, tokenizer)) < len(pairs)
        assert Counter(found.dropped) == Counter(filter(None, first)) + Counter(kept.dropped)


def test_everything_that_decides_is_part_of_the_name(data_config, tokenizer_config, tmp_path):
    texts = ["a b c", "d e f", "g h i", "j k l"]
    corpus = {split: Split.of([SentencePair(text, text[::-1]) for text in texts]) for split in ("train", "val")}
    other = {**corpus, "val": Split.of([SentencePair("z", "z")])}
    tokenizer = Tokenizer.train(corpus["train"], tokenizer_config(vocab_size=None), cache_dir=None)

    def files(corpus, chosen, **settings):
        filters = make_filters(data_config(**settings), chosen, corpus)
        encode_corpus(corpus["train"], tokenizer, filters, folder=tmp_path)
        return len(list(tmp_path.glob("corpus-*")))

    both = {"duplicate": Duplicate(), "script": Script()}
    assert files(corpus, {}) == 1
    assert files(corpus, {"duplicate": Duplicate()}) == 2
    assert files(corpus, both) == 3 == files(corpus, both, target_lang="fr"), "the same script"
    assert files(corpus, both, target_lang="sr") == 4
    assert files(other, {"duplicate": Duplicate()}) == 4
    assert files(corpus, {"many_targets": ManyTargets()}) == 5
    assert files(corpus, {"many_targets": ManyTargets(most=2)}) == 6
    assert files(other, {"leaked_pair": LeakedPair()}) == 7
    with pytest.raises(UserError, match=r"4 leaked_pair; .*filters=\[leaked_pair\].* or drop less"):
        files(corpus, {"leaked_pair": LeakedPair()})


def test_the_options_are_built():
    nodes = compose("train", ["filters=[duplicate,many_targets,script]", "filters.many_targets.most=3"])["filters"]
    built = build_filters({**nodes, "script": None}, ("en", "de"))
    assert built == {"duplicate": built["duplicate"], "many_targets": ManyTargets(most=3)}


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ({"script": {"_target_": "nmt.data.filters.Script"}}, r"filters\.script: .*knows no script of 'xx'"),
        ({"a": {"_target_": "nmt.data.filters.ManyTargets", "most": 0}}, r"filters\.a\.most: got 0"),
        ({"a": {"_target_": "nmt.data.pair.SentencePair"}}, r"filters\.a"),
    ],
)
def test_a_filter_that_cannot_be_used_is_refused(nodes, message):
    with pytest.raises(UserError, match=message):
        build_filters(nodes, ("xx", "de"))
