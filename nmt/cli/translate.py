"""The program that translates text or lines: `scripts/translate.py`, `nmt-translate`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

from nmt.cli import program
from nmt.cli.arguments import overrides, take, wants_help
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.translate import Translator

HELP = """\
Translate with a trained model: one text, or lines on standard input to lines on standard output.

  python scripts/translate.py ckpt=RUN_FOLDER_OR_FILE [text="..."] [key=value ...]      (installed: nmt-translate)

  ckpt=PATH                  a run folder (its best checkpoint) or a checkpoint file
  text="..."                 the sentence, taken as it stands: commas, quotes and braces need no care
  attention=map.png          with text=: also draw what the model attended to (map.json: the weights as data)
  kind=encoder_self          with attention=map.png: what the source attends to in itself (decoder_self: the target)
  words=true                 with attention=map.png: words in place of pieces
  reference="..."            with attention=: look at this translation instead of the one that the search finds
  search.beam_size=5         any search.KEY=... replaces that one setting of the run
  search.length_penalty=1.0  log P / ((5 + length) / 6) ** length_penalty
  search=greedy              another search of configs/search in its place: beam, greedy or sampling, its settings
                             beside it: search=sampling search.temperature=0.7 search.seed=2
  allow=[my_package]         packages of your own whose classes the checkpoint or search._target_= may name
  device=auto                auto, cpu, cuda, cuda:1 ...

Without text= every line of standard input (UTF-8) gives one line of output, in order; an empty line stays empty. Lines
are answered as they come: through a pipe as well, one at a time or many together.

  python scripts/translate.py ckpt=outputs/demo/2026-01-31_12-00-00 text='A man, in a "red" shirt, rides a bike.'
  python scripts/translate.py ckpt=best.ckpt < test.en > test.de
"""

CHUNK = 512  # lines translated together at most: enough to fill batches of similar length
BLOCK = 1 << 16  # bytes read at once at most


@dataclass(kw_only=True)
class TranslateConfig:
    """The whole of translate.yaml."""

    ckpt: str
    search: dict[str, Any]
    allow: list[str]
    device: str
    attention: str | None
    kind: Literal["cross", "encoder_self", "decoder_self"]
    words: bool


def run(argv: list[str]) -> None:
    """Do what the command line asks for. Raises UserError for what is wrong with it."""
    if wants_help(argv):
        print(HELP, end="")
        return
    from nmt.config.compose import compose
    from nmt.config.schema import read

    text, rest = take(argv, "text")
    reference, rest = take(rest, "reference")
    config = read(compose("translate", overrides(rest, open_keys=("search",))), TranslateConfig)
    if config.attention is not None and text is None:
        raise UserError(f'attention={config.attention}: draws one sentence; give it by text="..."')

    if reference is not None and config.attention is None:
        raise UserError('reference="...": forces the translation that attention= draws; add attention=map.png')
    if (config.kind != "cross" or config.words) and config.attention is None:
        raise UserError("kind= and words= say what attention= draws; add attention=map.png")

    from nmt import process
    from nmt.translate import load_translator

    process.speed_up()
    translator = load_translator(config.ckpt, device=config.device, search=config.search, allow=config.allow)
    output = utf8_output()
    if text is None:
        if sys.stdin.isatty():
            print("type a sentence and Enter; Ctrl-D ends", file=sys.stderr)
        translate_lines(translator, cast("BufferedIOBase", sys.stdin.buffer), output)
    elif config.attention is None:
        write_lines(translator, [text], output)
    else:
        draw(translator, text, reference, config, output)


def translate_lines(translator: Translator, stream: BufferedIOBase, output: TextIO) -> None:
    """Write a line for every line read, in order, as soon as there is nothing more to read without waiting.

    Raises UserError for a line that is not UTF-8, after the lines before it have been written.
    """
    number = 1
    for lines in arriving(stream):
        sentences: list[str] = []
        try:
            sentences.extend(decoded(lines, number))
        finally:
            write_lines(translator, sentences, output)
        number += len(lines)


def write_lines(translator: Translator, sentences: list[str], output: TextIO) -> None:
    """Write the translations of `sentences`, one line each."""
    from nmt.lines import as_line

    for translation in translator.translate(sentences):
        output.write(as_line(translation.text) + "\n")
    output.flush()


def draw(translator: Translator, text: str, reference: str | None, config: TranslateConfig, output: TextIO) -> None:
    """Write the map of `text` and its translation, or `reference`, as `config` says, then the latter to `output`."""
    from nmt.analysis.figure import save
    from nmt.lines import as_line

    attention = translator.attention_map(text, reference)
    assert config.attention is not None
    save(attention, config.attention, kind=config.kind, words=config.words)
    output.write(as_line(attention.target) + "\n")
    output.flush()


def arriving(stream: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield lines without their line feeds: those that are there, so that whoever writes line by line is answered so.

    At most `CHUNK` at a time; a whole file comes in batches of that.
    """
    rest = b""
    while block := stream.read1(BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        for start in range(0, len(lines), CHUNK):
            yield lines[start : start + CHUNK]
    if rest:
        yield [rest]


def decoded(lines: Sequence[bytes], first: int) -> Iterator[str]:
    """Yield each line as text, without a carriage return at its end and a byte order mark; `first` is its number.

    Raises UserError for what is not UTF-8.
    """
    for number, line in enumerate(lines, start=first):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError(
                f"standard input, line {number}: byte {line[error.start]:#04x} at {error.start + 1} is not UTF-8; "
                "convert the text, for example with iconv"
            ) from error
        text = text.removesuffix("\r")
        yield text.removeprefix("\ufeff") if number == 1 else text


def utf8_output() -> TextIO:
    """Return standard output, writing UTF-8 and plain line feeds whatever the locale says."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


def main() -> None:
    """Run on this process' command line."""
    program.main(run)
