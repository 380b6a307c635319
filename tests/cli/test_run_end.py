"""How a run ends on the terminal: statuses, messages, and what is said about going on."""

from __future__ import annotations

import os
import re
import signal
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from nmt.cli.processes import STARTED
from nmt.cli.session import resume_command
from nmt.config.compose import compose_run
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.training.interruption import SIGNALS, Interrupted
from tests.cli.test_processes import TORCHRUN
from tests.train_frame import Runs

SRUN = {
    **{"SLURM_JOB_NAME": "job", "SLURM_NTASKS": "4", "SLURM_NTASKS_PER_NODE": "2"},
    **{"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0"},
}


def test_the_log_has_warnings_and_the_terminal_has_not(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    runs.work = lambda config, folder: warnings.warn("mind the gap", stacklevel=1)
    runs.run(["hydra.run.dir=here"])
    assert "mind the gap" in Path("here/train.log").read_text("utf-8")
    out, err = capsys.readouterr()
    assert "training" in out and "mind the gap" not in out + err


def test_out_of_memory_is_one_line_with_a_remedy(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.\nGPU 0 has ...")

    runs.work = fail
    assert runs.status("hydra.run.dir=here", "data.batch_tokens=90000") == 2
    err = capsys.readouterr().err
    assert err.startswith("error: data.batch_tokens: got 90000") and "(CUDA out of memory)" in err
    assert "data.eval_batch_tokens=" in err and not Path("here").exists()


@pytest.mark.parametrize(
    "error", [UserError("a mistake"), OSError(28, "No space left on device"), torch.OutOfMemoryError("out of memory")]
)
def test_failed_run_prints_the_resume_command(runs: Runs, capsys: pytest.CaptureFixture[str], error: Exception) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "checkpoints" / "last.ckpt").touch()
        raise error

    runs.work = fail
    assert runs.status("hydra.run.dir=here", "allow=[acme_nmt]") == 2
    again = r"^to continue this run when the error below is solved: .* resume=\S*here 'allow=\[acme_nmt\]'$"
    assert re.search(again, capsys.readouterr().out, re.M)


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({}, r"\S*python\S* \S+ resume=here"),
        (TORCHRUN, r"torchrun --nnodes=2 \.\.\. --nproc-per-node=2 \S+ resume=here"),
        ({**TORCHRUN, "WORLD_SIZE": "2"}, r"torchrun --nproc-per-node=2 \S+ resume=here"),
        ({**TORCHRUN, STARTED: "1"}, r"\S*python\S* \S+ resume=here"),  # trainer.devices is a setting of the run
        (SRUN, r"srun \S*python\S* \S+ resume=here"),
    ],
)
def test_the_resume_command_starts_as_many_processes(
    monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str], command: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.argv", ["train.py"])
    assert re.fullmatch(command, resume_command(replace(compose_run([]), folder=Path("here"))))


def test_unexpected_error_keeps_its_traceback(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        raise ZeroDivisionError("a bug")

    runs.work = fail
    with pytest.raises(ZeroDivisionError, match="a bug"):
        runs.status("hydra.run.dir=here")
    assert "Traceback" in Path("here/train.log").read_text("utf-8")


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (KeyboardInterrupt(), ["hydra.run.dir=here"]),
        (Interrupted(2, 7, Path()), ["-m", "seed=1,2", "hydra.sweep.dir=many"]),
    ],
)
def test_ctrl_c_is_status_130_and_ends_a_multirun(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, error: BaseException, arguments: list[str]
) -> None:
    def stop(config: TrainConfig, folder: Path) -> None:
        raise error

    runs.work = stop
    assert runs.status(*arguments) == 130
    assert len(runs.calls) == 1


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", SIGNALS)
def test_signal_before_the_first_update_ends_with_its_status(runs: Runs, number: int) -> None:
    runs.work = lambda config, folder: os.kill(os.getpid(), number)
    assert runs.status("hydra.run.dir=here") == 128 + number
    assert not Path("here").exists()


def test_ignored_signal_stays_ignored(runs: Runs) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        runs.work = lambda config, folder: os.kill(os.getpid(), signal.SIGHUP)
        runs.run(["hydra.run.dir=here"])
    finally:
        signal.signal(signal.SIGHUP, before)
    assert Path("here/config.yaml").exists()
