"""The commands of the README and its pages for a trained model do what they say."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from nmt.cli import evaluate, export, score, share, translate
from tests.fixtures.commands import commands_of


@pytest.mark.parametrize("line", commands_of("evaluate"))
def test_evaluate_commands(line, run_folder, commands_folder, capsys):
    evaluate.main(shlex.split(line))
    scores = json.loads((run_folder / "metrics.json").read_text("utf-8"))["test"]
    assert scores["bleu"]["signature"] in capsys.readouterr().out


def export_model():
    """Run the README's command that writes my_model."""
    pytest.importorskip("ctranslate2")
    (line,) = commands_of("export")
    export.main(shlex.split(line))


def test_export_command(commands_folder, capsys):
    export_model()
    assert "greedy translations are equal" in capsys.readouterr().out
    assert (commands_folder / "my_model" / "README.md").is_file()


@pytest.mark.parametrize("line", commands_of("translate"))
def test_translate_commands(line, commands_folder, monkeypatch, capsys):
    words, _, redirected = line.partition(" < ")
    if "ckpt=my_model" in words:
        export_model()
    (commands_folder / "lines.de").unlink()  # a finished file is never overwritten
    with (commands_folder / "lines.en").open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        translate.main(shlex.split(words))
    output = re.search(r"output=(\S+)", words)
    written = Path(output[1]).read_text("utf-8") if output else capsys.readouterr().out
    if "messages.pot" in words:
        assert written.count("#, fuzzy") == 1
    else:
        assert len(written.splitlines()) == (2 if redirected or output else 1)


@pytest.mark.parametrize("line", commands_of("score"))
def test_score_commands(line, commands_folder, capsys):
    score.main(shlex.split(line))
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize("line", commands_of("share"))
def test_share_commands(line, commands_folder):
    share.main(shlex.split(line))
    assert (commands_folder / "FOLDER" / "checkpoints" / "best.safetensors").is_file()
