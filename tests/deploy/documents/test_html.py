"""HTML as sentences, and back: with a model that has spans, and with one that has none."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable

import pytest
from lxml import etree

from nmt.deploy.documents.base import Document, Text, paragraphs
from nmt.deploy.documents.html import marked_up
from nmt.errors import UserError
from nmt.text.protect import Spans
from nmt.text.terms import Terms
from nmt.tokens import ELEMENT_MARKS, SPAN_MARKS

NONE = Spans({})
SPANS = Spans({"urls": r"https?://\S+", "tags": r"</?[a-z]+>"})


def shown(sentence: Text) -> str:
    """Return a sentence with the pieces that a model reads in place of tags and spans."""
    if isinstance(sentence, str):
        return sentence
    pieces = iter(sentence.pieces)
    return "".join(part if isinstance(part, str) else next(pieces) for part in sentence.parts)


def filled(document: Document, translate: Callable[[str], str]) -> str:
    """Return a document whose sentences are translated as `shown`."""
    return document.translated(
        lambda sentences: [
            translate(each) if isinstance(each, str) else SPANS.restore(translate(shown(each)), each)[0]
            for each in sentences
        ]
    )


def upper(document: Document) -> str:
    return filled(document, str.upper)


@pytest.mark.parametrize("spans", [NONE, SPANS])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<P Class=x title="a&quot;b">a<BR/>b</P>', '<p class="x" title="a&quot;b">A<br>B</p>'),
        ("a &amp; b caf&eacute; < c", "A &amp; B CAFÉ &lt; C"),
        ("<!-- a --><script>if (a<b) c()</script>d", "<!-- a --><script>if (a<b) c()</script>D"),
        ('a <b translate="no">b <b>c</b> d</b> e', 'A <b translate="no">b <b>c</b> d</b> E'),
        ('a <i class="x notranslate">f</i>', 'A <i class="x notranslate">f</i>'),
        ("a <svg><path d='x'/><title>t</title></svg>", 'A <svg><path d="x"></path><title>t</title></svg>'),
        ("<ul><li translate=no>a<li>b</ul>", '<ul><li translate="no">a</li><li>B</li></ul>'),
        ("Hello <!-- -->Bob.", "<!-- -->HELLO BOB."),
        ("play<wbr>ing", "PLAYING"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby>a", "漢字A"),
        ('<ruby translate="no">漢<rt>かん</rt></ruby>a', '<ruby translate="no">漢<rt>かん</rt></ruby>A'),
        ("<p>One long<br>sentence.<br/>Two.</p>", "<p>ONE LONG<br>SENTENCE.<br>TWO.</p>"),
        ("<p><b>a</p><p>b</b></p>", "<p><b>A</b></p><p>B</p>"),
        ("a\0b", "A\ufffdB"),
        ("", ""),
    ],
)
def test_markup_stays_and_texts_are_translated(spans: Spans, text: str, expected: str) -> None:
    assert upper(marked_up(text, spans)) == expected


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("<p><b>One <i>two</i>.</b></p>", ["One ｟8｠two｟9｠."]),
        ("<p>Press <kbd>Ctrl+<b>C</b></kbd> <!-- now -->here.<!-- end --></p>", ["Press ｟0｠ here."]),
        ("<title>a</title><td>b</td><td>c<br>d</td>", ["a", "b", "c d"]),
        ("<p>One <b>two. Three</b> four.</p>", ["One", "two.", "Three", "four."]),
        ("<p>One. <b>Two.</b> <i>Three.</i></p>", ["One.", "Two.", "Three."]),
        ("<p>&lt;b&gt; is <b>bold</b></p>", ["｟0｠ is ｟8｠bold｟9｠"]),
        ("<p>See <img src=x> and https://x.org/a now.</p>", ["See ｟0｠ and ｟1｠ now."]),
        ("<p>｟9｠ and <b>more</b></p>", ["｟0｠ and ｟8｠more｟9｠"]),
        ("<p>Ox. <b>...</b> <img src=x>!</p>", ["Ox."]),
    ],
)
def test_a_sentence_has_marks_for_the_tags_inside_it(text: str, sentences: list[str]) -> None:
    assert list(map(shown, marked_up(text, SPANS).sentences)) == sentences


@pytest.mark.parametrize(
    ("text", "translations", "expected"),
    [
        ("<p>a <b>b</b> c <i>d</i></p>", ["｟10｠d｟11｠ & ｟8｠b｟9｠"], "<p><i>d</i> &amp; <b>b</b></p>"),
        ("<p>a <b>b</b> c</p>", ["x ｟9｠y｟8｠ z"], "<p><b>x y z</b></p>"),
        ("<p>a <b>b</b> <i>c</i> d</p>", ["x ｟8｠y ｟10｠z｟9｠ w｟11｠"], "<p><i>x <b>y z</b> w</i></p>"),
        ("<p>a <b>b</b> c</p>", ["x ｟8｠y z"], "<p>x <b>y</b> z</p>"),
        ("<p>a <b>b</b> c</p>", ["x ｟8｠｟9｠"], "<p><b>x </b></p>"),  # an empty link could not be clicked
        ("<p>a <b>b</b> c</p>", ["｟8｠x｟8｠｟9｠ ｟7｠"], "<p><b>x</b></p>"),
        ("<p>See <a><img src=x></a> now.</p>", ["x ｟8｠｟9｠｟0｠"], '<p><a>x <img src="x"></a></p>'),
        ("An <b>ox. <i>Cows</i> go</b> on.", ["v", "w.", "｟8｠x｟9｠ y", "z."], "v <b>w. <i>x</i> y</b> z."),
        ("<p>&lt;b&gt; is <b>c</b></p>", ["｟0｠ & ｟8｠<i>｟9｠"], "<p>&lt;b&gt; &amp; <b>&lt;i&gt;</b></p>"),
    ],
)
def test_tags_are_where_the_translation_has_their_marks(text: str, translations: list[str], expected: str) -> None:
    rest = iter(translations)
    assert filled(marked_up(text, SPANS), lambda sentence: next(rest)) == expected


def test_texts_of_a_block_with_more_tags_than_marks_are_translated_apart() -> None:
    most = len(ELEMENT_MARKS) + len(SPAN_MARKS) // 2
    fits = "a " + "<b>b</b> " * most + "c"
    assert len(marked_up(fits, SPANS).sentences) == 1
    assert marked_up(f"{fits} <b>b</b>", SPANS).sentences == ["a", *"b" * most, "c", "b"]
    url = "a https://x.org " + "<b>b</b> " * most + "c"
    assert len(marked_up(url, SPANS).sentences) > 1, "the address takes one of the marks"


def test_no_sentence_ends_inside_a_span_or_a_term() -> None:
    braces, terms = Spans({"braces": r"\{[^{}]*\}"}), Terms({"Yahoo! Mail": "야후 메일"})
    sentences = marked_up("<p>A {cow. C} <i>ox</i>. Ox.</p>", braces).sentences
    assert list(map(shown, sentences)) == ["A ｟0｠ ｟8｠ox｟9｠.", "Ox."]
    text = "Open Yahoo! Mail now."
    assert len(marked_up(f"<p>{text} <br>End.</p>", SPANS, terms).sentences) == 2
    assert paragraphs(text, SPANS, terms).sentences == [text] and len(paragraphs(text, SPANS).sentences) == 2


@pytest.mark.parametrize(
    "meta", ["", "<meta charset=euc-kr>", "<meta http-equiv=Content-Type content='text/html; charset=x'>"]
)
def test_a_whole_page_says_that_it_is_in_utf_8(meta: str) -> None:
    page = f"<!doctype html><html lang=en><head>{meta}<title>a</title></head><body><p>é</p></body></html>"
    expected = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A</title></head><body><p>É</p></body></html>'
    )
    assert upper(marked_up(page, SPANS)) == expected


@pytest.mark.parametrize(
    ("languages", "text", "expected"),
    [
        (
            ("en", "de_AT"),
            '<html lang="en-US" xml:lang="en"><p>a</p>',
            '<html lang="de-AT" xml:lang="de-AT"><body><p>A</p>',
        ),
        (("en", "de"), '<p lang="en">a <q lang="fr">b</q></p>', '<p lang="de">A <q lang="fr">b</q></p>'),
        (("en", "ar"), '<html lang="x"><p dir="ltr">a</p>', '<html lang="ar"><body><p dir="ltr">A</p>'),
        (None, '<p lang="fr" dir="ltr">a</p>', '<p lang="fr" dir="ltr">A</p>'),
    ],
)
def test_the_language_follows_the_translation(languages: tuple[str, str] | None, text: str, expected: str) -> None:
    found = upper(marked_up(text, NONE, languages=languages))
    assert found.replace('<meta charset="utf-8">', "").startswith(expected)


@pytest.mark.slow
def test_hostile_html_takes_no_long_time() -> None:
    begun = time.process_time()
    for part in ("<a ", "a <b>b</b> ", "a. <!-- -->", "<p><b>", "<", "<!--"):
        upper(marked_up(part * 10_000, SPANS))
    assert time.process_time() - begun < 5
    with pytest.raises(UserError, match="nested too deeply"):
        marked_up("<b>" * 20_000 + "a" + "</b>" * 20_000, SPANS)


# Whatever the translations are


def elements(text: str) -> Counter[tuple[str, ...]]:
    """Return the elements of HTML, each with its attributes, and how often they are there."""
    root = etree.HTML(f"<html><body>{text}</body></html>")
    return Counter((str(node.tag), *map(str, node.attrib.items())) for node in root.iter() if node.tag != "wbr")


def nests(text: str) -> bool:
    """Return whether the tags of HTML nest as they are written."""
    waiting = list[str]()
    for end, name in re.findall(r"<(/?)([a-z]+)", re.sub(r"(?s)<!--.*?-->", "", text)):
        if end and (not waiting or waiting.pop() != name):
            return False
        waiting += [name] * (not end and name not in ("img", "br"))
    return not waiting


ATOMS = ["<p>", "</p>", "<b class='x'>", "</b>", "<em>", "</em>", "<div>", "</div>", "<br>", " a word", " Two. On",
         " https://x.org/", "&amp;", "&lt;b&gt;", "<", ">", "&", "<!--", "<!", "-->", " ", "\n", "</", "<img>", "</>",
         "<a href=\"b'?a=1&amp;c=2\">", '"', "<x>", "</a>", "<code>a <i>b</i></code>", "<code>", "</code>", " A. ",
         "&nbsp;", "<wbr>"]  # fmt: skip


def same(draw: random.Random, text: str) -> str:
    return text


def scattered(draw: random.Random, text: str) -> str:
    parts = re.findall("｟[0-9]+｠|[^｟]+", text)
    return "".join(draw.sample(parts, len(parts)))


def lossy(draw: random.Random, text: str) -> str:
    return re.sub("｟[0-9]+｠", lambda found: draw.choice(["", found[0], found[0] * 2, "｟3｠"]), text)


def hostile(draw: random.Random, text: str) -> str:
    return f"</p><script>x & y{scattered(draw, lossy(draw, text))}<!--"


@pytest.mark.parametrize("spans", [NONE, SPANS])
@pytest.mark.parametrize("translate", [same, scattered, lossy, hostile])
def test_every_tag_is_there_once_and_nests(translate: Callable[[random.Random, str], str], spans: Spans) -> None:
    draw, marked = random.Random(7), 0
    for _ in range(150):
        text = "".join(draw.choices(ATOMS, k=draw.randint(1, 25)))
        document = marked_up(text, spans)
        untouched = document.filled(document.sentences)
        found = filled(document, lambda sentence: translate(draw, sentence))
        assert elements(found) == elements(untouched) and nests(found), (text, found)
        words = ("".join(etree.HTML(f"<p>{each}").itertext()).count("word") for each in (untouched, text))
        assert len({*words}) == 1, text
        if translate is same:
            assert re.sub(r"\s|<wbr>", "", found) == re.sub(r"\s|<wbr>", "", untouched)
        marked += sum(not isinstance(sentence, str) for sentence in document.sentences)
    assert marked > 40 or not spans
