"""Subtitles and Markdown: only words change."""

from __future__ import annotations

import io

import pytest
import webvtt

from nmt.deploy.documents.base import Document
from nmt.deploy.documents.markdown import markdown
from nmt.deploy.documents.subtitles import subtitles
from nmt.errors import UserError
from nmt.text.protect import NO_SPANS, Spans
from tests.deploy.documents.test_html import SPANS, filled, shown

TIME = "00:00:01,000 --> 00:00:02,500"
SRT = (
    f"7\r\n{TIME} X1:40\r\n{{\\an8}}<i>Two dogs are\r\nrunning.</i> They <b>bark</b>.\r\n\r\n8\r\n{TIME}\r\n"
    f"- Stop!\r\n- I <3 you - -5 times. \r\n\r\n9\r\n{TIME}\r\n\r\n10\r\n{TIME}\r\n♪ la ♪\r\n\r\n5\r\n{TIME}\r\none\r\n"
    "\r\nblank line"
)
VTT = """WEBVTT - film\nKind: captions\n\nSTYLE\n::cue(.x) { color: red }\n\nREGION\nid:fred\n\nNOTE a note\n
intro\n01:00.000 --> 01:02.000 align:start line:0\n<v Fred>Hi <c.x>you</c> &amp; me.\n\nNOTE more\nlines\n
2\n00:00:03.000 --> 00:00:04.000\n<i>We saw the</i>\n\n00:00:05.000 --> 00:00:06.000\n<i>old house\nand left.</i>\n
00:00:07.000 --> 00:00:08.000\nNow <00:00:07.500>wait.\n"""
MD = """---\ntitle: a\n---\n# 1. One *two* {#id}\n\nA **b `c` d** and [e](http://x.y "t") ![f](g.png)\r
on <b>j</b>.  \nk <http://l.m> [n][r] snake_case [^1].\n\n> One day\n> we left.\n\n- [ ] o\n  p\n
| q | r \\| s |\n|---|:-:|\n| *t* | 5 * 3 |\n\n```sh\nu\n```\n\n    v\n\n<div>w</div>\n\nx ~~y~~\n===\n
[r]: http://x.y "z"\n[^1]: A note\n"""


def read(format: str, text: str, spans: Spans = SPANS) -> Document:
    return markdown(text, spans) if format == "md" else subtitles(text, "x", spans)


@pytest.mark.parametrize("spans", [NO_SPANS, SPANS])
@pytest.mark.parametrize(
    ("format", "text", "sentences"),
    [
        ("srt", SRT, "Two dogs are running.|They ｟8｠bark｟9｠.|Stop!|I <3 you - -5 times.|la|one blank line"),
        ("vtt", VTT, "Hi ｟8｠you｟9｠ & me.|We saw the old house and left.|Now|wait."),
        ("md", MD, "1. One ｟8｠two｟9｠|A ｟8｠b ｟0｠ d｟9｠ and ｟10｠e｟11｠ ｟1｠ on ｟12｠j｟13｠.|"
         "k ｟0｠ ｟8｠n｟9｠ snake_case ｟1｠.|One day we left.|o p|q|r ｟0｠ s|t|5 * 3|x ｟8｠y｟9｠|A note"),
    ],
)  # fmt: skip
def test_only_words_change(spans: Spans, format: str, text: str, sentences: str) -> None:
    document = read(format, text, spans)
    assert document.filled(document.sentences).split() == text.split()
    found = filled(document, str.upper)
    assert found.lower().split() == text.lower().split() and found.count("\n") == text.count("\n") and found != text
    assert {line for line in text.split("\n") if "-->" in line or line[:4] == "NOTE"} <= {*found.split("\n")}
    assert not spans or list(map(shown, document.sentences)) == sentences.split("|")
    if format != "md":
        before, after = (webvtt.from_buffer(io.StringIO(each), format) for each in (text, found))
        assert [(each.start, each.end, len(each.lines)) for each in after] == [
            (each.start, each.end, len(each.lines)) for each in before
        ]


@pytest.mark.parametrize(
    ("first", "text", "translation", "expected"),
    [
        (f"1\n{TIME}\n", "one two three four\nfive.", "word " * 12, f"{'word ' * 6}\n{'word ' * 6}"),
        (f"1\n{TIME}\n", "one\ntwo", "一二三、四五六。", "一二三、\n四五六。"),
        (f"1\n{TIME}\n", "one two\nthree", "one", "one"),
        (f"1\n{TIME}\n", f"one\n\n2\n{TIME}\ntwo", "one", f"one\n\n2\n{TIME}\n"),
        (f"WEBVTT\n\n{TIME}\n".replace(",", "."), "one", "a < b --> c", "a &lt; b --&gt; c"),
        ("", "Press **one**.", '｟8｠"하나"｟9｠를', '<strong>"하나"</strong>를'),
        ("", "+++\na = 1\n+++\none", "eins", "+++\na = 1\n+++\neins"),
        ("", "Press _one_.", "｟8｠하나｟9｠를 5 * 3", "<em>하나</em>를 5 \\* 3"),
        ("", "one", "*a* [b](c) <d> `e` snake_case", "\\*a\\* \\[b\\](c) \\<d\\> \\`e\\` snake\\_case"),
        ("", "> one\n> two", "eins - zwei", "> eins -\n> zwei"),
        ("", "- one\n", "9. August", "- 9\\. August\n"),
        ("", "one", "# zwei", "\\# zwei"),
        ("", "# 1. one\n", "1. eins", "# 1. eins\n"),
    ],
)
def test_a_reader_sees_the_translation(first: str, text: str, translation: str, expected: str) -> None:
    format = {"1": "srt", "W": "vtt"}.get(first[:1], "md")
    found = filled(read(format, first + text), lambda sentence: translation.strip())
    assert found.removeprefix(first) == expected.replace(" \n", "\n").rstrip(" ")


def test_captions_without_marks_are_not_one_sentence() -> None:
    film = "".join(f"{number}\n{TIME}\nwe go on\n\n" for number in range(5))
    assert read("srt", film).sentences == ["we go on we go on we go on", "we go on we go on"]


def test_a_file_that_is_no_film_is_refused() -> None:
    with pytest.raises(UserError, match=r"x: no subtitles \(Invalid format\); format=paragraphs"):
        read("srt", "A text.")
