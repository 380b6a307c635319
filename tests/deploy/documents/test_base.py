"""Plain texts as sentences, and back; the formats of documents, and what is needed to read one."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from nmt.deploy.cli.translate_document import BY_ENDING, read_document
from nmt.deploy.documents.base import Document, paragraphs
from nmt.errors import UserError
from nmt.system.lines import format_of
from nmt.text.protect import NO_SPANS, Segment, Spans
from nmt.text.terms import NO_TERMS, Terms
from nmt.tokens import ELEMENT_MARKS


def upper(document: Document) -> str:
    return document.translated(lambda sentences: [str(sentence).upper() for sentence in sentences])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  A dog. \r\n\tA cat.\n\n\n", "  A DOG. \r\n\tA CAT.\n\n\n"),
        ("--all\t\tA dog.\tA cat.", "--ALL\t\tA DOG.\tA CAT."),
        ("--- !\nA dog. ... A cat. :-)", "--- !\nA DOG. ... A CAT. :-)"),
        (" \n", " \n"),
        ("\x01\x1b[1m\x02bold\x00a\x06b\x7fc\x85d\x9be", "\x01\x1b[1M\x02BOLD\x00A\x06B\x7fC\x85D\x9bE"),
    ],
)
def test_line_breaks_and_white_space_stay(text: str, expected: str) -> None:
    document = paragraphs(text, NO_SPANS)
    assert upper(document) == expected
    assert not any(unicodedata.category(letter) == "Cc" for letter in "".join(map(str, document.sentences)))


def test_lines_are_divided_into_sentences_but_not_inside_a_span() -> None:
    spans = Spans({"braces": r"\{[^{}]*\}"})
    many = [f"A {{dog{number}. Or}} cat." for number in range(20)]  # more than there are marks
    assert paragraphs(" ".join(many), spans).sentences == many
    assert paragraphs(many[0], NO_SPANS).sentences == ["A {dog0.", "Or} cat."]


def test_long_white_space_takes_no_long_time() -> None:
    text, begun = f"a{' ' * 100_000}b{' ' * 100_000}", time.perf_counter()
    assert upper(paragraphs(text, NO_SPANS)) == text.upper() and time.perf_counter() - begun < 1


@dataclass
class Model:
    """What a document needs to know of a translator."""

    languages: tuple[str, str] | None = ("en", "ko")
    terms: Terms = NO_TERMS
    tokenizer: Any = field(default_factory=lambda: SimpleNamespace(spans=Spans({"tags": "<[a-z]>|<Ox. B>"})))


def test_the_name_says_the_format() -> None:
    names = ("a/b.html", "A.HTM", "b.xhtml.gz", "ko.po", "x.pot.gz", "a.txt", "html", "a.po.txt")
    assert [BY_ENDING.get(format_of(name)) for name in names] == [*["html"] * 3, *["po"] * 2, *[None] * 3]


def test_each_format_is_read_with_what_the_model_has() -> None:
    model: Any = Model()
    (sentence,) = read_document("<p>a <b>b</b></p>", "html", "x", model).sentences
    assert isinstance(sentence, Segment) and sentence.pieces == ELEMENT_MARKS[0]
    many: Any = Model(terms=Terms({"a": "x"}))
    assert read_document("<p>a a a a a a a a a <b>b</b></p>", "html", "x", many).sentences == ["a a a a a a a a a", "b"]
    assert read_document("<Ox. B> c", "paragraphs", "x", model).sentences == ["<Ox. B> c"]
    header = 'msgid ""\nmsgstr ""\n'
    assert 'Language: ko\\n"' in read_document(header, "po", "x", model).filled([])
    unknown: Any = Model(languages=None)
    with pytest.raises(UserError, match=r"^x: a PO file names its language, but the model does not say"):
        read_document(header, "po", "x", unknown)
