"""Messages are wrapped for who reads them; the log file has each on one line."""

from __future__ import annotations

import fcntl
import io
import logging
import os
import struct
import termios
from pathlib import Path

import pytest

from nmt.cli.output import INDENT, UNWRAPPED, logged, messages_on, wrapped

LONG = "run: at most 12,000 updates (trainer.max_steps), " + ", ".join(f"setting_{n}=value" for n in range(12))
logger = logging.getLogger("nmt.test")


def again(lines: list[str]) -> str:
    """Return the message of wrapped lines."""
    assert all(line.startswith(INDENT) and line[len(INDENT)] != " " for line in lines[1:])
    return " ".join(line.strip() for line in lines)


def test_log_without_terminal_wraps_at_100_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    with messages_on(stream):
        logger.info(LONG)
        logger.info("short")
        logger.info(f"a command, {LONG}", extra=UNWRAPPED)
    *lines, short, whole = stream.getvalue().splitlines()
    assert len(lines) == 3 and 80 < max(map(len, lines)) <= 100 and again(lines) == LONG
    assert (short, whole) == ("short", f"a command, {LONG}")


@pytest.mark.parametrize("columns", [60, 140])
def test_log_wraps_at_the_terminal_width(columns: int) -> None:
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with open(master, "rb", buffering=0) as screen, open(slave, "w", encoding="utf-8") as terminal:
        with messages_on(terminal):
            logger.info(LONG)
        lines = screen.read(4096).decode().splitlines()
    assert again(lines) == LONG and columns - 20 < max(map(len, lines)) <= columns


def test_each_line_of_a_job_has_its_prefix_and_the_file_has_whole_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    with logged(tmp_path / "train.log", prefix="100% job 1: "):
        logger.info(LONG)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("100% job 1: ") and len(line) <= 100 for line in lines)
    assert again([line.removeprefix("100% job 1: ") for line in lines]) == LONG
    (line,) = (tmp_path / "train.log").read_text("utf-8").splitlines()
    assert line.endswith(f"INFO nmt.test: {LONG}")


def test_log_wrapping_keeps_words_and_indents() -> None:
    path = "/a/very/long-path/" * 9
    assert wrapped(f"written to {path} now", 40) == ["written to", INDENT + path, f"{INDENT}now"]
    assert wrapped("  BLEU  12.3   (95%: 1 to 2)", 20) == ["  BLEU  12.3   (95%:", f"  {INDENT}1 to 2)"]
    assert wrapped("", 40) == [""] and wrapped("two words", 1) == ["two", f"{INDENT}words"]
    assert wrapped("한국어 문장을 번역하는 모델", 20) == ["한국어 문장을", f"{INDENT}번역하는 모델"], "two columns each"
