"""A call of the program's function that translates a file, for its tests; the chunks are small."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from nmt.cli.shards import Shard
from nmt.cli.translate_file import WHOLE, Source, translate_file
from nmt.cli.translation_lines import LineTranslator
from nmt.search.beam import BeamSearch
from nmt.terms import NO_TERMS, Terms
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences

CHUNK = 4
QUICK = BeamSearch(beam_size=2, max_length_factor=0.2, max_length_extra=1)
ODD = [
    *("", " ", "a\x00dog", "\x01\x02\x1b[31m", "the\x0bsnow\u2028man\u0085x", "\u200b", "\ufffd\U0010ffff"),
    *("two\rmen", "<s> ▁ </s>"),
]
TEXTS = [*sentences(12, seed=1), *ODD, "no line end"]


class Killed(BaseException):
    """Stands for the end of the process at some line."""


class FileCall:
    """Translates the file `source`, which is in a folder of its own."""

    def __init__(self, run: Run, folder: Path) -> None:
        """Write the source: byte order mark, CRLF, odd characters, no line end at its end."""
        self.run = run
        self.source = folder / "a {file}, (1).en"
        self.source.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(TEXTS).encode())

    def __call__(
        self,
        output: str = "out.de",
        *,
        ckpt: str = "best",
        shard: Shard = WHOLE,
        terms: Terms = NO_TERMS,
        **settings: Any,
    ) -> Path:
        """Return the file that was written; `settings` are of `LineTranslator`, `search`, or fields of the search."""
        form = {key: settings.pop(key, False) for key in ("jsonl", "with_attention")}
        search = settings.pop("search", None) or QUICK.replace(**settings)
        translator = Translator(self.run.translator.model, self.run.translator.tokenizer, search)
        path = self.source.parent / output
        checkpoint = self.run.folder / "checkpoints" / f"{ckpt}.safetensors"
        translator.terms = terms
        lines = LineTranslator(translator, **form)
        translate_file(lines, Source(self.source, "en"), path, sys.stdout, [checkpoint], shard)
        return path


def kill_at(monkeypatch: pytest.MonkeyPatch, line: int) -> None:
    """Let the program end when it has written `line` lines."""
    count = 0
    lines = LineTranslator.lines

    def until(self: LineTranslator, texts: Sequence[str], places: Sequence[str]) -> Iterator[str]:
        nonlocal count
        for answer in lines(self, texts, places):
            if count == line:
                raise Killed
            count += 1
            yield answer

    monkeypatch.setattr(LineTranslator, "lines", until)
