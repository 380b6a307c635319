"""Translates a document: a file that is read as a whole, and written as a whole when all is translated."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path

from nmt.cli.output import messages_on, output_file, print_stderr
from nmt.cli.translation_lines import LineTranslator
from nmt.data.progress import PassProgress, clock
from nmt.data.sources.files import read_whole
from nmt.documents.formats import DocumentFormat, read_document
from nmt.errors import counted

CHUNK = 1024  # sentences translated together; enough for batches of similar length


def translate_document(
    line_translator: LineTranslator, source: Path, format: DocumentFormat, output: Path | None
) -> None:
    """Translate the document `source` to `output`, or to standard output if `output` is None.

    Raises UserError as `nmt.documents.formats.read_document` does, for a file that is not UTF-8, and for a sentence
    that is too long if such ones are refused.
    """
    document = read_document(read_whole(source), format, str(source), line_translator.translator)
    sentences = document.sentences
    places = [f"{source}, sentence {number:,}" for number in range(1, len(sentences) + 1)]
    for sentence, place in zip(sentences, places, strict=True):
        line_translator.translator.check_source(sentence, place)
    with messages_on(sys.stderr), output_file(output) as file:
        quiet = output is None and file.isatty()
        file.write(document.filled(_translated(line_translator, sentences, places, quiet=quiet)))


def _translated(line_translator: LineTranslator, sentences: list[str], places: list[str], *, quiet: bool) -> list[str]:
    """Return the translations, and print how long it took. `quiet`: without a progress bar."""
    started, texts = time.monotonic(), list[str]()
    shown = PassProgress("translating", len(sentences), unit="sentences", stderr=True)
    with nullcontext() if quiet else shown as progress:
        for start in range(0, len(sentences), CHUNK):
            chunk = slice(start, start + CHUNK)
            texts += [line.removesuffix("\n") for line in line_translator.lines(sentences[chunk], places[chunk])]
            if progress is not None:
                progress.advance(len(sentences[chunk]))
    line_translator.close()
    print_stderr(f"translated {counted(len(sentences), 'sentence')} in {clock(time.monotonic() - started)}")
    return texts
