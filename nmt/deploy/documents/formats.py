"""The formats of documents, by the names of their files, and how a document of each is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from nmt.errors import UserError
from nmt.system.lines import format_of

if TYPE_CHECKING:
    from nmt.deploy.documents.base import Document
    from nmt.translation.base import BaseTranslator

DocumentFormat = Literal["paragraphs", "html", "po"]
BY_ENDING: dict[str, DocumentFormat] = {".html": "html", ".htm": "html", ".xhtml": "html", ".po": "po", ".pot": "po"}


def format_by_name(name: str) -> DocumentFormat:
    """Return the format of a document with this file name; paragraphs if the name says nothing."""
    return BY_ENDING.get(format_of(name), "paragraphs")


def read_document(text: str, format: DocumentFormat, where: str, translator: BaseTranslator) -> Document:
    """Return the document that `translator` can translate. Messages call it `where`.

    Raises UserError for HTML that declares another encoding than UTF-8, for a PO file that cannot be used, and for a PO
    file if the target language is not known.
    """
    spans = translator.tokenizer.spans
    if format == "html":
        from nmt.deploy.documents.html import check_encoding, marked_up

        check_encoding(text, where)
        return marked_up(text, spans, translator.terms)
    if format == "po":
        from nmt.deploy.documents.po import PoFile

        if translator.languages is None:
            raise UserError(f"{where}: a PO file names its language, but the model does not say what its languages are")
        return PoFile(text, where, translator.languages[1], spans, translator.terms)

    from nmt.deploy.documents.paragraphs import paragraphs

    return paragraphs(text, spans, translator.terms)
