"""Word alignments of files beside any source: line N belongs to pair N, and every mistake is one line."""

import gzip

import pytest

from nmt.build import build_source
from nmt.data.corpus import load_corpus
from nmt.errors import UserError

PAIRS = [("a b", "x y"), ("c", "z"), ("d e f", "u v")]
LINES = ["0-0 1-1", "", "2-0 0?1"]


@pytest.fixture
def corpus(tmp_path):
    """A folder with the pairs as train and val, and their alignments."""
    for split in ("train", "val"):
        (tmp_path / f"{split}.tsv").write_text("".join(f"{pair[0]}\t{pair[1]}\n" for pair in PAIRS), "utf-8")
        (tmp_path / f"{split}.align").write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    return tmp_path


def loaded(data_config, corpus, splits=("train", "val"), **changes):
    config = data_config(path=str(corpus), **changes)
    return load_corpus(build_source(config), config, splits)


def alignments(pairs):
    return [pair.alignment for pair in pairs]


def test_each_line_belongs_to_its_pair(data_config, corpus):
    found = loaded(data_config, corpus, train_alignment=str(corpus / "train.align"))
    assert [(pair.source, pair.target) for pair in found["train"]] == PAIRS
    assert alignments(found["train"]) == alignments(found["train"]) == LINES
    assert alignments(found["val"]) == [None] * 3 and found["val"].links is None
    (corpus / "val.align.gz").write_bytes(gzip.compress((corpus / "val.align").read_bytes()))
    both = loaded(data_config, corpus, ["val"], val_alignment=str(corpus / "val.align.gz"))
    assert alignments(both["val"]) == LINES
    limited = loaded(data_config, corpus, ["train"], limit=2, train_alignment=str(corpus / "train.align"))
    assert alignments(limited["train"]) == LINES[:2]


def test_every_source_can_have_them(data_config, corpus):
    (corpus / "cldr.align").write_text("0-0\n" * 20, "utf-8")
    config = data_config("cldr", sizes=[20, 4, 4], train_alignment=str(corpus / "cldr.align"))
    found = load_corpus(build_source(config), config, ["train"])["train"]
    assert alignments(found) == ["0-0"] * 20
    without = data_config("cldr", sizes=[20, 4, 4])
    assert found.digest == load_corpus(build_source(without), without, ["train"])["train"].digest


def test_pairs_that_are_held_out_keep_theirs(data_config, corpus):
    (corpus / "val.tsv").unlink()
    given = dict(zip(PAIRS, LINES, strict=True))
    found = loaded(data_config, corpus, val_size=1, train_alignment=str(corpus / "train.align"))
    pairs = [*found["train"], *found["val"]]
    assert len(pairs) == 3 and all(pair.alignment == given[pair.source, pair.target] for pair in pairs)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "0-0\n",
            r"^data\.train_alignment: .*\.align has 1 line but there are 3 pairs; it must have one line for each",
        ),
        ("0-0\n" * 5, r"\.align has 5 lines but there are 3 pairs"),
        ("0-0\n1:1\n0-0\n", r"^\S*train\.align:2: got '1:1', expected links such as 0-0"),
        ("0-0\n0-0\n0-2\n", r"^\S*train\.align:3: got the link 0-2, but the target has 2 words, counted from 0"),
    ],
)
def test_wrong_alignment_files(data_config, corpus, text, message):
    (corpus / "train.align").write_text(text, "utf-8")
    with pytest.raises(UserError, match=message):
        loaded(data_config, corpus, train_alignment=str(corpus / "train.align"))


def test_a_file_or_a_split_that_is_missing(data_config, corpus):
    with pytest.raises(UserError, match="none: no such file"):
        loaded(data_config, corpus, train_alignment=str(corpus / "none"))
    (corpus / "val.tsv").unlink()
    with pytest.raises(
        UserError, match=r"^data\.val_alignment: got .*val\.align, but there is no val split of its own"
    ):
        loaded(data_config, corpus, val_size=1, val_alignment=str(corpus / "val.align"))


def test_a_text_with_the_mark_of_a_space(data_config, corpus):
    (corpus / "train.tsv").write_text("a▁b\tx\nc▁\tz\n", "utf-8")
    (corpus / "train.align").write_text("\n0-0\n", "utf-8")
    with pytest.raises(UserError, match=r"train\.align:2: has the character '▁' \(U\+2581\)"):
        loaded(data_config, corpus, ["train"], train_alignment=str(corpus / "train.align"))
