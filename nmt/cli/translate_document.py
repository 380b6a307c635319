"""Translates a document: a file that is read as a whole, and written as a whole when all is translated."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from nmt.cli.output import messages_on, new_file, output_file, print_stderr
from nmt.cli.translation_lines import LineTranslator
from nmt.data.progress import PassProgress, clock
from nmt.data.sources.files import read_whole
from nmt.documents.formats import DocumentFormat, read_document
from nmt.errors import counted
from nmt.system.atomic import require_writable
from nmt.system.lines import BYTE_ORDER_MARK

CHUNK = 1024  # sentences translated together; enough for batches of similar length


def translate_document(
    line_translator: LineTranslator, source: Path, format: DocumentFormat, output: Path | None
) -> None:
    """Translate the document `source` to `output`, or to standard output if `output` is None.

    A file that was made at `output` in the meantime is not overwritten, but an error at the end.
    Raises UserError as `nmt.documents.formats.read_document` does, for a file that is not UTF-8, and for a sentence
    that is too long if such ones are refused.
    """
    text = read_whole(source)
    mark = BYTE_ORDER_MARK.decode()
    kept = mark if text.startswith(mark) and format != "po" else ""  # a page may have no other sign of UTF-8
    document = read_document(text.removeprefix(mark), format, str(source), line_translator.translator)
    for sentence in document.sentences:
        line_translator.translator.check_source(sentence, _place(source, sentence))
    if output is not None:
        require_writable(output.parent)
    with messages_on(sys.stderr):
        quiet, started = output is None and sys.stdout.isatty(), time.monotonic()
        found = dict[str, str]()
        _translate(line_translator, document.sentences, source, found, quiet=quiet)
        document = document.revised([found[sentence] for sentence in document.sentences])
        _translate(line_translator, document.sentences, source, found, quiet=quiet)
        with output_file(new_file(str(output)) if output else None) as file:
            file.write(kept + document.filled([found[sentence] for sentence in document.sentences]))
    line_translator.close()
    print_stderr(f"translated {counted(len(found), 'sentence')} in {clock(time.monotonic() - started)}")


def _place(source: Path, sentence: str) -> str:
    return f"{source}, '{sentence[:40]}'"


def _translate(
    line_translator: LineTranslator, all_sentences: list[str], source: Path, found: dict[str, str], *, quiet: bool
) -> None:
    """Add the translations to `found` that it does not have. `quiet`: without a progress bar."""
    sentences = [sentence for sentence in dict.fromkeys(all_sentences) if sentence not in found]
    with PassProgress("translating", len(sentences), unit="sentences", stderr=True, quiet=quiet) as progress:
        for start in range(0, len(sentences), CHUNK):
            chunk = sentences[start : start + CHUNK]
            lines = line_translator.lines(chunk, [_place(source, sentence) for sentence in chunk])
            found |= {sentence: line.removesuffix("\n") for sentence, line in zip(chunk, lines, strict=True)}
            progress.advance(len(chunk))
