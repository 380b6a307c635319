"""Translates the lines of a file, or a shard of them, with a progress bar, in memory that does not grow with the file.

A translation that was stopped goes on, and several processes can divide the lines among them: see `nmt.cli.shards`.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import nmt
from nmt.build import search_node
from nmt.cli.output import messages_on, print_stderr
from nmt.cli.shards import CHUNK, Shard, UnfinishedShard, join_shards, unfinished_shard
from nmt.cli.translation_lines import LineTranslator
from nmt.data.progress import PassProgress, clock
from nmt.data.sources.files import read_texts
from nmt.errors import counted

WHOLE = Shard()
Write = Callable[[Iterable[str]], None]


@dataclass(frozen=True)
class Source:
    """The file to translate. In JSON Lines and TSV, the sentences are in `column`.

    `named` says whether the user gave this name, so that a TSV file must have it. If it has no header, the sentences
    are in the column `place`.
    """

    path: Path
    column: str
    named: bool = False
    place: int = 0

    def lines(self, note: Callable[[str], None] = lambda text: None) -> Iterator[tuple[int, str]]:
        """Yield the number and the sentence of each line, as `nmt.data.sources.files.read_texts` does."""
        remedy = "name the one with the sentences: column=NAME"
        return read_texts(self.path, self.column, place=self.place, has_header=self.named, remedy=remedy, note=note)


def translate_file(
    line_translator: LineTranslator,
    source: Source,
    output: Path | None,
    stdout: TextIO,
    checkpoints: Sequence[Path],
    shard: Shard = WHOLE,
    *,
    quiet: bool = False,
) -> None:
    """Translate the lines of `shard` of `source` to `output`, or all lines to `stdout` if `output` is None.

    `output` is written when all its shards are finished. The file is read once before, so that a line that cannot be
    translated is found at the beginning. If the shard was begun by the same command and not finished, the translation
    goes on. `quiet`: without a progress bar. Raises UserError as `unfinished_shard`, `join_shards` and
    `nmt.data.sources.files.read_texts` do, and for a line that is too long if such lines are refused.
    """
    total, digest = survey(line_translator, source)
    quiet = stdout.isatty() if output is None else quiet
    translate = partial(_translate, line_translator, source, shard, total, quiet)
    with messages_on(sys.stderr):
        if output is None:
            translate(stdout.writelines, 0)
            return
        record = record_of(line_translator, checkpoints, digest)
        with unfinished_shard(output, shard, record) as lines:
            if lines is not None:
                _finish(translate, lines, shard.partial_path(output), shard.size(total))
            elif output.is_file():
                print_stderr(f"{output}: exists already, so this process translates nothing")
        missing = join_shards(output, shard.count, record, total)
        if missing:
            some = ", ".join(map(str, missing[:12])) + ", ..." * (len(missing) > 12)
            print_stderr(f"{output}: waits for {len(missing)} of {shard.count} shards: {some}")


def _finish(translate: Callable[[Write, int], None], lines: UnfinishedShard, path: Path, size: int) -> None:
    """Translate the other lines of a shard of this size. If Ctrl-C stops this, print how it goes on."""
    if lines.kept:
        print_stderr(f"{path}: goes on after line {lines.kept:,} of {size:,}")
    try:
        translate(lines.add, lines.kept)
    except KeyboardInterrupt:
        if lines.kept:
            where = f"{lines.kept:,} of {size:,} lines are in {path}"
            print_stderr(f"stopped; {where}, the same command goes on from there")
        else:
            first = f"the first {min(CHUNK, size):,} lines"
            print_stderr(f"stopped before {first} were done, the same command begins anew")
        raise


def survey(line_translator: LineTranslator, source: Source) -> tuple[int, str]:
    """Return the number of sentences of a file and a digest of them. Raises UserError for the first unusable line."""
    digest, count = hashlib.sha256(), 0
    for number, line in source.lines(note=print_stderr):
        count += 1
        line_translator.translator.check_source(line, f"{source.path}:{number}")
        digest.update(line.encode("utf-8") + b"\n")
    return count, digest.hexdigest()


def record_of(line_translator: LineTranslator, checkpoints: Sequence[Path], digest: str) -> dict[str, Any]:
    """Return everything that the lines of output depend on, under the names that messages use."""
    search = search_node(line_translator.translator.search)
    return {
        "input": digest,
        "checkpoint": [_file_digest(path) for path in checkpoints],
        "search": search.pop("_target_"),
        **{f"search.{key}": _plain(value) for key, value in search.items()},
        "source_lang": (line_translator.translator.languages or (None,))[0],
        "terms": line_translator.translator.terms.translations,
        "format": "jsonl" if line_translator.jsonl else "text",
        "with_attention": line_translator.with_attention,
        "device": line_translator.translator.device_type,
        "version of the program": nmt.__version__,
    }


def _plain(value: Any) -> Any:
    """Return a number without a fraction as an integer, so that 1.0 and 1 are the same setting."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _translate(
    line_translator: LineTranslator, source: Source, shard: Shard, total: int, quiet: bool, write: Write, done: int
) -> None:
    """Translate the lines of a shard after its first `done`, and print the speed. `quiet`: without a progress bar."""
    started, size = time.monotonic(), shard.size(total)
    with PassProgress("translating", size, unit="lines", done=done, stderr=True, quiet=quiet) as progress:
        for chunk in shard.chunks(source.lines(), done=done):
            places = [f"{source.path}:{number}" for number, _ in chunk]
            write(line_translator.lines([sentence for _, sentence in chunk], places))
            progress.advance(len(chunk))
    within = f"shard {shard}: " if shard.count > 1 else ""
    line_translator.close(within)
    seconds, count = max(time.monotonic() - started, 1e-9), size - done  # a coarse clock may not have moved
    print_stderr(f"{within}translated {counted(count, 'line')} in {clock(seconds)}, {count / seconds:,.1f} lines/s")
