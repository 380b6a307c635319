"""Plain texts as sentences, and back."""

from __future__ import annotations

import time
import unicodedata

import pytest

from nmt.deploy.documents.base import Document, paragraphs
from nmt.text.protect import NO_SPANS, Spans


def upper(document: Document) -> str:
    return document.filled([sentence.upper() for sentence in document.sentences])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog.\n\nA cat.\n", "A DOG.\n\nA CAT.\n"),
        ("  A dog. \r\n\tA cat.\n\n\n", "  A DOG. \r\n\tA CAT.\n\n\n"),
        ("A dog. A cat.", "A DOG. A CAT."),
        ("--all\t\tA dog.\tA cat.", "--ALL\t\tA DOG.\tA CAT."),
        ("", ""),
        ("  ", "  "),
        ("\n", "\n"),
        ("-- \n* a\n...", "-- \n* A\n..."),
        ("\x01\x1b[1m\x02bold\x00a\x06b\x7fc\x85d\x9be", "\x01\x1b[1M\x02BOLD\x00A\x06B\x7fC\x85D\x9bE"),
    ],
)
def test_line_breaks_and_white_space_stay(text: str, expected: str) -> None:
    document = paragraphs(text, NO_SPANS)
    assert upper(document) == expected
    assert not any(unicodedata.category(letter) == "Cc" for letter in "".join(document.sentences))


def test_lines_are_divided_into_sentences() -> None:
    document = paragraphs("A dog. A cat.\n\nA bird.", NO_SPANS)
    assert document.sentences == ["A dog.", "A cat.", "A bird."]


def test_no_sentence_ends_inside_a_span() -> None:
    spans = Spans({"braces": r"\{[^{}]*\}"})
    many = [f"A {{dog{number}. Or}} cat." for number in range(20)]  # more than there are marks
    assert paragraphs(" ".join(many), spans).sentences == many
    assert paragraphs(many[0], NO_SPANS).sentences == ["A {dog0.", "Or} cat."]
    assert paragraphs("{Ox.} {Ox!} A", spans).sentences == ["{Ox.}", "{Ox!}", "A"]


def test_a_tab_inside_a_span_divides_nothing() -> None:
    document = paragraphs("Click {a\tb} here.\tA cat.", Spans({"braces": r"\{[^}]*\}"}))
    assert document.sentences == ["Click {a\tb} here.", "A cat."]


def test_a_sentence_without_words_stays() -> None:
    document = paragraphs("--- !\nA dog. ... A cat. :-)", NO_SPANS)
    assert document.sentences == ["A dog.", "A cat."]
    assert document.filled(["x", "y"]) == "--- !\nx ... y :-)"


def test_long_white_space_takes_no_long_time() -> None:
    text = f"a{' ' * 100_000}b{' ' * 100_000}"
    begun = time.perf_counter()
    assert upper(paragraphs(text, NO_SPANS)) == text.upper()
    assert time.perf_counter() - begun < 1
