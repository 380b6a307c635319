"""The contract of sources: one of one's own is a class and a YAML; files take the place of any of them."""

import pytest

from nmt.build import build_source
from nmt.config.schema import read
from nmt.config.settings import DataConfig
from nmt.data.corpus import load_corpus
from nmt.data.pair import SentencePair
from nmt.data.sources.base import Source
from nmt.errors import ParameterError, UserError


class Counting(Source):
    """Numbers and their squares."""

    def __init__(self, *, source_lang: str, target_lang: str, seed: int, count: int = 5) -> None:
        if count < 2:
            raise ParameterError("count", f"got {count}, expected at least 2")
        self.numbers = range(seed, seed + count)

    def splits(self):
        return {"train": [SentencePair(str(number), str(number**2)) for number in self.numbers]}

    def origin(self, split):
        return "counting"


class Other:
    """No source."""


@pytest.fixture
def own(data_config):
    """Return a maker of data settings whose source is a class of a package outside the project."""
    common = {key: value for key, value in vars(data_config("files")).items() if key != "source"}

    def make(name="Counting", **changes):
        return read({**common, "_target_": f"{__name__}.{name}", **changes}, DataConfig, "data")

    return make


def test_own_source_class(own):
    config = own(seed=3, count=4, val_size=1)
    corpus = load_corpus(build_source(config, allow=["tests"]), config)
    assert sorted(int(pair.target) for pairs in corpus.values() for pair in pairs) == [9, 16, 25, 36]
    with pytest.raises(UserError, match=r"data\._target_: got '.*\.Counting', .*allow=\[tests\]"):
        build_source(config)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("Counting", {"count": 1}, r"^data\.count: got 1, expected at least 2$"),
        ("Counting", {"cuont": 3}, r"^data\.cuont: unknown key; did you mean 'count'\?$"),
        ("Other", {}, r"^data\._target_: got .*\.Other, expected a class derived from .*base\.Source$"),
    ],
)
def test_wrong_source_settings(own, name, changes, message):
    with pytest.raises(UserError, match=message):
        build_source(own(name, **changes), allow=["tests"])


def test_files_take_the_place_of_a_source_whose_keys_are_checked_all_the_same(own, tmp_path):
    (tmp_path / "test.tsv").write_text("one\teins\n", "utf-8")
    one = SentencePair("one", "eins")
    over = build_source(own(test=str(tmp_path / "test.tsv")), allow=["tests"])
    splits = over.splits()
    assert sorted(splits) == ["test", "train"] and len(splits) == 2 and "val" not in splits
    assert list(splits["test"]) == [one] and len(list(splits["train"])) == 5
    assert (over.origin("test"), over.origin("train")) == (f"data.test={tmp_path / 'test.tsv'}", "counting")

    # The source itself is not constructed, so a value that it refuses does not matter; a key that it lacks does.
    instead = build_source(own(path=str(tmp_path), count=1), allow=["tests"])
    assert {split: list(pairs) for split, pairs in instead.splits().items()} == {"test": [one]}
    with pytest.raises(UserError, match=r"data\.cuont: unknown key"):
        build_source(own(path=str(tmp_path), cuont=1), allow=["tests"])
