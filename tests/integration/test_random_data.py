"""Random data files: each is read, cut into pieces and encoded, or ends in one line, and never in a traceback."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from nmt.build import build_source
from nmt.config.compose import compose
from nmt.config.schema import read
from nmt.config.settings import DataConfig, TokenizerConfig
from nmt.data.corpus import load_corpus
from nmt.data.encoded import encode, encode_corpus
from nmt.data.filters import Filters
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, printable
from tests.integration.test_random_input import limited

LONGEST = 1000  # characters of an error
PLAIN = [  # lines that are odd in every format
    *(b"", b" ", b"\r", b"\0", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\x1b[2J"),
    *("a dog\tein Hund\n".encode(code) for code in ("utf-16", "utf-32", "latin-1")),
    *(f"a{end}dog".encode() for end in ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\0", "\u202e")),
    *("\u00ad \u200b \u200f 😀 e\u0301 한국어 ﷽".encode(), b"a" * 10**6, b"a dog " * 10**5, "é".encode() * 10**5),
]
TEXTS = ['""', '" "', '"\\u0000"', '"\\ud83d"', '"\\ude00\\ud83d"', '"\\ud83d\\ude00"', '"\\n\\r\\u2028"', '"\\t"']
VALUES = [
    *(*TEXTS, "null", "true", "0", "-1.5", "1e400", "NaN", "-Infinity", "[]", "{}", '["a"]', '{"en": "a"}'),
    *("9" * 5000, "'a'", "", "[" * 10**5, '"' + "a" * 10**6 + '"', "\x1b[2J", "// a", '"\\x"', '"a', '"\t"'),
]
KEYS = ['"en"', '"de"', '"EN"', '"translation"', '""', '"\\u0000"', '"\\ud83d"', '"\\n"', '"\\u001b[2J"', "en", "1"]
HEADERS = [*[b"en\tde"] * 4, b"de\ten", b"en\tfr", b"en\tde\tnote", b" en \t de ", b"en", b"en\ten"]
WORDS = ["the", "dog", "cats", "of", "snow", "der", "Hund", "Schnee", "über", "한국어", "seven-eighths", "Wörterbuch"]


def value(draw: random.Random) -> str:
    depth = draw.choice([1, 100, *range(940, 1000, 4), 10**4])
    nested = [open * depth + "1" + close * depth for open, close in (("[", "]"), ('{"a":', "}"))]
    return draw.choice([*VALUES, *nested])


def odd_line(draw: random.Random, kind: str) -> bytes:
    if kind in ("plain", "csv") or draw.random() < 0.3:
        return draw.choice(PLAIN)
    if kind == "tsv":
        return b"\t".join(draw.choice([b"a", b"en", b"de", b"fr", *PLAIN]) for _ in range(draw.choice([2, 2, 2, 1, 9])))
    many = ", ".join(f'"key {number}": 1' for number in range(10**4))
    pair = draw.choice(
        [
            f'"en": "a", "de": {value(draw)}',
            f'"en": {value(draw)}, "de": "b"',
            f'"en": "a", "de": "b", {draw.choice(KEYS)}: {value(draw)}',
            f"{draw.choice(KEYS)}: {value(draw)}, {draw.choice(KEYS)}: {value(draw)}",
            many,
        ]
    )
    line = draw.choice([f"{{{pair}}}", f"{{{pair}}}", f'{{"translation": {{{pair}}}}}', value(draw), pair])
    return line.encode()


def good_line(draw: random.Random, kind: str) -> bytes:
    source, target = (" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(2))
    if kind == "jsonl":
        return json.dumps({"en": source, "de": target}).encode()
    return source.encode() if kind == "plain" else f"{source}\t{target}".encode()


def content(draw: random.Random, kind: str) -> bytes:
    lines = [good_line(draw, kind) for _ in range(draw.choice([0, 5, 60, 60, 60, 60]))]
    for _ in range(draw.choice([0, 0, 1, 1, 3])):
        place = draw.choice([0, draw.randint(0, len(lines))])
        lines[place : place + 1] = [odd_line(draw, kind)]
    if kind == "tsv" and draw.random() < 0.5:
        lines.insert(0, draw.choice(HEADERS))
    end = draw.choice([*[b"\n"] * 9, *[b"\r\n"] * 3, b"\r", b"\n\n", "\u2028".encode()])
    text = end.join(lines) + draw.choice([b"", end])
    return draw.choice([*[b""] * 9, *[b"\xef\xbb\xbf"] * 3, b"\xff\xfe"]) + text


def zipped(draw: random.Random, text: bytes) -> bytes:
    whole = gzip.compress(text, 1)
    place = draw.randrange(len(whole))
    changed = whole[:place] + bytes([draw.randrange(256)]) + whole[place + 1 :]
    damaged = [whole[:place], changed, whole + b"rest", text, b""]
    return draw.choice([*[whole] * 8, whole + gzip.compress(b""), whole + b"\0" * 9, *damaged])


def write(draw: random.Random, folder: Path, kind: str, stem: str) -> str:
    path = folder / (stem + ("" if kind == "plain" else f".{kind}") + draw.choice(["", "", ".gz"]))
    text = content(draw, kind)
    path.write_bytes(zipped(draw, text) if path.suffix == ".gz" else text)
    return str(path)


def use(config: DataConfig, tokenizer_config: TokenizerConfig, folder: Path) -> None:
    """Do what a training does with its data."""
    corpus = load_corpus(build_source(config), config)
    tokenizer = Tokenizer.train(corpus["train"], tokenizer_config, cache_dir=None)
    filters = Filters(config.max_length, config.max_ratio)
    encode_corpus(corpus["train"], tokenizer, filters, folder=folder)
    encode(list(corpus["val"]), tokenizer)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_random_files_are_a_corpus_or_end_in_one_line(part: int, tmp_path: Path) -> None:
    draw = random.Random(part)
    shipped = compose("train", ["data=files", "data.train=none", "tokenizer.vocab_size=null"])
    tokenizer_config = read(shipped["tokenizer"], TokenizerConfig, "tokenizer")
    used = 0
    for number in range(50):
        folder = tmp_path / str(number)
        folder.mkdir()
        kind = draw.choice([*["tsv", "jsonl", "plain"] * 4, "csv"])
        names = [write(draw, folder, kind, stem) for stem in (("a.en", "a.de") if kind == "plain" else ("a",))]
        named = {"train": names if kind == "plain" else names[0], "val_size": 2}
        config = read(shipped["data"] | named, DataConfig, "data")
        with limited():
            try:
                use(config, tokenizer_config, folder)
                used += 1
            except UserError as error:
                message = printable(str(error))  # as the programs print it
                assert len(message) < LONGEST and len(message.splitlines()) == 1, (number, message[:LONGEST])
    assert 0 < used < 50
