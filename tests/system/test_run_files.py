"""The checkpoint that a path names, and what a path without one is told."""

import os

import pytest

from nmt.errors import UserError
from nmt.system.run_files import find_checkpoint


def test_missing_files_are_named(tmp_path):
    for nothing in (tmp_path / "nothing", "~nobody-of-this-name/run"):
        with pytest.raises(UserError, match="no such file"):
            find_checkpoint(nothing)
    with pytest.raises(UserError, match="not the folder of a run; give a run"):
        find_checkpoint(tmp_path)


def test_an_exported_model_is_no_start_of_a_run(tmp_path):
    (tmp_path / "export.json").touch()
    with pytest.raises(UserError, match=r"^init=.*: an exported model; name the run that it was exported from"):
        find_checkpoint(tmp_path, key="init")


def test_a_run_without_a_best_checkpoint_says_what_to_do(tmp_path):
    run = tmp_path / "run"
    (run / "checkpoints").mkdir(parents=True)
    (run / "config.yaml").touch()
    with pytest.raises(UserError, match="before it wrote a checkpoint; start it again"):
        find_checkpoint(run)
    (run / "checkpoints" / "last.ckpt").touch()
    with pytest.raises(UserError, match=f"before its first validation; continue it .python train.py resume={run}"):
        find_checkpoint(run)


def test_a_finished_run_without_its_checkpoint_is_not_called_a_stopped_one(tmp_path):
    (tmp_path / "config.yaml").touch()
    (tmp_path / "metrics.json").touch()
    with pytest.raises(UserError, match="a finished run without its checkpoint; name a run that has one"):
        find_checkpoint(tmp_path)


def test_a_folder_of_runs_names_the_newest(tmp_path):
    for name, seconds in (("b", 3), ("a", 5), ("c", 4)):
        best = tmp_path / name / "checkpoints" / "best.safetensors"
        best.parent.mkdir(parents=True)
        (tmp_path / name / "config.yaml").touch()
        best.touch()
        os.utime(best, (seconds, seconds))
    with pytest.raises(UserError, match=f"not a run but holds 3; name one of them, as in {tmp_path}/a .the newest"):
        find_checkpoint(tmp_path)
