"""Several processes that divide the lines of a file: the output is that of one process, whatever happens to them."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nmt.cli import program, shards, translate
from nmt.cli.shards import Shard, join_shards, unfinished_shard
from nmt.errors import UserError
from nmt.search.sampling import Sampling
from tests.tiny_run import Run, sentences
from tests.translated_file import CHUNK, FileCall, Killed, kill_at

ROOT = Path(program.__file__).parents[2]


def all_shards(count: int) -> list[Shard]:
    return [Shard(number, count) for number in range(1, count + 1)]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(output: Path, shard: Shard, lines: Sequence[str], record: Mapping[str, Any]) -> None:
    with unfinished_shard(output, shard, record) as mine:
        assert mine is not None
        for chunk in shard.chunks(lines):
            mine.add(chunk)


@pytest.mark.parametrize("total", [0, 1, CHUNK, CHUNK + 1, 5 * CHUNK - 1])
@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_shards_have_every_line_once_in_the_chunks_of_one_process(
    monkeypatch: pytest.MonkeyPatch, total: int, count: int
) -> None:
    monkeypatch.setattr(shards, "CHUNK", CHUNK)
    whole = list(Shard().chunks(range(total)))
    divided = [list(shard.chunks(range(total))) for shard in all_shards(count)]
    assert sorted(itertools.chain(*divided)) == whole
    for shard, chunks in zip(all_shards(count), divided, strict=True):
        assert shard.size(total) == sum(map(len, chunks))
        for done in range(len(chunks)):
            assert list(shard.chunks(range(total), done=done * CHUNK)) == chunks[done:]


@pytest.mark.parametrize("ending", ["de", "de.gz", "jsonl", "jsonl.gz"])
@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_output_is_that_of_one_process(translated: FileCall, count: int, ending: str) -> None:
    """Of 22 lines in 6 chunks, some shards out of 16 have none. The shards end in any order."""
    folder, jsonl = translated.source.parent, ending.startswith("jsonl")
    whole = translated(f"whole.{ending}", jsonl=jsonl).read_bytes()
    order = random.Random(count).sample(all_shards(count), count)
    for done, shard in enumerate(order):
        assert len(list(folder.glob("out.*-of-*"))) == done and not (folder / f"out.{ending}").exists()
        translated(f"out.{ending}", jsonl=jsonl, shard=shard)
    assert (folder / f"out.{ending}").read_bytes() == whole
    assert names(folder) == sorted([translated.source.name, f"out.{ending}", f"whole.{ending}"])


@pytest.mark.parametrize("content", ["", "\n", "two\n\n", "\n\n\n\n\nsnow"])
def test_short_files_and_empty_lines(translated: FileCall, content: str) -> None:
    translated.source.write_text(content)
    whole = translated("whole.de").read_bytes()
    for shard in all_shards(3):
        translated(shard=shard)
    assert (translated.source.parent / "out.de").read_bytes() == whole


def test_samples_of_shards_are_those_of_one_process(translated: FileCall) -> None:
    search = Sampling(seed=3, max_length_factor=0.2, max_length_extra=3)
    whole = translated("whole.de", search=search).read_bytes()
    for shard in all_shards(2):
        translated(shard=shard, search=search)
    assert (translated.source.parent / "out.de").read_bytes() == whole


def test_killed_shards_continue(translated: FileCall, capsys: pytest.CaptureFixture[str]) -> None:
    whole = translated("whole.de.gz").read_bytes()
    folder = translated.source.parent
    for shard, line in ((Shard(2, 2), CHUNK + 1), (Shard(1, 2), 2)):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            kill_at(patch, line)
            translated("out.de.gz", shard=shard)
    assert names(folder)[1:3] == ["out.de.gz.1-of-2.partial", "out.de.gz.2-of-2.partial"]
    capsys.readouterr()
    translated("out.de.gz", shard=Shard(2, 2))
    assert f"out.de.gz.2-of-2.partial: goes on after line {CHUNK} of 10\n" in capsys.readouterr().err
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr(shards, "replacing_or_packing", lambda _: (_ for _ in ()).throw(Killed))
        translated("out.de.gz", shard=Shard(1, 2))
    assert names(folder)[1:3] == ["out.de.gz.1-of-2", "out.de.gz.2-of-2"]
    capsys.readouterr()
    assert translated("out.de.gz", shard=Shard(2, 2)).read_bytes() == whole
    assert "translated" not in capsys.readouterr().err


def test_messages_name_the_shard(translated: FileCall, capsys: pytest.CaptureFixture[str]) -> None:
    translated(shard=Shard(2, 3), max_length_factor=0.01, max_length_extra=0)
    err = capsys.readouterr().err
    assert "\nshard 2/3: translated 8 lines in 0:00:0" in err and "warning: shard 2/3: " in err
    assert err.endswith("out.de: waits for 2 of 3 shards: 1, 3\n")


def test_shards_of_other_commands_are_not_joined(translated: FileCall) -> None:
    translated(shard=Shard(1, 2))
    finished = Shard(1, 2).finished_path(translated.source.parent / "out.de")
    with pytest.raises(UserError, match=r"out\.de\.1-of-2: its lines were made with another search\.beam_size; "):
        translated(shard=Shard(2, 2), beam_size=3)
    finished.rename(Shard(2, 2).finished_path(translated.source.parent / "out.de"))
    with pytest.raises(UserError, match=r"out\.de\.2-of-2: its lines were made with another shard; "):
        translated(shard=Shard(1, 2))
    assert not (translated.source.parent / "out.de").exists()


def test_incomplete_copy_of_a_shard_is_refused(tmp_path: Path) -> None:
    output, lines = tmp_path / "out", [f"{number}\n" for number in range(3 * shards.CHUNK)]
    for shard in all_shards(2):
        write(output, shard, lines, {"a": 1})
    path = Shard(1, 2).finished_path(output)
    content = path.read_bytes()
    for length in (len(content) - 1, content.rindex(b"\n", 0, -1)):
        path.write_bytes(content[:length])
        with pytest.raises(UserError, match=r"out\.1-of-2: it ends too early; copy it again, or remove it"):
            join_shards(output, 2, {"a": 1}, len(lines))
        assert names(tmp_path) == ["out.1-of-2", "out.2-of-2"]
    path.write_bytes(content)
    assert join_shards(output, 2, {"a": 1}, len(lines)) == [] and output.read_text() == "".join(lines)


def test_output_made_meanwhile_is_not_overwritten(translated: FileCall) -> None:
    output = translated.source.parent / "out.de"
    translated(shard=Shard(1, 2))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(UserError, match=r"out\.de: exists already"):
        add = shards.UnfinishedShard.add
        patch.setattr(shards.UnfinishedShard, "add", lambda *words: (output.write_text("mine"), add(*words)))
        translated(shard=Shard(2, 2))
    assert output.read_text() == "mine"
    with pytest.raises(UserError, match=r"out\.de: exists already"):
        translated(shard=Shard(1, 2))


def test_a_process_that_begins_when_all_shards_are_joined_has_nothing_to_do(tmp_path: Path) -> None:
    output = tmp_path / "out.de"
    output.write_text("joined")
    with unfinished_shard(output, Shard(2, 2), {"a": 1}) as lines:
        assert lines is None
    assert join_shards(output, 2, {"a": 1}, 5) == [] and output.read_text() == "joined"


def test_shard_is_locked_against_a_second_process(tmp_path: Path) -> None:
    with (
        unfinished_shard(tmp_path / "out", Shard(1, 2), {}),
        unfinished_shard(tmp_path / "out", Shard(2, 2), {}),
        pytest.raises(UserError, match=r"^shard=2/2: another process is writing it"),
        unfinished_shard(tmp_path / "out", Shard(2, 2), {}),
    ):
        pass


def test_two_processes_that_finish_together_join_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output, copy = tmp_path / "out", shards._copy_lines
    for shard in all_shards(2):
        write(output, shard, ["a\n", "b\n"], {})

    def while_another_process_joins_too(*words: Any) -> None:
        assert join_shards(output, 2, {}, 2) == []
        assert names(tmp_path)[1:] == ["out.1-of-2", "out.2-of-2"] and not output.exists()
        copy(*words)

    monkeypatch.setattr(shards, "_copy_lines", while_another_process_joins_too)
    assert join_shards(output, 2, {}, 2) == [] and names(tmp_path) == ["out"] and output.read_text() == "a\nb\n"
    assert join_shards(output, 2, {}, 2) == []


def test_processes_that_finish_at_any_time(tmp_path: Path) -> None:
    """Each thread opens and locks files of its own, as a process does."""
    lines = [f"{number}\n" for number in range(4 * shards.CHUNK)]
    for attempt in range(20):
        output, failed = tmp_path / f"out{attempt}", list[BaseException]()

        def work(shard: Shard, output: Path = output, failed: list[BaseException] = failed) -> None:
            try:
                write(output, shard, lines, {})
                join_shards(output, 4, {}, len(lines))
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=[shard]) for shard in all_shards(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed and output.read_text() == "".join(lines)
    assert len(names(tmp_path)) == 20


FILES = ["input=lines.en", "output=lines.de"]
SRUN = {"SLURM_PROCID": "2", "SLURM_STEP_NUM_TASKS": "4", "SLURM_LOCALID": "2"}


@pytest.mark.parametrize(
    ("words", "environment", "message"),
    [
        ([*FILES, "shard=0/4"], {}, "shard=0/4: expected a number from 1 to 4 before the slash"),
        ([*FILES, "shard=5/4"], {}, "shard=5/4: expected a number from 1 to 4 before the slash"),
        ([*FILES, "shard=1/0"], {}, "shard: got '1/0', expected text of the form NUMBER/COUNT, as in 3/16 or null"),
        ([*FILES, "shard=4"], {}, "shard: got 4, expected text of the form NUMBER/COUNT, as in 3/16 or null"),
        (["text=a", "shard=1/2"], {}, "shard=1/2: only a file of lines has shards; give input=FILE and output=FILE"),
        (["shard=1/2"], {}, "shard=1/2: only a file of lines has shards"),
        (["input=lines.en", "shard=1/2"], {}, "shard=1/2: only a file of lines has shards"),
        (["input=a.html", "output=b.html", "shard=1/2"], {}, "shard=1/2: only a file of lines has shards"),
        (
            ["input=a.po", "output=b.po", "shard=1/2"],
            {},
            "shard=1/2: only a file of lines has shards; leave shard= out",
        ),
        ([*FILES, "input_format=paragraphs", "shard=1/2"], {}, "shard=1/2: only a file of lines has shards"),
        (["text=a"], SRUN, "srun has started 4 processes: only a file of lines has shards"),
        ([], SRUN, "srun has started 4 processes: only a file of lines has shards"),
        (
            [*FILES, "shard=3/16"],
            SRUN,
            "shard=3/16: srun has started 4 processes, and this one has shard 3/4; leave shard= out",
        ),
        (
            [*FILES, "shard=1/4"],
            SRUN,
            "shard=1/4: srun has started 4 processes, and this one has shard 3/4; leave shard= out",
        ),
    ],
)
def test_wrong_shards(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    environment: Mapping[str, str],
    message: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as end:
        program.run(lambda _: translate.main([f"ckpt={run.folder}", *words]))
    err = capsys.readouterr().err
    assert end.value.code == 2 and err.count("\n") == 1 and err.startswith(f"error: {message}")


def test_a_process_knows_its_shard(
    run: Run, translated: FileCall, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the launcher, or from a job array whose tasks are alone. Only the first process shows its progress."""
    monkeypatch.setattr("nmt.data.progress.LINE_SECONDS", 0)
    folder = translated.source.parent
    words = [f"ckpt={run.folder}", "device=cpu", "search=greedy", f"input={translated.source}"]
    translate.main([*words, f"output={folder}/whole.jsonl.gz"])
    for rank in range(2):
        for name, value in {"PROCID": rank, "LOCALID": rank, "STEP_NUM_TASKS": 2}.items():
            monkeypatch.setenv(f"SLURM_{name}", str(value))
        capsys.readouterr()
        translate.main([*words, f"output={folder}/ranks.jsonl.gz"])
        assert ("translating: " in capsys.readouterr().err) == (rank == 0)
    for name, value in {"PROCID": 0, "LOCALID": 0, "STEP_NUM_TASKS": 1}.items():
        monkeypatch.setenv(f"SLURM_{name}", str(value))
    for number in (2, 1):
        translate.main([*words, f"output={folder}/array.jsonl.gz", f"shard={number}/2"])
    for name in ("ranks", "array"):
        assert (folder / f"{name}.jsonl.gz").read_bytes() == (folder / "whole.jsonl.gz").read_bytes()
    rows = gzip.decompress((folder / "whole.jsonl.gz").read_bytes()).splitlines()
    assert len(list(map(json.loads, rows))) == 22


@pytest.mark.slow
def test_torchrun(run: Run, tmp_path: Path) -> None:
    """Two processes give the bytes of one, also after a kill, and the error of a process is shown."""
    source, environment = tmp_path / "lines.en", {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("OMP_NUM_THREADS", None)
    source.write_text("".join(f"{line}\n" for line in sentences(8_000, seed=2)), encoding="utf-8")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    words = [str(ROOT / "scripts" / "translate.py"), f"ckpt={run.folder}", f"input={source}", "device=cpu"]
    words += ["search=greedy", "search.max_length_factor=0.1", "search.max_length_extra=1"]
    subprocess.run([sys.executable, *words, f"output={tmp_path / 'whole'}"], check=True, env=environment)
    parts = [*launcher, *words, f"output={tmp_path / 'parts'}"]
    with subprocess.Popen(parts, env=environment) as process:
        while process.poll() is None and not any(
            len(path.read_bytes().split(b"\n")) > 1025 for path in tmp_path.glob("parts.*")
        ):
            time.sleep(0.05)
        process.terminate()  # torchrun ends the two processes
    assert not (tmp_path / "parts").exists()
    done = subprocess.run(parts, env=environment, check=True, capture_output=True, text=True)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes(), done.stderr
    assert "goes on after line " in done.stderr and names(tmp_path) == ["lines.en", "parts", "whole"]
    again = subprocess.run(parts, env=environment, check=True, capture_output=True, text=True)
    assert f"{tmp_path / 'parts'}: exists already, so this process translates nothing" in again.stderr
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
@pytest.mark.parametrize("size", [10, 1000])
def test_a_full_disk_is_reported_with_the_file_and_the_shard_goes_on_later(tmp_path: Path, size: int) -> None:
    import resource

    output, lines = tmp_path / "out", [f"{number}\n" for number in range(2 * CHUNK)]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        with pytest.raises(OSError, match="too large") as error:
            write(output, Shard(), lines * 100, {"a": 1})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.filename == str(output) + ".partial"
    write(output, Shard(), lines, {"a": 1})
    assert join_shards(output, 1, {"a": 1}, len(lines)) == [] and output.read_text("utf-8") == "".join(lines)
