"""The program that translates documents: the formats, their names, and what it refuses."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from nmt.cli import program, translate
from nmt.cli.translation_lines import LineTranslator
from nmt.documents.paragraphs import paragraphs
from nmt.spans import NO_SPANS
from nmt.system.lines import as_line
from tests.tiny_run import Run

QUICK = ["search.beam_size=2", "search.max_length_factor=0.2", "search.max_length_extra=1"]
PAGE = "<title>a dog</title>\n<p>Two <b>red</b> shirts.<br>the &lt;snow&gt;</p>\n"
PO = 'msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "a dog"\nmsgid_plural "two dogs"\nmsgstr[0] ""\nmsgstr[1] ""\n'

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Call:
    """Run the program in an empty folder; return its exit status, its output and its errors."""
    monkeypatch.chdir(tmp_path)

    def called(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["program", f"ckpt={run.folder}", "device=cpu", *QUICK, *words])
        with pytest.raises(SystemExit) as end:
            translate.main()
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return called


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
             for text in ("a dog", "Two", "red", "shirts.", "the <snow>")]  # fmt: skip
    page = Path("out/page.de.html").read_bytes().decode()
    assert page == "<title>{}</title>\n<p>{} <b>{}</b> {}<br>{}</p>\n".format(*texts)
    assert list(Path("out").iterdir()) == [Path("out/page.de.html")], "no .partial"

    Path("page.html.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + PAGE.encode()))
    assert call("input=page.html.gz")[1] == f"\ufeff{page}", "a browser needs the byte order mark without a meta tag"
    call("input=page.html.gz", "output=again.gz")
    assert gzip.decompress(Path("again.gz").read_bytes()).decode() == f"\ufeff{page}"


def test_a_page_that_was_written_meanwhile_stays(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = LineTranslator.lines

    def write(*words: Any, **more: Any) -> list[str]:
        Path("page.de.html").write_text("my own")
        return list(lines(*words, **more))

    monkeypatch.setattr(LineTranslator, "lines", write)
    Path("page.html").write_text("<p>a dog</p>")
    status, _, err = call("input=page.html", "output=page.de.html")
    assert status == program.USER_ERROR and "output=page.de.html: exists already" in err
    assert Path("page.de.html").read_text() == "my own"


def test_a_po_file_has_the_translations(call: Call, translated: Callable[[str], str]) -> None:
    Path("de.po").write_text(PO, "utf-8")
    status, out, _ = call("input=de.po")
    message = read_po(out.split("\n"))[("a dog", "two dogs")]
    assert status == 0 and message.fuzzy and message.string == (translated("a dog"), translated("two dogs"))


def test_paragraphs_and_lines(call: Call, translated: Callable[[str], str]) -> None:
    text = "  A dog. A red bike.\n\n\tsnow  \nno line end"
    Path("a.txt").write_text(text, "utf-8")
    document = paragraphs(text, NO_SPANS)
    assert len(document.sentences) == 4
    assert call("input=a.txt", "input_format=paragraphs")[1] == document.filled(
        list(map(translated, document.sentences))
    )
    assert call("input=a.txt", "input_format=lines")[1] == call("input=a.txt")[1]
    Path("page.html").write_text("a dog\n", "utf-8")
    assert call("input=page.html", "input_format=lines")[1] == f"{translated('a dog')}\n"
    Path("empty.html").write_text("<p></p>", "utf-8")
    assert call("input=empty.html")[1] == "<p></p>"
    commented = "<!-- <meta charset='euc-kr'> --><meta charset='utf-8'>"
    Path("commented.html").write_text(commented, "utf-8")
    assert call("input=commented.html")[1] == commented


@pytest.mark.parametrize(
    ("name", "content", "words", "message"),
    [
        ("a.html", b"<p>a</p>\n<p>\xe9", [], "a.html:2: not UTF-8 (byte 0xe9); convert the text to UTF-8"),
        ("a.html", b"<meta charset='euc-kr'>", [], "a.html: declares charset=euc-kr, expected UTF-8"),
        ("a.po", b'msgid "a', [], "a.po:1: got 'msgid \"a', expected a line of a PO file"),
        (
            "a.po",
            PO.replace("Language: de", "Language: ko").encode(),
            [],
            "Language: ko, but the model translates into",
        ),
        ("a.po.gz", PO.encode(), [], "a.po.gz: not a whole gzip file"),
        ("a.html", b"a", ["format=jsonl"], "input_format=html: the output has the same format, so it cannot be JSON"),
        ("a.html", b"a", ["output=a.jsonl"], "input_format=html: the output has the same format, so it cannot be JSON"),
        ("a.html", b"a", ["with_attention=true"], "input_format=html: the output has the same format"),
        ("a.html", b"a", ["column=en"], "column=en: only a file has columns"),
        ("a.jsonl", b"", ["input_format=paragraphs"], "input_format=paragraphs: a.jsonl has sentences in columns"),
        ("a.html", b"a", ["search.n_best=2"], "search.n_best=2: a document holds only the best translation"),
        ("a.html", b"a", ["output=a.html"], "output=a.html: exists already"),
        ("a.html", b"a", ["input_format=pdf"], "input_format: got 'pdf', expected"),
        ("a.html", b"<p>" + b"e" * 300, ["search.long_source=refuse"], "a.html, 'eeeeeeeeeeeeeeeeeeeeeeee"),
    ],
)
def test_what_cannot_be_translated(call: Call, name: str, content: bytes, words: list[str], message: str) -> None:
    Path(name).write_bytes(content)
    status, out, err = call(f"input={name}", "search.max_source_length=20", *words)
    assert (status, out) == (program.USER_ERROR, "")
    assert err.startswith("error: ") and err.count("\n") == 1 and message in err
    assert [path.name for path in Path().iterdir()] == [name]


def test_a_format_belongs_to_a_file(call: Call) -> None:
    status, _, err = call("text=a", "input_format=html")
    assert (status, err.count("\n")) == (program.USER_ERROR, 1)
    assert "input_format=html: only a file has one; give input=FILE" in err
