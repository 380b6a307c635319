"""How a run ends on the terminal: statuses, messages, the log, and what is said about going on."""

from __future__ import annotations

import io
import logging
import sys
import warnings
from pathlib import Path

import pytest

from nmt.cli.output import messages_on
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.training.callbacks.resuming import Interrupted
from tests.train_frame import Runs


def test_the_log_has_warnings_and_the_terminal_has_not(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    runs.work = lambda config, folder: warnings.warn("mind the gap", stacklevel=1)
    runs.run(["hydra.run.dir=here"])
    lines = Path("here/train.log").read_text("utf-8").splitlines()
    assert lines[0].endswith(" INFO nmt.fake: preparing") and "mind the gap" in "".join(lines)
    out, err = capsys.readouterr()
    assert "preparing" in out and "mind the gap" not in out + err


def test_a_message_is_printed_once() -> None:
    stream = io.StringIO()
    with messages_on(stream), messages_on(stream):
        logging.getLogger("nmt.test").info("a message")
    logging.getLogger("nmt.test").info("nobody hears this")
    assert stream.getvalue() == "a message\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_run_goes_on_without_its_terminal(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", open("/dev/full", "w"))  # noqa: SIM115
    runs.work = lambda config, folder: None
    runs.run(["hydra.run.dir=there"])
    monkeypatch.setattr(sys.stdout, "close", lambda: None)  # it would try to write again
    assert "no further messages are shown here (No space left on device)" in Path("there/train.log").read_text("utf-8")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (UserError("a mistake"), 2, "to continue this run when the error below is solved: python train.py resume="),
        (OSError(28, "No space"), 2, "to continue this run when the error below is solved: python train.py resume="),
        (Interrupted(15), 143, "to continue this run: python train.py resume="),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_a_run_that_can_go_on_says_how(
    runs: Runs, capsys: pytest.CaptureFixture[str], error: BaseException, status: int, said: str
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "checkpoints" / "last.ckpt").touch()
        raise error

    runs.work = fail
    assert runs.status("hydra.run.dir=here") == status
    assert said in capsys.readouterr().out
    assert ("ERROR nmt: a mistake" in Path("here/train.log").read_text("utf-8")) == (str(error) == "a mistake")


def test_unexpected_error_keeps_its_traceback(runs: Runs) -> None:
    runs.work = lambda config, folder: 1 // 0
    with pytest.raises(ZeroDivisionError):
        runs.status("hydra.run.dir=here")
    assert "Traceback" in Path("here/train.log").read_text("utf-8")
