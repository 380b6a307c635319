"""Sentences as lines of a file, and the digest of such lines.

Lines end with "\\n" alone (a "\\r" before it is dropped). Other readers also split on U+2028, form feeds and the like,
which shifts every later line of a source against its translation.

A line has at most `LONGEST` bytes. That is sixteen times the longest text that a tokenizer learns from. It also limits
the memory for a file without line ends.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import BinaryIO, Literal, cast

from nmt.errors import UserError

LONGEST = 1 << 20  # bytes, with the line end
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_BREAKS = re.compile(r"[\r\n]+")


def as_line(text: str) -> str:
    """Return `text` on one line: line breaks become spaces, and white space at the end is removed, as in sacreBLEU."""
    return _LINE_BREAKS.sub(" ", text).rstrip()


def format_of(name: str) -> str:
    """Return the ending of a file name that names its format, in lower case: `.jsonl` of `a.jsonl` and `a.JSONL.gz`."""
    return PurePath(name.lower().removesuffix(".gz")).suffix


def is_jsonl(output: str | None, form: Literal["text", "jsonl"] | None) -> bool:
    """Return whether a program writes JSON Lines, by `form`, or if it is None, by the name of the output file."""
    return format_of(output or "") == ".jsonl" if form is None else form == "jsonl"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file, gzipped if its name ends in .gz. Raises UserError for a damaged one while the block reads it."""
    try:
        with cast(BinaryIO, gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb")) as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path}: not a whole gzip file ({error}); compress it again or drop the .gz") from error


def raw(file: BinaryIO) -> Iterator[bytes]:
    """Return the lines of a file with their ends. Of a line that is too long, one byte more than `LONGEST` is read."""
    return iter(partial(file.readline, LONGEST + 1), b"")


def decoded(lines: Iterable[bytes], place: str, *, first: int = 1) -> Iterator[str]:
    """Yield lines of UTF-8 text without their ends; `lines` have them.

    A byte order mark is dropped in line 1; a last line without "\\n" counts unless it is empty. `place` followed by the
    number of a line names the line, and `first` is the number of the first line. Raises UserError for a line that is
    too long or not UTF-8.
    """
    for number, line in enumerate(lines, start=first):
        if len(line) > LONGEST:
            raise UserError(
                f"{place}{number}: a line of more than {LONGEST:,} bytes, expected one sentence on each line; split it "
                "into sentences, or leave it out"
            )
        content = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError(
                f"{place}{number}: not UTF-8 (byte {content[error.start]:#04x} at {error.start + 1}); convert the text "
                "to UTF-8, for example with iconv"
            ) from error
        sentence = text.removesuffix("\n").removesuffix("\r")
        if sentence or text.endswith("\n"):
            yield sentence


def digest(*texts: str) -> str:
    """Return the SHA-256 of `texts` in this order, in hexadecimal."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
