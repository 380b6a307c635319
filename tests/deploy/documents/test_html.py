"""HTML as sentences, and back: with a model that has spans, and with one that has none."""

from __future__ import annotations

import html
import random
import re
import time
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from nmt.deploy.documents.base import Document
from nmt.deploy.documents.html import marked_up
from nmt.deploy.documents.html_tokens import VOID
from nmt.deploy.documents.paragraphs import paragraphs
from nmt.text.protect import Spans
from nmt.text.terms import Terms
from nmt.tokens import ELEMENT_MARKS, SPAN_MARKS

NONE = Spans({})
SPANS = Spans({"urls": r"https?://\S+", "tags": r"</?[a-z]+>"})


def upper(document: Document) -> str:
    return document.filled([sentence.upper() for sentence in document.sentences])


@pytest.mark.parametrize("spans", [NONE, SPANS])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>Two <b>men</b> sit.</p>", "<p>TWO <b>MEN</b> SIT.</p>"),
        ('<P Class="x">a<BR/>b</P>', '<P Class="x">A<BR/>B</P>'),
        ("a &amp; b &lt;i&gt;", "A &amp; B &lt;I&gt;"),
        ("caf&eacute;", "CAFÉ"),
        ("<!-- a --><script>if (a<b) c()</script>d", "<!-- a --><script>if (a<b) c()</script>D"),
        ("<pre>a</pre><code>b</code>c", "<pre>a</pre><code>b</code>C"),
        ("<p><code><div>a</div></code>b", "<p><code><div>a</div></code>B"),
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
        ("<p>\n  a\n</p>", "<p>\n  A\n</p>"),
        ("<p><b>a</p><p>b</b></p>", "<p><b>A</p><p>B</b></p>"),
        ("<p>a <b><i>b</b></i> c</p>", "<p>A <b><i>B</b></i> C</p>"),
        ("<p><b>!</b> (<i>a</i>).</p>", "<p><b>!</b> (<i>A</i>).</p>"),
        ("<title>a <script> b</title><p>c", "<title>A &lt;SCRIPT&gt; B</title><p>C"),
        ("<title>a <p>b", "<title>a <p>b"),  # without an end, the rest of the page is the title
        ("<textarea><textarea></textarea><p>a", "<textarea><textarea></textarea><p>A"),
        ("<p>a</p><!-- b <p>c</p>", "<p>A</p><!-- b <p>c</p>"),
        ("<!--><p>a</p><!-- b --!>c<!--->d", "<!--><p>A</p><!-- b --!>C<!--->D"),
        ('<!DOCTYPE html [<!ENTITY a "b">]><p>a</p>', '<!DOCTYPE html [<!ENTITY a "b">]><p>A</p>'),
        ("", ""),
    ],
)
def test_markup_stays_and_texts_are_translated(spans: Spans, text: str, expected: str) -> None:
    assert upper(marked_up(text, spans)) == expected


@pytest.mark.parametrize(
    "text",  # what stays is in small letters
    [
        "<ul><li translate=no>a<li>B<li>C</ul><p>D</p>",
        "<ul><li translate=no>a</b></br>a<ul><li>a<li>a</ul>a</ul><p>D</p>",
        "<ul><li><p translate=no>a<li>B</ul>",
        "<p translate=no>a<p>B<p>C",
        "<p translate=no>a<b>a<br>a<div>B</div>",
        "<div><p translate=no>a</div>B",
        "<p translate=no>a<hr/>B",
        "<a><p translate=no>a</a>a</p>B",
        "<dl><dt translate=no>a<dd>B<dt>C<dd translate=no>a<p>a</p>a<dt>D<dd translate=no>a</dl>E",
        "<table><tr><td translate=no>a<table><tr><td>a<td>a</table>a<td>B<tr><th translate=no>a<tr><td>C</table>",
        "<table><tr translate=no><td>a<td>a<tr><td>B<tbody translate=no><tr><td>a<tr><td>a<tbody><tr><td>C</table>",
        "<table><tr><td>A<tr translate=no><td>a</table>B",
        "<select><option translate=no>a<option>B<optgroup translate=no><option>a<option>a<optgroup></select>C",
        "<ruby>A<rt translate=no>a<rp>B</ruby>C",
        "<div translate=no>a<p>a<div>a</p>a</div>a<li>a</div>B",
        "<ul translate=no><li>a<ul><li>a</ul></ul>B",
        "<li translate=no>a</p>a</li><p>B</p>",
        "<td translate=no>a</p>a</td>B",
        "<p>A<ul><li translate=no>a</p>a<div>a</span></section>a</li></ul>B",
        "<ul><li>A</ul><ol><li translate=no>a</ul>a</ol>B",
        "<p translate=no>a</body>B",
        "<p><kbd>a</p><p>B</p>",
        "<p><kbd>a<b>a<p>B",
        "<div><samp>a<p>a</p>a</div>B",
        "<p><span translate=no>a<i>a</p>B",
        "<p><kbd>a<kbd>a</kbd>a</kbd></p>C",
    ],
)
def test_an_element_that_stays_ends_where_its_end_tag_may_be_left_out(text: str) -> None:
    texts = "".join(re.split("<[^>]*>", text))
    assert "".join(marked_up(text, SPANS).sentences) == re.sub("[^A-Z]", "", texts)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("<p>Click <a href='x y'>Save</a>.</p>", ["Click ｟8｠Save｟9｠."]),
        ("<p><b>One <i>two</i>.</b></p>", ["One ｟8｠two｟9｠."]),
        ("<p><b>Save</b> the file.</p>", ["｟8｠Save｟9｠ the file."]),
        ("<p>Press <kbd>Ctrl+<b>C</b></kbd> <!-- now -->here.<!-- end --></p>", ["Press ｟0｠ ｟1｠here."]),
        ("<ul><li>a<li>b <em>c</em></ul>", ["a", "b ｟8｠c｟9｠"]),
        ("<title>a</title><td>b</td><td>c<br>d</td>", ["a", "b", "c", "d"]),
        ("<p>One <b>two. Three</b> four.</p>", ["One ｟0｠two.", "Three｟0｠ four."]),
        ("<p>One. <b>Two.</b> <i>Three.</i></p>", ["One.", "Two.", "Three."]),
        ("<p>&lt;b&gt; is <b>bold</b></p>", ["<b> is ｟8｠bold｟9｠"]),
        ("<p>See <img src=x> and https://x.org/a.</p>", ["See ｟0｠ and https://x.org/a."]),
        ("<p>A mark ｟0｠ and <b>more</b></p>", ["A mark ｟0｠ and ｟8｠more｟9｠"]),
        ("<p>｟9｠ and <b>more</b></p>", ["｟9｠ and", "more"]),
        ("<p>a <b>b c</p>", ["a", "b c"]),
        ("<p><code>a</code></p>", []),
        ("<p>&nbsp;<b> &nbsp;</b></p>", []),
        ("<p>An <b>ox</b> <code>x <b>y</b></p>", ["An ｟8｠ox｟9｠"]),
        ("<p>Ox. <b>...</b> <img src=x>!</p>", ["Ox."]),
    ],
)
def test_a_sentence_has_marks_for_the_tags_inside_it(text: str, sentences: list[str]) -> None:
    assert marked_up(text, SPANS).sentences == sentences


@pytest.mark.parametrize(
    ("text", "translations", "expected"),
    [
        ("<p>Click <b>Save</b>.</p>", ["｟8｠Save｟9｠ klicken."], "<p><b>Save</b> klicken.</p>"),
        ("<p>a <b>b</b> c <i>d</i></p>", ["｟10｠d｟11｠ & ｟8｠b｟9｠"], "<p><i>d</i> &amp; <b>b</b></p>"),
        ("<p>a <b>b</b> c</p>", ["x ｟9｠y｟8｠ z"], "<p>x <b>y</b> z</p>"),
        ("<p>a <b>b</b> <i>c</i> d</p>", ["x ｟8｠y ｟10｠z｟9｠ w｟11｠"], "<p>x <b>y </b>z<i> w</i></p>"),
        ("<p>a <b>b</b> c</p>", ["x ｟8｠y z"], "<p>x <b>y z</b></p>"),
        ("<p>a <b>b</b> c</p>", ["x y｟9｠ z"], "<p><b>x y</b> z</p>"),
        ("<p>a <b>b</b> c</p>", ["x"], "<p><b>x</b></p>"),
        ("<p>a <b>b</b> c</p>", ["｟8｠x｟8｠｟9｠ ｟7｠"], "<p><b>x</b> ｟7｠</p>"),
        ("<p>An <b>ox. Cows</b> go.</p>", ["x ｟0｠y.", "z｟0｠ w."], "<p>x <b>y. z</b> w.</p>"),
        ("<p>An <b>ox. Cows</b> go.</p>", ["。", "z｟0｠ w."], "<p><b>。z</b> w.</p>"),
        ("<p>An <b>ox. <i>Cows</i> go</b> on.</p>", ["x｟0｠.", "｟0｠｟8｠z｟9｠ w."], "<p>x<b>. </b><i>z</i> w.</p>"),
        ("<p>Ox. See <img src=x> or <a>this</a>.</p>", ["", "｟8｠x｟9｠ ｟0｠"], "<p><a>x</a> <img src=x></p>"),
        ("<p>&lt;b&gt; is <b>c</b></p>", ["<b> & ｟8｠<i>｟9｠"], "<p>&lt;b&gt; &amp; <b>&lt;i&gt;</b></p>"),
    ],
)
def test_tags_are_where_the_translation_has_their_marks(text: str, translations: list[str], expected: str) -> None:
    assert marked_up(text, SPANS).filled(translations) == expected


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("<p><b>I</b> am here.</p>", "｟8｠나｟9｠는 여기 있다.", "<p><b>나</b>는 여기 있다.</p>"),
        ("<p>Item <b>A</b>: file.</p>", "항목 ｟8｠가｟9｠: 파일.", "<p>항목 <b>가</b>: 파일.</p>"),
        ("<p>Press <kbd>메뉴</kbd> now.</p>", "｟0｠를 누르십시오.", "<p><kbd>메뉴</kbd>를 누르십시오.</p>"),
        (
            "<p>Open the <b><i>menu</i></b>.</p>",
            "｟8｠｟10｠메뉴｟11｠｟9｠를 여십시오.",
            "<p><b><i>메뉴</i></b>를 여십시오.</p>",
        ),
        ("<p>Run <code>git</code> now.</p>", "｟0｠를 실행합니다.", "<p><code>git</code>를 실행합니다.</p>"),
        (
            "<p><b>A</b> <b>B</b> <b>C</b> <b>menu</b></p>",
            "｟8｠가｟9｠ ｟10｠나｟11｠ ｟12｠다｟13｠ ｟0｠메뉴｟1｠를",
            "<p><b>가</b> <b>나</b> <b>다</b> <b>메뉴</b>를</p>",
        ),
    ],
)
def test_korean_particles_agree_with_words_and_not_with_marks(text: str, translation: str, expected: str) -> None:
    document = marked_up(text, SPANS)
    restored, _ = SPANS.restore(translation, SPANS.protect(document.sentences[0]))
    assert document.filled([restored.translation]) == expected


@pytest.mark.parametrize(
    ("text", "translation", "sentences"),
    [
        ("<p>Click <b>Save</b> now. Wait.</p>", "x ｟8｠｟9｠", ["Click", "Save", "now.", "Wait."]),
        ("<p>Click <b>Save</b> now. Wait.</p>", "x ｟8｠ - ｟9｠", ["Click", "Save", "now.", "Wait."]),
        ("<p>Click <b>Save</b> now. Wait.</p>", "x ｟9｠y｟8｠", None),
        ("<p>Click <b>Save</b> now. Wait.</p>", "x", None),
        ("<p>Click <b>-</b> now. Wait.</p>", "x｟8｠｟9｠", None),
        ("<p>See <a><img src=x></a> now. Wait.</p>", "x ｟8｠｟0｠｟9｠", None),
        ("<p>See <a><img src=x></a> now. Wait.</p>", "x ｟8｠｟9｠｟0｠", ["See", "now.", "Wait."]),
        ("<p>A <a>b <i>c</i></a> now. Wait.</p>", "x ｟8｠｟10｠y｟11｠｟9｠", None),
        ("<p>A <a>b <i>c</i></a> now. Wait.</p>", "x ｟8｠｟9｠｟10｠y｟11｠", ["A", "b", "c", "now.", "Wait."]),
        ("<p>A <a>cow. A</a> now.</p>", "x ｟0｠", ["A", "cow.", "A｟0｠ now."]),
    ],
)
def test_an_element_that_a_translation_empties_is_translated_apart(
    text: str, translation: str, sentences: list[str] | None
) -> None:
    document = marked_up(text, SPANS)
    translations = [translation, *document.sentences[1:]]
    revised = document.revised(translations)
    assert revised.sentences == (sentences or document.sentences)
    assert revised.filled(revised.sentences) == text
    assert revised.revised(revised.sentences).sentences == revised.sentences


def test_a_sentence_with_more_tags_than_marks_is_translated_apart() -> None:
    most = len(ELEMENT_MARKS) + len(SPAN_MARKS) // 2
    fits = "a " + "<b>b</b> " * most + "c"
    assert len(marked_up(fits, SPANS).sentences) == 1
    assert marked_up(f"{fits} <b>b</b>", SPANS).sentences == ["a", *"b" * most, "c", "b"]
    assert marked_up(f"{fits} <b>ox</b>. Ox <b>now</b> go.", SPANS).sentences[-2:] == ["ox", "Ox ｟8｠now｟9｠ go."]
    url = "a https://x.org " + "<b>b</b> " * most + "c"
    assert len(marked_up(url, SPANS).sentences) > 1, "the address takes one of the marks"


def test_no_sentence_ends_inside_a_term() -> None:
    terms = Terms({"Yahoo! Mail": "야후 메일", "モーニング娘。の歌": "song"})
    for text in ("Open Yahoo! Mail now.", "モーニング娘。の歌"):
        assert marked_up(f"<p>{text}</p>", SPANS, terms).sentences == [text]
        assert marked_up(f"<p>{text} <br>End.</p>", SPANS, terms).sentences == [text, "End."]
        assert marked_up(f"<b>{text}", SPANS, terms).sentences == [text], "an element without an end tag"
        assert paragraphs(text, SPANS, terms).sentences == [text]
        assert len(paragraphs(text, SPANS).sentences) == 2


def test_a_sentence_with_more_tags_and_terms_than_marks_is_translated_apart() -> None:
    terms = Terms({f"word{number}": f"Wort{number}" for number in range(5)})
    for count in (4, 5):
        keys = ", ".join(f"<kbd>K{number}</kbd> for word{number}" for number in range(count))
        document = marked_up(f"<p>Press {keys} now.</p>", SPANS, terms)
        assert (len(document.sentences) == 1) == (2 * count <= len(SPAN_MARKS))
        segments = [SPANS.protect(sentence, terms) for sentence in document.sentences]
        texts = [SPANS.restore(each.read, each)[0].translation for each in segments]
        assert document.filled(texts) == f"<p>Press {keys} now.</p>".replace("word", "Wort")


def test_a_span_that_would_hold_a_tag_is_no_sentence_with_marks() -> None:
    greedy = Spans({"paths": r"/\S+"})
    assert marked_up("<p>Open /a<b>b</b> now</p>", greedy).sentences == ["Open /a", "b", "now"]


def test_no_sentence_ends_inside_a_span() -> None:
    braces = Spans({"braces": r"\{[^{}]*\}"})
    assert marked_up("<p>A {cow. C} <i>ox</i>. Ox.</p>", braces).sentences == ["A {cow. C} ｟8｠ox｟9｠.", "Ox."]
    assert marked_up("<p>A {cow. C} <i>ox. Ox.</p>", braces).sentences == ["A {cow. C}", "ox.", "Ox."]


def test_hostile_html_takes_no_long_time() -> None:
    begun = time.process_time()
    for text in ("<b>" * 20_000 + "a" + "</b>" * 20_000, "a <b>b</b> " * 10_000, "a. <!-- -->" * 10_000):
        upper(marked_up(text, SPANS))
    assert time.process_time() - begun < 5


# Whatever the translations are


class Markup(HTMLParser):
    """Collects all but the texts, and the texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data

    def nests(self) -> bool:
        waiting = list[str]()
        for each in self.found:
            if isinstance(each, str):
                if not waiting or waiting.pop() != each:
                    return False
            elif each[0] not in VOID:
                waiting.append(each[0])
        return not waiting


def tree(draw: random.Random, depth: int = 0) -> str:
    """Return well-formed HTML: blocks in blocks, and inline elements in them."""
    if depth == 3 or (depth and draw.random() < 0.5):
        return f"<p>{inline(draw)}</p>"
    name = draw.choice(["div", "ul", "blockquote"])
    return f'<{name} class="a b">{"".join(tree(draw, depth + 1) for _ in range(draw.randint(1, 3)))}</{name}>'


def inline(draw: random.Random, depth: int = 0) -> str:
    parts = list[str]()
    for _ in range(draw.randint(1, 4)):
        kind = draw.random()
        if kind < 0.5 or depth == 3:
            words = draw.choices(["one", "Two.", "three.", "&lt;b&gt;", "&amp;", "&lt;/p&gt;", "https://x.org/"], k=2)
            parts.append(" ".join(words))
        elif kind < 0.6:
            parts.append(draw.choice(['<img alt="&lt;x>">', "<code>a <i>b</i></code>", "<br>", "<!-- c -->", "<wbr/>"]))
        else:
            name = draw.choice(["b", "em", 'a href="x?a=1&b" title=\'"\'', "span"])
            parts.append(f"<{name}>{inline(draw, depth + 1)}</{name.split()[0]}>")
    return draw.choice([" ", ""]).join(parts)


def same(draw: random.Random, text: str) -> str:
    return text


def reversed_words(draw: random.Random, text: str) -> str:
    return " ".join(text.split()[::-1])


def scattered(draw: random.Random, text: str) -> str:
    parts = re.findall("｟[0-9]+｠|[^｟]+", text)
    return "".join(draw.sample(parts, len(parts)))


def lossy(draw: random.Random, text: str) -> str:
    return re.sub("｟[0-9]+｠", lambda found: draw.choice(["", found[0], found[0] * 2, "｟3｠"]), text)


def hostile(draw: random.Random, text: str) -> str:
    return f"</p><script>x & y{scattered(draw, lossy(draw, text))}<!--"


@pytest.mark.parametrize("translate", [same, reversed_words, scattered, lossy, hostile])
def test_every_tag_is_there_once_and_nests(translate: Callable[[random.Random, str], str]) -> None:
    draw = random.Random(7)
    whole = 0
    for _ in range(300):
        text = tree(draw)
        document = marked_up(text, SPANS)
        if draw.random() < 0.5:
            document = document.revised([translate(draw, sentence) for sentence in document.sentences])
        filled = document.filled([translate(draw, sentence) for sentence in document.sentences])
        found, given = Markup(filled), Markup(text)
        assert sorted(map(str, found.found)) == sorted(map(str, given.found)), text
        assert found.nests(), (text, filled)
        if translate is same:
            assert re.sub(r"\s", "", filled) == re.sub(r"\s", "", text)
        whole += sum("｟" in sentence for sentence in document.sentences)
    assert whole > 300


def test_a_translation_that_equals_the_source_gives_the_same_html() -> None:
    text = (
        '<!doctype html>\n<html lang=en>\n<title>A &amp; B</title>\n<body class="x">\n  <h1>One <i>two</i></h1>\n'
        '  <p>Click <a href="x?a=1&b=2" title=\'"\'>the <b>red</b> link</a>. <em>Then &lt;b&gt; wait. Do</em> it!</p>\n'
        "  <ul><li><b>a</b><li>b <code>x &lt; y</code> c</ul>\n<script>if (a<b) c('</p>')</script></body></html>\n"
    )
    for spans in (NONE, SPANS):
        document = marked_up(text, spans)
        assert document.filled(document.sentences) == text


def test_any_html_keeps_its_tags_whatever_the_translations_are() -> None:
    draw = random.Random(5)
    atoms = ["<p>", "</p>", "<b class='x'>", "</b>", "<br>", "a word", "&amp;", "&lt;b&gt;", "<", ">", "&", "<!--",
             "<!", "-->", " ", "\n", "</", "<a href=\"b'>\">", "<script>", "</script>", '"', "</>", "<x/>", "</a>",
             "<code>", "</code>", "A. ", "&nbsp;"]  # fmt: skip
    for spans in (NONE, SPANS):
        for _ in range(1500):
            text = "".join(draw.choices(atoms, k=draw.randint(1, 12)))
            document = marked_up(text, spans)
            filled = document.filled(["</p><script>x & y"] * len(document.sentences))
            safe = document.filled(["x"] * len(document.sentences))
            assert Markup(filled).found == Markup(safe).found, text
            if not re.search(r"<!--|</>|<(?![a-z/])|</(?![a-z])|<[^>]*$", text):
                assert sorted(map(str, Markup(filled).found)) == sorted(map(str, Markup(text).found)), text
            assert html.unescape(document.filled(document.sentences)).count("word") == text.count("word")
