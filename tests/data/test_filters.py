"""Filters drop exactly the pairs with a defect, count them, and are part of the cached corpus's name."""

from __future__ import annotations

import random
import typing
from collections import Counter

import pytest

from nmt.config.settings import Filter
from nmt.data.defects.corpus import MOST_TARGETS, simplified
from nmt.data.encoded import encode, encode_corpus
from nmt.data.filters import DEFECTS, FILTERS, Filters, check_filters, corpus_context, make_filters
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError

BESIDE_OTHERS = ["duplicate", "many_targets", "leaked_pair", "leaked_source", "leaked_target"]


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
    """Return for each defect the indices of the training pairs that have it, by comparing all with all."""
    pairs, *others = (
        [SentencePair(" ".join(pair.source.split()), " ".join(pair.target.split())) for pair in corpus[split]]
        for split in ("train", "val", "test")
    )
    held_out = [*others[0], *others[1]]
    found = {name: set() for name in BESIDE_OTHERS}
    for index, pair in enumerate(pairs):
        if pair in pairs[:index]:
            found["duplicate"].add(index)
        if len({other.target for other in pairs if other.source == pair.source}) > MOST_TARGETS:
            found["many_targets"].add(index)
        same = [other for other in held_out if plain(pair.source) and plain(other.source) == plain(pair.source)]
        if same:
            found["leaked_source"].add(index)
        if plain(pair.target) and any(plain(other.target) == plain(pair.target) for other in same):
            found["leaked_pair"].add(index)
        if plain(pair.target) and any(plain(other.target) == plain(pair.target) for other in held_out):
            found["leaked_target"].add(index)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_defects_beside_other_pairs_are_those_of_comparing_all_with_all(data_config, seed):
    corpus = random_corpus(seed)
    context = corpus_context(data_config(), corpus, "train")
    for name, indices in expected(corpus).items():
        defect = DEFECTS[name](context)
        assert {index for index, pair in enumerate(corpus["train"]) if defect.find(index, pair)} == indices, name


def test_a_leak_says_where_and_how(data_config):
    held_out = [SentencePair("A dog.", "Ein Hund."), SentencePair("Snow", "Schnee")]
    corpus = {"val": Split.of(held_out[:1]), "test": Split.of(held_out)}
    corpus["train"] = Split.of(
        [SentencePair("A dog.", "Ein Hund."), SentencePair("a dog", "EIN HUND!"), SentencePair("snow", "Der Schnee")]
    )
    context = corpus_context(data_config(), corpus, "train")
    pair, source, target = (
        [DEFECTS[name](context).find(index, each) for index, each in enumerate(corpus["train"])]
        for name in ("leaked_pair", "leaked_source", "leaked_target")
    )
    assert pair == ["val, exactly; test, exactly", "val, nearly; test, nearly", ""]
    assert source == [*pair[:2], "test, nearly"] and target == pair


def test_what_is_overfit_is_no_leak(data_config):
    split = Split.of([SentencePair("A dog.", "Ein Hund.")])
    corpus = dict.fromkeys(("train", "val", "test"), split)
    assert corpus_context(data_config(overfit=True), corpus, "train").held_out == {}


def test_simplified_keeps_vowel_signs_and_digits():
    assert simplified("Die Straße, 3 km (lang)!") == "diestrasse3kmlang"
    assert simplified("हिन्दी") == "हिन्दी"  # its vowels are marks, not letters


@pytest.mark.parametrize("names", [["duplicate"], ["leaked_source", "many_targets"], BESIDE_OTHERS])
def test_filters_drop_exactly_the_pairs_with_the_defect(data_config, tokenizer_config, tmp_path, names):
    corpus = random_corpus(3)
    pairs = list(corpus["train"])
    config = data_config(filters=names, max_length=4)
    tokenizer = Tokenizer.train(Split.of(pairs), tokenizer_config(vocab_size=None), cache_dir=None)
    limits = Filters(config.max_length, config.max_ratio)
    wrong = expected(corpus)
    first = [next((name for name in names if index in wrong[name]), "") for index in range(len(pairs))]
    rest = encode([pair for pair, name in zip(pairs, first, strict=True) if not name], tokenizer)
    plain = Split.of([pair for pair, name in zip(pairs, first, strict=True) if not name])
    kept = encode_corpus(plain, tokenizer, limits, folder=tmp_path / "other")
    for _ in range(2):  # the second time from the cache
        found = encode_corpus(corpus["train"], tokenizer, make_filters(config, corpus), folder=tmp_path)
        assert list(found) == list(kept) and 0 < len(found) < len(rest) < len(pairs)
        assert Counter(found.dropped) == Counter(filter(None, first)) + Counter(kept.dropped)


def test_everything_that_decides_is_part_of_the_name(data_config, tokenizer_config, tmp_path):
    texts = ["a b c", "d e f", "g h i", "j k l"]
    corpus = {split: Split.of([SentencePair(text, text[::-1]) for text in texts]) for split in ("train", "val")}
    other = {**corpus, "val": Split.of([SentencePair("z", "z")])}
    tokenizer = Tokenizer.train(corpus["train"], tokenizer_config(vocab_size=None), cache_dir=None)

    def files(corpus, **settings):
        encode_corpus(corpus["train"], tokenizer, make_filters(data_config(**settings), corpus), folder=tmp_path)
        return len(list(tmp_path.glob("corpus-*")))

    assert files(corpus) == 1
    assert files(corpus, filters=["duplicate"]) == 2
    assert files(corpus, filters=["duplicate", "script"]) == 3
    assert files(corpus, filters=["duplicate", "script"], target_lang="fr") == 3, "the same script"
    assert files(corpus, filters=["duplicate", "script"], source_lang="fr", target_lang="sr_Latn") == 3
    assert files(other, filters=["duplicate"]) == 3
    assert files(other, filters=["leaked_pair"]) == 4
    with pytest.raises(UserError, match=r"4 leaked_pair; .*data.filters=\[leaked_pair\].* or use fewer filters"):
        files(corpus, filters=["leaked_pair"])


@pytest.mark.parametrize("name", ["numbers", "addresses"])
def test_the_languages_are_part_of_the_name_where_they_decide(data_config, name):
    corpus = {"train": Split.of([SentencePair("21", "21")])}
    german, french = (
        make_filters(data_config(filters=[name], target_lang=language), corpus).identity() for language in ("de", "fr")
    )
    assert german != french


def test_the_longest_header_fits(data_config, tokenizer_config, tmp_path, monkeypatch):
    pairs = random_corpus(1)["train"]
    tokenizer = Tokenizer.train(Split.of(pairs), tokenizer_config(vocab_size=None), cache_dir=None)
    names = [*DEFECTS, "empty", "too long", "of unequal length"]
    many = iter([*names * 10**5])
    filters = Filters(128, 4.0, [])
    monkeypatch.setattr(Filters, "found", lambda self, first, pairs: ["", *(next(many) for _ in pairs[1:])])
    repeated = Split([*pairs] * 2000, 10**6, "0" * 64)
    assert set(encode_corpus(repeated, tokenizer, filters, folder=tmp_path).dropped) == set(names)


def test_the_settings_name_every_defect_and_each_explains_itself():
    assert typing.get_args(Filter) == tuple(FILTERS)
    for kind in DEFECTS.values():
        assert kind.__doc__ and kind.explanation.split()[0] in ("has", "repeats", "is")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"filters": ["script"], "source_lang": "xx"}, "data.filters: got script, .*knows no script of 'xx'"),
        ({"filters": ["identicle"]}, r"data.filters: got \['identicle'\], expected a list \(each one of identical, "),
        ({"filters": "script"}, r"data.filters: got 'script', expected a list"),
    ],
)
def test_a_filter_that_cannot_be_used_is_refused(data_config, settings, message):
    with pytest.raises(UserError, match=message):
        check_filters(data_config(**settings))


@pytest.mark.parametrize(("name", "package"), [("encoding", "ftfy"), ("language", "py3langid")])
def test_a_missing_package_is_named(data_config, monkeypatch, name, package):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=f"data.filters: got {name}, but .*needs {package}, not installed; pip install"):
        check_filters(data_config(filters=[name]))
