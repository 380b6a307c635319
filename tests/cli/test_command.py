"""What a person types to start train.py again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nmt.cli.session import CHECKOUT, train_command


@pytest.mark.parametrize(
    ("program", "on_path", "expected"),
    [
        ("my folder/train.py", True, "python 'my folder/train.py' 'resume=a b'"),
        ("train.py", False, "{bin}/python3 train.py 'resume=a b'"),
        ("{bin}/nmt-train", True, "nmt-train 'resume=a b'"),
        ("{bin}/nmt-train", False, "{bin}/nmt-train 'resume=a b'"),
    ],
)
def test_names_where_the_shell_finds_them(
    program: str, on_path: bool, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("python", "python3", "nmt-train"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path if on_path else tmp_path / "elsewhere"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    monkeypatch.setattr(sys, "argv", [program.format(bin=tmp_path), "seed=1"])
    assert train_command("resume=a b") == expected.format(bin=tmp_path)


def test_another_program_that_trains_names_train_py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["scripts/demo.py"])
    assert train_command().split()[-1] == os.path.relpath(CHECKOUT / "train.py")
