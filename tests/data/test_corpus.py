"""Splits: where they come from, what is held out, their digests, and the word alignments of files beside them."""

import gzip
import hashlib
import random
import unicodedata

import pytest

from nmt.build import build_source
from nmt.data import corpus as corpora
from nmt.data.pair import Reiterable, SentencePair, Split
from nmt.data.sources.base import Source, in_direction, swapped
from nmt.errors import UserError


def load_corpus(config, splits=None):
    """Return the pairs of each split as lists."""
    corpus = corpora.load_corpus(build_source(config), config, splits)
    for pairs in corpus.values():
        assert len(pairs) == len(list(pairs)) == len(list(pairs)), "a split can be read again"
    return {split: list(pairs) for split, pairs in corpus.items()}


def write(path, count, start=0):
    path.write_text("".join(f"source {start + i}\ttarget {start + i}\n" for i in range(count)), "utf-8")
    return str(path)


SIZES = {"train": 50, "val": 5, "test": 7}


@pytest.fixture
def folder(tmp_path):
    for number, (split, size) in enumerate(SIZES.items()):
        write(tmp_path / f"{split}.tsv", size, start=100 * number)
    return tmp_path


def test_files_come_before_the_folder(folder, tmp_path, data_config, heard):
    other = write(tmp_path / "other.tsv", 3, start=900)
    path = str(folder)
    assert {split: len(pairs) for split, pairs in load_corpus(data_config(path=path)).items()} == SIZES
    corpus = load_corpus(data_config(path=path, test=other))
    assert {split: len(pairs) for split, pairs in corpus.items()} == SIZES | {"test": 3}
    assert heard[-1] == f"data: train 50, val 5, test 3 pairs, en to de, from data.path={path}, data.test={other}"
    (folder / "train.tsv").write_text("broken")
    assert list(load_corpus(data_config(path=path), ("test",))) == ["test"], "no other split is read"
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
    for split in ("val", "train"):
        assert load_corpus(config, (split,)) == {split: corpus[split]}
    assert load_corpus(data_config(train=train, val_size=10, seed=2), ("val",))["val"] != corpus["val"]
    # The limit does not change what is held out.
    limited = load_corpus(data_config(train=train, val_size=10, limit=4))
    assert limited == {split: pairs[:4] for split, pairs in corpus.items()}


def test_sentences_held_out_do_not_remain_in_train(tmp_path, data_config, heard):
    """Neither a repeated one nor one in another form, which the model reads as the same."""
    words = [f"caf\u00e9 {number}" for number in range(20)]
    rows = [f"{word}\tx\n{unicodedata.normalize('NFD', word)}  \tx\n{word}\ty\n" for word in words]
    (tmp_path / "train.tsv").write_text("".join(rows), "utf-8")
    corpus = load_corpus(data_config(path=str(tmp_path), val_size=10))
    held, kept = ({pair.source for pair in corpus[split]} for split in ("val", "train"))
    assert held and kept and not held & kept
    assert f"left out {60 - 10 - len(corpus['train'])} that repeat their sources" in heard[1]


@pytest.mark.parametrize(
    ("sources", "val_size", "message"),
    [
        (range(10), 10, r"has 10 training pairs, so 10 cannot .*; lower data\.val_size, or name a file by data\.val=$"),
        ([0, 1, 2] * 30, 40, r"every training sentence is among the 40 held out; lower data\.val_size, or"),
    ],
)
def test_too_few_pairs_to_hold_some_out(tmp_path, data_config, sources, val_size, message):
    train = tmp_path / "train.tsv"
    train.write_text("".join(f"source {source}\ttarget {number}\n" for number, source in enumerate(sources)), "utf-8")
    with pytest.raises(UserError, match=message):
        load_corpus(data_config(train=str(train), val_size=val_size))
    for advice in ({"val": str(train)}, {"overfit": True}):
        corpus = load_corpus(data_config(train=str(train), val_size=val_size, **advice))
        assert len(corpus["train"]) == len(corpus["val"]) == len(sources)


def test_training_goes_without_a_test_split_and_evaluating_does_not(folder, data_config, heard):
    (folder / "test.tsv").unlink()
    config = data_config(path=str(folder))
    assert sorted(load_corpus(config)) == ["train", "val"]
    with pytest.raises(UserError, match=r"has no test split; .*data\.test="):
        load_corpus(config, ("test",))
    (folder / "train.tsv").unlink()
    with pytest.raises(UserError, match="no train split"):
        load_corpus(config)


class Given(Source):
    """Pairs that a test gives."""

    def __init__(self, **splits):
        self.given = splits

    def splits(self):
        return self.given

    def origin(self, split):
        return "given"


def repeating(count):
    """Make pairs while they are read; every tenth repeats the source before it."""
    return Reiterable(lambda: (SentencePair(f"source {i - (i % 10 == 9)}", f"target {i}") for i in range(count)))


@pytest.mark.parametrize("limit", [None, 700])
@pytest.mark.parametrize("count", [60, 1000])
def test_the_pairs_with_the_smallest_digests_are_held_out(data_config, heard, limit, count):
    def digest(pair):
        return hashlib.blake2b(f"7\0{pair.target}\0{pair.source}".encode(), digest_size=16).digest()  # de before en

    train = list(repeating(count))
    smallest = sorted(train, key=digest)[:50]
    val = [pair for pair in train if pair in smallest]
    rest = [pair for pair in train if pair.source not in {pair.source for pair in val}]
    corpus = corpora.load_corpus(Given(train=repeating(count)), data_config(val_size=50, seed=7, limit=limit))
    assert (list(corpus["train"]), list(corpus["val"])) == (rest[:limit], val)
    assert f"and left out {count - 50 - len(rest)} that repeat their sources" in heard[0]


@pytest.mark.parametrize("turned", [False, True])
def test_a_pair_of_the_training_is_never_held_out_later(data_config, heard, turned):
    """Neither of a corpus that has grown, nor in the other direction of translation."""
    draw, there = random.Random(5), {"source_lang": "en", "target_lang": "de"}
    back = {"source_lang": "de", "target_lang": "en"} if turned else there
    pairs = [SentencePair(f"source {draw.randrange(90)}", f"target {draw.randrange(90)}") for _ in range(2200)]
    later = list(swapped(pairs)) if turned else pairs
    for count in (100, 400, 2000):
        trained = corpora.load_corpus(Given(train=pairs[:count]), data_config(val_size=20, **there))["train"]
        for more in (0, 1, 200):
            source = Given(train=later[: count + more])
            held = corpora.load_corpus(source, data_config(val_size=20, **back), ("val",))["val"]
            again = set(swapped(held) if turned else held)
            assert len(again) == 20 and not again & set(trained)


@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_pairs_that_can_be_read_only_once_are_refused(data_config, languages):
    source = Given(train=iter(repeating(9)), val=iter(repeating(9)))
    source.direction = ("de", "en")
    words = r"^given: the train split can be read only once \(.* generator\); .*return a list, or .*Reiterable"
    with pytest.raises(UserError, match=words):
        corpora.load_corpus(in_direction(source, *languages), data_config(limit=3))


def test_data_limit_stops_reading(data_config, heard):
    endless = repeating(10**12)
    corpus = corpora.load_corpus(Given(train=endless, val=endless), data_config(limit=30))
    assert [len(pairs) for pairs in corpus.values()] == [30, 30]


PAIRS = [SentencePair(f"source {i}", f"target {i}") for i in range(10_001)]  # more than are hashed at once


@pytest.mark.parametrize(
    "other",
    [
        PAIRS[:-1],
        [PAIRS[1], PAIRS[0], *PAIRS[2:]],
        [SentencePair("source 0", "target 1"), *PAIRS[1:]],
        [SentencePair("source 0target 0", ""), *PAIRS[1:]],
        [SentencePair(pair.target, pair.source) for pair in PAIRS],
    ],
    ids=["number", "order", "text", "border", "sides"],
)
def test_the_digest_of_a_split_sees(other):
    split = Split.of(PAIRS)
    assert list(split) == list(split) == PAIRS and len(split) == 10_001
    assert Split.of(other).digest != split.digest == Split.of(Reiterable(lambda: iter(PAIRS))).digest


def test_alignments_have_a_digest_of_their_own():
    def split(*alignments):
        return Split.of([SentencePair("x", "y", alignment=each) for each in alignments])

    assert split(None, None).links is None and split("", None).links is None
    far, none = [""] * 10_000, [None] * 10_000
    given = [split(*far, "0-0"), split("0-0", *far), split("0-0", *far[1:], "0-0"), split(*far, "0-1")]
    assert len({each.digest for each in given}) == 1 and len({each.links for each in given} - {None}) == 4
    assert split(*none, "0-0").links == given[0].links


TEXTS = [("a b", "x y"), ("c", "z"), ("d e f", "u v")]
LINES = ["0-0 1-1", "", "2-0 0?1"]


@pytest.fixture
def aligned(tmp_path, data_config):
    """Return a function that loads TEXTS as train and val with changed settings; *.align has their alignments."""
    for split in ("train", "val"):
        (tmp_path / f"{split}.tsv").write_text("".join(f"{pair[0]}\t{pair[1]}\n" for pair in TEXTS), "utf-8")
        (tmp_path / f"{split}.align").write_text("".join(f"{line}\n" for line in LINES), "utf-8")

    def load(splits=("train", "val"), name="files", /, **settings):
        files = {key: str(tmp_path / value) for key, value in settings.items() if key.endswith("alignment")}
        config = data_config(name, **({"path": str(tmp_path)} if name == "files" else {}), **settings | files)
        return corpora.load_corpus(build_source(config), config, splits)

    return load


def alignments(pairs):
    return [pair.alignment for pair in pairs]


def test_each_line_belongs_to_its_pair(aligned, tmp_path):
    found = aligned(train_alignment="train.align")
    assert [(pair.source, pair.target) for pair in found["train"]] == TEXTS
    assert alignments(found["train"]) == alignments(found["train"]) == LINES
    assert alignments(found["val"]) == [None] * 3 and found["val"].links is None
    (tmp_path / "val.align.gz").write_bytes(gzip.compress((tmp_path / "val.align").read_bytes()))
    assert alignments(aligned(["val"], val_alignment="val.align.gz")["val"]) == LINES
    assert alignments(aligned(["train"], train_alignment="train.align", limit=2)["train"]) == LINES[:2]
    turned = aligned(["train"], train_alignment="train.align", swapped=True, source_lang="de", target_lang="en")
    assert list(turned["train"]) == [pair.swapped() for pair in found["train"]]
    (tmp_path / "cldr.align").write_text("0-0\n" * 20, "utf-8")
    generated = aligned(["train"], "cldr", sizes=[20, 4, 4], train_alignment="cldr.align")["train"]
    assert alignments(generated) == ["0-0"] * 20, "every source can have them"
    (tmp_path / "val.tsv").unlink()
    found = aligned(train_alignment="train.align", val_size=1)
    given = dict(zip(TEXTS, LINES, strict=True))
    pairs = [*found["train"], *found["val"]]
    assert len(pairs) == 3 and all(pair.alignment == given[pair.source, pair.target] for pair in pairs), "held out too"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n", r"^data\.train_alignment: .*\.align has 1 line but the train split has 3; both must"),
        ("0-0\n0-0\n0-2\n", r"^\S*train\.align:3: got the link 0-2, but the target has 2 words, counted from 0"),
    ],
)
def test_wrong_alignment_files(aligned, tmp_path, text, message):
    (tmp_path / "train.align").write_text(text, "utf-8")
    with pytest.raises(UserError, match=message):
        aligned(train_alignment="train.align")


def test_alignments_without_a_file_a_split_or_words(aligned, tmp_path):
    with pytest.raises(UserError, match="none: no such file"):
        aligned(train_alignment="none")
    (tmp_path / "val.tsv").unlink()
    with pytest.raises(UserError, match=r"^data\.val_alignment: got .*val\.align, but there is no val split of its"):
        aligned(val_size=1, val_alignment="val.align")
    (tmp_path / "train.tsv").write_text("a▁b\tx\nc▁\tz\n", "utf-8")
    (tmp_path / "train.align").write_text("\n0-0\n", "utf-8")
    with pytest.raises(UserError, match=r"train\.align:2: has the character '▁' \(U\+2581\)"):
        aligned(["train"], train_alignment="train.align")
