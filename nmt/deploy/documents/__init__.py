"""What of a text, an HTML page or a PO file is translated. The name of a file says its format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from nmt.deploy.documents.base import Document, paragraphs
from nmt.errors import UserError
from nmt.system.lines import format_of

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator

DocumentFormat = Literal["paragraphs", "html", "po"]
BY_ENDING: dict[str, DocumentFormat] = {".html": "html", ".htm": "html", ".xhtml": "html", ".po": "po", ".pot": "po"}


def format_by_name(name: str) -> DocumentFormat:
    """Return the format of a document with this file name; paragraphs if the name says nothing."""
    return BY_ENDING.get(format_of(name), "paragraphs")


def read_document(text: str, format: DocumentFormat, where: str, translator: BaseTranslator) -> Document:
    """Return the document that `translator` can translate. Messages call it `where`.

    Raises UserError for a document that cannot be used, and for a PO file if the target language is not known.
    """
    spans, terms = translator.tokenizer.spans, translator.terms
    if format == "html":
        from nmt.deploy.documents.html import marked_up  # late, because it needs lxml

        return marked_up(text, spans, terms)
    if format == "po":
        from nmt.deploy.documents.po import PoFile

        if translator.languages is None:
            raise UserError(f"{where}: a PO file names its language, but the model does not say what its languages are")
        return PoFile(text, where, translator.languages[1], spans, terms)
    return paragraphs(text, spans, terms)
