"""The command line of train.py: bad input, --cfg, --help, and the program as a checkout runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from nmt.cli import program
from nmt.config.groups import training_groups
from tests.train_frame import Runs


@pytest.mark.parametrize(
    "words",
    ["search.beam_sise=5", "optimizer.lr=-1", "resume=nowhere seed=2", "--bogus", "rnn", "-m seed=1,x"],
)
def test_bad_input_ends_with_status_2_and_one_line_and_writes_nothing(
    runs: Runs, capsys: pytest.CaptureFixture[str], tmp_path: Path, words: str
) -> None:
    assert runs.status(*words.split()) == program.USER_ERROR
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1 and "full_key" not in err
    assert list(tmp_path.iterdir()) == [] and runs.calls == []


def test_cfg_shows_the_config_and_writes_nothing(
    runs: Runs, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs.run(["--cfg", "job", "model=rnn", "seed=4"])
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (shown["seed"], shown["name"]) == (4, "rnn")
    assert list(tmp_path.iterdir()) == [] and runs.calls == []


def test_help_names_every_group_and_option_and_imports_nothing_heavy(root: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['train.py', '--help']; import nmt.cli.train as t\n"
        "try: t.main()\n"
        "finally: assert not {'torch', 'numpy'} & set(sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    for group, options in training_groups().items():
        assert f"  {group}=" in found.stdout
        assert {*options} <= {*found.stdout.split()}
    assert max(map(len, found.stdout.splitlines())) <= 130
