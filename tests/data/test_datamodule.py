"""Which training pairs are kept, and that what is dropped is counted and said."""

import pytest

from nmt.data.datamodule import TranslationData, reason_to_drop
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from nmt.special import EOS


class Words:
    """Stands for a tokenizer: a token a word, then eos."""

    def encode_source(self, sentences):
        return [[9] * len(sentence.split()) + [EOS] for sentence in sentences]

    encode_target = encode_source


def pair(source, target):
    return SentencePair("a " * source, "b " * target)


PAIRS = [pair(3, 3), pair(0, 3), pair(3, 0), pair(10, 9), pair(9, 9), pair(2, 6), pair(2, 5), pair(6, 2)]


@pytest.fixture
def config(data_config):
    return data_config(max_length=10, max_ratio=2.0)  # with eos: 9 words, 6 tokens to 3


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (2, 2, None), (1, 2, "empty"), (2, 1, "empty"), (11, 10, "too long"), (10, 11, "too long"), (10, 10, None),
        (3, 6, None), (6, 3, None), (3, 7, "of unequal length"), (7, 3, "of unequal length"),
    ],
)  # fmt: skip
def test_reasons(config, source, target, reason):
    assert reason_to_drop(([9] * source, [9] * target), config) == reason


def test_what_is_dropped_is_counted_and_said_once(config, heard):
    data = TranslationData(PAIRS, PAIRS, Words(), config, seed=1, say=heard.append)
    assert heard == ["training pairs: 3 kept, 2 empty, 2 of unequal length, 1 too long dropped"]
    assert [len(source) for source, _ in data.train_pairs] == [4, 10, 3]
    assert len(data.val_pairs) == len(PAIRS), "validation is whole"


def test_nothing_is_said_where_nothing_is_dropped(config, heard):
    TranslationData(PAIRS[:1], PAIRS, Words(), config, seed=1, say=heard.append)
    assert heard == []


def test_dropping_everything_is_an_error(config, heard):
    with pytest.raises(UserError, match=r"every training pair was dropped \(1 pairs, data.max_length=10 pieces"):
        TranslationData(PAIRS[1:2], PAIRS, Words(), config, seed=1, say=heard.append)
