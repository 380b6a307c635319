"""The checkpoint that a path names; names made of stored values stay in their folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.system.run_files import find_checkpoint, inside


def test_a_plain_name_stays_as_it_is(tmp_path: Path) -> None:
    for name in ("test.beam5.lp1.hyp.de", "my model (2), 모델.json", "...", "a..b", "x" * 255):
        assert inside(tmp_path, "translations", name) == tmp_path / "translations" / name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/", "a/b", "a/", "/etc/passwd", "../a", "a\0", "a\x1b[2J", "a\n", "\ud800"]
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    for names in ((name,), (name, "a"), ("a", name)):
        with pytest.raises(UserError, match=r"as a part of a file's name, expected a plain name") as error:
            inside(tmp_path, *names)
        assert str(error.value).isprintable()


def test_missing_files_are_named(tmp_path: Path) -> None:
    for nothing in (tmp_path / "nothing", "~nobody-of-this-name/run"):
        with pytest.raises(UserError, match="no such file"):
            find_checkpoint(nothing)
    with pytest.raises(UserError, match=r"^init=.*: it has no checkpoints/best\.safetensors, expected a run folder"):
        find_checkpoint(tmp_path, key="init")


def test_a_run_that_stopped_before_its_first_validation_can_go_on(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "last.ckpt").touch()
    with pytest.raises(UserError, match=f"before its first validation .python train.py resume={tmp_path} continues"):
        find_checkpoint(tmp_path)
