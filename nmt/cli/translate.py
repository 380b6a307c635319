"""Translate with a trained model: one text, a file, or every line of standard input.

  python scripts/translate.py ckpt=RUN_FOLDER_OR_FILE [text="..." | input=FILE [output=FILE]] [key=value ...]
  (installed: nmt-translate)

{settings}

Without text= and input=, the program translates every line of standard input (UTF-8). In standard input and in a file
of lines, each line gives one line of output, in order, and an empty line stays empty. A line has at most 1,048,576
bytes. Each line of standard input is translated as soon as it arrives, so the program also works interactively.

  python scripts/translate.py ckpt=outputs/demo/2026-01-31_12-00-00 text='A man, in a "red" shirt, rides a bike.'
  python scripts/translate.py ckpt=best.safetensors < test.en > test.de
  python scripts/translate.py ckpt=best.safetensors input=news.en.gz output=news.jsonl.gz search.n_best=5
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, cast

from nmt.cli.arguments import FreeText, PathText, SearchSettings, configured
from nmt.cli.output import new_file, utf8_output
from nmt.data.sources.files import ROWS, read_texts
from nmt.errors import UserError
from nmt.system.lines import LONGEST, decoded, format_of, is_jsonl

if TYPE_CHECKING:
    from nmt.cli.translation_lines import LineTranslator

STDIN = "standard input, line "
DOCUMENTS = (".html", ".htm", ".md", ".markdown", ".po", ".pot", ".srt", ".vtt")
BLOCK = 1 << 16  # maximum number of bytes in one read: enough lines for batches of similar length


@dataclass(kw_only=True)
class TranslateConfig(SearchSettings):
    """The settings of translate.yaml."""

    ckpt: PathText | list[PathText]
    text: FreeText | None
    prefix: FreeText | None
    input: PathText | None
    column: str | None
    output: PathText | None
    format: Literal["text", "jsonl"] | None
    with_attention: bool
    terms: PathText | None

    @property
    def jsonl(self) -> bool:
        """Whether each line of output is a JSON object."""
        return is_jsonl(self.output, self.format)

    def contradictions(self) -> Iterator[str]:
        if self.text is not None and self.input is not None:
            yield 'input=: a file cannot be translated beside text="..."; leave out one of them'
        if format_of(self.input or "") in DOCUMENTS:
            yield f"input={self.input}: not a file of sentences; translate it by translate_document.py"
        if self.column is not None and format_of(self.input or "") not in ROWS:
            yield f"column={self.column}: only a file has columns, input=FILE of the formats {', '.join(ROWS)}"
        if self.output is not None and self.input is None:
            yield "output=: needs the file input=; otherwise redirect the output of the program, as in > lines.de"
        if self.with_attention and not self.jsonl:
            yield "with_attention=true: text lines cannot hold it; add format=jsonl"
        if (count := self.search.get("n_best", 1)) != 1 and not self.jsonl and not self.search.get("utility"):
            yield f"search.n_best={count}: a line of text holds only the best translation; add format=jsonl"
        if self.prefix is not None and self.text is None:
            yield 'prefix="...": the search completes it; give it with text="..."'


@configured(TranslateConfig)
def main(config: TranslateConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    from nmt.cli.translation_lines import LineTranslator, translate_file

    output = new_file(config.output)
    translator, _ = config.load()
    line_translator = LineTranslator(translator, jsonl=config.jsonl, with_attention=config.with_attention)
    stdout = utf8_output()
    if (text := config.text) is not None:
        translator.check_source(text, "text")
        stdout.writelines(line_translator.lines([text], ["text"], prefix=config.prefix or ""))
        line_translator.close()
    elif config.input is not None:
        column = config.column or (translator.languages or ("source",))[0]
        lines = partial(read_texts, Path(config.input), column)
        translate_file(line_translator, config.input, lines, output, stdout)
    else:
        if sys.stdin is None:
            raise UserError("text: not given, and standard input is closed; give text= or input=")
        if sys.stdin.isatty():
            print("type a sentence and press Enter; Ctrl-D ends the program", file=sys.stderr)
        translate_lines(line_translator, cast("BufferedIOBase", sys.stdin.buffer), stdout)
    stdout.flush()


def translate_lines(line_translator: LineTranslator, stream: BufferedIOBase, output: TextIO) -> None:
    """Write the translation of every line of `stream`, in order, as soon as the line has arrived.

    Raises UserError for a line that is not UTF-8, is too long, or has too many pieces. The translations of the lines
    before it are written first.
    """
    number = 1
    for lines in arriving(stream):
        sentences: list[str] = []
        places = [f"{STDIN}{number + index}" for index in range(len(lines))]
        try:
            for sentence, place in zip(decoded(lines, STDIN, first=number), places, strict=False):
                line_translator.translator.check_source(sentence, place)
                sentences.append(sentence)
        finally:
            output.writelines(line_translator.lines(sentences, places[: len(sentences)]))
            output.flush()
        number += len(lines)
    line_translator.close()


def arriving(stream: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield the lines that have arrived, with their line feeds. A line that becomes too long is the last one."""
    rest = b""
    while block := stream.read1(BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        yield [line + b"\n" for line in lines]
        if len(rest) > LONGEST:
            break
    if rest:
        yield [rest]
