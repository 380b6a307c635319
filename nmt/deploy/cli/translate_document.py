"""Translate a document: an HTML page, Markdown, subtitles, a PO file, or a text whose lines have several sentences.

  python scripts/translate_document.py ckpt=RUN_FOLDER_OR_FILE input=FILE [output=FILE] [key=value ...]
  (installed: nmt-translate-document)

{settings}

  python scripts/translate_document.py ckpt=best.safetensors input=page.html output=page.ko.html
  python scripts/translate_document.py ckpt=RUN input=ko.po output=ko.new.po
  python scripts/translate_document.py ckpt=RUN input=film.en.srt output=film.ko.srt
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nmt.cli.arguments import PathText, SearchSettings, configured
from nmt.cli.output import messages_on, new_file, output_file, print_stderr
from nmt.deploy.documents.base import Document, Text, paragraphs
from nmt.errors import UserError, counted
from nmt.system.lines import NOT_UTF8, format_of, opened

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator

DocumentFormat = Literal["paragraphs", "html", "markdown", "po", "subtitles"]
BY_ENDING: dict[str, DocumentFormat] = {".html": "html", ".htm": "html", ".po": "po", ".pot": "po"}
BY_ENDING |= {".md": "markdown", ".markdown": "markdown", ".srt": "subtitles", ".vtt": "subtitles"}


@dataclass(kw_only=True)
class DocumentConfig(SearchSettings):
    """The settings of translate_document.yaml."""

    ckpt: PathText | list[PathText]
    input: PathText
    format: DocumentFormat | None
    output: PathText | None
    terms: PathText | None

    def contradictions(self) -> Iterator[str]:
        if self.search.get("n_best", 1) != 1:
            yield "search.n_best: a document holds only the best translation; leave it out"
        if self.format is None and format_of(self.input) == ".xhtml":
            yield f"input: {self.input} is XHTML, and its translation would be HTML; add format=html if that is right"


@configured(DocumentConfig)
def main(config: DocumentConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings or in the document."""
    from nmt.cli.translation_lines import LineTranslator
    from nmt.data.progress import PassProgress, clock
    from nmt.system.atomic import require_writable

    output = new_file(config.output)
    translator, _ = config.load()
    lines = LineTranslator(translator)
    source, format = Path(config.input), config.format or BY_ENDING.get(format_of(config.input), "paragraphs")
    text = _text_of(source)
    content = text.removeprefix("\ufeff")  # a byte order mark stays
    document = read_document(content, format, str(source), translator)
    for sentence in document.sentences:
        translator.check_source(sentence, _place(source, sentence))
    if output is not None:
        require_writable(output.parent)

    def translate(sentences: list[Text]) -> list[Text]:
        """Return the translations, with a progress bar where nothing else is on the terminal."""
        quiet = output is None and sys.stdout.isatty()
        places = [_place(source, sentence) for sentence in sentences]
        with PassProgress("translating", len(sentences), unit="sentences", stderr=True, quiet=quiet) as progress:
            return [best.target for best, *_ in lines.translations(sentences, places, advance=progress.advance)]

    started = time.monotonic()
    with messages_on(sys.stderr):
        page = document.translated(translate)
        with output_file(new_file(config.output)) as file:
            file.write(text[: len(text) - len(content)] + page)
    lines.close()
    count = counted(len({*document.sentences}), "sentence")
    print_stderr(f"translated {count} in {clock(time.monotonic() - started)}")


def read_document(text: str, format: DocumentFormat, where: str, translator: BaseTranslator) -> Document:
    """Return the document that `translator` can translate. Messages call it `where`.

    Raises UserError for a document that cannot be used, and for a PO file if the target language is not known.
    """
    spans, terms = translator.tokenizer.spans, translator.terms
    if format == "paragraphs":
        return paragraphs(text, spans, terms)
    from nmt.deploy.documents import html, markdown, po, subtitles  # late, because they need other packages

    if format == "html":
        return html.marked_up(text, spans, terms, translator.languages)
    if format == "markdown":
        return markdown.markdown(text, spans, terms)
    if format == "subtitles":
        return subtitles.subtitles(text, where, spans, terms)
    if translator.languages is None:
        raise UserError(f"{where}: a PO file names its language, but the model does not say what its languages are")
    return po.PoFile(text, where, translator.languages[1], spans, terms)


def _text_of(document: Path) -> str:
    """Return the text of a file, which may be compressed. Raises UserError if it is not UTF-8."""
    with opened(document) as file:
        content = file.read()
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UserError(f"{document}:{line}: {NOT_UTF8}") from error


def _place(source: Path, sentence: Text) -> str:
    text = sentence if isinstance(sentence, str) else sentence.plain
    return f"{source}, '{text[:40]}'"
