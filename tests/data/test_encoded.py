"""An encoded corpus holds what encoding to lists gives, is found by its content, and survives kills and damage."""

import errno
import json
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import zlib
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from nmt.data.corpus_file import HEADER_BYTES, MAGIC
from nmt.data.encoded import EncodedCorpus, encode, encode_corpus
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.special import EOS

KEEP_ALL = Filters(max_length=10_000, max_ratio=10_000.0)


class Numbers:
    """Stands in for a tokenizer: a text is its ids, written out."""

    def __init__(self, size=1000, name="numbers"):
        self.source_vocab_size = self.target_vocab_size = size
        self.name = name

    @property
    def word_starts(self):
        return [range(EOS + 1, self.source_vocab_size)] * 2  # each number is a word

    def digest(self):
        return self.name

    def encode_source(self, texts):
        return [[*map(int, text.split()), EOS] for text in texts]

    encode_target = encode_source


def sentence(length, *, draw=None, size=1000):
    return " ".join(str(draw.randrange(4, size) if draw else 9) for _ in range(length))


def pair(source, target):
    return SentencePair(sentence(source), sentence(target))


def random_pairs(count, *, size=1000, seed=0):
    draw = random.Random(seed)
    return [
        SentencePair(*(sentence(draw.randint(1, 12), draw=draw, size=size) for _ in range(2))) for _ in range(count)
    ]


@pytest.fixture
def make(tmp_path):
    """Return a maker of encoded corpora in tmp_path / "cache"."""

    def make(pairs, tokenizer=None, filters=KEEP_ALL, *, text_digest="text", links=None, folder=tmp_path / "cache"):
        split = Split(pairs, 10_000, text_digest, links)
        return encode_corpus(split, tokenizer or Numbers(), filters, folder=folder, linked=links is not None)

    return make


@pytest.fixture
def files(tmp_path):
    """Return a function that lists the cache's files."""
    return lambda: sorted((tmp_path / "cache").iterdir())


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
def test_equals_encoding_to_lists(make, files, count, size, bytes_each):
    pairs = random_pairs(count, size=size)
    corpus = make(pairs, Numbers(size))
    expected = encode(pairs, Numbers(size))
    assert list(corpus) == expected and len(corpus) == count
    assert corpus[-1] == expected[-1]
    assert corpus.source_lengths.tolist() == [len(pair.source) for pair in expected]
    assert corpus.target_lengths.tolist() == [len(pair.target) for pair in expected]
    ids = sum(len(pair.source) + len(pair.target) for pair in expected)
    (path,) = files()
    assert path.stat().st_size == 1024 + -(-ids * bytes_each // 8) * 8 + 12 * count + 8
    assert list(make([], Numbers(size))) == expected, "read from the file"


def test_equals_encoding_with_sentencepiece(make, tokenizer_config):
    draw = random.Random(0)
    texts = [" ".join("".join(draw.choices("abcdé한", k=4)) for _ in range(draw.randint(0, 6))) for _ in range(600)]
    pairs = [SentencePair(*texts[i : i + 2]) for i in range(500)]
    tokenizer = Tokenizer.train(pairs, tokenizer_config(vocab_size=300), cache_dir=None)
    filters = Filters(max_length=20, max_ratio=1.5)
    kept = [ids for ids in encode(pairs, tokenizer) if reason(ids, filters) == ""]
    assert 0 < len(kept) < len(pairs) and list(make(pairs, tokenizer, filters)) == kept


def linked_pairs(count):
    """Return random pairs with random links; every third has none."""
    draw, found = random.Random(1), []
    for number, pair in enumerate(random_pairs(count)):
        words = len(pair.source.split()), len(pair.target.split())
        links = {(draw.randrange(words[0]), draw.randrange(words[1])) for _ in range(number % 3 * 4)}
        text = " ".join(f"{i}-{j}" for i, j in links) if number % 3 else draw.choice(["", None])
        found.append(SentencePair(pair.source, pair.target, alignment=text))
    return found


def plain(pairs):
    return [(pair.source, pair.target, pair.links.tolist()) for pair in pairs]


@pytest.mark.parametrize("longest", [10, 70_000])
def test_links_of_kept_pairs_survive_the_file(make, files, longest):
    pairs, filters = linked_pairs(5000), Filters(max_length=longest, max_ratio=2.0)
    expected = plain([pair for pair in encode(pairs, Numbers(), linked=True) if reason(pair, filters) == ""])
    assert 500 < len(expected) < 5000 and any(links for *_, links in expected)
    for pairs_now in (pairs, []):  # made, and read again
        corpus = make(pairs_now, filters=filters, links="digest")
        assert plain(corpus) == expected
        assert plain([corpus[-1], corpus[7]]) == [expected[-1], expected[7]]
    (path,) = files()
    good = path.read_bytes()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert plain(make(pairs, filters=filters, links="digest")) == expected, "damage among the links is noticed"


def test_links_are_part_of_the_name_only_where_they_are_used(make, files):
    pairs = linked_pairs(10)
    assert all(pair.links is None for pair in make(pairs))
    (without,) = files()
    for links in ("one", "other", "one"):
        make(pairs, links=links)
    assert len(files()) == 3 and without in files()


def test_a_corpus_without_links_keeps_its_name(make, files):
    """A corpus that was encoded by an earlier version is found."""
    make(random_pairs(10))
    assert [path.name for path in files()] == ["corpus-46e72624a820b8d0c276537a.ids"]


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


def test_what_is_dropped_is_counted(make):
    pairs = [pair(3, 3), pair(0, 3), pair(3, 0), pair(10, 9), pair(9, 9), pair(2, 6), pair(2, 5), pair(6, 2)]
    filters = Filters(max_length=10, max_ratio=2.0)  # with eos: 9 numbers, 6 ids to 3
    for pairs_now in (pairs, []):  # made, and read again
        corpus = make(pairs_now, filters=filters)
        assert corpus.dropped == {"empty": 2, "too long": 1, "of unequal length": 2}
        assert corpus.source_lengths.tolist() == [4, 10, 3]


def test_dropping_everything_is_an_error(make, files):
    filters = Filters(max_length=10, max_ratio=2.0)
    with pytest.raises(UserError, match=r"pair was dropped \(3 of 3 are empty on one side\); check that the lines"):
        make([pair(0, 3)] * 3, filters=filters)
    with pytest.raises(UserError, match=r"\(2 pairs: 1 empty, 1 too long; data.max_length=10 pieces.*raise these"):
        make([pair(0, 3), pair(11, 11)], filters=filters)
    assert [path.suffix for path in files()] == [".lock"], "no corpus is kept"


def test_an_id_out_of_range_is_an_error(make):
    with pytest.raises(OverflowError):
        make([SentencePair("65536", "9")])


def test_found_by_text_tokenizer_and_filters(make, files):
    pairs = Once(random_pairs(10))
    make(pairs)
    assert pairs.read == 1 and len(files()) == 1
    make(pairs)
    assert pairs.read == 1, "read from the file"
    make(pairs, text_digest="another text")
    make(pairs, Numbers(name="another tokenizer"))
    make(pairs, Numbers(size=70_000))
    make(pairs, filters=Filters(max_length=9_999, max_ratio=10_000.0))
    make(pairs, filters=Filters(max_length=10_000, max_ratio=9_999.0))
    assert pairs.read == 6 and len(files()) == 6


def test_damage_is_noticed(make, files, caplog):
    caplog.set_level(logging.INFO, "nmt")
    pairs = random_pairs(50)
    expected = encode(pairs, Numbers())
    make(pairs)
    (path,) = files()
    good = path.read_bytes()
    draw = random.Random(0)
    places = [0, 9, 20, 1023, 1024, len(good) - 1, *(draw.randrange(len(good)) for _ in range(30))]
    flipped = [good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :] for place in places]
    for bad in (b"", good[:500], good[:-1], good + b"x", *flipped):
        path.write_bytes(bad)
        caplog.clear()
        assert list(make(pairs)) == expected
        assert [f"{path} is damaged" in line for line in caplog.messages].count(True) == 1
        assert path.read_bytes() == good


def forged(path, **changes):
    """Replace the header's entries, or ids where `place` is given, and make both checksums right again."""
    content = bytearray(path.read_bytes())
    header = json.loads(content[12:HEADER_BYTES])
    for place, value in changes.pop("ids", {}).items():
        content[HEADER_BYTES + 2 * place : HEADER_BYTES + 2 * place + 2] = value.to_bytes(2, "little")
    header |= {"checksum": zlib.crc32(content[HEADER_BYTES:])} | changes
    text = json.dumps(header).encode().ljust(HEADER_BYTES - 12)
    path.write_bytes(MAGIC + zlib.crc32(text).to_bytes(4, "little") + text + bytes(content[HEADER_BYTES:]))


@pytest.mark.parametrize(
    "changes",
    [
        {"pairs": 0}, {"pairs": -1}, {"pairs": 49}, {"pairs": 10**30}, {"pairs": "many"}, {"pairs": 1.5},
        {"pairs": None}, {"ids": {5: 1000}}, {"ids": {0: 65535}}, {"dropped": []}, {"dropped": {"empty": "many"}},
        {"all_links": 3}, {"all_links": 10**9}, {"link_dtype": "<i4"}, {"link_dtype": "O"}, {"dtype": "<i4"},
    ],
    ids=str,
)  # fmt: skip
def test_a_forged_file_is_made_again_and_named(make, files, caplog, changes):
    caplog.set_level(logging.INFO, "nmt")
    pairs = [replace(each, alignment="0-0") for each in random_pairs(50)]
    make(pairs, links="digest")
    (path,) = files()
    good = path.read_bytes()
    forged(path)
    assert path.read_bytes() == good
    forged(path, **changes)
    make(pairs, links="digest")
    assert f"training pairs: {path} is damaged; encoding again" in caplog.messages
    assert path.read_bytes() == good


def test_a_foreign_file_is_not_taken(make, files):
    make(random_pairs(10))
    (mine,) = files()
    make(random_pairs(20), text_digest="another text")
    (other,) = set(files()) - {mine}
    mine.write_bytes(other.read_bytes())
    assert list(make(random_pairs(10))) == encode(random_pairs(10), Numbers())


def test_a_folder_that_cannot_be_written(make, tmp_path, caplog):
    caplog.set_level(logging.INFO, "nmt")
    (tmp_path / "file").write_text("")
    corpus = make(random_pairs(10), folder=tmp_path / "file" / "cache")
    assert list(corpus) == encode(random_pairs(10), Numbers())
    assert len(caplog.messages) == 1 and "encoding into a temporary file" in caplog.messages[0]


def test_an_error_of_the_source_leaves_no_corpus(make, files):
    def failing():
        yield from random_pairs(5000)
        raise UserError("train.tsv:5001: broken")

    with pytest.raises(UserError, match="broken"):
        make(failing())
    assert list(make(random_pairs(10))) == encode(random_pairs(10), Numbers())
    assert [path.suffix for path in files()] == [".ids"]


SLOW = """
import sys, time
from pathlib import Path
from nmt.data.pair import Reiterable, Split
from tests.data.test_encoded import KEEP_ALL, Numbers, encode_corpus, random_pairs

def slow():
    for number, pair in enumerate(random_pairs(20_000)):
        if number == 12_000:
            print("half", flush=True)
            time.sleep(float(sys.argv[2]))
        yield pair

folder = Path(sys.argv[1])
split = Split(Reiterable(slow), 20_000, "text")
corpus = encode_corpus(split, Numbers(), KEEP_ALL, folder=folder)
print(len(corpus))
"""


def start(folder, root, seconds):
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(folder), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def test_killed_and_started_again(make, files, tmp_path, root):
    with start(tmp_path / "cache", root, 60) as process:
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    assert any(path.suffix == ".part" for path in files()), "it was killed while it wrote"
    pairs = random_pairs(20_000)
    assert list(make(pairs)) == encode(pairs, Numbers())
    assert [path.suffix for path in files()] == [".ids"], "nothing of the killed process is left"


@pytest.mark.slow
def test_the_second_of_two_processes_waits(make, files, tmp_path, root, caplog):
    caplog.set_level(logging.INFO, "nmt")
    with start(tmp_path / "cache", root, 1) as process:
        assert process.stdout.readline() == "half\n"
        pairs = Once(random_pairs(20_000))
        corpus = make(pairs)
        assert process.stdout.read() == "20000\n"
    assert pairs.read == 0 and len(corpus) == 20_000
    assert "waiting for another process" in caplog.messages[0]
    assert [path.suffix for path in files()] == [".ids"]


def test_two_at_once_where_files_cannot_be_locked(make, files, monkeypatch):
    """The second begins and ends while the first is half done."""
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))
    pairs, made = random_pairs(5000), []

    def interrupted():
        yield from pairs[:4000]
        made.append(make(pairs))
        yield from pairs[4000:]

    made.append(make(interrupted()))
    assert [list(corpus) for corpus in made] == [encode(pairs, Numbers())] * 2
    assert [path.suffix for path in files()] == [".ids"]


def test_threads_at_once(make):
    pairs = random_pairs(5000)
    made = []
    threads = [threading.Thread(target=lambda: made.append(list(make(pairs)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [encode(pairs, Numbers())] * 3


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(make):
    """Making and reading four times as many pairs takes far less than twice the memory."""

    def generated(count):
        for number in range(count):
            yield SentencePair(f"{number % 900 + 4}", "7")

    peaks = []
    for count in (10_000, 40_000):
        tracemalloc.start()
        corpus = make(generated(count), text_digest=str(count))
        assert sum(len(pair.source) for pair in corpus) == 2 * count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


def test_a_long_pass_says_how_far_it_is(make, caplog, monkeypatch):
    caplog.set_level(logging.INFO, "nmt")
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    make(random_pairs(10_000))
    assert any(line.startswith("encoding: 6,000 of 10,000 pairs, ") for line in caplog.messages)


def test_an_encoded_corpus_is_a_sequence(make):
    corpus = make(random_pairs(5))
    assert isinstance(corpus, EncodedCorpus) and corpus[4] in corpus
    for index in (5, -6):
        with pytest.raises(IndexError):
            corpus[index]
