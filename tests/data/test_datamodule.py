"""Loaders of the training and validation pairs."""

import logging

import pytest

from nmt.data.datamodule import TranslationData
from nmt.data.encoded import Encoded
from nmt.data.encoding import encode_corpus
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.training_pairs import TrainingPairs, WeightedCorpus
from nmt.spans import NO_SPANS
from nmt.tokens import EOS


class Words:
    """Stands in for a tokenizer: one token for each word, then eos."""

    source_vocab_size = target_vocab_size = 10
    spans = NO_SPANS

    def digest(self):
        return "words"

    def encode_source(self, sentences):
        return [[9] * len(sentence.split()) + [EOS] for sentence in sentences]

    encode_target = encode_source


@pytest.fixture
def data(tmp_path, data_config):
    """Return a maker of TranslationData from (source words, target words)."""

    def make(*lengths):
        pairs = [SentencePair("a " * source, "b " * target) for source, target in lengths]
        filters = Filters(max_length=10, max_ratio=2.0)
        train = TrainingPairs([WeightedCorpus(encode_corpus(Split.of(pairs), Words(), filters, folder=tmp_path))])
        val = [Encoded([word, EOS], [9, EOS]) for word in range(4, 9)]
        return TranslationData(train, val, data_config(batch_tokens=20, eval_batch_tokens=4), seed=1)

    return make


def test_what_is_dropped_is_counted_and_logged_once(data, caplog):
    caplog.set_level(logging.INFO, "nmt.data.datamodule")
    loaders = data((3, 3), (0, 3), (3, 0), (10, 9), (9, 9), (2, 6), (2, 5), (6, 2))
    message = "training pairs: 5 dropped (2 empty, 2 of unequal length, 1 too long); 3 kept"
    assert [record.message for record in caplog.records if record.name == "nmt.data.datamodule"] == [message]
    lengths = [length for batch in loaders.train_dataloader() for length in batch.source_mask.sum(1).tolist()]
    assert sorted(lengths) == [3, 4, 10]


def test_nothing_is_logged_where_nothing_is_dropped(data, caplog):
    caplog.set_level(logging.INFO, "nmt.data.datamodule")
    data((3, 3))
    assert not [record for record in caplog.records if record.name == "nmt.data.datamodule"]


def test_validation_is_whole(data):
    assert [batch.source[:, 0].tolist() for batch in data((3, 3)).val_dataloader()] == [[4, 5], [6, 7], [8]]
