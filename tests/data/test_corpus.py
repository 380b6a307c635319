"""Where splits come from, what is held out, and which of them have to be there."""

import hashlib
import random
import tracemalloc
import unicodedata

import pytest

from nmt.build import build_source
from nmt.data import corpus as corpora
from nmt.data.normalization import normalized
from nmt.data.pair import Reiterable, SentencePair
from nmt.data.sources.base import Source, in_direction
from nmt.errors import UserError


def load_corpus(config, splits=None):
    """Return the pairs of each split as lists."""
    corpus = corpora.load_corpus(build_source(config), config, splits)
    for pairs in corpus.values():
        assert len(pairs) == len(list(pairs)) == len(list(pairs)), "a split can be read again"
    return {split: list(pairs) for split, pairs in corpus.items()}


def origin(config, split):
    return corpora.origin(build_source(config), config, split)


def write(path, count, start=0):
    path.write_text("".join(f"source {start + i}\ttarget {start + i}\n" for i in range(count)), "utf-8")
    return str(path)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "train.tsv", 50)
    write(tmp_path / "dev.tsv", 5, start=100)
    write(tmp_path / "test.tsv", 7, start=200)
    return tmp_path


@pytest.mark.parametrize("name", ["multi30k", "hub", "files", "cldr"])
def test_a_folder_stands_in_under_any_config(folder, data_config, heard, name):
    corpus = load_corpus(data_config(name, path=str(folder)))
    assert {split: len(pairs) for split, pairs in corpus.items()} == {"train": 50, "val": 5, "test": 7}
    assert corpus["val"][0] == SentencePair("source 100", "target 100")
    order = "no header line that names the columns; read as en, then de"
    assert heard[:-1] == [f"{folder / name}: {order}" for name in ("train.tsv", "dev.tsv", "test.tsv")]
    assert heard[-1:] == [f"data: train 50, val 5, test 7 pairs, en to de, from data.path={folder}"]


def test_named_splits_are_all_that_is_read(folder, data_config, heard):
    (folder / "train.tsv").write_text("broken")
    assert list(load_corpus(data_config(path=str(folder)), ("test",))) == ["test"]


def test_files_come_before_the_folder(folder, tmp_path, data_config, heard):
    other = write(tmp_path / "other.tsv", 3, start=900)
    path = str(folder)
    corpus = load_corpus(data_config(path=path, test=other))
    assert [len(corpus[split]) for split in ("train", "val", "test")] == [50, 5, 3]
    corpus = load_corpus(data_config("multi30k", test=other), ("test",))  # no Hub is asked
    assert corpus["test"][0].source == "source 900"
    # With data.train the folder's validation split belongs to another corpus.
    corpus = load_corpus(data_config(path=path, train=other, val_size=1))
    assert {split: len(pairs) for split, pairs in corpus.items()} == {"train": 2, "val": 1}


def test_hold_out_is_the_same_for_training_and_evaluating(tmp_path, data_config, heard):
    train = write(tmp_path / "train.tsv", 50)
    config = data_config(train=train, val_size=10)
    corpus = load_corpus(config)
    assert sorted(corpus) == ["train", "val"]
    assert len(corpus["train"]) == 40 and len(corpus["val"]) == 10
    assert not set(corpus["train"]) & set(corpus["val"])
    assert "held 10 pairs out of train (data.seed=1)" in heard[1]
    assert load_corpus(config, ("val",)) == {"val": corpus["val"]}
    assert load_corpus(data_config(train=train, val_size=10, seed=2), ("val",))["val"] != corpus["val"]
    # The limit does not change what is held out.
    limited = load_corpus(data_config(train=train, val_size=10, limit=4))
    assert limited == {split: pairs[:4] for split, pairs in corpus.items()}


def test_sentences_held_out_do_not_remain_in_train(tmp_path, data_config, heard):
    (tmp_path / "train.tsv").write_text("same\ta\n" * 5 + "other\tb\n" * 5)
    corpus = load_corpus(data_config(path=str(tmp_path), val_size=1))
    assert len(corpus["val"]) == 1 and len(corpus["train"]) == 5
    assert corpus["val"][0].source != corpus["train"][0].source
    assert "left out 4 that repeat their sources" in heard[1]


def test_held_out_sentences_in_another_form_do_not_remain_in_train(tmp_path, data_config, heard):
    """The model reads both alike."""
    words = [f"caf\u00e9 {number}" for number in range(20)]
    rows = [f"{word}\tx\n{unicodedata.normalize('NFD', word)}  \tx\n" for word in words]
    (tmp_path / "train.tsv").write_text("".join(rows), "utf-8")
    corpus = load_corpus(data_config(path=str(tmp_path), val_size=10))
    held, kept = ({normalized(pair.source) for pair in corpus[split]} for split in ("val", "train"))
    assert held and kept and not held & kept


def test_hold_out_needs_enough_pairs(tmp_path, data_config, heard):
    train = write(tmp_path / "train.tsv", 10)
    with pytest.raises(UserError, match=r"has 10 training pairs, so 10 cannot .*; set data\.val_size=1, or"):
        load_corpus(data_config(train=train, val_size=10))


def test_hold_out_needs_enough_sentences(tmp_path, data_config, heard):
    (tmp_path / "train.tsv").write_text("".join(f"source {i % 3}\ttarget {i}\n" for i in range(90)), "utf-8")
    with pytest.raises(UserError, match=r"every training sentence is among the 40 held out; set data\.val_size=4, or"):
        load_corpus(data_config(path=str(tmp_path), val_size=40))


@pytest.mark.parametrize("val_size", [1, 1000])
def test_of_one_pair_none_can_be_held_out_and_the_advice_works(tmp_path, data_config, val_size):
    train = write(tmp_path / "train.tsv", 1)
    with pytest.raises(UserError, match=r"has 1 training pair, so .* cannot be held out") as error:
        load_corpus(data_config(train=train, val_size=val_size))
    assert "set data.val_size" not in str(error.value)
    assert str(error.value).endswith(": data.overfit=true")
    for advice in ({"val": train}, {"overfit": True}):
        corpus = load_corpus(data_config(train=train, val_size=val_size, **advice))
        assert len(corpus["train"]) == len(corpus["val"]) == 1


def test_overfit_makes_every_split_the_training_split(folder, data_config, heard):
    corpus = load_corpus(data_config(path=str(folder), overfit=True, limit=3))
    assert corpus["train"] == corpus["val"] == corpus["test"] and len(corpus["train"]) == 3


def test_training_goes_without_a_test_split_and_evaluating_does_not(folder, data_config, heard):
    (folder / "test.tsv").unlink()
    config = data_config(path=str(folder))
    assert sorted(load_corpus(config)) == ["train", "val"]
    with pytest.raises(UserError, match=r"has no test split; .*data\.test="):
        load_corpus(config, ("test",))


def test_wrong_corpus_settings(folder, data_config, heard):
    path = str(folder)
    with pytest.raises(UserError, match=r"data\.path=, or a file by data\.train="):
        load_corpus(data_config())
    with pytest.raises(UserError, match="expected two languages"):
        load_corpus(data_config(path=path, target_lang="en"))
    with pytest.raises(UserError, match="did you mean 'test'"):
        load_corpus(data_config(path=path), ("tests",))
    (folder / "train.tsv").unlink()
    with pytest.raises(UserError, match="no train split"):
        load_corpus(data_config(path=path))


def test_what_was_held_out_is_not_train(tmp_path, data_config, heard):
    config = data_config(train=write(tmp_path / "train.tsv", 40), val_size=10)
    corpus = load_corpus(config)
    assert load_corpus(config, ("train",)) == {"train": corpus["train"]}
    assert load_corpus(config, ("val",)) == {"val": corpus["val"]}


def test_the_origin_of_a_split_is_its_own_file(folder, tmp_path, data_config, heard):
    other = write(tmp_path / "other.tsv", 5)
    config = data_config(path=str(folder), test=other)
    assert (origin(config, "test"), origin(config, "val")) == (f"data.test={other}", f"data.path={folder}")
    load_corpus(config)
    assert heard[-1].endswith(f"from data.path={folder}, data.test={other}")
    assert origin(data_config(train="a", test="b", overfit=True), "test") == "data.train=a"


class Generated(Source):
    """So many training pairs, made while they are read, of which every tenth repeats the source before it."""

    def __init__(self, count):
        self.count = count

    def splits(self):
        return {"train": Reiterable(self._read)}

    def _read(self):
        for number in range(self.count):
            yield SentencePair(f"source {number - (number % 10 == 9)}", f"target {number}")

    def origin(self, split):
        return "generated"


@pytest.mark.parametrize("limit", [None, 700])
@pytest.mark.parametrize("count", [60, 1000])
def test_the_pairs_with_the_smallest_digests_are_held_out(data_config, heard, limit, count):
    train = list(Generated(count).splits()["train"])

    def digest(pair):
        return hashlib.blake2b(f"7\0{pair.target}\0{pair.source}".encode(), digest_size=16).digest()  # de before en

    smallest = sorted(train, key=digest)[:50]
    val = [pair for pair in train if pair in smallest]
    rest = [pair for pair in train if pair.source not in {pair.source for pair in val}]
    corpus = corpora.load_corpus(Generated(count), data_config(val_size=50, seed=7, limit=limit))
    assert (list(corpus["train"]), list(corpus["val"])) == (rest[:limit], val)
    assert f"and left out {count - 50 - len(rest)} that repeat their sources" in heard[0]


class Repeating(Source):
    """So many pairs of a few sources and targets, in one direction or the other."""

    def __init__(self, count, *, turned):
        draw = random.Random(5)
        pairs = [(f"source {draw.randrange(90)}", f"target {draw.randrange(90)}") for _ in range(count)]
        self.pairs = [SentencePair(*(pair[::-1] if turned else pair)) for pair in pairs]

    def splits(self):
        return {"train": self.pairs}

    def origin(self, split):
        return "repeating"


@pytest.mark.parametrize("turned", [False, True])
def test_a_pair_of_the_training_is_never_held_out_later(data_config, heard, turned):
    """Neither of a corpus that has grown, nor in the other direction of translation."""
    languages = {"source_lang": "de", "target_lang": "en"} if turned else {}
    for count in (100, 400, 2000):
        train = corpora.load_corpus(Repeating(count, turned=False), data_config(val_size=20))["train"]
        trained = {(pair.source, pair.target) for pair in train}
        for more in (0, 1, 200):
            config = data_config(val_size=20, **languages)
            held = corpora.load_corpus(Repeating(count + more, turned=turned), config, ("val",))["val"]
            sides = {(pair.target, pair.source) if turned else (pair.source, pair.target) for pair in held}
            assert len(sides) == 20 and not sides & trained


class Once(Generated):
    """The same pairs in iterators, which can be read only once."""

    direction = ("de", "en")

    def splits(self):
        return {split: self._read() for split in ("train", "val")}


@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_pairs_that_can_be_read_only_once_are_refused(data_config, languages):
    words = r"^generated: the train split can be read only once \(.* generator\); .*return a list, or .*Reiterable"
    with pytest.raises(UserError, match=words):
        corpora.load_corpus(in_direction(Once(9), *languages), data_config(limit=3))


@pytest.mark.slow
def test_training_pairs_are_not_kept_in_memory(data_config, heard):
    peaks = []
    for count in (20_000, 60_000):
        tracemalloc.start()
        corpus = corpora.load_corpus(Generated(count), data_config(val_size=10))
        assert sum(1 for _ in corpus["train"]) == len(corpus["train"]) <= count - 10
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_data_limit_stops_reading(data_config, heard):
    class Endless(Generated):
        def splits(self):
            return {split: Reiterable(self._read) for split in ("train", "val")}

    corpus = corpora.load_corpus(Endless(10**12), data_config(limit=30))
    assert [len(pairs) for pairs in corpus.values()] == [30, 30]


def test_empty_validation_and_test_pairs_are_counted_and_said(folder, data_config, caplog):
    caplog.set_level("INFO", logger="nmt")
    (folder / "dev.tsv").write_text("a\tb\n\tb\na\t \n", "utf-8")
    assert len(load_corpus(data_config(path=str(folder)))["val"]) == 3
    said = [message for message in caplog.messages if " pairs: " in message]
    assert said == ["val pairs: 2 of 3 empty on one side or both; scores count them too"]
