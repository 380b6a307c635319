"""The formats of documents: their names, and what is needed to read one."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from nmt.deploy.documents.formats import format_by_name, read_document
from nmt.errors import UserError
from nmt.text.protect import Segment, Spans
from nmt.text.terms import NO_TERMS, Terms
from nmt.tokens import ELEMENT_MARKS


@dataclass
class Model:
    """What a document needs to know of a translator."""

    languages: tuple[str, str] | None = ("en", "ko")
    terms: Terms = NO_TERMS
    tokenizer: Any = field(default_factory=lambda: SimpleNamespace(spans=Spans({"tags": "<[a-z]>|<Ox. B>"})))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        *(("a/b.html", "html"), ("A.HTM", "html"), ("b.xhtml.gz", "html"), ("ko.po", "po"), ("x.pot.gz", "po")),
        *(
            ("a.txt", "paragraphs"),
            ("lines.en", "paragraphs"),
            ("a.jsonl", "paragraphs"),
            ("html", "paragraphs"),
            ("a.po.txt", "paragraphs"),
        ),
    ],
)
def test_the_name_decides(name: str, format: str) -> None:
    assert format_by_name(name) == format


def test_each_format_is_read_with_what_the_model_has() -> None:
    model: Any = Model()
    (sentence,) = read_document("<p>a <b>b</b></p>", "html", "x", model).sentences
    assert isinstance(sentence, Segment) and sentence.pieces == ELEMENT_MARKS[0]
    many: Any = Model(terms=Terms({"a": "x"}))
    assert read_document("<p>a a a a a a a a a <b>b</b></p>", "html", "x", many).sentences == ["a a a a a a a a a", "b"]
    assert read_document("<p>a <b>b</b></p>", "paragraphs", "x", model).sentences == ["<p>a <b>b</b></p>"]
    assert read_document("<Ox. B> c", "paragraphs", "x", model).sentences == ["<Ox. B> c"]
    header = 'msgid ""\nmsgstr ""\n'
    assert 'Language: ko\\n"' in read_document(header, "po", "x", model).filled([])
    unknown: Any = Model(languages=None)
    with pytest.raises(UserError, match=r"^x: a PO file names its language, but the model does not say"):
        read_document(header, "po", "x", unknown)
