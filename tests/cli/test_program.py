"""How every program ends, and what they share."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.cli import program
from nmt.cli.arguments import quoted_paths, take, train_overrides
from nmt.config.overrides import parse
from nmt.errors import UserError
from nmt.system.lines import as_line
from tests.tiny_run import Run

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"


def test_os_error_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        program.run(lambda arguments: (tmp_path / "nowhere" / "file").write_text("x"))
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {tmp_path}/nowhere/file: No such file or directory; check the path")


def test_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def work(arguments: list[str]) -> None:
        importlib.import_module("a_package_that_is_missing")

    with pytest.raises(SystemExit) as left:
        program.run(work)
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: No module named 'a_package_that_is_missing'") and "activate" in line


def test_what_a_package_says_about_another_that_it_lacks_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Lightning's callbacks raise such errors themselves; only those of an import have the name of a module."""

    def work(arguments: list[str]) -> None:
        raise ModuleNotFoundError("`Monitor` needs `psutil`.\nRequirement 'psutil' not met.")

    with pytest.raises(SystemExit) as left:
        program.run(work)
    assert left.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: `Monitor` needs `psutil`. Requirement 'psutil' not met; install the missing package")


def test_a_wrong_import_in_a_package_of_ones_own_names_the_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "mine_here").mkdir()
    (tmp_path / "mine_here" / "__init__.py").touch()
    (tmp_path / "mine_here" / "parts.py").write_text("\nfrom mine_here.helprs import x\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SystemExit):
        program.run(lambda arguments: importlib.import_module("mine_here.parts") and None)
    (line,) = capsys.readouterr().err.splitlines()
    expected = f"error: {tmp_path}/mine_here/parts.py, line 2: No module named 'mine_here.helprs'"
    assert line == f"{expected}; correct the name, or install a version that has it"


def test_output_survives_a_terminal_without_unicode() -> None:
    code = "from nmt.cli.program import run\nrun(lambda words: print('데이터 ok'))"
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout == rb"\ub370\uc774\ud130 ok" + os.linesep.encode()


@pytest.mark.parametrize("printer", ["print", "__import__('rich.console').console.Console().print"])
def test_broken_pipe_is_no_error(printer: str) -> None:
    code = f"from nmt.cli.program import run\nrun(lambda words: [{printer}('x' * 9999) for _ in range(999)] and None)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait() == program.BROKEN_PIPE
    process.stderr.close()


def with_streams(redirections: str, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python code with redirections of a POSIX shell."""
    command = ["sh", "-c", f'exec "$@" {redirections}', "sh", sys.executable, "-c", code, *words]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
MAIN = "import sys\nfrom nmt.cli.program import run\nfrom nmt.errors import UserError\n"


@posix
def test_closed_stdout_is_refused(tmp_path: Path) -> None:
    done = with_streams(">&-", MAIN + "run(lambda words: open(words[0], 'w').close())", f"{tmp_path}/made")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and not (tmp_path / "made").exists()
    assert done.stderr.startswith("error: standard output is closed; redirect it to a file, as in > lines.txt")


@posix
def test_closed_stderr_keeps_messages_out_of_results(tmp_path: Path) -> None:
    """Neither Python, which prints to None on standard output, nor C writes them into the next file that is opened."""
    work = """
def work(words):
    with open(words[0], "w") as file:
        import os, subprocess
        print("a message", file=sys.stderr)
        subprocess.run(["sh", "-c", "echo a message >&2"], check=True)
        try:
            os.write(2, b"a message")
        except OSError:
            pass
        file.write("content")
        print("a result")
    raise UserError("a mistake")

run(work)
"""
    done = with_streams("<&- 2>&-", MAIN + work, f"{tmp_path}/made")
    assert (done.returncode, done.stdout, (tmp_path / "made").read_text()) == (2, "a result\n", "content")


@posix
def test_closed_stdin_is_refused(run: Run) -> None:
    done = with_streams("<&-", "from nmt.cli.translate import main; main()", f"ckpt={run.folder}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'error: standard input is closed; give text="...", input=FILE, or lines as in < lines.en\n'


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_behind_stdout_and_stderr() -> None:
    done = with_streams("> /dev/full", MAIN + "run(lambda words: print('a result'))")
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard output: No space left on device; ") and done.stderr.count("\n") == 1
    mistaken = MAIN + "def work(words):\n print('a result')\n raise UserError('a mistake')\nrun(work)"
    done = with_streams("2> /dev/full", mistaken)
    assert (done.returncode, done.stdout) == (2, "a result\n")


OUTLIVING = """
import sys, time
from nmt.cli.program import run
from nmt.data.bar import Bar

def work(words):
    bar = Bar()
    bar.start()
    sys.stdin.readline()
    print("to nobody", flush=True)
    time.sleep(0.5)  # the bar is drawn again
    bar.stop()
    print("to nobody")
    another = Bar()
    another.start()
    another.stop()
    raise OSError("an error")

run(work)
"""


@pytest.mark.parametrize("closed", [False, True])
def test_program_survives_sighup_and_a_closed_terminal(closed: bool) -> None:
    terminal, end = os.openpty()
    process = subprocess.Popen([sys.executable, "-c", OUTLIVING], stdin=subprocess.PIPE, stdout=end, stderr=end)
    os.close(end)
    os.read(terminal, 1)  # the bar is there
    if closed:
        os.close(terminal)
    process.communicate(b"\n")
    assert process.returncode == program.USER_ERROR
    if not closed:
        assert b"error: an error" in os.read(terminal, 10_000)
        os.close(terminal)


def test_unknown_and_repeated_arguments() -> None:
    assert take(["a=1", "text=x=y", "-b"], "text") == ("x=y", ["a=1", "-b"])
    with pytest.raises(UserError, match='put the whole value in quotes: text="12 years ago"'):
        take(["text=12", "years", "ago", "seed=1"], "text")
    assert take(["+text=a dog", "a=1"], "text") == ("a dog", ["a=1"])
    assert take(["a=1"], "text") == (None, ["a=1"])
    with pytest.raises(UserError, match="2 times"):
        take(["text=a", "text=b"], "text")
    with pytest.raises(UserError, match="UTF-8"):
        take(["text=\udce9"], "text")
    assert quoted_paths(["ckpt=a'b\\", "seed=1"], ["ckpt"]) == [r"ckpt='a\'b\\'", "seed=1"]
    assert quoted_paths(["out=null", "ckpt='x'"], ["out", "ckpt"]) == ["out=null", "ckpt='x'"]


def test_paths_with_special_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    words = ["data.path=~/Läufe (1)", "hydra.run.dir=a b", "data.train=[~/a=1.en,b 1.de]", "data.val=x,y", "name=~/z"]
    ready = ["data.path='/home/me/Läufe (1)'", "hydra.run.dir='a b'", "data.train=['/home/me/a=1.en','b 1.de']"]
    ready += ["data.val=x,y", "name=~/z"]
    assert train_overrides(words) == ready
    assert quoted_paths(["data.val=x,y"], ["data.val"]) == ["data.val='x,y'"]
    unchanged = ["data.test=[[a,b],[c,d]]", "data.train=[a,b],[c,d]", 'ckpt=["x,y",z]', "ckpt=[]", "ckpt=[a", "-m"]
    assert quoted_paths(unchanged, ["data.test", "data.train", "ckpt"]) == unchanged


@pytest.mark.parametrize("key", ["spans.ids", "+spans.ids", "++spans.ids"])
@pytest.mark.parametrize(
    "regex", [r"\[\w+\]", r"[A-Z]+", r"\d{3}", r"a{1,3}", r"\\", r"\(it's\)", r"x\\'", "ä|é", "#5"]
)
def test_a_regular_expression_of_spans_is_as_typed(key: str, regex: str) -> None:
    (override,) = parse(train_overrides([f"{key}={regex}"]))
    assert override.value() == regex


def test_a_value_of_spans_that_needs_no_quotes_stays() -> None:
    words = ["spans.urls=null", "spans.urls=", "+spans.ids='[a]','[b]'", "spans=[common,numbers]", "~spans.urls"]
    assert train_overrides(words) == words


@pytest.mark.slow
def test_scripts_in_a_process_of_their_own(run: Run, elsewhere: Path) -> None:
    def script(name: str, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "LC_ALL": "C", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(SCRIPTS / name), *words]
        return subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)

    done = script("translate.py", f"ckpt={run.folder}", stdin=b"a dog\n\nsnow\n")
    expected = [as_line(t.text) for t in run.translator.translate(["a dog", "", "snow"])]
    assert (done.returncode, done.stdout.decode()) == (0, "".join(f"{line}\n" for line in expected)), done.stderr
    bad = script("evaluate.py", "ckpt=nowhere", "bootstrapp=1")
    assert bad.returncode == 2 and bad.stdout == b"" and bad.stderr.count(b"\n") == 1
    assert bad.stderr.startswith(b"error: bootstrapp: unknown key")
    for name in ("evaluate.py", "translate.py"):
        command = [sys.executable, "-X", "importtime", str(SCRIPTS / name), "--help"]
        help_page = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "ckpt=PATH" in help_page.stdout
        assert not [word for word in ("torch", "hydra", "matplotlib") if f" {word}\n" in help_page.stderr]


@pytest.mark.parametrize("name", ["translate.py", "share.py"])
def test_missing_checkpoint_is_reported_before_torch_is_imported(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", str(SCRIPTS / name), "ckpt=nowhere"]
    command += ["out=copy"] if name == "share.py" else []
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    *imports, error = found.stderr.splitlines()
    assert (found.returncode, error.partition(";")[0]) == (2, "error: ckpt=nowhere: no such file or folder")
    assert {"hydra"} == {line.rpartition("|")[2].strip() for line in imports} & {"hydra", "torch"}
