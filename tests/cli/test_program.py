"""How every program ends, and what they share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from nmt.cli import program
from nmt.cli.arguments import at_home, take
from nmt.config.compose import parse
from nmt.errors import UserError

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (UserError("a mistake"), "a mistake"),
        (FileNotFoundError(2, "No such file or directory", "x/y"), "x/y: No such file or directory; check the path"),
        (OSError(28, "No space left on device"), "No space left on device; check the path"),
        (torch.OutOfMemoryError("CUDA is full. GPU 0 has ..."), "the device's memory is too small (CUDA is full); use"),
        (ModuleNotFoundError("No module named 'missing.x'", name="missing.x"), "No module named 'missing.x' in "),
        (ModuleNotFoundError("`Monitor` needs `psutil`.\nNot met."), "`Monitor` needs `psutil`. Not met"),
        (ModuleNotFoundError("No module named 'nmt.helprs'", name="nmt.helprs"), None),  # the traceback names the line
        (ValueError("a fault of ours"), None),
    ],
)
def test_what_a_user_can_correct_is_a_message(error: Exception, message: str | None) -> None:
    found = program.users_message(error)
    assert (found is None) if message is None else (found is not None and found.startswith(message))


def test_a_users_mistake_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    def work(arguments: list[str]) -> None:
        raise UserError("name: a\x1b[2J\nb")

    with pytest.raises(SystemExit) as end:
        program.run(work)
    assert end.value.code == 2
    assert capsys.readouterr().err == "error: name: a\\x1b[2J b\n"


def test_output_survives_a_terminal_without_unicode() -> None:
    code = "from nmt.cli.program import run\nrun(lambda words: print('데이터 ok'))"
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout == rb"\ub370\uc774\ud130 ok" + os.linesep.encode()


def test_broken_pipe_is_no_error() -> None:
    code = "from nmt.cli.program import run\nrun(lambda words: [print('x' * 9999) for _ in range(999)] and None)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait() == program.BROKEN_PIPE
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_behind_standard_output() -> None:
    code = "from nmt.cli.program import run\nrun(lambda words: print('a result'))"
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("error: No space left on device; ") and done.stderr.count("\n") == 1


def test_unknown_and_repeated_arguments() -> None:
    assert take(["a=1", "text=x=y", "-b"], "text") == ("x=y", ["a=1", "-b"])
    assert take(["+text=a dog", "a=1"], "text") == ("a dog", ["a=1"])
    assert take(["a=1"], "text") == (None, ["a=1"])
    with pytest.raises(UserError, match="2 times"):
        take(["text=a", "text=b"], "text")
    with pytest.raises(UserError, match="UTF-8"):
        take(["text=\udce9"], "text")


def test_paths_are_read_as_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/a")
    Path("0_model=rnn,seed=1").mkdir()
    for path in ("0_model=rnn,seed=1", "0_model=rnn,seed=1/new", f"{tmp_path}/a,b", "a'b\\", "a (b)", "a{b"):
        assert parse(f"out={path}").value() == path
    assert parse("ckpt=['x,y',z]").value() == ["x,y", "z"] and parse("seed=1,2").is_sweep_override()
    assert at_home(["~/x", "a~"]) == ["/home/a/x", "a~"] and at_home(None) is None


@pytest.mark.parametrize("key", ["spans.ids", "+spans.ids", "++spans.ids"])
@pytest.mark.parametrize(
    "regex", [r"\[\w+\]", r"[A-Z]+", r"\d{3}", r"a{1,3}", r"\\", r"\(it's\)", r"x\\'", "ä|é", "#5"]
)
def test_a_regular_expression_of_spans_is_as_typed(key: str, regex: str) -> None:
    assert parse(f"{key}={regex}").value() == regex


def test_missing_checkpoint_is_reported_before_torch_is_imported(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", str(SCRIPTS / "translate.py"), "ckpt=nowhere"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    *imports, error = found.stderr.splitlines()
    assert (found.returncode, error.partition(",")[0]) == (2, "error: ckpt=nowhere: no such file or folder")
    assert {"hydra"} == {line.rpartition("|")[2].strip() for line in imports} & {"hydra", "torch"}
