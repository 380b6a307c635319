"""The checkpoint that a path names."""

import pytest

from nmt.errors import UserError
from nmt.system.run_files import find_checkpoint


def test_missing_files_are_named(tmp_path):
    for nothing in (tmp_path / "nothing", "~nobody-of-this-name/run"):
        with pytest.raises(UserError, match="no such file"):
            find_checkpoint(nothing)
    with pytest.raises(UserError, match=r"^init=.*: it has no checkpoints/best\.safetensors, expected a run folder"):
        find_checkpoint(tmp_path, key="init")


def test_a_run_that_stopped_before_its_first_validation_can_go_on(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "last.ckpt").touch()
    with pytest.raises(UserError, match=f"before its first validation .python train.py resume={tmp_path} continues"):
        find_checkpoint(tmp_path)
