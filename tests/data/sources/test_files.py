"""Local parallel text: every format reads the same, and every mistake is one line that says where."""

import bz2
import gzip
import itertools
import json
import lzma
import re
import tracemalloc
from functools import partial
from pathlib import Path

import pyarrow
import pytest

from nmt.data.pair import SentencePair
from nmt.data.sources.files import Files, find_splits, read_lines, read_pairs, read_texts
from nmt.errors import UserError
from nmt.system.lines import LONGEST

# What other readers split on, quote, or take for nothing.
PAIRS = [
    SentencePair("A dog.", "Ein Hund."),
    SentencePair('He said "hi', 'Er sagte "hallo'),
    SentencePair("line\u2028separator\u0085next\x0cfeed\x1c", "Trenner"),
    SentencePair("NA", "null"),
    SentencePair("", "leer"),
    SentencePair("über 😀", "위에"),
]


TSV = "".join(f"{pair.source}\t{pair.target}\n" for pair in PAIRS)
OBJECTS = [{"en": pair.source, "de": pair.target, "id": "x"} for pair in PAIRS]
NESTED = [{"translation": row, "id": 1} for row in OBJECTS]
QUOTED = [f'"{text}"' for pair in PAIRS for text in (pair.target.replace('"', '""'), pair.source.replace('"', '""'))]


def table(header, row):
    return header + "".join(f"{row.format(pair.source, pair.target)}\n" for pair in PAIRS)


def zstandard(content):
    return pyarrow.compress(content, "zstd", asbytes=True)


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("name", "content", "first"),
    [
        ("train.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in OBJECTS), 1),
        ("train.ndjson", "\n".join(map(json.dumps, NESTED)), 1),
        ("train.tsv", TSV.replace("\n", "\r\n"), 1),
        ("train.tsv", "\ufeff" + TSV, 1),
        ("train.tsv", table("de\tnote\ten\n", "{1}\t-\t{0}"), 2),
        ("train.tsv", table("GERMAN\tEnglish\n", "{1}\t{0}\t"), 2),
        ("train.tsv", "Source\tTarget\n" + TSV, 2),
        ("train.tsv", table("\ufeff", "12\t{0}\t7\t{1}\t"), 1),
        ("train.txt", table("", "{0}\t{1}\tCC-BY 2.0 (France) Attribution: tatoeba.org #1"), 1),
        ("train.csv", "German sentence;eng\n" + "".join(map("{};{}\n".format, QUOTED[::2], QUOTED[1::2])), 2),
        *(
            ("train.tsv", pack(TSV.encode()), 1)
            for pack in (bytes, partial(gzip.compress, mtime=0), bz2.compress, lzma.compress, zstandard)
        ),
        ("train.TSV.GZ", gzip.compress(TSV.encode(), mtime=0), 1),
        ("train.tsv.gz", TSV, 1),
    ],
)
def test_every_format_reads_the_same(tmp_path, name, content, first):
    pairs = read_pairs(write(tmp_path / name, content), "en", "de", strict=True)
    assert list(pairs) == PAIRS
    assert list(pairs) == PAIRS, "pairs can be read again"
    assert [pair.line for pair in pairs] == list(range(first, first + len(PAIRS)))
    if name == "train.txt":  # English is first there, in both directions
        assert list(read_pairs(tmp_path / name, "de", "en")) == [pair.swapped() for pair in PAIRS]
    if name not in ("train.txt", "train.TSV.GZ"):
        assert find_splits(tmp_path, "en", "de") == {"train": tmp_path / name}


def test_two_files_and_blank_lines(tmp_path):
    spec = write(tmp_path / "train.en", "".join(pair.source + "\n" for pair in PAIRS)), tmp_path / "train.de.gz"
    write(spec[1], gzip.compress("\n".join(pair.target for pair in PAIRS).encode()))  # without a last line end
    assert list(read_pairs(spec, "en", "de")) == PAIRS and find_splits(tmp_path, "en", "de") == {"train": spec}
    three = [
        path.rename(tmp_path / path.name.replace(*to))
        for path, to in zip(spec, (("en", "eng"), ("de", "deu")), strict=True)
    ]
    assert find_splits(tmp_path, "en", "de") == {"train": tuple(three)}, "as mtdata names them"
    rows = write(tmp_path / "a.jsonl", '\n{"en": "a", "de": "b"}\n\n{"en": "a", "de": "b"}\n')
    pairs = list(read_pairs(rows, "en", "de"))
    assert [pair.line for pair in pairs] == [2, 4] and pairs[0] == pairs[1]


def test_lines_end_with_newline_alone(tmp_path):
    assert list(read_lines(write(tmp_path / "a", "a\rb\r\n\n\x0bc\u2029\n"))) == ["a\rb", "", "\x0bc\u2029"]
    assert list(read_lines(write(tmp_path / "b", ""))) == []
    assert list(read_lines(write(tmp_path / "c", "\n"))) == [""]
    assert len(list(read_lines(write(tmp_path / "d", "a\0b\n" * 9)))) == 9  # with zero bytes, but no UTF-16


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"en": "a", "de": "b"}\n{"en": "a", \n', "a.jsonl:2: malformed JSON"),
        ("a.jsonl", '{"en": ' + "[" * 100_000 + "\n", "a.jsonl:1: malformed JSON"),
        ("a.jsonl", '{"en": "a", "fr": "b"}\n', "a.jsonl:1: no language key 'de'; there are: en, fr"),
        (
            "a.jsonl",
            '{"\\u001b[2J\\ud83d": 1, "' + "x" * 99 + '": 2}\n',
            f"there are: \\x1b[2J\\ud83d, {'x' * 93}...; set",
        ),
        (
            "a.tsv",
            "\t".join(["en", *map(str, range(99))]) + "\n",
            f"there are: {', '.join(['en', *map(str, range(99))])[:100]}...; set",
        ),
        ("a.jsonl", '{"en": null, "de": "b"}\n', "a.jsonl:1: 'en' is null"),
        ("a.jsonl", '{"en": "\\ud83d", "de": "b"}\n', "a.jsonl:1: not UTF-8"),
        ("a.tsv", "a\tb\nc\n", "a.tsv:2: 1 column; expected 2: en, de"),
        ("a.tsv", "en\tde\nx\ty\tz\n", "a.tsv:2: 3 columns; expected 2: en, de"),
        ("a.tsv", b"a\tb\nc\td\n\xffe\tf\n", "a.tsv:3: not UTF-8; convert the text"),
        ("a.csv", '"a" x,b\nc,d\n', "a.csv:1: malformed CSV; repair"),
        ("a.csv", b"en,de\na,b\n\xff,b\n", "a.csv:3: not UTF-8"),
        ("a.txt", "a\n", "a.txt: got 'a', expected source, tab, target in each line"),
        ("a.txt", "a\tb\tc\n", r"(sed -i '1i en\tde\tcolumn 3' "),
        ("a.json", '[{"en": "a", "de": "b"}]\n', "a.json:1: list, not an object; expected rows as"),
        ("a.json", '[\n{"en": "a", "de": "b"}\n]\n', "a.json:1: malformed JSON; expected one object on each line"),
        ("a.tsv", "en\tde\n", "a.tsv: empty corpus"),
        ("a.tsv", "\n\n", "a.tsv: empty corpus"),
        ("a.tsv", TSV.encode("utf-16"), "got no text (an archive, a document, Parquet or UTF-16; unpack it"),
        ("a.tsv", TSV.encode("utf-32"), "iconv -f UTF-16 -t UTF-8 OLD > NEW"),
        ("a.tsv", TSV.encode("utf-16-le"), "got no text"),
        ("a.tsv", b"PK\x03\x04 ", "got no text"),
        ("a.tsv", b"PAR1 ", "got no text"),
    ],
)
def test_malformed_files(tmp_path, name, content, message):
    path = write(tmp_path / name, content)
    with pytest.raises(UserError) as error:
        list(read_pairs(path, "en", "de"))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_truncated_and_unzipped(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        list(read_pairs(tmp_path / "a.tsv", "en", "de"))
    (tmp_path / "device.tsv").symlink_to("/dev/zero")
    with pytest.raises(UserError, match=r"device\.tsv: cannot be read: a folder, pipe or device; expected a file"):
        list(read_pairs(tmp_path / "device.tsv", "en", "de"))
    spec = write(tmp_path / "a.en", "a\nb\nc\n"), write(tmp_path / "a.de", "a\nb\n")
    with pytest.raises(UserError, match=r"a\.en has 3 lines but .*a\.de has 2"):
        list(read_pairs(spec, "en", "de"))
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b"a\tb\n" * 1000)[:-9])
    with pytest.raises(UserError, match="damaged or cut off"):
        list(read_pairs(tmp_path / "a.tsv.gz", "en", "de"))
    with pytest.raises(UserError, match="cannot be read"):
        list(read_lines(tmp_path))


def test_folders_that_are_unclear(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        find_splits(tmp_path / "none", "en", "de")
    write(tmp_path / "data.csv", "")
    with pytest.raises(UserError, match=r"holds no train\.jsonl, train\.tsv or train\.en"):
        find_splits(tmp_path, "en", "de")
    write(tmp_path / "train.en", "a\n")
    write(tmp_path / "train.fr", "a\n")
    with pytest.raises(UserError, match=r"holds no train\.jsonl, train\.tsv or train\.en \+ train\.de"):
        find_splits(tmp_path, "en", "de")
    write(tmp_path / "train.de", "a\n")
    write(tmp_path / "train.tsv.gz", "a\tb\n")
    with pytest.raises(UserError, match=r"more than one train split: train\.tsv\.gz; train\.en \+ train\.de"):
        find_splits(tmp_path, "en", "de")


@pytest.mark.parametrize("name", ["lines.en", "lines.en.gz"])
def test_a_line_without_end_is_refused_in_little_memory(tmp_path, name):
    """A file of less than 1 MB can hold it."""
    path = tmp_path / name
    with gzip.open(path, "wb") if name.endswith(".gz") else path.open("wb") as file:
        file.write(b"one\n" + b"two" * (LONGEST // 3) + b"\n")  # 1,048,576 bytes with the line end
        for _ in range(200):
            file.write(b"x" * LONGEST)
    assert not name.endswith(".gz") or path.stat().st_size < 10**6
    lines = read_lines(path)
    assert [len(next(lines)) for _ in range(2)] == [3, LONGEST - 1]
    tracemalloc.start()
    with pytest.raises(UserError) as error:
        next(lines)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(error.value).startswith(f"{path}:3: a line of more than 1,048,576 bytes, expected one sentence")
    assert peak < 5 * LONGEST


def test_a_note_about_a_file_is_logged_once(tmp_path, heard):
    pairs = read_pairs(write(tmp_path / "a.tsv", "a\tb\n"), "en", "de")
    assert list(pairs) == list(pairs)
    assert heard == [f"{tmp_path / 'a.tsv'}: no header line that names the columns; read as en, then de"]


MANY = [SentencePair(f"Süß {number}.", f"Sweet {number}.") for number in range(50)]
ROWS = [{"de": pair.source, "en": pair.target} for pair in MANY]


def test_bad_rows_are_left_out_counted_and_named_in_every_format(tmp_path, heard):
    lines = [f"{pair.source}\t{pair.target}\n".encode() for pair in MANY]
    latin = write(tmp_path / "latin.tsv", b"".join(lines).decode().encode("latin-1"))
    lines[16], lines[39] = b"a\tb\tc\n", b"S\xfc\tb\n"
    sides = [b"".join(line.split(b"\t")[side].strip() + b"\n" for line in lines) for side in (0, 1)]
    rows = [*map(json.dumps, ROWS), '{"de": null, "en": "a"}', '{"de": "a", "en"']
    files = {"a.tsv": b"".join(lines), "a.jsonl": "\n".join(rows)}
    files |= zip(("a.de", "a.en"), sides, strict=True)
    tsv, jsonl, *both = (write(tmp_path / name, content) for name, content in files.items())
    for spec, kept, message in (
        (tsv, 48, "2 of 50 rows were left out: 17 (3 columns), 40 (not UTF-8)"),
        (jsonl, 50, "2 of 52 rows were left out: 51 ('de' is null), 52 (malformed JSON)"),
        (tuple(both), 49, "1 of 50 rows was left out: 40 (a.de: not UTF-8)"),
    ):
        pairs = list(read_pairs(spec, "de", "en", strict=False))
        assert len(pairs) == kept and heard[-1].endswith(message)
        assert all(pair == MANY[pair.line - 1] for pair in pairs if pair.source != "a"), "the sides stay together"
        with pytest.raises(UserError, match=r":(17|51|40): "):
            list(read_pairs(spec, "de", "en"))
    assert list(itertools.islice(read_pairs(tsv, "de", "en", strict=False), 17))[16] == MANY[17]
    assert heard[-1].endswith("1 of the first 18 rows was left out: 17 (3 columns)")
    message = r"50 of 50 rows cannot be used, more than 5%: 1 \(not UTF-8\), .*; in all 50 .*iconv"
    with pytest.raises(UserError, match=message):
        list(read_pairs(latin, "de", "en", strict=False))


def test_folders_of_the_library_datasets(tmp_path):
    import datasets  # takes a second

    table = datasets.Dataset.from_list(ROWS)
    table.save_to_disk(str(tmp_path / "saved"))
    datasets.DatasetDict(train=table, validation=table).save_to_disk(str(tmp_path / "splits"))
    (tmp_path / "hub").mkdir()
    table.to_parquet(str(tmp_path / "hub" / "train.parquet"))
    for folder in ("saved", "splits", "hub"):
        assert list(Files(source_lang="de", target_lang="en", path=str(tmp_path / folder)).splits()["train"]) == MANY


def test_texts_of_a_file(tmp_path: Path) -> None:
    rows = write(tmp_path / "a.JSONL", '{"en": "a"}\n\n{"en": "b", "de": 1}\n')
    assert list(read_texts(rows, "en")) == [(1, "a"), (2, ""), (3, "b")]
    headed = write(tmp_path / "c.tsv", "en\na dog\n")
    assert list(read_texts(headed, "en")) == [(2, "a dog")]
    headed.write_text(headed.read_text() + "\n", "utf-8")
    assert list(read_texts(headed, "en")) == [(2, "a dog"), (3, "")]
    plain = write(tmp_path / "a.txt", '{"en": "a"}\tb\n')
    assert list(read_texts(plain, "en")) == [(1, '{"en": "a"}\tb')]
    for name, text, message in (
        ("a.jsonl", '{"en": "a"}\n{"text": "b"}\n', "a.jsonl:2: no language key 'en'; there are: text; set data"),
        ("a.tsv", "a\tb\nc\td\n", "a.tsv:1: no header line that names the column 'en'; put one above the texts"),
        ("a.csv", "a,b\n", "a.csv:1: no header line that names the column 'en'; put one above the texts"),
    ):
        with pytest.raises(UserError, match=re.escape(message)):
            list(read_texts(write(tmp_path / name, text), "en"))
