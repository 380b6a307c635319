"""The program that translates one text or many lines: `scripts/translate.py`, `nmt-translate`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, Literal, TextIO, cast

from nmt.cli import program
from nmt.cli.arguments import overrides, take, take_config_dir, wants_help
from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.translate import Translator
    from nmt.translation import Translation

HELP = """\
Translate with a trained model: one text, or every line of standard input.

  python scripts/translate.py ckpt=RUN_FOLDER_OR_FILE [text="..."] [key=value ...]      (installed: nmt-translate)

  ckpt=PATH                  a run folder (its best checkpoint) or a checkpoint file
  text="..."                 the sentence, taken literally: commas, quotes and braces need no escaping
  attention=map.png          with text=: also draw the attention map (or map.svg, map.pdf; map.json: the weights)
  kind=encoder_self          with attention=map.png: self-attention of the encoder (decoder_self: of the decoder)
  words=true                 with attention=map.png: label words instead of pieces
  scaled=true                with attention=map.png: colours from 0 to the highest weights of this picture, not to 1
  reference="..."            with attention=: draw the map of this translation instead of the one found by the search
  prefix="..."               with text=: the beginning of the translation, which the search then completes
  search.beam_size=5         search.KEY=... replaces one setting of the checkpoint's search
  search.length_penalty=1.0  the score of a hypothesis is log P / ((5 + length) / 6) ** length_penalty
  search.min_length=5        rules for beam and sampling: also search.no_repeat_ngram_size=3 (no trigram twice) and
                             search.repetition_penalty=1.2 (tokens used before are less probable)
  search=sampling            another search instead of the checkpoint's: beam, greedy, diverse, sampling or mbr, with
                             its own settings: search=sampling search.temperature=0.7 search.seed=2
  allow=[my_package]         your packages whose classes the checkpoint or search._target_= may name
  --config-dir FOLDER        add your YAML files: FOLDER/search/mine.yaml allows search=mine
  device=auto                auto, cpu, cuda, cuda:1 ...

Without text=, the program translates every line of standard input (UTF-8) to one line of output, in order. An empty
line stays empty. Each line is translated as soon as it arrives, so the program also works interactively through a pipe.

  python scripts/translate.py ckpt=outputs/demo/2026-01-31_12-00-00 text='A man, in a "red" shirt, rides a bike.'
  python scripts/translate.py ckpt=best.ckpt < test.en > test.de
"""

CHUNK = 512  # maximum number of lines translated together; enough to form batches of similar length
BLOCK = 1 << 16  # maximum number of bytes in one read


@dataclass(kw_only=True)
class TranslateConfig:
    """The settings of translate.yaml."""

    ckpt: str
    search: dict[str, Any]
    allow: list[str]
    device: str
    attention: str | None
    kind: Literal["cross", "encoder_self", "decoder_self"]
    words: bool
    scaled: bool


def run(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them."""
    if wants_help(argv):
        print(HELP, end="")
        return
    from nmt.config.compose import compose
    from nmt.config.folder import also_in
    from nmt.config.schema import read

    text, rest = take(argv, "text")
    reference, rest = take(rest, "reference")
    prefix, rest = take(rest, "prefix")
    config_folder, rest = take_config_dir(rest)
    with also_in(config_folder):
        config = read(compose("translate", overrides(rest, open_keys=("search",))), TranslateConfig)
    if config.attention is not None and text is None:
        raise UserError(f'attention={config.attention}: a map shows one sentence; give it with text="..."')
    if reference is not None and config.attention is None:
        raise UserError('reference="...": it only changes an attention map; to draw one, add attention=map.png')
    if prefix is not None and (text is None or reference is not None):
        raise UserError('prefix="...": the search completes it; give it with text="..." and without reference=')
    if (config.kind != "cross" or config.words or config.scaled) and config.attention is None:
        raise UserError(
            "kind=, words= and scaled=: they only change an attention map; to draw one, add attention=map.png"
        )

    from nmt import process
    from nmt.translate import load_translator

    process.speed_up()
    translator = load_translator(config.ckpt, device=config.device, search=config.search, allow=config.allow)
    output = utf8_output()
    if text is None:
        if sys.stdin.isatty():
            print("type a sentence and press Enter; Ctrl-D ends the program", file=sys.stderr)
        translate_lines(translator, cast("BufferedIOBase", sys.stdin.buffer), output)
    elif config.attention is None:
        write_lines(translator, [text], output, "text", prefix=prefix)
    else:
        draw(translator, text, reference, config, output, prefix)


def translate_lines(translator: Translator, stream: BufferedIOBase, output: TextIO) -> None:
    """Write the translation of every line of `stream`, in order, without waiting for more lines than have arrived.

    Raises UserError for a line that is not UTF-8, after the translations of the lines before it have been written.
    """
    number = 1
    for lines in arriving(stream):
        sentences: list[str] = []
        try:
            sentences.extend(decoded(lines, number))
        finally:
            write_lines(translator, sentences, output, "standard input, line {}", number)
        number += len(lines)


def write_lines(
    translator: Translator,
    sentences: list[str],
    output: TextIO,
    where: str,
    first: int = 1,
    *,
    prefix: str | None = None,
) -> None:
    """Write the translation of each sentence on one line, and a warning about each source that was split.

    `where` is the place of a sentence, for warnings. Its braces stand for the number, which begins with `first`. Every
    translation begins with `prefix`.
    """
    from nmt.lines import as_line

    found = translator.translate(sentences, prefixes=[prefix or ""] * len(sentences))
    for number, translation in enumerate(found, start=first):
        warn_if_split(translation, translator, where.format(number))
        output.write(as_line(translation.text) + "\n")
    output.flush()


def warn_if_split(translation: Translation, translator: Translator, where: str) -> None:
    """Print a warning on standard error if the source was too long and was split."""
    if translation.parts:
        print("warning:", translator.source_limit().warning(where, translation), file=sys.stderr, flush=True)


def draw(
    translator: Translator,
    text: str,
    reference: str | None,
    config: TranslateConfig,
    output: TextIO,
    prefix: str | None = None,
) -> None:
    """Save the attention map of `text` and its translation, and write the translation to `output`.

    The translation is `reference`; if that is None, the search finds one that begins with `prefix`. `config` says where
    to save and what to show.
    """
    from nmt.analysis.figure import save
    from nmt.lines import as_line

    if reference is None:
        found = translator.translate([text], prefixes=[prefix or ""])
    else:
        found = translator.score([text], [reference])
    warn_if_split(found[0], translator, "text")
    attention = translator.attention_maps(found)[0]
    assert config.attention is not None
    save(attention, config.attention, kind=config.kind, words=config.words, scaled=config.scaled)
    output.write(as_line(attention.target) + "\n")
    output.flush()


def arriving(stream: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield the lines that have arrived, without line feeds and at most `CHUNK` at a time.

    It does not wait for more lines, so an interactive user gets each answer at once.
    """
    rest = b""
    while block := stream.read1(BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        for start in range(0, len(lines), CHUNK):
            yield lines[start : start + CHUNK]
    if rest:
        yield [rest]


def decoded(lines: Sequence[bytes], first: int) -> Iterator[str]:
    """Yield each line as text, without a carriage return at its end or a byte order mark at its beginning.

    `first` is the number of the first line, counted from 1. Raises UserError for a line that is not UTF-8.
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
    """Return standard output, set to UTF-8 and plain line feeds in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


def main() -> None:
    """Run the program with the arguments of this process."""
    program.main(run)
