"""Messages go to the terminal as they are, and to the log file of a run with their time."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pytest

from nmt.cli.output import logged, messages_on
from nmt.errors import UserError

logger = logging.getLogger("nmt.test")


def test_a_message_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    with messages_on(stream), messages_on(stream):
        logger.info("a message")
    logger.info("nobody hears this")
    assert stream.getvalue() == "a message\n"


def test_the_log_has_times_and_the_end_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError), logged(tmp_path / "train.log", prefix="job 1: "):
        logger.info("a message")
        logging.getLogger("another").warning("of another package")
        raise UserError("a mistake")
    with pytest.raises(ZeroDivisionError), logged(tmp_path / "train.log"):
        raise ZeroDivisionError
    assert capsys.readouterr().out == "job 1: a message\n"
    first, second, third, *trace = (tmp_path / "train.log").read_text("utf-8").splitlines()
    assert first.endswith(" INFO nmt.test: a message") and second.endswith(" WARNING another: of another package")
    assert third.endswith(" ERROR nmt: a mistake") and "Traceback (most recent call last):" in trace
