"""What the demo tells people to try next can be tried."""

import re
import shlex

import pytest

from nmt.cli import demo
from nmt.config import check_nodes, compose, validate

COMMANDS = re.findall(r"^  python train\.py (.*?)(?:  \(.*)?$", demo._CLOSING, re.MULTILINE)


def test_there_are_suggestions() -> None:
    assert len(COMMANDS) >= 3


@pytest.mark.parametrize("command", [command for command in COMMANDS if "--help" not in command])
def test_a_suggested_command_composes_and_builds(command: str) -> None:
    check_nodes(validate(compose("train", shlex.split(command))))


def test_sentences_come_in_different_lengths(tmp_path) -> None:
    folder = tmp_path / "translations"
    folder.mkdir()
    texts = [f"{'x' * n}" for n in range(1, 9)]
    for side, lang in (("src", "en"), ("ref", "de")):
        (folder / f"test.beam5.lp1.{side}.{lang}").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    chosen = demo._sentences(tmp_path)
    assert len(chosen) == demo.SENTENCES and len({len(source) for source, _ in chosen}) == demo.SENTENCES
    assert all(source == reference for source, reference in chosen)
