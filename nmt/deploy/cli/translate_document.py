"""Translate a document: an HTML page, a PO file, or a text whose lines have several sentences.

  python scripts/translate_document.py ckpt=RUN_FOLDER_OR_FILE input=FILE [output=FILE] [key=value ...]
  (installed: nmt-translate-document)

{settings}

  python scripts/translate_document.py ckpt=best.safetensors input=page.html output=page.ko.html
  python scripts/translate_document.py ckpt=RUN input=ko.po output=ko.new.po
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli.arguments import PathText, SearchSettings, configured
from nmt.cli.engine import load
from nmt.cli.output import messages_on, new_file, output_file, print_stderr
from nmt.deploy.documents.formats import DocumentFormat, format_by_name
from nmt.errors import counted

if TYPE_CHECKING:
    from nmt.cli.translation_lines import LineTranslator

CHUNK = 1024  # sentences translated together; enough for batches of similar length


@dataclass(kw_only=True)
class DocumentConfig(SearchSettings):
    """The settings of translate_document.yaml."""

    opens_exported = True
    ckpt: PathText | list[PathText]
    source_lang: str | None
    input: PathText
    format: DocumentFormat | None
    output: PathText | None
    terms: PathText | None

    def contradictions(self) -> Iterator[str]:
        if self.search.get("n_best", 1) != 1:
            yield "search.n_best: a document holds only the best translation; leave it out"


@configured(DocumentConfig)
def main(config: DocumentConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings or in the document."""
    from nmt.cli.translation_lines import LineTranslator
    from nmt.data.progress import clock
    from nmt.data.sources.files import read_whole
    from nmt.deploy.documents.formats import read_document
    from nmt.system.atomic import require_writable
    from nmt.system.lines import BYTE_ORDER_MARK

    output = new_file(config.output)
    translator, _ = load(
        config.ckpt,
        device=config.device,
        allow=config.allow,
        search=config.search,
        source_lang=config.source_lang,
        terms=config.terms,
    )
    lines = LineTranslator(translator)
    source, format = Path(config.input), config.format or format_by_name(config.input)
    text, mark = read_whole(source), BYTE_ORDER_MARK.decode()
    kept = mark if text.startswith(mark) and format != "po" else ""  # a page may have no other sign of UTF-8
    document = read_document(text.removeprefix(mark), format, str(source), translator)
    for sentence in document.sentences:
        translator.check_source(sentence, _place(source, sentence))
    if output is not None:
        require_writable(output.parent)
    with messages_on(sys.stderr):
        quiet, started = output is None and sys.stdout.isatty(), time.monotonic()
        found = dict[str, str]()
        _translate(lines, document.sentences, source, found, quiet=quiet)
        document = document.revised([found[sentence] for sentence in document.sentences])
        _translate(lines, document.sentences, source, found, quiet=quiet)
        with output_file(new_file(str(output)) if output else None) as file:
            file.write(kept + document.filled([found[sentence] for sentence in document.sentences]))
    lines.close()
    print_stderr(f"translated {counted(len(found), 'sentence')} in {clock(time.monotonic() - started)}")


def _place(source: Path, sentence: str) -> str:
    return f"{source}, '{sentence[:40]}'"


def _translate(
    line_translator: LineTranslator, all_sentences: list[str], source: Path, found: dict[str, str], *, quiet: bool
) -> None:
    """Add the translations to `found` that it does not have. `quiet`: without a progress bar."""
    from nmt.data.progress import PassProgress

    sentences = [sentence for sentence in dict.fromkeys(all_sentences) if sentence not in found]
    with PassProgress("translating", len(sentences), unit="sentences", stderr=True, quiet=quiet) as progress:
        for start in range(0, len(sentences), CHUNK):
            chunk = sentences[start : start + CHUNK]
            lines = line_translator.lines(chunk, [_place(source, sentence) for sentence in chunk])
            found |= {sentence: line.removesuffix("\n") for sentence, line in zip(chunk, lines, strict=True)}
            progress.advance(len(chunk))
