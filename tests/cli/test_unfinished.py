"""A translation that was stopped goes on, to the same bytes; nothing is overwritten."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from nmt.cli.shards import Shard, join_shards, unfinished_shard
from nmt.errors import UserError
from nmt.search.sampling import Sampling
from nmt.terms import Terms
from tests.tiny_run import Run, sentences
from tests.translated_file import CHUNK, FileCall, Killed, kill_at


@pytest.mark.parametrize(
    ("line", "ending"),
    [(0, "de"), (3, "de.gz"), (CHUNK, "de"), (CHUNK + 1, "jsonl"), (2 * CHUNK - 1, "de"), (21, "jsonl"), (22, "de.gz")],
)
def test_killed_translation_resumes_to_the_same_bytes(
    translated: FileCall, line: int, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonl = ending == "jsonl"
    whole = translated(f"whole.{ending}", jsonl=jsonl).read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        if line < 22:
            kill_at(patch, line)
        else:  # when all lines are there, but not yet in their place
            patch.setattr("nmt.cli.translate_file.join_shards", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            translated(f"parts.{ending}", jsonl=jsonl)
    capsys.readouterr()
    parts = translated(f"parts.{ending}", jsonl=jsonl)
    kept = line // CHUNK * CHUNK if line < 22 else 22
    err = capsys.readouterr().err
    assert (f"goes on after line {kept} of 22" in err) == (0 < kept < 22)
    assert (f"translated {22 - kept} lines" in err) == (line < 22)
    assert parts.read_bytes() == whole and not Shard().partial_path(parts).exists()


def test_interrupt_prints_the_resume_hint(
    translated: FileCall, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.translated_file.Killed", KeyboardInterrupt)
    with monkeypatch.context() as patch:
        kill_at(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            translated()
    nothing = "stopped before the first 4 lines were done, the same command begins anew\n"
    assert capsys.readouterr().err == nothing
    kill_at(monkeypatch, 5)
    with pytest.raises(KeyboardInterrupt):
        translated()
    partial = translated.source.with_name("out.de.partial")
    told = f"stopped; 4 of 22 lines are in {partial}, the same command goes on from there\n"
    assert capsys.readouterr().err == told


def test_translation_killed_while_writing_resumes(translated: FileCall) -> None:
    """Whatever beginning of the partial file is on the disk, the output is the same."""
    whole = translated("whole.de").read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nmt.cli.translate_file.join_shards", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            translated()
    output = translated.source.parent / "out.de"
    partial = Shard().finished_path(output).rename(Shard().partial_path(output))
    content = partial.read_bytes()
    header = content.index(b"\n") + 1
    assert content[header:] == whole
    for length in (0, header - 1, header + 1, len(content) - 1):
        partial.write_bytes(content[:length])
        path = translated()
        assert path.read_bytes() == whole
        path.unlink()


def test_resume_with_other_settings_is_refused(run: Run, translated: FileCall) -> None:
    with pytest.MonkeyPatch.context() as patch:
        kill_at(patch, 10)
        with pytest.raises(Killed):
            translated()
    partial = Shard().partial_path(translated.source.parent / "out.de")
    before = partial.read_bytes()
    (run.folder / "checkpoints" / "other.safetensors").write_bytes(b"other weights")
    for settings, named in (
        ({"beam_size": 3}, "another search.beam_size;"),
        ({"jsonl": True}, "another format;"),
        ({"search": Sampling()}, "another search;"),
        ({"ckpt": "other"}, "another checkpoint;"),
        ({"terms": Terms({"dog": "Hund"})}, "another terms;"),
    ):
        with pytest.raises(UserError, match=named) as error:
            translated(**settings)
        assert str(error.value).startswith(f"{partial}: its lines were made with")
    translated.source.write_bytes(translated.source.read_bytes() + b"\nmore")
    with pytest.raises(UserError, match=r"another input; repeat the command that began it, or remove this file"):
        translated()
    assert partial.read_bytes() == before
    partial.write_bytes(b"notes of mine\n")
    with pytest.raises(UserError, match="something else than this program"):
        translated()
    assert partial.read_bytes() == b"notes of mine\n"


def test_output_to_a_device_file_is_not_removed(translated: FileCall) -> None:
    with pytest.raises(UserError, match=r"output=/dev/null: a folder or device, expected the name of a new file"):
        translated("/dev/null")


def test_existing_output_is_not_overwritten(translated: FileCall) -> None:
    (translated.source.parent / "out.de").write_text("mine")
    with pytest.raises(UserError, match=r"out\.de: exists already; remove it, or give another name"):
        translated()
    with pytest.raises(UserError, match="exists already"):
        translated(translated.source.name)
    assert (translated.source.parent / "out.de").read_text() == "mine"


def test_output_file_is_locked_against_a_second_process(tmp_path: Path) -> None:
    output, shard = tmp_path / "out", Shard()
    with unfinished_shard(output, shard, {}) as lines:
        assert lines is not None
        lines.add(["one\n"])
        with (
            pytest.raises(UserError, match="another process is writing it"),
            unfinished_shard(output, shard, {}),
        ):
            pass
    assert join_shards(output, 1, {}, 1) == [] and output.read_text() == "one\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_killed_process_resumes(run: Run, tmp_path: Path) -> None:
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
