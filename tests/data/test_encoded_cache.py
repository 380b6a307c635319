"""An encoded corpus in the cache is found by its content, and survives kills, damage and other processes."""

import errno
import logging
import os
import random
import signal
import subprocess
import sys
import threading
from unittest.mock import Mock

import pytest

from nmt.data.encoding import encode
from nmt.data.filters import Filters
from nmt.errors import UserError
from tests.data.number_texts import Numbers, linked_pairs, plain, random_pairs

FILES = ["corpus.json", "ids.npy", "offsets.npy"]


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


def test_links_are_part_of_the_name_only_where_they_are_used(encode_pairs, cache_files):
    pairs = linked_pairs(10)
    assert all(pair.links is None for pair in encode_pairs(pairs))
    (without,) = cache_files()
    for links in ("one", "other", "one"):
        encode_pairs(pairs, links=links)
    assert len(cache_files()) == 3 and without in cache_files()


def test_a_corpus_without_links_keeps_its_name(encode_pairs, cache_files):
    """A corpus that was encoded by an earlier version is found."""
    encode_pairs(random_pairs(10))
    assert [path.name for path in cache_files()] == ["corpus-780bd1310cc8f1409116bdee"]


def test_found_by_text_tokenizer_and_filters(encode_pairs, cache_files):
    pairs = Once(random_pairs(10))
    encode_pairs(pairs)
    assert pairs.read == 1 and len(cache_files()) == 1
    encode_pairs(pairs)
    assert pairs.read == 1, "read from the file"
    encode_pairs(pairs, text_digest="another text")
    encode_pairs(pairs, Numbers(name="another tokenizer"))
    encode_pairs(pairs, Numbers(size=70_000))
    encode_pairs(pairs, filters=Filters(max_length=9_999, max_ratio=10_000.0))
    encode_pairs(pairs, filters=Filters(max_length=10_000, max_ratio=9_999.0))
    assert pairs.read == 6 and len(cache_files()) == 6


def damaged(content):
    """Return contents that are cut short, too long, or have one bit flipped."""
    draw = random.Random(0)
    places = [0, 9, 40, len(content) - 1, *(draw.randrange(len(content)) for _ in range(8))]
    flipped = [content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] for place in places]
    return [b"", content[:50], content[:-1], content + b"x", *flipped, None]


@pytest.mark.parametrize("name", ["ids.npy", "offsets.npy", "links.npy", "link_offsets.npy", "corpus.json"])
def test_damaged_cache_is_made_again(encode_pairs, cache_files, caplog, name):
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
        assert [f"{entry / 'corpus.json'} is damaged" in line for line in caplog.messages].count(True) == 1 - missing
        assert (entry / name).read_bytes() == good


@pytest.mark.parametrize("name", ["ids.npy", "offsets.npy", "corpus.json"])
def test_foreign_cache_file_is_ignored(encode_pairs, cache_files, name):
    encode_pairs(random_pairs(10))
    (mine,) = cache_files()
    encode_pairs(random_pairs(20), text_digest="another text")
    (other,) = set(cache_files()) - {mine}
    (mine / name).write_bytes((other / name).read_bytes())
    assert list(encode_pairs(random_pairs(10))) == encode(random_pairs(10), Numbers())


def test_a_folder_that_cannot_be_written(encode_pairs, tmp_path, caplog):
    caplog.set_level(logging.INFO, "nmt")
    (tmp_path / "file").write_text("")
    corpus = encode_pairs(random_pairs(10), folder=tmp_path / "file" / "cache")
    assert list(corpus) == encode(random_pairs(10), Numbers())
    assert len(caplog.messages) == 1 and "encoding into temporary files" in caplog.messages[0]


def test_an_error_of_the_source_leaves_no_corpus(encode_pairs, cache_files):
    def failing():
        yield from random_pairs(5000)
        raise UserError("train.tsv:5001: broken")

    with pytest.raises(UserError, match="broken"):
        encode_pairs(failing())
    assert list(encode_pairs(random_pairs(10))) == encode(random_pairs(10), Numbers())
    assert names(cache_files()) == FILES


SLOW = """
import sys, time
from pathlib import Path
from nmt.data.pair import Reiterable, Split
from nmt.data.encoding import encode_corpus
from tests.data.number_texts import KEEP_ALL, Numbers, random_pairs

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


def test_killed_encoding_is_started_again(encode_pairs, cache_files, tmp_path, root):
    with start(tmp_path / "cache", root, 60) as process:
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    assert any(name.endswith(".part") for name in names(cache_files())), "it was killed while it wrote"
    pairs = random_pairs(20_000)
    assert list(encode_pairs(pairs)) == encode(pairs, Numbers())
    assert names(cache_files()) == FILES, "nothing of the killed process is left"


@pytest.mark.slow
def test_the_second_of_two_processes_waits(encode_pairs, cache_files, tmp_path, root, caplog):
    caplog.set_level(logging.INFO, "nmt")
    with start(tmp_path / "cache", root, 1) as process:
        assert process.stdout.readline() == "half\n"
        pairs = Once(random_pairs(20_000))
        corpus = encode_pairs(pairs)
        assert process.stdout.read() == "20000\n"
    assert pairs.read == 0 and len(corpus) == 20_000
    assert "waiting for another process" in caplog.messages[0]
    assert names(cache_files()) == FILES


def test_two_at_once_where_files_cannot_be_locked(encode_pairs, cache_files, monkeypatch):
    """The second begins and ends while the first is half done."""
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))
    pairs, made = random_pairs(5000), []

    def interrupted():
        yield from pairs[:4000]
        made.append(encode_pairs(pairs))
        yield from pairs[4000:]

    made.append(encode_pairs(interrupted()))
    assert [list(corpus) for corpus in made] == [encode(pairs, Numbers())] * 2
    assert names(cache_files()) == FILES


def test_threads_at_once(encode_pairs):
    pairs = random_pairs(5000)
    made = []
    threads = [threading.Thread(target=lambda: made.append(list(encode_pairs(pairs)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [encode(pairs, Numbers())] * 3


def test_a_corpus_whose_description_cannot_be_written_is_not_said_to_be_kept(encode_pairs, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "nmt")
    monkeypatch.setattr("nmt.data.cache.write_atomically", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
    assert len(encode_pairs(random_pairs(10))) == 10
    assert any("continuing without a cache" in line for line in caplog.messages)
    assert not any("kept in" in line for line in caplog.messages)
