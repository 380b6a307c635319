"""Parallel text in local files: JSON lines, TSV, or one plain file for each language; each may be gzipped.

Files are read line by line, in memory that does not grow with their size; `nmt.system.lines` defines a line.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Pairs, Source, reader
from nmt.errors import ParameterError, UserError, counted, did_you_mean
from nmt.system.lines import decoded, format_of, opened, raw

SPLIT_FILE_NAMES: Mapping[str, tuple[str, ...]] = {
    "train": ("train",),
    "val": ("val", "valid", "validation", "dev"),
    "test": ("test",),
}

LANGUAGE_CODE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?")

OTHER_FORMATS = (".csv", ".json", ".ndjson")  # files with these endings are not plain text
SET_LANGUAGES = "set data.source_lang and data.target_lang"

FileSpec = Path | tuple[Path, Path]  # one file of pairs, or a source file and its target file


class Files(Source):
    """A folder with one file (or one file for each language) for every split, or files named one by one.

    With `train` the corpus is the files `train`, `val` and `test` and nothing else. Otherwise `val` or `test` replaces
    that split of the folder `path`.
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
        found = find_splits(self.folder, *self.languages) if self.folder is not None else {}
        specs = found | self.named
        return {split: read_pairs(specs[split], *self.languages) for split in SPLITS if split in specs}

    def origin(self, split: str) -> str:
        """Return the setting that names the split's file, or else that of train, because val may be held out of it."""
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


# Lines


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file, gzipped if its name ends in .gz, as `nmt.system.lines.decoded` does.

    Raises UserError for a file that cannot be read, and for a line that is too long or not UTF-8 (with its number).
    """
    return decoded(_raw_lines(path), f"{path}:")


def read_whole(path: Path) -> str:
    """Return the text of a UTF-8 file, gzipped if its name ends in .gz, with its byte order mark if it has one.

    Raises UserError for a file that cannot be read, or that is not UTF-8 (with the line).
    """
    content = b"".join(_raw_lines(path))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{path}:{number}: not UTF-8 (byte {content[error.start]:#04x}); convert the text to UTF-8, for example "
            "with iconv"
        ) from error


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


# Rows and pairs


def rows(
    path: Path, languages: Sequence[str], remedy: str = SET_LANGUAGES, note: Callable[[str], None] = lambda text: None
) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
    """Yield the number of each line of a .jsonl or .tsv file (or .gz of these), and its values by language.

    A blank line has None. A JSON line holds `{"en": ..., "de": ...}` or `{"translation": {"en": ..., "de": ...}}`. TSV
    has no quoting. Its first line is a header that names the columns; without one, its two columns are `languages`, and
    `note` gets a message about that. Raises UserError with file and line for anything malformed; if a language is
    missing, it ends with the `remedy`.
    """
    if format_of(path.name) == ".jsonl":
        yield from _json_rows(path)
        return
    lines: Iterator[tuple[int, str]] = enumerate(read_lines(path), 1)
    number, first = next(lines, (0, ""))
    if number == 0:
        return
    header, hint = _header(first, path, languages, remedy), ""
    if not header:
        if len(languages) == 1:
            raise UserError(f"{path}:1: no header line that names the column '{languages[0]}'; put one above the texts")
        note(f"{path}: no header line that names the columns; read as {', then '.join(languages)}")
        header, lines = list(languages), itertools.chain([(1, first)], lines)
        hint = " (or a header line that names the languages)"
    for number, line in lines:
        fields = line.split("\t")
        if line and len(fields) != len(header):
            expected = f"{len(header)}: {_some(header)}{hint}"
            raise UserError(f"{path}:{number}: got {counted(len(fields), 'tab-separated column')}, expected {expected}")
        yield number, dict(zip(header, fields, strict=True)) if line else None


def _json_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | None]]:
    for number, line in enumerate(read_lines(path), 1):
        where = f"{path}:{number}"
        try:
            row = json.loads(line) if line.strip() else None
        except RecursionError as error:
            raise UserError(f"{where}: JSON that is nested too deeply; expected one object on each line") from error
        except ValueError as error:
            raise UserError(f"{where}: malformed JSON ({error}); expected one object on each line") from error
        if row is not None and not isinstance(row, dict):
            raise UserError(
                f"{where}: got {type(row).__name__}, expected a JSON object with one text for each language"
            )
        yield number, row["translation"] if row and isinstance(row.get("translation"), dict) else row


def _header(line: str, path: Path, languages: Sequence[str], remedy: str) -> list[str]:
    """Return the names of a TSV file's columns, or an empty list if its first line holds sentences.

    The line is a header if it names one of the languages, or if it holds several fields, all of them language codes.
    Raises UserError for a header that does not name all languages.
    """
    header = [field.strip() for field in line.split("\t")]
    named = set(languages) & set(header)
    looks_so = len(header) > 1 and all(LANGUAGE_CODE.fullmatch(field) for field in header)
    if len(header) < len(languages) or not (named or looks_so):
        return []
    where = f"{path}:1"
    if not named:
        where += " (read as a header line; if it is a sentence pair, put a header line with the two languages above it)"
    for language in languages:
        check_language(language, header, where, remedy)
    return header


def read_pairs(spec: FileSpec, source_lang: str, target_lang: str, *, remedy: str = SET_LANGUAGES) -> Pairs:
    """Return the pairs of one .jsonl or .tsv file (or .gz of these), or of a source file and a target file.

    Iterating raises UserError as `rows` and `read_texts` do, and for a corpus without pairs.
    """
    languages = source_lang, target_lang
    if isinstance(spec, tuple):
        files = spec
        return reader(lambda note: _two_files(files, languages, remedy), " and ".join(map(str, spec)))
    path = spec
    if format_of(path.name) not in (".jsonl", ".tsv"):
        raise UserError(
            f"{path}: got '{format_of(path.name)}', expected .jsonl, .tsv (or .gz of these), or [source,target] files"
        )

    def pairs(note: Callable[[str], None]) -> Iterator[SentencePair]:
        for number, row in rows(path, languages, remedy, note):
            if row is not None:
                source, target = (_text(row, language, f"{path}:{number}", remedy) for language in languages)
                yield SentencePair(source, target, number)

    return reader(pairs, str(path))


def read_texts(path: Path, column: str, *, remedy: str = SET_LANGUAGES) -> Iterator[tuple[int, str]]:
    """Yield the number of each line and its text; of .jsonl and .tsv (or .gz of these) the text under `column`.

    A blank line is an empty text. Raises UserError as `rows` and `read_lines` do, and for formats that are not text.
    """
    kind = format_of(path.name)
    if kind in OTHER_FORMATS:
        raise UserError(f"{path}: got {kind}, expected .jsonl, .tsv, or one sentence on each line (.gz of these too)")
    if kind not in (".jsonl", ".tsv"):
        yield from enumerate(read_lines(path), 1)
        return
    for number, row in rows(path, [column], remedy):
        yield number, "" if row is None else _text(row, column, f"{path}:{number}", remedy)


def _two_files(files: tuple[Path, Path], languages: tuple[str, str], remedy: str) -> Iterator[SentencePair]:
    sides = (read_texts(path, language, remedy=remedy) for path, language in zip(files, languages, strict=True))
    both = itertools.zip_longest(*sides)
    for count, (source, target) in enumerate(both, 1):
        if source is None or target is None:
            longest = count + sum(1 for _ in both)
            counts = (count - 1, longest) if source is None else (longest, count - 1)
            raise UserError(
                f"{files[0]} has {counts[0]} lines but {files[1]} has {counts[1]}; "
                "both files must have one line for each pair"
            )
        yield SentencePair(source[1], target[1], source[0])


def _text(texts: Mapping[str, Any], lang: str, where: str, remedy: str) -> str:
    check_language(lang, texts, where, remedy)
    text = texts[lang]
    if not isinstance(text, str):
        raise UserError(f"{where}: '{lang}' is {json.dumps(text)[:40]}, expected a text in quotes")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{where}: '{lang}' has half a character (a lone \\ud800-\\udfff escape)") from error
    return text


def check_language(lang: str, known: Iterable[str], where: str, remedy: str = SET_LANGUAGES) -> None:
    """Raise UserError unless `lang` is among the keys `known` that the data at `where` has; it ends with `remedy`."""
    keys = list(known)
    if lang not in keys:
        raise UserError(
            f"{where}: no language key '{lang}'; there are: {_some(keys) or 'none'}{did_you_mean(lang, keys)}; {remedy}"
        )


def _some(names: Sequence[str]) -> str:
    """Return the first names for a message, each shortened, with an escape for what cannot be printed."""
    shown = [repr(name)[1:-1] for name in names[:12]]
    return ", ".join(name if len(name) <= 40 else f"{name[:40]}..." for name in shown) + ", ..." * (len(names) > 12)


# Folders


def find_splits(folder: Path, source_lang: str, target_lang: str) -> dict[str, FileSpec]:
    """Return the file or files of every split that `folder` holds.

    Raises UserError if the folder is missing or holds no split, or if two files are for the same split.
    """
    if not folder.is_dir():
        problem = "a file; name it by data.train=, data.val= or data.test=" if folder.exists() else "no such folder"
        raise UserError(f"data.path: {folder}: {problem}")
    names = {entry.name.lower(): entry for entry in sorted(folder.iterdir()) if entry.is_file()}  # also train.TSV
    splits = dict[str, FileSpec]()
    for split, stems in SPLIT_FILE_NAMES.items():
        found = [spec for stem in stems for spec in _candidates(folder, names, stem, source_lang, target_lang)]
        if len(found) > 1:
            shown = (" + ".join(path.name for path in (spec if isinstance(spec, tuple) else (spec,))) for spec in found)
            raise UserError(
                f"data.path: {folder} has more than one {split} split: {'; '.join(shown)}; keep one, or choose by "
                f"data.{split}="
            )
        splits.update((split, spec) for spec in found)
    if not splits:
        raise UserError(
            f"data.path: {folder} holds {_some([path.name for path in names.values()]) or 'no files'}; expected "
            f"train.jsonl, train.tsv or train.{source_lang} + train.{target_lang} (.gz too); likewise val and test"
        )
    return splits


def _candidates(
    folder: Path, names: Mapping[str, Path], stem: str, source_lang: str, target_lang: str
) -> Iterator[FileSpec]:
    def named(ending: str) -> list[Path]:
        name = f"{stem}.{ending}".lower()
        return [names[each] for each in (name, f"{name}.gz") if each in names]

    yield from named("jsonl") + named("tsv")
    sources, targets = named(source_lang), named(target_lang)
    if bool(sources) != bool(targets):
        there = ", ".join(path.name for name, path in names.items() if name.startswith(f"{stem}."))
        lang = target_lang if sources else source_lang
        raise UserError(f"{(sources or targets)[0]} has no partner {stem}.{lang}; there are: {there}; {SET_LANGUAGES}")
    yield from itertools.product(sources, targets)
