"""Sentences as lines of a file, and the digest of such lines.

Lines end with "\\n" alone (a "\\r" before it is dropped). Other readers also split on U+2028, form feeds and the like,
which shifts every later line of a source against its translation.

A line has at most `LONGEST` bytes, which also limits the memory for a file without line ends.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO, Literal

from nmt.errors import UserError

LONGEST = 1 << 20  # bytes, with the line end: 16 times the longest text that a tokenizer learns from
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_BREAKS = re.compile(r"[\r\n]+")


@dataclass(frozen=True)
class Bad:
    """Why a line or a row has no text, in words such as "3 columns", and what helps if many are bad in this way."""

    reason: str
    advice: str = "repair these rows, or remove them"

    def __str__(self) -> str:
        return f"{self.reason}; {self.advice}"


Text = str | Bad
_ICONV = "iconv -f CP1252 -t UTF-8 OLD > NEW (CP949: Korean, CP1251: Cyrillic)"
NOT_UTF8 = Bad("not UTF-8", f"convert the text, as in: {_ICONV}")


def _zstandard(path: Path) -> BinaryIO:
    import pyarrow  # type: ignore[import-untyped]  # here, because the import is slow

    return io.BufferedReader(pyarrow.input_stream(str(path), compression="zstd"))


ENDINGS = (".gz", ".bz2", ".xz", ".zst")
COMPRESSIONS: Mapping[bytes, Callable[[Path], Any]] = {  # by the first bytes of a file
    **{b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open, b"\x28\xb5\x2f\xfd": _zstandard}
}
# How a file begins that holds no text in UTF-8: archives, Parquet and Arrow, documents, UTF-16 and UTF-32.
NO_TEXT = re.compile(
    rb"PK\x03\x04|7z\xbc\xaf|Rar!|.{257}ustar|PAR1|ARROW1|%PDF-|\{\\rtf|\xd0\xcf\x11\xe0|\xff\xfe|(\0\0)?\xfe\xff|(.\0|\0.){2}",
    re.DOTALL,
)


def as_line(text: str) -> str:
    """Return `text` on one line: line breaks become spaces, and white space at the end is removed, as in sacreBLEU."""
    return _LINE_BREAKS.sub(" ", text).rstrip()


def format_of(name: str) -> str:
    """Return the ending of a file name that names its format, in lower case: `.jsonl` of `a.jsonl` and `a.JSONL.gz`."""
    path = PurePath(name.lower())
    return PurePath(path.stem).suffix if path.suffix in ENDINGS else path.suffix


def is_jsonl(output: str | None, form: Literal["text", "jsonl"] | None) -> bool:
    """Return whether a program writes JSON Lines, by `form`, or if it is None, by the name of the output file."""
    return format_of(output or "") == ".jsonl" if form is None else form == "jsonl"


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file, unpacked if its first bytes are those of gzip, bzip2, xz or zstandard.

    Raises UserError for a file that is missing, damaged, cannot be read again or does not begin as a text.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe can be read only once, and a device may have no end
            kind = "a folder, pipe or device; expected a file that can be read again; data.path= names a folder"
            raise UserError(f"{path}: cannot be read: {kind}")
        with path.open("rb") as packed:
            first = packed.peek(16)
            unpack = next((unpack for magic, unpack in COMPRESSIONS.items() if first.startswith(magic)), None)
            with nullcontext(packed) if unpack is None else unpack(path) as file:
                if NO_TEXT.match(file.peek(512)):
                    kinds = "an archive, a document, Parquet or UTF-16; unpack it, or save it as text in UTF-8"
                    raise UserError(f"{path}: got no text ({kinds}: iconv -f UTF-16 -t UTF-8 OLD > NEW)")
                yield file
    except FileNotFoundError as error:
        hint = f"; a pattern is no name, so join the files: cat {path} > ALL" if "*" in path.name else ""
        raise UserError(f"{path}: no such file{hint}") from error
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.strerror is not None:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from error
        raise UserError(f"{path}: damaged or cut off ({error}); get or compress it again") from error


def raw(file: BinaryIO | io.BufferedReader) -> Iterator[bytes]:
    """Return the lines of a file with their ends. Of a line that is too long, one byte more than `LONGEST` is read."""
    return iter(partial(file.readline, LONGEST + 1), b"")


def texts(lines: Iterable[bytes], place: str, *, first: int = 1) -> Iterator[Text]:
    """Yield lines of UTF-8 text without their ends, or why a line is no text. The given `lines` have their ends.

    A byte order mark is dropped in line 1; a last line without "\\n" counts unless it is empty. Raises UserError for a
    line that is too long. `place` followed by the number of a line names the line; `first` is the first number.
    """
    for number, line in enumerate(lines, start=first):
        if len(line) > LONGEST:
            most = f"a line of more than {LONGEST:,} bytes, expected one sentence on each line; split it"
            raise UserError(f"{place}{number}: {most}")
        content = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            yield NOT_UTF8
            continue
        sentence = text.removesuffix("\n").removesuffix("\r")
        if sentence or text.endswith("\n"):
            yield sentence


def decoded(lines: Iterable[bytes], place: str, *, first: int = 1) -> Iterator[str]:
    """Yield lines as `texts` does. Raises UserError, which names the line, also for a line that is not UTF-8."""
    for number, text in enumerate(texts(lines, place, first=first), start=first):
        if isinstance(text, Bad):
            raise UserError(f"{place}{number}: {text}")
        yield text


def digest(*texts: str) -> str:
    """Return the SHA-256 of `texts` in this order, in hexadecimal."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
