"""Parallel text in local files: tables, JSON, or one plain file for each language; each may be compressed.

Files are read line by line, in memory that does not grow with their size; `nmt.system.lines` defines a line.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from nmt.data.sources.base import SPLIT_FILE_NAMES, Pairs, Row, Source, key_of, no_key, note, reader, text_of
from nmt.data.sources.hub import SAVED, Hub
from nmt.errors import ParameterError, UserError, counted
from nmt.system.lines import ENDINGS, NOT_UTF8, Bad, Text, decoded, format_of, opened, raw, texts
from nmt.text.languages import find_language

JSON = (".jsonl", ".json", ".ndjson")
ROWS = (*JSON, ".tsv", ".csv")  # the formats with several texts in a row
DATA_SET = (*SAVED, "train*.parquet", "data/train*.parquet")  # in a folder that the library `datasets` can read
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?")
SIDES = (["source", "target"], ["src", "tgt"], ["src", "trg"])  # headers that name no language
NO_SENTENCE = re.compile(r"[\d.,e+-]*|https?://\S*|CC-BY .*")  # a number, an address, or the licence of one pair
BLANK, HALF = "", "\udcff"  # a blank line in place of a row; half a character in place of a line that is not UTF-8
HEAD = 100  # rows that tell the columns of a table

FileSpec = Path | tuple[Path, Path]  # one file of pairs, or a source file and its target file
One = TypeVar("One")
Other = TypeVar("Other")


class Files(Source):
    """A folder with one file (or one file for each language) for every split, or files named one by one.

    If `train` is given, the corpus is the files `train`, `val` and `test` alone. Otherwise the file `val` or `test`
    replaces that split of the folder `path`.
    """

    def __init__(
        self,
        *,
        source_lang: str,
        target_lang: str,
        path: str | None = None,
        train: Any = None,
        val: Any = None,
        test: Any = None,
        strict: bool = False,
    ) -> None:
        """Take the name of a folder, and for each split the name of a file or of two files [source, target].

        If `strict`, a bad row is an error.
        """
        self.languages, self.strict = (source_lang, target_lang), strict
        named = {"train": train, "val": val, "test": test}
        self.named = {split: file_spec(value, split) for split, value in named.items() if value is not None}
        self.folder = None if path is None or train is not None else Path(os.path.expanduser(path))
        if self.folder is None and not self.named:
            raise ParameterError("path", "not given; name a folder (path) or a file (train, val)")

    def splits(self) -> Mapping[str, Pairs]:
        """Return the splits that have a file. Raises UserError for a folder that is missing or unclear."""
        specs, below = dict[str, FileSpec](), dict[str, Pairs]()
        if self.folder is not None and any(next(self.folder.glob(pattern), None) for pattern in DATA_SET):
            source, target = self.languages
            below |= Hub(source_lang=source, target_lang=target, name=str(self.folder), strict=self.strict).splits()
        elif self.folder is not None:
            specs = find_splits(self.folder, *self.languages)
        specs |= self.named
        return below | {split: read_pairs(spec, *self.languages, strict=self.strict) for split, spec in specs.items()}

    def origin(self, split: str) -> str:
        """Return the setting that names the split's file, or else the file of train: val may be held out of train."""
        for name in (split, "train"):
            if name in self.named:
                spec = self.named[name]
                return f"data.{name}=" + (f"[{spec[0]},{spec[1]}]" if isinstance(spec, tuple) else str(spec))
        return f"data.path={self.folder}" if self.folder is not None else "the files given"


def file_spec(value: Any, parameter: str) -> FileSpec:
    """Return the file or the two files that a setting (train, val, test) names.

    Raises ParameterError for anything but a file name or a list of two of them.
    """
    if isinstance(value, str):
        return Path(os.path.expanduser(value))
    if isinstance(value, Sequence) and len(value) == 2 and all(isinstance(name, str) for name in value):
        return Path(os.path.expanduser(value[0])), Path(os.path.expanduser(value[1]))
    raise ParameterError(parameter, f"got {value!r}, expected one file or [source,target]")


def find_splits(folder: Path, source_lang: str, target_lang: str) -> dict[str, FileSpec]:
    """Return the file or files of every split that `folder` holds.

    Raises UserError if the folder is missing or holds no split, or if two files are for the same split.
    """
    if not folder.is_dir():
        problem = "a file; name it by data.train=, data.val= or data.test=" if folder.exists() else "no such folder"
        raise UserError(f"{folder}: {problem}")
    splits = dict[str, FileSpec]()
    for split, stems in SPLIT_FILE_NAMES.items():
        candidates = [spec for stem in stems for spec in _candidates(folder, stem, (source_lang, target_lang))]
        if len(candidates) > 1:
            shown = "; ".join(" + ".join(path.name for path in each) for each in candidates)
            raise UserError(f"{folder} has more than one {split} split: {shown}; keep one, or choose by data.{split}=")
        splits.update((split, each[0] if len(each) == 1 else (each[0], each[1])) for each in candidates)
    if not splits:
        raise UserError(
            f"{folder} holds no train.jsonl, train.tsv or train.{source_lang} + train.{target_lang} (.gz "
            f"too), and none of val or test; put them there, or name the files, as in data.train=[SOURCE,TARGET]"
        )
    return splits


def _candidates(folder: Path, stem: str, languages: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Yield the file of pairs, or the two files, that a split may have under the name `stem`."""

    def named(kind: str) -> list[Path]:
        return [path for ending in ("", *ENDINGS) if (path := folder / f"{stem}{kind}{ending}").is_file()]

    yield from zip(itertools.chain.from_iterable(map(named, ROWS)))
    codes = sorted({path.name.removeprefix(f"{stem}.").partition(".")[0] for path in folder.glob(f"{stem}.*")})

    def plain(language: str) -> list[Path]:
        same = [code for code in codes if find_language(code, [language])]  # mtdata writes "kor" for "ko"
        return named(f".{language}") or [path for code in same for path in named(f".{code}")]

    yield from itertools.product(*map(plain, languages))


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file as `nmt.system.lines.opened` and `decoded` do, which raise UserError."""
    with opened(path) as file:
        yield from decoded(raw(file), f"{path}:")


def _lines(path: Path) -> Iterator[Text]:
    with opened(path) as file:
        yield from texts(raw(file), f"{path}:")


def together(one: Iterable[One], other: Iterable[Other], *, names: tuple[str, str]) -> Iterator[tuple[One, Other]]:
    """Yield the lines of two files side by side. Raises UserError, which has their `names`, if one has more lines."""
    both = itertools.zip_longest(one, other)
    for count, (first, second) in enumerate(both, 1):
        if first is None or second is None:
            longer = count + sum(1 for _ in both)
            lines = (count - 1, longer) if first is None else (longer, count - 1)
            remedy = "both must have one for each pair (an empty line is one too: sed -i '$d' FILE removes the last)"
            raise UserError(f"{names[0]} has {counted(lines[0], 'line')} but {names[1]} has {lines[1]:,}; {remedy}")
        yield first, second


def read_pairs(spec: FileSpec, source_lang: str, target_lang: str, *, strict: bool = True) -> Pairs:
    """Return the pairs of one file with both languages, or of a source file and a target file.

    Iterating raises UserError as `read_texts` and `nmt.data.sources.base.reader` do.
    """
    languages = source_lang, target_lang
    if isinstance(spec, tuple):
        return reader(lambda: _two_files(spec, languages), " and ".join(map(str, spec)), strict=strict)
    return reader(lambda: _one_file(spec, languages), str(spec), strict=strict)


def _one_file(path: Path, languages: tuple[str, str]) -> Iterator[Row]:
    for number, row in _rows(path, languages):
        if row != BLANK:
            yield number, text_of(row, languages[0]), text_of(row, languages[1])


def _two_files(paths: tuple[Path, Path], languages: tuple[str, str]) -> Iterator[Row]:
    sides = map(_texts, paths, languages)
    for (number, source), (_, target) in together(*sides, names=(str(paths[0]), str(paths[1]))):
        bad, path = (source, paths[0]) if isinstance(source, Bad) else (target, paths[1])
        yield number, replace(bad, reason=f"{path.name}: {bad.reason}") if isinstance(bad, Bad) else source, target


def read_texts(path: Path, column: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line. In the formats `ROWS`, the text is under `column`.

    A blank line is an empty text. Raises UserError as `read_lines` does, and for a row without this text.
    """
    for number, text in _texts(path, column):
        if isinstance(text, Bad):
            raise UserError(f"{path}:{number}: {text}")
        yield number, text


def _texts(path: Path, column: str) -> Iterator[tuple[int, Text]]:
    if format_of(path.name) not in ROWS:
        return enumerate(_lines(path), 1)
    return ((number, row if row == BLANK else text_of(row, column)) for number, row in _rows(path, [column]))


def _rows(path: Path, languages: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the number of each row, and its texts by language, or why it has no texts. A blank line is `BLANK`.

    The number is that of the line.
    """
    if format_of(path.name) not in JSON:
        yield from _table(path, languages)
        return
    yield from enumerate(map(_json, _lines(path)), 1)


def _json(line: Text) -> Any:
    try:
        return line if isinstance(line, Bad) else json.loads(line) if line.strip() else BLANK
    except (ValueError, RecursionError):
        return Bad("malformed JSON", "expected one object on each line (of an array: jq -c '.[]' FILE > NEW)")


def _table(path: Path, languages: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a TSV or CSV file as `_rows` does. TSV has no quoting."""
    lines = _lines(path)
    tabbed = ((number, line if isinstance(line, Bad) else line.split("\t")) for number, line in enumerate(lines, 1))
    rows: Iterator[tuple[int, list[str] | Bad]] = _csv(lines) if format_of(path.name) == ".csv" else tabbed
    rows = itertools.dropwhile(lambda row: row[1] in ([], [""]), rows)
    head = list(itertools.islice(rows, HEAD))
    header, first = _header([fields for _, fields in head if isinstance(fields, list) and any(fields)], path, languages)
    advice = f"expected {len(header)}: {', '.join(header)}"[:200]
    for number, fields in itertools.chain(head[first:], rows):
        if isinstance(fields, Bad):
            yield number, fields
        elif not any(fields):
            yield number, BLANK
        elif len(fields) < len(header) or any(fields[len(header) :]):  # tabs at the end of a line do no harm
            yield number, Bad(counted(len(fields), "column"), advice)
        else:
            yield number, dict(zip(header, fields, strict=False))


def _csv(lines: Iterator[Text]) -> Iterator[tuple[int, list[str] | Bad]]:
    """Yield the number of the first line of each row, and its fields, which may have line breaks in quotes."""
    whole = (f"{line if isinstance(line, str) else HALF}\n" for line in lines)
    first = next(whole, "")
    table = csv.reader(itertools.chain([first], whole), delimiter=max(",;\t", key=first.count), strict=True)
    while True:
        number = table.line_num + 1
        try:
            fields = next(table)
            yield number, NOT_UTF8 if fields == [HALF] else fields
        except StopIteration:
            return
        except csv.Error:
            yield from ((lost, Bad("malformed CSV")) for lost in range(number, table.line_num + 1))


def _header(head: Sequence[Sequence[str]], path: Path, languages: Sequence[str]) -> tuple[list[str], int]:
    """Return the names of a table's columns, and the number of its header lines, 1 or 0, from its first rows.

    The first row is a header if it names all languages, has the code of one, or has only codes. Without a header, a
    column of numbers, addresses or licences is none of the languages. Raises UserError if a language has no column.
    """
    if not head:
        return [*languages], 0
    keys = tuple(field.strip() for field in head[0])
    found = [key_of(language, keys) for language in languages]
    codes = len(keys) > 1 and all(map(LANGUAGE_CODE.fullmatch, keys))
    if codes or {*languages} & {*keys} or len({*found} - {None}) == len(languages):
        if len(keys) >= len(languages) and None in found:
            raise UserError(f"{path}:1 (read as a header line): {no_key(languages[found.index(None)], keys)}")
        return list(keys), 1
    if len(languages) == 1:
        raise UserError(f"{path}:1: no header line that names the column '{languages[0]}'; put one above the texts")
    if [key.lower() for key in keys] in SIDES:
        return [*languages], 1
    width = Counter(map(len, head)).most_common(1)[0][0]
    columns = zip(*(row for row in head if len(row) == width), strict=True)
    used = [i for i, column in enumerate(columns) if width == 2 or not all(map(NO_SENTENCE.fullmatch, column))]
    header = [f"column {i + 1}" for i in range(width)]
    if len(used) != 2:
        names = "\\t".join([*languages, *header[2:]])
        raise UserError(
            f"{path}: got '{head[0][0][:40]}', expected source, tab, target in each line, or a header line that names "
            f"the languages of {counted(width, 'column')} (sed -i '1i {names}' {shlex.quote(str(path))}); docs/data.md"
        )
    english_first = "tatoeba.org" in head[0][-1] and key_of("en", (languages[1],))
    for i, name in zip(used, languages[::-1] if english_first else languages, strict=True):
        header[i] = name
    note(f"{path}: no header line that names the columns; read as {', then '.join(header)}")
    return header, 0
