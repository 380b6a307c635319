"""The program that translates a file: its output, its JSON Lines, what it refuses, and that it goes on after a stop."""

from __future__ import annotations

import gzip
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nmt.attention_map import load
from nmt.cli import translate, translation_lines
from nmt.cli.translation_lines import LineTranslator
from nmt.data.sources.files import Files, read_texts
from nmt.errors import UserError
from nmt.search.beam import BeamSearch
from nmt.system.lines import as_line
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences

QUICK = BeamSearch(beam_size=2, max_length_factor=0.2, max_length_extra=1)
ODD = [
    *("", " ", "a\x00dog", "\x01\x02\x1b[31m", "the\x0bsnow\u2028man\u0085x", "\u200b", "\ufffd\U0010ffff"),
    *("two\rmen", "<s> ▁ </s>"),
]
TEXTS = [*sentences(12, seed=1), *ODD, "no line end"]


class FileCall:
    """Translates the file `source`, which is in a folder of its own."""

    def __init__(self, run: Run, folder: Path) -> None:
        """Write the source: byte order mark, CRLF, odd characters, no line end at its end."""
        self.run = run
        self.source = folder / "a {file}, (1).en"
        self.source.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(TEXTS).encode())

    def __call__(self, output: str | None = "out.de", **settings: Any) -> Path:
        """Return the file that was written; `settings` are of `LineTranslator`, or fields of the search."""
        form = {key: settings.pop(key, False) for key in ("jsonl", "with_attention")}
        translator = Translator(self.run.translator.model, self.run.translator.tokenizer, QUICK.replace(**settings))
        path = self.source.parent / (output or "")
        lines, line_translator = partial(read_texts, self.source, "en"), LineTranslator(translator, **form)
        translation_lines.translate_file(line_translator, str(self.source), lines, path if output else None, sys.stdout)
        return path


@pytest.fixture
def translated(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileCall:
    """The function that translates a file, in chunks of 4 lines."""
    monkeypatch.setattr(translation_lines, "CHUNK", 4)
    return FileCall(run, tmp_path)


def test_json_lines_hold_what_the_translator_finds(run: Run, translated: FileCall, tmp_path: Path) -> None:
    path = translated("out.jsonl.gz", n_best=2, jsonl=True, with_attention=True)
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]]
    assert [row["source"] for row in rows] == TEXTS
    found = run.translator.hypotheses(TEXTS, search=QUICK, n_best=2)
    for row, hypotheses in zip(rows, found, strict=True):
        for plain, each in zip(row.get("n_best", [row]), hypotheses, strict=True):
            assert (plain["text"], plain["pieces"], plain["cut"]) == (as_line(each.text), each.pieces, each.cut)
            assert plain["token_log_probs"] == pytest.approx(each.token_log_probs, abs=1e-4)
            assert plain["score"] == pytest.approx(each.score, abs=1e-4)
        if not row["pieces"]:
            assert (row["text"], row["log_prob"], row["attention"]) == ("", 0, None)
            continue
        seen = run.translator.attention_maps([hypotheses[0]])[0]
        whole = {"pieces": row["attention"], "format": "nmt-attention-map", "version": 3, "origin": {}}
        path = tmp_path / "map.json"
        path.write_text(json.dumps({**whole, "source": row["source"], "target": row["text"]}))
        read = load(path)
        assert read.source_pieces == seen.source_pieces and read.cross is not None and seen.cross is not None
        assert (read.cross - seen.cross).abs().max() < 1e-3


def test_a_source_that_was_split_has_its_parts_in_json(
    translated: FileCall, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "two men, a dog. A red bike, a man.\n"
    translated.source.write_text(long * 12 + "two\n" + "e" * 300 + "\n", encoding="utf-8")
    path = translated(max_source_length=16, jsonl=True, with_attention=True)
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    assert [part["source"] for part in rows[0]["parts"]] == ["two men, a dog.", "A red bike, a man."]
    assert "attention" not in rows[0] and all(part["attention"]["cross"] for part in rows[0]["parts"])
    assert rows[0]["pieces"] == rows[0]["parts"][0]["pieces"] + rows[0]["parts"][1]["pieces"]
    assert "parts" not in rows[12] and rows[12]["attention"]["cross"]
    assert "".join(part["source"] for part in rows[13]["parts"]) == "e" * 300
    err = capsys.readouterr().err
    assert "warning: 13 translations in parts, because the source is longer than 16 tokens" in err
    assert "; lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more" in err


def test_json_lines_are_training_data(run: Run, tmp_path: Path) -> None:
    """Back-translation: a model of the other direction makes the sources for sentences that people wrote."""
    texts = sentences(9, seed=3)
    (tmp_path / "mono.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "utf-8")
    output = tmp_path / "synthetic.jsonl.gz"
    words = [f"ckpt={run.folder}", "device=cpu", "search.n_best=2"]
    translate.main([*words, f"input={tmp_path / 'mono.jsonl'}", "column=text", f"output={output}"])
    rows = [json.loads(line) for line in gzip.decompress(output.read_bytes()).decode().split("\n")[:-1]]
    corpus = Files(source_lang="de", target_lang="en", train=str(output)).splits()["train"]
    assert [(pair.source, pair.target) for pair in corpus] == [(row["text"], row["source"]) for row in rows]
    assert [pair.target for pair in corpus] == texts and any(pair.source for pair in corpus)
    translate.main([*words, f"input={output}", f"output={tmp_path / 'again.jsonl.gz'}"])
    assert gzip.decompress((tmp_path / "again.jsonl.gz").read_bytes()) == gzip.decompress(output.read_bytes())


# A stop


def stop_at(monkeypatch: pytest.MonkeyPatch, line: int) -> None:
    """Let the program end when it has written `line` lines."""
    lines, count = LineTranslator.lines, itertools.count()

    def until(self: LineTranslator, texts: Sequence[str], places: Sequence[str]) -> Iterator[str]:
        for answer in lines(self, texts, places):
            if next(count) == line:
                raise KeyboardInterrupt
            yield answer

    monkeypatch.setattr(LineTranslator, "lines", until)


@pytest.mark.parametrize(("line", "ending"), [(4, "jsonl"), (21, "de.gz")])
def test_a_translation_that_was_stopped_goes_on_to_the_same_bytes(
    translated: FileCall, line: int, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonl = ending == "jsonl"
    whole = translated(f"whole.{ending}", jsonl=jsonl).read_bytes()
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stop_at(patch, line)
        translated(f"parts.{ending}", jsonl=jsonl)
    begun = translated.source.parent / f"parts.{ending}.partial"
    assert capsys.readouterr().err == f"stopped; the same command goes on after the lines in {begun}\n"
    parts = translated(f"parts.{ending}", jsonl=jsonl)
    kept, err = line // 4 * 4, capsys.readouterr().err
    assert f"goes on after line {kept} of 22; remove this file to begin anew" in err
    assert f"translated {22 - kept} lines" in err
    assert parts.read_bytes() == whole and not list(parts.parent.glob("*.partial"))


def test_translation_killed_while_writing_resumes(translated: FileCall) -> None:
    """Whatever beginning of the partial file is on the disk, the output is the same."""
    whole = translated("whole.de").read_bytes()
    for length in (0, 1, len(whole) // 2, len(whole) - 1, len(whole)):
        (translated.source.parent / "out.de.partial").write_bytes(whole[:length])
        path = translated()
        assert path.read_bytes() == whole
        path.unlink()


def test_nothing_of_the_user_is_overwritten(translated: FileCall) -> None:
    output, begun = (translated.source.parent / name for name in ("out.de", "out.de.partial"))
    with (
        pytest.raises(UserError, match=r"output=.*out\.de: another process is writing it"),
        translation_lines.unfinished(output, 22),
    ):
        translated()
    output.unlink(missing_ok=True)
    begun.write_text("\n" * 40)
    with pytest.raises(UserError, match=r"out\.de\.partial: more lines than the input has; remove this file"):
        translated()
    assert begun.read_text() == "\n" * 40
