"""The program that translates a file: its output, how it goes on after a stop, and what it refuses."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from nmt.attention_map import AttentionMap
from nmt.build import search_node
from nmt.cli import program, translate, translate_file
from nmt.cli.answers import Answers
from nmt.cli.unfinished import partial_path, unfinished
from nmt.errors import UserError
from nmt.lines import as_line
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translate import Translator
from tests.tiny_run import Run, sentences

CHUNK = 4
QUICK = BeamSearch(beam_size=2, max_length_factor=0.2, max_length_extra=1)
ODD = [
    "",
    " ",
    "a\x00dog",
    "\x01\x02\x1b[31m",
    "the\x0bsnow\u2028man\u0085x",
    "\u200b",
    "\ufffd\U0010ffff",
    "two\rmen",
    "<s> ▁ </s>",
]


class Killed(BaseException):
    """Stands for the end of the process at some line."""


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translate_file, "CHUNK", CHUNK)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A file of 22 lines: byte order mark, CRLF, odd characters, no line end at its end."""
    path = tmp_path / "a {file}, (1).en"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join([*sentences(12, seed=1), *ODD, "no line end"]).encode())
    return path


Translated = Callable[..., Path]


@pytest.fixture
def translated(run: Run, source: Path) -> Translated:
    """A call of the program's function; returns the file that it wrote."""

    def call(output: str = "out.de", *, ckpt: str = "best", **settings: Any) -> Path:
        path, fields = source.parent / output, dict(settings)
        form = {key: fields.pop(key, False) for key in ("jsonl", "with_attention")}
        search = fields.pop("search", None) or QUICK.replace(**fields)
        translator = Translator(run.translator.model, run.translator.tokenizer, search)
        checkpoint = run.folder / "checkpoints" / f"{ckpt}.ckpt"
        translate_file.translate_file(Answers(translator, **form), source, path, sys.stdout, checkpoint)
        return path

    return call


def kill_at(monkeypatch: pytest.MonkeyPatch, line: int) -> None:
    """Let the program end when it has written `line` lines."""
    count = 0
    lines = Answers.lines

    def until(self: Answers, texts: Sequence[str], places: Sequence[str]) -> Iterator[str]:
        nonlocal count
        for answer in lines(self, texts, places):
            if count == line:
                raise Killed
            count += 1
            yield answer

    monkeypatch.setattr(Answers, "lines", until)


def test_a_line_out_for_a_line_in(
    run: Run, source: Path, translated: Translated, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [*sentences(12, seed=1), *ODD, "no line end"]
    lines = translated().read_bytes().decode().split("\n")
    assert lines == [as_line(each.text) for each in run.translator.translate(texts, search=QUICK)] + [""]
    assert lines[12] == lines[13] == "" and not partial_path(source.parent / "out.de").exists()
    assert "translated 22 lines in 0:00:0" in capsys.readouterr().err
    packed = translated("out.de.gz")
    assert gzip.decompress(packed.read_bytes()) == (source.parent / "out.de").read_bytes()
    source_gz = source.with_name("again.gz")
    source_gz.write_bytes(gzip.compress(source.read_bytes()))
    checkpoint = run.folder / "checkpoints" / "best.ckpt"
    translate_file.translate_file(
        Answers(Translator(run.translator.model, run.translator.tokenizer, QUICK)),
        source_gz,
        None,
        sys.stdout,
        checkpoint,
    )
    assert capsys.readouterr().out == (source.parent / "out.de").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "ending"),
    [(0, "de"), (3, "de.gz"), (CHUNK, "de"), (CHUNK + 1, "jsonl"), (2 * CHUNK - 1, "de"), (21, "jsonl"), (22, "de.gz")],
)
def test_what_was_killed_goes_on_to_the_same_bytes(
    translated: Translated, line: int, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonl = ending == "jsonl"
    whole = translated(f"whole.{ending}", jsonl=jsonl).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        if line < 22:
            kill_at(patch, line)
        else:  # when all lines are there, but not yet in their place
            patch.setattr("nmt.cli.unfinished.Unfinished.copy_to", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            translated(f"parts.{ending}", jsonl=jsonl)
    capsys.readouterr()
    parts = translated(f"parts.{ending}", jsonl=jsonl)
    kept = line // CHUNK * CHUNK
    err = capsys.readouterr().err
    assert (f"goes on after line {kept} of 22" in err) == (kept > 0) and f"translated {22 - kept} lines" in err
    assert parts.read_bytes() == whole and not partial_path(parts).exists()


def test_who_stops_it_is_told_how_to_go_on(
    source: Path, translated: Translated, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(f"{__name__}.Killed", KeyboardInterrupt)
    kill_at(monkeypatch, 5)
    with pytest.raises(KeyboardInterrupt):
        translated()
    assert capsys.readouterr().err == f"stopped; the same command goes on from {source.parent}/out.de.partial\n"


def test_what_was_killed_while_it_wrote_goes_on(run: Run, source: Path, translated: Translated) -> None:
    """Whatever beginning of the partial file is on the disk, the output is the same."""
    whole = translated("whole.de").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nmt.cli.unfinished.Unfinished.copy_to", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            translated()
    partial = partial_path(source.parent / "out.de")
    content = partial.read_bytes()
    header = content.index(b"\n") + 1
    assert content[header:] == whole
    for length in (0, header - 1, header + 1, len(content) - 1):
        partial.write_bytes(content[:length])
        path = translated()
        assert path.read_bytes() == whole
        path.unlink()


def test_going_on_with_something_else_is_refused(run: Run, source: Path, translated: Translated) -> None:
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, 10)
        with pytest.raises(Killed):
            translated()
    partial = partial_path(source.parent / "out.de")
    before = partial.read_bytes()
    (run.folder / "checkpoints" / "other.ckpt").write_bytes(b"other weights")
    for settings, named in (
        ({"beam_size": 3}, "another search.beam_size;"),
        ({"jsonl": True}, "another format;"),
        ({"search": Sampling()}, "another search;"),
        ({"ckpt": "other"}, "another checkpoint;"),
    ):
        with pytest.raises(UserError, match=named) as error:
            translated(**settings)
        assert str(error.value).startswith(f"{partial}: its lines were made with")
    source.write_bytes(source.read_bytes() + b"\nmore")
    with pytest.raises(UserError, match=r"another input; repeat the command that began it, or remove this file"):
        translated()
    assert partial.read_bytes() == before
    partial.write_bytes(b"notes of mine\n")
    with pytest.raises(UserError, match="something else than this program"):
        translated()
    assert partial.read_bytes() == b"notes of mine\n"


def test_an_existing_file_is_not_overwritten(source: Path, translated: Translated) -> None:
    (source.parent / "out.de").write_text("mine")
    with pytest.raises(UserError, match=r"out\.de: exists already; remove it, or give another name"):
        translated()
    with pytest.raises(UserError, match="exists already"):
        translated(source.name)
    assert (source.parent / "out.de").read_text() == "mine"


def test_two_processes_do_not_write_one_file(tmp_path: Path) -> None:
    with unfinished(tmp_path / "out", {}, chunk=1) as lines:
        lines.write("one\n")
        with (
            pytest.raises(UserError, match="another process is writing it"),
            unfinished(tmp_path / "out", {}, chunk=1),
        ):
            pass
    assert (tmp_path / "out").read_text() == "one\n"


def test_json_lines_hold_what_the_translator_finds(run: Run, source: Path, translated: Translated) -> None:
    path = translated("out.jsonl.gz", n_best=2, jsonl=True, with_attention=True)
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]]
    texts = [*sentences(12, seed=1), *ODD, "no line end"]
    assert [row["source"] for row in rows] == texts
    found = run.translator.hypotheses(texts, search=QUICK, n_best=2)
    for row, hypotheses in zip(rows, found, strict=True):
        for plain, each in zip(row.get("n_best", [row]), hypotheses, strict=True):
            assert (plain["text"], plain["pieces"]) == (as_line(each.text), each.pieces)
            assert plain["token_log_probs"] == pytest.approx(each.token_log_probs, abs=1e-4)
            assert plain["score"] == pytest.approx(each.score, abs=1e-4)
            assert plain["log_prob"] == pytest.approx(sum(each.token_log_probs), abs=1e-4)
        if not row["pieces"]:
            assert row == {
                **{"source": row["source"], "text": "", "log_prob": 0, "score": 0},
                **{"pieces": [], "token_log_probs": [], "attention": None},
            }
            continue
        assert all(row[key] == row["n_best"][0][key] for key in row["n_best"][0])
        seen = run.translator.attention_maps([hypotheses[0]])[0]
        whole = {"pieces": row["attention"], "format": "nmt-attention-map", "version": 3, "origin": {}}
        read = AttentionMap.from_json(json.dumps({**whole, "source": row["source"], "target": row["text"]}))
        assert read.source_pieces == seen.source_pieces and read.cross is not None and seen.cross is not None
        assert (read.cross - seen.cross).abs().max() < 1e-3


def test_a_source_that_was_split_has_its_parts_in_json(
    run: Run, source: Path, translated: Translated, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_text("two men, a dog. A red bike, a man.\n" * 12 + "two\n" + "e" * 300 + "\n", encoding="utf-8")
    path = translated(max_source_length=16, jsonl=True, with_attention=True)
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    assert len(rows) == 14 and [part["source"] for part in rows[0]["parts"]] == [
        "two men, a dog.",
        "A red bike, a man.",
    ]
    assert "attention" not in rows[0] and all(part["attention"]["cross"] for part in rows[0]["parts"])
    assert rows[0]["pieces"] == rows[0]["parts"][0]["pieces"] + rows[0]["parts"][1]["pieces"]
    assert "parts" not in rows[12] and rows[12]["attention"]["cross"]
    assert "".join(part["source"] for part in rows[13]["parts"]) == "e" * 300
    err = capsys.readouterr().err
    assert f"warning: {source}:1: longer than 16 tokens (search.max_source_length); translated in 2 parts\n" in err
    assert f"{source}:10:" in err and f"{source}:11:" not in err
    assert "warning: 13 sources were longer than 16 tokens (search.max_source_length) and split\n" in err


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        (b"a\nb \xff\n", {}, ":2: not UTF-8 (byte 0xff at 3); convert the text to UTF-8"),
        ("a\n\ud800\n".encode("utf-8", "surrogatepass"), {}, ":2: not UTF-8 (byte 0xed at 1)"),
        ("a\n".encode("utf-16"), {}, ":1: not UTF-8 (byte 0xff at 1)"),
        (b"a\n" + b"e" * 3000, {"long_source": "refuse", "max_source_length": 20}, ":2: got "),
    ],
)
def test_an_unusable_line_is_found_at_the_beginning(
    capsys: pytest.CaptureFixture[str],
    source: Path,
    translated: Translated,
    content: bytes,
    settings: dict[str, Any],
    message: str,
) -> None:
    source.write_bytes(content)
    with pytest.raises(SystemExit) as end:
        program.main(lambda _: translated(**settings))
    err = capsys.readouterr().err
    assert end.value.code == program.USER_ERROR and err.count("\n") == 1
    assert err.startswith(f"error: {source}{message}")
    assert [path.name for path in source.parent.iterdir()] == [source.name]


def test_files_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.gz").write_text("a dog")
    (tmp_path / "short.gz").write_bytes(gzip.compress(b"a dog\n" * 1000)[:-9])
    (tmp_path / "empty").write_text("")
    checkpoint = run.folder / "checkpoints" / "best.ckpt"
    for name, message in (
        ("none", "none: no such file"),
        ("plain.gz", "not a whole gzip file"),
        ("short.gz", "not a whole gzip file"),
        (".", "a folder, pipe or device"),
    ):
        with pytest.raises(UserError, match=message):
            translate_file.translate_file(
                Answers(run.translator), tmp_path / name, tmp_path / "out", sys.stdout, checkpoint
            )
    out = tmp_path / "new" / "out"
    translate_file.translate_file(Answers(run.translator), tmp_path / "empty", out, sys.stdout, checkpoint)
    assert out.read_bytes() == b""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["output=x"], "output=: needs the file input="),
        (["text=a", "input=x"], 'input=: a file cannot be translated beside text="..."'),
        (["with_attention=true"], "with_attention=true: text lines cannot hold it; add format=jsonl"),
        (["text=a", "attention=x.png", "format=jsonl"], "attention=: writes a file of its own"),
        (["format=json"], "format: got 'json'"),
    ],
)
def test_settings_that_contradict_each_other(run: Run, words: list[str], message: str) -> None:
    with pytest.raises(UserError) as error:
        translate.run([f"ckpt={run.folder}", *words])
    assert message in str(error.value)


def test_the_program_takes_files(
    run: Run, source: Path, translated: Translated, capsys: pytest.CaptureFixture[str]
) -> None:
    """The form of the output follows from its name; without one, the lines go to standard output."""
    quick = [f"search.{key}={value}" for key, value in search_node(QUICK).items() if key != "_target_"]
    words = [f"ckpt={run.folder}", "device=cpu", *quick, f"input={source}"]
    texts = translated().read_text("utf-8")
    translate.run([*words, f"output={source.parent}/a.jsonl.gz"])
    rows = gzip.decompress((source.parent / "a.jsonl.gz").read_bytes()).decode().split("\n")[:-1]
    assert [json.loads(row)["text"] for row in rows] == texts.split("\n")[:-1]
    capsys.readouterr()
    translate.run(words)
    assert capsys.readouterr().out == texts
    translate.run([*words[:-1], "text=a dog", "format=jsonl"])
    assert json.loads(capsys.readouterr().out)["source"] == "a dog"


@pytest.mark.slow
def test_a_line_of_100_000_characters(run: Run, source: Path, translated: Translated) -> None:
    source.write_text("a dog\n" + "e" * 100_000 + "\n" + "a dog. " * 15_000 + "\ntwo\n", encoding="utf-8")
    assert translated(beam_size=1, max_length_factor=0.1, max_source_length=128).read_text("utf-8").count("\n") == 4


@pytest.mark.slow
def test_a_killed_process_goes_on(run: Run, tmp_path: Path) -> None:
    """SIGKILL at several moments, also while the program starts."""
    source = tmp_path / "lines.en"
    source.write_text("".join(f"{line}\n" for line in sentences(20_000, seed=2)), encoding="utf-8")
    words = [sys.executable, "-c", "from nmt.cli.translate import main; main()", f"ckpt={run.folder}"]
    words += ["device=cpu", "search=greedy", "search.max_length_factor=0.1", "search.max_length_extra=1"]
    words.append(f"input={source}")
    subprocess.run([*words, f"output={tmp_path / 'whole'}"], check=True)
    parts = [*words, f"output={tmp_path / 'parts'}"]
    kept = []
    for chunks in (0, 3, 9):
        with subprocess.Popen(parts) as process:
            while process.poll() is None and len(lines_of(tmp_path / "parts.partial")) <= 1024 * chunks:
                time.sleep(0.05)
            process.kill()
        kept.append(len(lines_of(tmp_path / "parts.partial")))
    assert sorted(kept) == kept and kept[-1] > 9 * 1024
    ended = subprocess.run(parts, check=True, capture_output=True, text=True)
    assert "goes on after line " in ended.stderr
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []
