"""Plain texts as sentences, and back; the formats of documents, and what is needed to read one."""

from __future__ import annotations

import time
import unicodedata
from types import SimpleNamespace
from typing import Any

import pytest

from nmt.deploy.cli.translate_document import read_document
from nmt.deploy.documents.base import paragraphs
from nmt.errors import UserError
from nmt.text.protect import NO_SPANS, Segment, Spans
from nmt.text.terms import Terms
from nmt.tokens import ELEMENT_MARKS
from tests.deploy.documents.test_html import upper


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


def test_each_format_is_read_with_what_the_model_has() -> None:
    tokenizer = SimpleNamespace(spans=Spans({"tags": "<[a-z]>|<Ox. B>"}))
    model: Any = SimpleNamespace(
        languages=("en", "ko"), terms=Terms({"a": "x", "Yahoo! Mail": "y"}), tokenizer=tokenizer
    )
    (sentence,) = read_document("<p>c <b>b</b></p>", "html", "x", model).sentences
    assert isinstance(sentence, Segment) and sentence.pieces == ELEMENT_MARKS[0]
    assert read_document(f"<p>{'a ' * 9}<b>b</b></p>", "html", "x", model).sentences == ["a a a a a a a a a", "b"]
    assert read_document("<Ox. B> c", "paragraphs", "x", model).sentences == ["<Ox. B> c"]
    po = read_document('msgid "Open Yahoo! Mail now."\nmsgstr ""\n', "po", "x", model)
    assert po.sentences == ["Open Yahoo! Mail now."] and "\nLanguage: ko\\n" in po.filled([""]).replace('"', "")
    model.languages = None
    with pytest.raises(UserError, match=r"^x: a PO file names its language, but the model does not say"):
        read_document("", "po", "x", model)
