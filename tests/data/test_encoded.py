"""An encoded corpus holds what encoding to lists gives, and its cache survives kills, damage and other processes."""

import logging
import os
import random
import tracemalloc

import numpy as np
import pytest

from nmt.data.encoded import EncodedCorpus, encode
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from tests.data.number_texts import Numbers, linked_pairs, pair, plain, random_pairs

FILES = ["corpus.json", "ids.bin", "ids_offsets.bin"]


def reason(pair, filters):
    shorter, longer = sorted(map(len, pair[:2]))
    if shorter < 2:
        return "empty"
    if longer > filters.max_length:
        return "too long"
    return "of unequal length" if longer > filters.max_ratio * shorter else ""


def names(entries):
    """Return the names of the files of the only corpus in the cache."""
    (entry,) = entries
    return sorted(path.name for path in entry.iterdir())


class Once:
    """Pairs that count how often they were read."""

    def __init__(self, pairs):
        self.pairs = pairs
        self.read = 0

    def __iter__(self):
        self.read += 1
        yield from self.pairs


@pytest.mark.parametrize("count", [1, 2, 1999, 2000, 2001, 9000])
@pytest.mark.parametrize(("size", "bytes_each"), [(65_536, 2), (65_537, 4), (100_000, 4)])
def test_equals_encoding_to_lists(encode_pairs, cache_files, count, size, bytes_each):
    pairs = random_pairs(count, size=size)
    expected = encode(pairs, Numbers(size))
    corpus = encode_pairs(pairs, Numbers(size))
    assert isinstance(corpus, EncodedCorpus) and list(corpus) == expected and len(corpus) == count
    assert corpus[-1] == expected[-1] and corpus[count - 1] in corpus
    for index in (count, -count - 1):
        with pytest.raises(IndexError):
            corpus[index]
    assert corpus.lengths[0].tolist() == [len(pair.source) for pair in expected]
    assert corpus.lengths[1].tolist() == [len(pair.target) for pair in expected]
    (entry,) = cache_files()
    ids = sum(len(pair.source) + len(pair.target) for pair in expected)
    assert names([entry]) == FILES and (entry / "ids.bin").stat().st_size == ids * bytes_each
    assert list(encode_pairs([], Numbers(size))) == expected, "read from the file"


@pytest.mark.parametrize("longest", [10, 70_000])
def test_links_of_kept_pairs_survive_the_file(encode_pairs, longest):
    pairs, filters = linked_pairs(5000), Filters(max_length=longest, max_ratio=2.0)
    expected = plain([pair for pair in encode(pairs, Numbers(), linked=True) if reason(pair, filters) == ""])
    assert 500 < len(expected) < 5000 and any(links for *_, links in expected)
    for pairs_now in (pairs, []):  # made, and read again
        corpus = encode_pairs(pairs_now, filters=filters, links="digest")
        assert plain(corpus) == expected
        assert plain([corpus[-1], corpus[7]]) == [expected[-1], expected[7]]
    assert all(not links for *_, links in plain(encode_pairs(random_pairs(9), text_digest="none", links="none")))


def test_what_the_limits_drop_is_counted_and_said(encode_pairs, caplog):
    caplog.set_level(logging.INFO, "nmt")
    pairs = [pair(3, 3), pair(0, 3), pair(3, 0), pair(10, 9), pair(9, 9), pair(2, 6), pair(2, 5), pair(6, 2)]
    filters = Filters(max_length=10, max_ratio=2.0)  # with eos: 9 numbers, 6 ids to 3
    for pairs_now in (pairs, []):  # made, and read again
        corpus = encode_pairs(pairs_now, filters=filters)
        assert corpus.dropped == {"empty": 2, "too long": 1, "of unequal length": 2}
        assert corpus.lengths[0].tolist() == [4, 10, 3]
        said = "training pairs: 3 encoded, 5 dropped (2 empty, 2 of unequal length, 1 too long), "
        assert caplog.messages[-1].startswith(said)
    lengths = [(source, target) for source in range(1, 14) for target in range(1, 14)]
    reasons = filters.reasons(*np.array(lengths, np.int32).T).tolist()
    assert reasons == [reason(([9] * source, [9] * target), filters) for source, target in lengths]


def test_dropping_everything_is_an_error(encode_pairs, cache_files):
    filters = Filters(max_length=10, max_ratio=2.0)
    with pytest.raises(UserError, match=r"pair was dropped \(3 pairs: 3 empty; .*\); check that the lines"):
        encode_pairs([pair(0, 3)] * 3, filters=filters)
    with pytest.raises(UserError, match=r"\(2 pairs: 1 empty, 1 too long; data.max_length=10 pieces.*, or drop less"):
        encode_pairs([pair(0, 3), pair(11, 11)], filters=filters)
    assert "corpus.json" not in names(cache_files())


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(encode_pairs):
    """Making and reading four times as many pairs takes far less than twice the memory."""
    peaks = []
    for count in (10_000, 40_000):
        tracemalloc.start()
        generated = (SentencePair(f"{number % 900 + 4}", "7") for number in range(count))
        corpus = encode_pairs(generated, text_digest=str(count))
        assert sum(len(pair.source) for pair in corpus) == 2 * count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


# The cache


def test_found_by_text_links_tokenizer_and_filters(encode_pairs, cache_files):
    pairs = Once(linked_pairs(10))
    for count, settings in enumerate(
        [
            {},
            {"text_digest": "another text"},
            {"links": "digest"},
            {"links": "another digest"},
            {"tokenizer": Numbers(name="another tokenizer")},
            {"tokenizer": Numbers(size=70_000)},
            {"filters": Filters(max_length=9_999, max_ratio=10_000.0)},
            {"filters": Filters(max_length=10_000, max_ratio=9_999.0)},
        ],
        1,
    ):
        for _ in range(2):  # made, and read from the file
            corpus = encode_pairs(pairs, **settings)
            assert (corpus[0].links is None) == ("links" not in settings)
            assert pairs.read == len(cache_files()) == count


def damaged(content):
    """Return contents that are cut short, too long, or have one bit flipped."""
    draw = random.Random(0)
    places = [0, 9, 40, len(content) - 1, *(draw.randrange(len(content)) for _ in range(8))]
    flipped = [content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] for place in places]
    return [b"", content[:50], content[:-1], content + b"x", *flipped, b"null", b"[1]", b"{}", None, content[::-1]]


@pytest.mark.parametrize("name", ["ids.bin", "ids_offsets.bin", "links.bin", "links_offsets.bin", "corpus.json"])
def test_a_damaged_corpus_is_made_again(encode_pairs, cache_files, caplog, name):
    caplog.set_level(logging.INFO, "nmt")
    pairs = linked_pairs(50)
    expected = plain(encode(pairs, Numbers(), linked=True))
    encode_pairs(pairs, links="digest")
    (entry,) = cache_files()
    good = (entry / name).read_bytes()
    for bad in damaged(good):
        (entry / name).unlink() if bad is None else (entry / name).write_bytes(bad)
        caplog.clear()
        assert plain(encode_pairs(pairs, links="digest")) == expected
        missing = bad is None and name == "corpus.json"
        assert any(f"{entry} is damaged" in line for line in caplog.messages) != missing
        assert (entry / name).read_bytes() == good


def test_killed_encoding_is_started_again(encode_pairs, cache_files):
    pairs = random_pairs(5000)

    def dying():
        yield from pairs[:3000]
        os._exit(9)  # nothing runs after it

    child = os.fork()
    if child == 0:
        encode_pairs(dying())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert "ids.bin" in names(cache_files()) and "corpus.json" not in names(cache_files())
    assert list(encode_pairs(pairs)) == encode(pairs, Numbers())
    assert names(cache_files()) == FILES, "nothing of the killed process is left"


def test_two_at_once(encode_pairs, cache_files):
    """The second begins and ends while the first is half done."""
    pairs, made = random_pairs(5000), []

    def interrupted():
        yield from pairs[:4000]
        made.append(encode_pairs(pairs))
        yield from pairs[4000:]

    made.append(encode_pairs(interrupted()))
    made.append(encode_pairs(pairs))
    assert [list(corpus) for corpus in made] == [encode(pairs, Numbers())] * 3
    assert names(cache_files()) == FILES
