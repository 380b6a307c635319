"""Parallel text in local files: JSON lines, TSV, or one plain file for each language; each may be gzipped.

Files are read line by line, in memory that does not grow with their size; `nmt.system.lines` defines a line.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Pairs, Source, note, reader
from nmt.errors import ParameterError, UserError, counted, did_you_mean
from nmt.system.lines import decoded, format_of, opened, raw

SPLIT_FILE_NAMES: Mapping[str, tuple[str, ...]] = {
    "train": ("train",),
    "val": ("val", "valid", "validation", "dev"),
    "test": ("test",),
}
OTHER_FORMATS = (".csv", ".json", ".ndjson")  # files with these endings are not plain text
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?")

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
    ) -> None:
        """Take the name of a folder, and for each split the name of a file or of two files [source, target]."""
        self.languages = source_lang, target_lang
        named = {"train": train, "val": val, "test": test}
        self.named = {split: file_spec(value, split) for split, value in named.items() if value is not None}
        self.folder = None if path is None or train is not None else Path(os.path.expanduser(path))
        if self.folder is None and not self.named:
            raise ParameterError("path", "not given; name a folder by data.path=, or a file by data.train=")

    def splits(self) -> Mapping[str, Pairs]:
        """Return the splits that have a file. Raises UserError for a folder that is missing or unclear."""
        specs = find_splits(self.folder, *self.languages) if self.folder is not None else {}
        specs |= self.named
        return {split: read_pairs(specs[split], *self.languages) for split in SPLITS if split in specs}

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
        raise UserError(f"data.path: {folder}: {problem}")
    splits = dict[str, FileSpec]()
    for split, stems in SPLIT_FILE_NAMES.items():
        candidates = [spec for stem in stems for spec in _candidates(folder, stem, (source_lang, target_lang))]
        if len(candidates) > 1:
            shown = "; ".join(" + ".join(path.name for path in each) for each in candidates)
            raise UserError(
                f"data.path: {folder} has more than one {split} split: {shown}; keep one, or choose by data.{split}="
            )
        splits.update((split, each[0] if len(each) == 1 else (each[0], each[1])) for each in candidates)
    if not splits:
        raise UserError(
            f"data.path: {folder} holds no train.jsonl, train.tsv or train.{source_lang} + train.{target_lang} (.gz "
            "too), and none of val or test; put them there, or name the files by data.train= and data.val="
        )
    return splits


def _candidates(folder: Path, stem: str, languages: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Yield the file of pairs, or the two files, that a split may have under the name `stem`."""

    def named(ending: str) -> list[Path]:
        paths = (folder / f"{stem}.{ending}", folder / f"{stem}.{ending}.gz")
        return [path for path in paths if path.is_file()]

    yield from zip(named("jsonl") + named("tsv"))
    yield from itertools.product(*map(named, languages))


# Lines, rows and pairs


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, gzipped if its name ends in .gz, as `nmt.system.lines.decoded` does.

    Raises UserError for a file that cannot be read, and for a line that is too long or not UTF-8 (with its number).
    """
    return decoded(_raw_lines(path), f"{path}:")


def _raw_lines(path: Path) -> Iterator[bytes]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe can be read only once, and a device may have no end
            raise UserError(f"{path}: cannot be read: a folder, pipe or device; expected a file that can be read again")
        with opened(path) as file:
            yield from raw(file)
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error


def together(one: Iterable[One], other: Iterable[Other], names: tuple[str, str]) -> Iterator[tuple[One, Other]]:
    """Yield the lines of two files side by side. Raises UserError, which has their `names`, if one has more lines."""
    both = itertools.zip_longest(one, other)
    for count, (first, second) in enumerate(both, 1):
        if first is None or second is None:
            longer = count + sum(1 for _ in both)
            lines = (count - 1, longer) if first is None else (longer, count - 1)
            raise UserError(
                f"{names[0]} has {counted(lines[0], 'line')} but {names[1]} has {lines[1]:,}; both must have one line "
                "for each pair"
            )
        yield first, second


def read_pairs(spec: FileSpec, source_lang: str, target_lang: str) -> Pairs:
    """Return the pairs of one .jsonl or .tsv file (or .gz of these), or of a source file and a target file.

    Iterating raises UserError as `read_texts` does, and for a corpus without pairs.
    """
    languages = source_lang, target_lang
    if isinstance(spec, tuple):
        return reader(lambda: _two_files(spec, languages), " and ".join(map(str, spec)))
    if format_of(spec.name) not in (".jsonl", ".tsv"):
        raise UserError(
            f"{spec}: got '{format_of(spec.name)}', expected .jsonl, .tsv (or .gz of these), or [source,target] files"
        )
    return reader(lambda: _one_file(spec, languages), str(spec))


def _one_file(path: Path, languages: tuple[str, str]) -> Iterator[SentencePair]:
    for number, row in _rows(path, languages):
        if row is not None:
            source, target = (_text(row, language, f"{path}:{number}") for language in languages)
            yield SentencePair(source, target, number)


def _two_files(paths: tuple[Path, Path], languages: tuple[str, str]) -> Iterator[SentencePair]:
    sources, targets = map(read_texts, paths, languages)
    for (number, source), (_, target) in together(sources, targets, (str(paths[0]), str(paths[1]))):
        yield SentencePair(source, target, number)


def read_texts(path: Path, column: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line. In .jsonl and .tsv (or .gz of these), the text is under `column`.

    A blank line is an empty text. Raises UserError as `read_lines` does, for malformed lines, for a file without this
    column, and for formats that are not text.
    """
    kind = format_of(path.name)
    if kind in OTHER_FORMATS:
        raise UserError(f"{path}: got {kind}, expected .jsonl, .tsv, or one sentence on each line (.gz of these too)")
    if kind not in (".jsonl", ".tsv"):
        yield from enumerate(read_lines(path), 1)
        return
    for number, row in _rows(path, [column]):
        yield number, "" if row is None else _text(row, column, f"{path}:{number}")


def _rows(path: Path, languages: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
    """Yield the number of each line of a .jsonl or .tsv file (or .gz of these), and its values by language.

    A blank line has None. A JSON line holds `{"en": ..., "de": ...}` or `{"translation": {"en": ..., "de": ...}}`. TSV
    has no quoting. Its first line is a header that names the columns; without one, its two columns are `languages`.
    """
    lines: Iterator[tuple[int, str]] = enumerate(read_lines(path), 1)
    if format_of(path.name) == ".jsonl":
        for number, line in lines:
            yield number, _json(line, f"{path}:{number}") if line.strip() else None
        return
    first = next(lines, None)
    if first is None:
        return
    header, hint = _header(first[1], f"{path}:1", languages), ""
    if not header:
        if len(languages) == 1:
            raise UserError(f"{path}:1: no header line that names the column '{languages[0]}'; put one above the texts")
        note(f"{path}: no header line that names the columns; read as {', then '.join(languages)}")
        header, lines = list(languages), itertools.chain([first], lines)
        hint = " (or a header line that names the languages)"
    for number, line in lines:
        fields = line.split("\t")
        if line and len(fields) != len(header):
            got = counted(len(fields), "tab-separated column")
            raise UserError(f"{path}:{number}: got {got}, expected {len(header)}: {_listed(header)}{hint}")
        yield number, dict(zip(header, fields, strict=True)) if line else None


def _header(line: str, where: str, languages: Sequence[str]) -> list[str]:
    """Return the names of a TSV file's columns, or an empty list if its first line holds sentences.

    The line is a header if it names one of the languages, or if it holds several fields, all of them language codes.
    Raises UserError for a header that does not name all languages.
    """
    header = [field.strip() for field in line.split("\t")]
    codes = len(header) > 1 and all(map(LANGUAGE_CODE.fullmatch, header))
    if len(header) < len(languages) or not (codes or {*languages} & {*header}):
        return []
    for language in languages:
        require_language(language, header, f"{where} (read as a header line)")
    return header


def _json(line: str, where: str) -> Mapping[str, Any]:
    """Return the texts of a JSON line by language."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: malformed JSON ({error}); expected one object on each line") from error
    if not isinstance(row, dict):
        raise UserError(f"{where}: got {type(row).__name__}, expected a JSON object with one text for each language")
    inside = row.get("translation")
    return inside if isinstance(inside, dict) else row


def _text(texts: Mapping[str, Any], lang: str, where: str) -> str:
    require_language(lang, texts, where)
    text = texts[lang]
    if not isinstance(text, str):
        raise UserError(f"{where}: '{lang}' is {json.dumps(text)[:40]}, expected a text in quotes")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{where}: '{lang}' has half a character (a lone \\ud800-\\udfff escape)") from error
    return text


def require_language(lang: str, known: Iterable[str], where: str) -> None:
    """Raise UserError unless `lang` is among the keys `known` that the data at `where` has."""
    keys = list(known)
    if lang not in keys:
        raise UserError(
            f"{where}: no language key '{lang}'; there are: {_listed(keys) or 'none'}{did_you_mean(lang, keys)}; set "
            "data.source_lang and data.target_lang, or column= of translate.py"
        )


def _listed(names: Iterable[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= 100 else f"{text[:100]}..."
