"""The program that translates documents: what it writes, and what it refuses."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polib
import pytest

from nmt.cli import program
from nmt.cli.translation_lines import LineTranslator
from nmt.deploy.cli import translate_document
from nmt.system.lines import as_line
from tests.fixtures.programs import Call
from tests.tiny_run import Run

QUICK = ["search.beam_size=2", "search.max_length_factor=0.2", "search.max_length_extra=1"]
PAGE = "<title>a dog</title>\n<p>Two <b>red</b> shirts.<br>The &lt;snow&gt;</p>\n"
PO = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "a dog"\nmsgid_plural "two dogs"\nmsgstr[0] ""\nmsgstr[1] ""\n'


@pytest.fixture
def call(call: Call) -> Call:
    """Run this program in an empty folder; return its exit status, its output and its errors."""
    return partial(call, translate_document, *QUICK)


@pytest.fixture
def translated(run: Run) -> Callable[[str], str]:
    """Return the translation of a text, as the program finds it."""
    settings = {"beam_size": 2, "max_length_factor": 0.2, "max_length_extra": 1}
    return lambda text: as_line(run.translator.translate([text], **settings)[0].text)


def test_a_page_is_written_as_a_page(call: Call, translated: Callable[[str], str]) -> None:
    Path("page.HTM").write_text(PAGE, "utf-8")
    status, out, err = call("input=page.HTM", "output=out/page.de.html")
    assert (status, out) == (0, "") and "translated 5 sentences in 0:00:0" in err
    texts = [translated(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
             for text in ("a dog", "Two", "red", "shirts.", "The <snow>")]  # fmt: skip
    page = Path("out/page.de.html").read_bytes().decode()
    assert page == "<title>{}</title>\n<p>{} <b>{}</b> {}<br>{}</p>\n".format(*texts)
    assert list(Path("out").iterdir()) == [Path("out/page.de.html")], "no .partial"

    Path("page.html.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + PAGE.encode()))
    assert call("input=page.html.gz")[1] == "\ufeff" + page


def test_a_page_that_was_written_meanwhile_stays(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    translations = LineTranslator.translations

    def write(*words: Any, **more: Any) -> list[Any]:
        Path("page.de.html").write_text("my own")
        return list(translations(*words, **more))

    monkeypatch.setattr(LineTranslator, "translations", write)
    Path("page.html").write_text("<p>a dog</p>")
    status, _, err = call("input=page.html", "output=page.de.html")
    assert status == program.USER_ERROR and "output=page.de.html: exists already" in err
    assert Path("page.de.html").read_text() == "my own"


def test_a_po_file_has_the_translations(call: Call, translated: Callable[[str], str]) -> None:
    Path("de.po").write_text(PO, "utf-8")
    status, out, _ = call("input=de.po")
    (entry,) = polib.pofile(out)
    assert status == 0 and entry.msgstr_plural == {0: translated("a dog"), 1: translated("two dogs")}


def test_a_film_keeps_its_bytes_but_for_the_words(call: Call, translated: Callable[[str], str]) -> None:
    film = b"\xef\xbb\xbf7\r\n00:00:01,000 --> 00:00:02,000\r\n<i>a dog</i>\r\n\r\n"
    Path("film.SRT").write_bytes(film)
    assert call("input=film.SRT", "output=film.de.srt")[0] == 0
    assert Path("film.de.srt").read_bytes() == film.replace(b"a dog", translated("a dog").encode())


@pytest.mark.parametrize(
    ("name", "content", "words", "message"),
    [
        ("a.html", b"<p>a</p>\n<p>\xe9", [], "a.html:2: not UTF-8; convert the text, as in: iconv"),
        ("a.docx", b"PK\x03\x04", [], "a.docx: got no text (an archive, a document"),
        ("a.xhtml", b"a", [], "input: a.xhtml is XHTML, and its translation would be HTML; add format=html if"),
        ("a.html", b"a", ["search.n_best=2"], "search.n_best: a document holds only the best translation"),
        ("a.html", b"<p>" + b"e" * 300, ["search.long_source=refuse"], "a.html, 'eeeeeeeeeeeeeeeeeeeeeeee"),
    ],
)
def test_what_cannot_be_translated(call: Call, name: str, content: bytes, words: list[str], message: str) -> None:
    Path(name).write_bytes(content)
    status, out, err = call(f"input={name}", "search.max_source_length=20", *words)
    assert (status, out) == (program.USER_ERROR, "")
    assert err.startswith("error: ") and err.count("\n") == 1 and message in err
    assert [path.name for path in Path().iterdir()] == [name]
