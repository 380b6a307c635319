"""Texts and HTML as sentences, and back."""

from __future__ import annotations

import random
import re
import time
from html.parser import HTMLParser

import pytest

from nmt.serve.document import Document, plain
from nmt.serve.html import marked_up


def upper(document: Document) -> str:
    return document.filled([sentence.upper() for sentence in document.sentences])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog.\n\nA cat.\n", "A DOG.\n\nA CAT.\n"),
        ("  A dog. \r\n\tA cat.\n\n\n", "  A DOG. \r\n\tA CAT.\n\n\n"),
        ("A dog. A cat.", "A DOG. A CAT."),
        ("", ""),
        ("  ", "  "),
        ("\n", "\n"),
    ],
)
def test_line_breaks_and_white_space_stay(text: str, expected: str) -> None:
    assert upper(plain(text)) == expected


def test_lines_are_divided_into_sentences() -> None:
    document = plain("A dog. A cat.\n\nA bird.")
    assert document.sentences == ["A dog.", "A cat.", "A bird."]


def test_long_white_space_takes_no_long_time() -> None:
    text = f"a{' ' * 100_000}b{' ' * 100_000}"
    begun = time.perf_counter()
    assert upper(plain(text)) == text.upper()
    assert time.perf_counter() - begun < 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>Two <b>men</b> sit.</p>", "<p>TWO <b>MEN</b> SIT.</p>"),
        ('<P Class="x">a<BR/>b</P>', '<P Class="x">A<BR/>B</P>'),
        ("a &amp; b &lt;i&gt;", "A &amp; B &lt;I&gt;"),
        ("caf&eacute;", "CAFÉ"),
        ("<!-- a --><script>if (a<b) c()</script>d", "<!-- a --><script>if (a<b) c()</script>D"),
        ("<pre>a</pre><code>b</code>c", "<pre>a</pre><code>b</code>C"),
        (
            'a <span translate="no">b <span>c</span> d</span> e <i class="x notranslate">f</i>',
            'A <span translate="no">b <span>c</span> d</span> E <i class="x notranslate">f</i>',
        ),
        ("a < b", "A &lt; B"),
        ("a\n  b", "A B"),
        ("<img alt='a>b'> c", "<img alt='a>b'> C"),
        ("<br translate=no>a", "<br translate=no>A"),
        ("<p>a", "<p>A"),
        ("a</p>", "A</p>"),
        ("a<![if x]>b<![endif]>c", "A<![if x]>B<![endif]>C"),
        ("a<![CDATA[b]]>c", "A<![CDATA[b]]>C"),
        ("a<![<b>c", "A<![<b>C"),
        ("", ""),
    ],
)
def test_markup_stays_and_texts_are_translated(text: str, expected: str) -> None:
    assert upper(marked_up(text)) == expected


class Markup(HTMLParser):
    """Collects all but the texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(tag)


def test_any_html_keeps_its_tags_whatever_the_translations_are() -> None:
    draw = random.Random(5)
    atoms = ["<p>", "</p>", "<b class='x'>", "</b>", "<br>", "a word", "&amp;", "&lt;b&gt;", "<", ">", "&", "<!--",
             "<!", "-->", " ", "\n", "</", "<a href=\"b'>\">", "<script>", "</script>", '"', "</>", "<x/>"]  # fmt: skip
    for _ in range(2000):
        text = "".join(draw.choices(atoms, k=draw.randint(1, 12)))
        document = marked_up(text)
        assert "".join(document.filled(document.sentences)) is not None
        hostile = document.filled(["</p><script>x & y" for _ in document.sentences])
        assert Markup(hostile).found == Markup(document.filled(["x"] * len(document.sentences))).found, text
        if not re.search(r"<!--|</>|<(?![a-z/])|</(?![a-z])|<[^>]*$", text):
            assert Markup(hostile).found == Markup(text).found, text
