"""An encoded corpus holds what encoding to lists gives, and says what it has dropped."""

import logging
import random
import time
import tracemalloc

import numpy as np
import pytest

from nmt.data.encoded import EncodedCorpus
from nmt.data.encoding import encode
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from tests.data.number_texts import Numbers, linked_pairs, pair, plain, random_pairs


@pytest.mark.parametrize("count", [1, 2, 1999, 2000, 2001, 9000])
@pytest.mark.parametrize(("size", "bytes_each"), [(65_536, 2), (65_537, 4), (100_000, 4)])
def test_equals_encoding_to_lists(encode_pairs, cache_files, count, size, bytes_each):
    pairs = random_pairs(count, size=size)
    corpus = encode_pairs(pairs, Numbers(size))
    expected = encode(pairs, Numbers(size))
    assert list(corpus) == expected and len(corpus) == count
    assert corpus[-1] == expected[-1]
    assert corpus.lengths[0].tolist() == [len(pair.source) for pair in expected]
    assert corpus.lengths[1].tolist() == [len(pair.target) for pair in expected]
    ids = sum(len(pair.source) + len(pair.target) for pair in expected)
    (entry,) = cache_files()
    assert (entry / "ids.npy").stat().st_size == 128 + ids * bytes_each
    assert list(encode_pairs([], Numbers(size))) == expected, "read from the file"


def test_equals_encoding_with_sentencepiece(encode_pairs, tokenizer_config):
    draw = random.Random(0)
    texts = [" ".join("".join(draw.choices("abcdé한", k=4)) for _ in range(draw.randint(0, 6))) for _ in range(600)]
    pairs = [SentencePair(*texts[i : i + 2]) for i in range(500)]
    tokenizer = Tokenizer.train(pairs, tokenizer_config(vocab_size=300), cache_dir=None)
    filters = Filters(max_length=20, max_ratio=1.5)
    kept = [ids for ids in encode(pairs, tokenizer) if reason(ids, filters) == ""]
    assert 0 < len(kept) < len(pairs) and list(encode_pairs(pairs, tokenizer, filters)) == kept


@pytest.mark.parametrize("longest", [10, 70_000])
def test_links_of_kept_pairs_survive_the_file(encode_pairs, longest):
    pairs, filters = linked_pairs(5000), Filters(max_length=longest, max_ratio=2.0)
    expected = plain([pair for pair in encode(pairs, Numbers(), linked=True) if reason(pair, filters) == ""])
    assert 500 < len(expected) < 5000 and any(links for *_, links in expected)
    for pairs_now in (pairs, []):  # made, and read again
        corpus = encode_pairs(pairs_now, filters=filters, links="digest")
        assert plain(corpus) == expected
        assert plain([corpus[-1], corpus[7]]) == [expected[-1], expected[7]]


def reason(pair, filters):
    shorter, longer = sorted(map(len, pair[:2]))
    if shorter < 2:
        return "empty"
    if longer > filters.max_length:
        return "too long"
    return "of unequal length" if longer > filters.max_ratio * shorter else ""


def test_reasons():
    draw = random.Random(1)
    filters = Filters(max_length=10, max_ratio=1.7)
    lengths = [(draw.randint(1, 13), draw.randint(1, 13)) for _ in range(2000)]
    reasons = filters.reasons(*np.array(lengths, np.int32).T).tolist()
    assert reasons == [reason(([9] * source, [9] * target), filters) for source, target in lengths]
    assert set(reasons) == {"", "empty", "too long", "of unequal length"}


def test_what_is_dropped_is_counted(encode_pairs):
    pairs = [pair(3, 3), pair(0, 3), pair(3, 0), pair(10, 9), pair(9, 9), pair(2, 6), pair(2, 5), pair(6, 2)]
    filters = Filters(max_length=10, max_ratio=2.0)  # with eos: 9 numbers, 6 ids to 3
    for pairs_now in (pairs, []):  # made, and read again
        corpus = encode_pairs(pairs_now, filters=filters)
        assert corpus.dropped == {"empty": 2, "too long": 1, "of unequal length": 2}
        assert corpus.lengths[0].tolist() == [4, 10, 3]


def test_dropping_everything_is_an_error(encode_pairs, cache_files):
    filters = Filters(max_length=10, max_ratio=2.0)
    with pytest.raises(UserError, match=r"pair was dropped \(3 of 3 are empty on one side\); check that the lines"):
        encode_pairs([pair(0, 3)] * 3, filters=filters)
    with pytest.raises(UserError, match=r"\(2 pairs: 1 empty, 1 too long; data.max_length=10 pieces.*raise these"):
        encode_pairs([pair(0, 3), pair(11, 11)], filters=filters)
    assert [path.name for entry in cache_files() for path in entry.iterdir()] == ["lock"], "no corpus is kept"


def test_an_id_out_of_range_is_an_error(encode_pairs):
    with pytest.raises(OverflowError):
        encode_pairs([SentencePair("65536", "9")])


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(encode_pairs):
    """Making and reading four times as many pairs takes far less than twice the memory."""

    def generated(count):
        for number in range(count):
            yield SentencePair(f"{number % 900 + 4}", "7")

    peaks = []
    for count in (10_000, 40_000):
        tracemalloc.start()
        corpus = encode_pairs(generated(count), text_digest=str(count))
        assert sum(len(pair.source) for pair in corpus) == 2 * count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


def test_a_long_pass_says_how_far_it_is(encode_pairs, caplog, monkeypatch):
    caplog.set_level(logging.INFO, "nmt")
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    encode_pairs(random_pairs(10_000))
    assert any(line.startswith("encoding: 6,000 of 10,000 pairs, ") for line in caplog.messages)


def test_an_encoded_corpus_is_a_sequence(encode_pairs):
    corpus = encode_pairs(random_pairs(5))
    assert isinstance(corpus, EncodedCorpus) and corpus[4] in corpus
    for index in (5, -6):
        with pytest.raises(IndexError):
            corpus[index]
