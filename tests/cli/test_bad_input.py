"""Bad input of the programs that read lines: lines out equal lines in, or one line of error and status 2."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from nmt.cli import program, score, translate
from tests.fixtures.programs import Call

# A line each, whatever other programs take for its end.
LINES = [
    *("", " ", "\t", "a dog", "a\x00dog", "\x00", "\x01\x02\x1b[31m", "the\x0bsnow", "two\x0cmen", "a\x1cb\x1dc\x1ed"),
    *("red\u2028bike", "blue\u2029shirt", "a\u0085dog", "\u200b", "\ufeff", "two\rmen", "\ufffd\U0010ffff", "e" * 99),
]
QUICK = ["search.beam_size=1", "search.max_length_factor=0.2", "search.max_length_extra=1"]


def refused(answer: tuple[int, str, str], message: str, *, out: str = "") -> None:
    """Check that the program printed one line of error and ended with status 2."""
    assert answer[:2] == (program.USER_ERROR, out)
    assert answer[2].startswith("error: ") and answer[2].count("\n") == 1 and message in answer[2]


@pytest.mark.parametrize(("mark", "ending", "last"), [(b"", "\n", ""), (b"\xef\xbb\xbf", "\r\n", "end")])
def test_one_output_line_per_input_line(call: Call, mark: bytes, ending: str, last: str) -> None:
    content = mark + "".join(f"{line}{ending}" for line in LINES).encode() + last.encode()
    Path("lines.en").write_bytes(content)
    Path("lines.gz").write_bytes(gzip.compress(content[:99]) + gzip.compress(content[99:]))  # two members, as from cat
    count = len(LINES) + bool(last)
    status, out, err = call(translate, *QUICK, stdin=content)
    assert (status, out.count("\n"), out[-1]) == (0, count, "\n")
    assert all(line.startswith("warning: ") for line in err.splitlines())
    assert out.split("\n")[:3] == ["", "", ""]
    assert call(translate, *QUICK, "input=lines.en")[:2] == (0, out)
    assert call(translate, *QUICK, "input=lines.gz", "output=out.jsonl.gz")[0] == 0
    rows = [json.loads(row) for row in gzip.decompress(Path("out.jsonl.gz").read_bytes()).decode().split("\n")[:-1]]
    assert [row["source"] for row in rows] == [*LINES, *[last] * bool(last)]
    assert [row["text"] for row in rows] == out.split("\n")[:-1]


@pytest.mark.parametrize(("content", "count"), [(b"\xef\xbb\xbf", 0), (b"\r\n\r\n", 2)])
def test_empty_input_files(call: Call, content: bytes, count: int) -> None:
    Path("lines.en").write_bytes(content)
    assert call(translate, stdin=content) == (0, "\n" * count, "")
    status, out, err = call(translate, "input=lines.en")
    assert (status, out) == (0, "\n" * count) and err.startswith(f"translated {count} lines in ")
    assert call(translate, "input=lines.en", "output=new/folder/lines.de")[0] == 0
    assert Path("new/folder/lines.de").read_bytes() == b"\n" * count
    problem = "lines.en:1: the source is empty" if count else "empty corpus; expected at least one sentence pair"
    refused(call(score, "source=lines.en", "target=lines.en"), problem)


def test_unreadable_input_is_refused_and_leaves_no_output(call: Call) -> None:
    Path("latin.en").write_bytes(b"a\nb \xe9\n")
    Path("short.gz").write_bytes(gzip.compress(os.urandom(9000).hex().encode())[:-99])
    Path("good.en").write_text("a\nb\n")
    no_file = "cannot be read: a folder, pipe or device; expected a file that can be read again"
    refused(call(translate, "input=latin.en", "output=out"), "latin.en:2: not UTF-8; convert the text")
    refused(call(score, "source=short.gz", "target=good.en", "output=out"), "short.gz: damaged or cut off")
    refused(call(score, "source=good.en", "target=/dev/zero", "output=out"), f"/dev/zero: {no_file}")
    answer = call(translate, *QUICK, stdin=b"\n\n\xff\na dog\n")
    refused(answer, "standard input, line 3: not UTF-8; convert the text", out="\n\n")
    assert not list(Path().glob("*out*"))


def test_unwritable_output_is_refused(call: Call) -> None:
    Path("lines.en").write_text("a dog\n")
    Path("folder").mkdir()
    for module, *words in ((translate, "input=lines.en"), (score, "source=lines.en", "target=lines.en")):
        for output in ("lines.en", ".", "/dev/null"):
            refused(call(module, *words, f"output={output}"), f"output={output}: exists already; give another name")
        refused(call(module, *words, "output=lines.en/x"), "lines.en: File exists; check the path")
    assert Path("lines.en").read_text() == "a dog\n" and sorted(os.listdir()) == ["folder", "lines.en"]


def test_pairs_that_cannot_be_scored_are_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "CHUNK", 2)
    Path("good.de").write_text("x\n" * 4)
    for line, message in (
        ("\u00a0", "a.en:4: the source is empty, so no translation can be scored; leave it out"),
        ("e" * 3000, "at most 1,000 tokens (search.max_source_length); shorten it, or leave it out"),
    ):
        Path("a.en").write_text(f"a dog\na\na\n{line}\n")
        refused(call(score, "source=a.en", "target=good.de", "output=out"), message)
        refused(call(score, "source=a.en", "target=good.de"), message)  # found before the first pair is scored
        assert not Path("out").exists()
