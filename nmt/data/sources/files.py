"""Parallel text in local files: JSON lines, TSV, or one plain file a language; each as it is or gzipped.

Lines end with "\\n" alone (a "\\r" before it is dropped). Other readers also split on U+2028, form feeds and the like,
which shifts every later line of one side against the other.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nmt.data.pair import SentencePair
from nmt.errors import UserError, did_you_mean

SPLIT_FILE_NAMES: Mapping[str, tuple[str, ...]] = {
    "train": ("train",),
    "val": ("val", "valid", "validation", "dev"),
    "test": ("test",),
}

LANGUAGE_CODE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?")

FileSpec = Path | tuple[Path, Path]  # one file of pairs, or a source file and its target file


def splits_to_read(wanted: Sequence[str], there: Iterable[str]) -> list[str]:
    """Return the wanted splits that are `there`, and train if a wanted val is not: it will be held out of train."""
    known = set(there)
    read = {*wanted, "train"} if "val" in wanted and "val" not in known else set(wanted)
    return [split for split in SPLIT_FILE_NAMES if split in read & known]


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 text file, gzipped if its name ends in .gz, without line ends.

    A byte order mark is dropped; a last line without "\\n" counts. Raises UserError where the file is missing or
    unreadable, or with the line that is not UTF-8.
    """
    content = _read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{path}:{line}: not UTF-8 (byte 0x{content[error.start]:02x}); convert the file to UTF-8"
        ) from error
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path}: not a whole gzip file ({error}); compress it again or drop the .gz") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error


def file_spec(value: Any, key: str) -> FileSpec:
    """Return the file or the two files that a setting (data.train, data.val, data.test) names.

    Raises UserError for anything but a file name or a list of two of them; `key` is the setting's name.
    """
    if isinstance(value, str):
        return Path(os.path.expanduser(value))
    if isinstance(value, Sequence) and len(value) == 2 and all(isinstance(name, str) for name in value):
        return Path(os.path.expanduser(value[0])), Path(os.path.expanduser(value[1]))
    raise UserError(f"{key}: got {value!r}, expected one file or [source,target]")


def absolute_paths(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain data settings with `path`, `train`, `val`, `test`, and a `name` that is a folder, made absolute.

    What is no path is left for `file_spec` to refuse.
    """

    def absolute(value: Any) -> Any:
        if isinstance(value, str):
            return os.path.abspath(Path(os.path.expanduser(value)))
        return [absolute(item) for item in value] if isinstance(value, Sequence) else value

    found = {key: absolute(data[key]) for key in ("path", "train", "val", "test")}
    if data["kind"] == "hub" and data["name"] is not None and os.path.isdir(data["name"]):
        found["name"] = os.path.abspath(data["name"])  # a local folder, which `datasets` takes too
    return {**data, **found}


def read_pairs(
    spec: FileSpec, source_lang: str, target_lang: str, *, say: Callable[[str], None] | None = None
) -> list[SentencePair]:
    """Return the pairs of one .jsonl or .tsv file (or .gz of these), or of a source file and a target file.

    JSON lines hold `{"en": ..., "de": ...}` or `{"translation": {"en": ..., "de": ...}}`. TSV has no quoting; its two
    columns are source and target (which `say` is told), unless the first line is a header that names the languages.
    Raises UserError with file and line for anything malformed, and for a corpus without pairs.
    """
    if isinstance(spec, tuple):
        pairs = _read_two_files(*spec)
    else:
        lines = read_lines(spec)
        kind = _kind(spec)
        if kind == ".jsonl":
            pairs = _parse_jsonl(lines, spec, source_lang, target_lang)
        elif kind == ".tsv":
            pairs = _parse_tsv(lines, spec, source_lang, target_lang, say)
        else:
            raise UserError(f"{spec}: got '{kind}', expected .jsonl, .tsv (or .gz of these), or [source,target] files")
    if not pairs:
        where = " and ".join(map(str, spec)) if isinstance(spec, tuple) else spec
        raise UserError(f"{where}: empty corpus; expected at least one sentence pair")
    return pairs


def _kind(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix


def _read_two_files(source: Path, target: Path) -> list[SentencePair]:
    sources, targets = read_lines(source), read_lines(target)
    if len(sources) != len(targets):
        raise UserError(
            f"{source} has {len(sources)} lines but {target} has {len(targets)}; "
            "parallel files need one line each for every pair"
        )
    return [SentencePair(*texts) for texts in zip(sources, targets, strict=True)]


def _parse_jsonl(lines: Iterable[str], path: Path, source_lang: str, target_lang: str) -> list[SentencePair]:
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UserError(f"{where}: malformed JSON ({error}); expected one object a line") from error
        if not isinstance(row, dict):
            raise UserError(f"{where}: got {type(row).__name__}, expected a JSON object with one text a language")
        texts = row["translation"] if isinstance(row.get("translation"), dict) else row
        pairs.append(SentencePair(_text(texts, source_lang, where), _text(texts, target_lang, where)))
    return pairs


def _text(texts: Mapping[str, Any], lang: str, where: str) -> str:
    check_language(lang, texts, where)
    text = texts[lang]
    if not isinstance(text, str):
        raise UserError(f"{where}: '{lang}' is {json.dumps(text)[:40]}, expected a text in quotes")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{where}: '{lang}' has half a character (a lone \\ud800-\\udfff escape)") from error
    return text


def check_language(lang: str, known: Iterable[str], where: str) -> None:
    """Raise UserError unless `lang` is among the keys `known` that the data at `where` has."""
    keys = list(known)
    if lang not in keys:
        raise UserError(
            f"{where}: no language key '{lang}'; there are: {', '.join(map(str, keys)) or 'none'}"
            f"{did_you_mean(lang, keys)}; set data.source_lang and data.target_lang"
        )


def _parse_tsv(
    lines: Sequence[str], path: Path, source_lang: str, target_lang: str, say: Callable[[str], None] | None
) -> list[SentencePair]:
    if not lines:
        return []
    header = [field.strip() for field in lines[0].split("\t")]
    # A first line that names one of the two languages is taken for a header: it has to name the other one too.
    # So is one that holds nothing but language codes, though they be others.
    codes = all(LANGUAGE_CODE.fullmatch(field) for field in header)
    has_header = len(header) > 1 and (codes or source_lang in header or target_lang in header)
    columns, width = (0, 1), 2
    if has_header:
        where = f"{path}:1"
        if not {source_lang, target_lang} & set(header):
            where += " (read as a header line; if it is a sentence pair, put one with the two keys above it)"
        check_language(source_lang, header, where)
        check_language(target_lang, header, where)
        columns, width = (header.index(source_lang), header.index(target_lang)), len(header)
    elif say is not None:
        say(f"{path}: no header line that names the columns; read as {source_lang}, then {target_lang}")
    pairs = []
    for number, line in enumerate(lines[has_header:], 1 + has_header):
        fields = line.split("\t")
        if len(fields) != width:
            raise UserError(
                f"{path}:{number}: got {len(fields)} tab-separated column{'s' * (len(fields) != 1)}, expected {width}: "
                + (", ".join(header) if has_header else "source and target (or a header line that names the languages)")
            )
        pairs.append(SentencePair(fields[columns[0]], fields[columns[1]]))
    return pairs


def find_splits(folder: Path, source_lang: str, target_lang: str) -> dict[str, FileSpec]:
    """Return the file or files of every split that `folder` holds.

    Raises UserError where the folder is missing or holds no split, or where two files claim the same one.
    """
    if not folder.is_dir():
        what = "a file; name it by data.train=, data.val= or data.test=" if folder.exists() else "no such folder"
        raise UserError(f"data.path: {folder}: {what}")
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    splits = {}
    for split, stems in SPLIT_FILE_NAMES.items():
        found = [spec for stem in stems for spec in _candidates(folder, names, stem, source_lang, target_lang)]
        if len(found) > 1:
            raise UserError(
                f"data.path: {folder} has more than one {split} split: {'; '.join(map(_show, found))}; "
                f"keep one, or choose by data.{split}="
            )
        if found:
            splits[split] = found[0]
    if not splits:
        there = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise UserError(
            f"data.path: {folder} holds {there or 'no files'}; expected train.jsonl, train.tsv or "
            f"train.{source_lang} + train.{target_lang} (.gz too); likewise val and test"
        )
    return splits


def _show(spec: FileSpec) -> str:
    return " + ".join(path.name for path in spec) if isinstance(spec, tuple) else spec.name


def _candidates(
    folder: Path, names: Sequence[str], stem: str, source_lang: str, target_lang: str
) -> Iterable[FileSpec]:
    for suffix in (".jsonl", ".tsv"):
        yield from (folder / name for name in (stem + suffix, stem + suffix + ".gz") if name in names)
    sides = [
        [name for name in (f"{stem}.{lang}", f"{stem}.{lang}.gz") if name in names]
        for lang in (source_lang, target_lang)
    ]
    if not any(sides):
        return
    for lang, side, other in ((source_lang, *sides), (target_lang, *sides[::-1])):
        if not side:
            there = ", ".join(name for name in names if name.startswith(f"{stem}."))
            raise UserError(f"{folder / other[0]} has no partner {stem}.{lang}; there are: {there}")
    yield from ((folder / source, folder / target) for source in sides[0] for target in sides[1])
