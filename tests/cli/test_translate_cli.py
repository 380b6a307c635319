"""The program that translates text and lines."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from nmt.cli import translate as translate_program
from nmt.errors import UserError
from nmt.evaluation import one_line
from tests.tiny_run import Run, sentences


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_translate_program_takes_text_verbatim(run: Run, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'A man, in a "red" {shirt} [x], ${it}\'s = \\ a ~bike'
    translate_program.run([f"ckpt={run.folder}", f"text={text}"])
    assert capsys.readouterr().out == one_line(run.translator.translate([text])[0].text) + "\n"


def test_translate_program_lines_one_for_one(
    run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ["a dog", "", "the\x0bsnow\u2028man", *sentences(5, seed=9), "no line end"]
    monkeypatch.setattr(translate_program, "CHUNK", 4)
    feed(monkeypatch, "\ufeff".encode() + "\r\n".join(texts).encode())
    translate_program.run([f"ckpt={run.folder}", "search.beam_size=2"])
    expected = [one_line(t.text) for t in run.translator.translate(texts, beam_size=2)]
    assert capsys.readouterr().out == "".join(f"{line}\n" for line in expected)


def test_translate_program_says_which_line_is_not_utf8(
    run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feed(monkeypatch, b"a dog\nthe snow\na \xe9\n")
    with pytest.raises(UserError, match=r"standard input, line 3: byte 0xe9"):
        translate_program.run([f"ckpt={run.folder}"])
    assert capsys.readouterr().out.count("\n") == 2, "the lines before it are answered"


def test_translate_program_draws_attention(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a map, (1).json"
    translate_program.run([f"ckpt={run.folder}", "text=two dogs", f"attention={path}"])
    target = json.loads(path.read_text(encoding="utf-8"))["target"]
    assert capsys.readouterr().out == one_line(target) + "\n"
    forced = tmp_path / "forced.json"
    translate_program.run([f"ckpt={run.folder}", "text=two dogs", "reference=zwei, Hunde", f"attention={forced}"])
    assert json.loads(forced.read_text(encoding="utf-8"))["target"] == "zwei, Hunde"
    for words, match in (
        (["text=a", f"attention={tmp_path}/map.gif"], "gif"),
        (["attention=map.png"], "text="),
        (["text=a", "reference=b"], "attention="),
        (["text=a", "words=true"], "attention="),
        (["text=a", f"attention={tmp_path}/map.png", "kind=self"], "kind: got 'self'"),
    ):
        with pytest.raises(UserError, match=match):
            translate_program.run([f"ckpt={run.folder}", *words])


def test_translate_program_draws_self_attention_and_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr("nmt.attention_map.save", lambda attention, path, **how: seen.append(how))
    translate_program.run([f"ckpt={run.folder}", "text=a dog", "attention=x.png", "kind=encoder_self", "words=true"])
    assert seen == [{"kind": "encoder_self", "words": True}]


def test_a_terminal_is_answered_line_by_line(run: Run) -> None:
    output, asked = io.StringIO(), []

    class Terminal(io.BytesIO):
        def __next__(self) -> bytes:
            asked.append(output.getvalue().count("\n"))
            return super().__next__()

    translate_program.translate_lines(run.translator, Terminal(b"a dog\nred\nsnow\n"), output, 1)
    assert asked == [0, 1, 2, 3]
