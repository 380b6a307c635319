"""The commands of the README and its pages for a trained model do what they say."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from nmt.cli import evaluate, score, translate
from tests.fixtures.commands import commands_of


@pytest.mark.parametrize("line", commands_of("evaluate"))
def test_evaluate_commands(line, run_folder, commands_folder, capsys):
    evaluate.main(shlex.split(line))
    scores = json.loads((run_folder / "metrics.json").read_text("utf-8"))["test"]
    assert scores["bleu"]["signature"] in capsys.readouterr().out


@pytest.mark.deploy
def test_export_command(commands_folder, capsys):
    pytest.importorskip("ctranslate2")
    from nmt.deploy.cli import export

    for line in commands_of("export"):
        export.main(shlex.split(line))
    assert "greedy translations are equal" in capsys.readouterr().out
    assert (commands_folder / "my_model" / "README.md").is_file() and (commands_folder / "my_model.html").is_file()


@pytest.mark.deploy
@pytest.mark.parametrize("line", commands_of("translate_document"))
def test_translate_document_commands(line, commands_folder):
    from nmt.deploy.cli import translate_document

    translate_document.main(shlex.split(line))
    source, written = (Path(path).read_text("utf-8") for path in re.findall(r"put=(\S+)", line))
    assert len(written.splitlines()) >= len(source.splitlines())
    assert written.count("#, fuzzy") == ("messages.pot" in line)


@pytest.mark.parametrize("line", commands_of("translate"))
def test_translate_commands(line, commands_folder, monkeypatch, capsys):
    words, _, redirected = line.partition(" < ")
    (commands_folder / "lines.de").unlink()  # a finished file is never overwritten
    with (commands_folder / "lines.en").open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        translate.main(shlex.split(words))
    output = re.search(r"output=(\S+)", words)
    written = Path(output[1]).read_text("utf-8") if output else capsys.readouterr().out
    assert len(written.splitlines()) == (2 if redirected or output else 1)


@pytest.mark.parametrize("line", commands_of("score"))
def test_score_commands(line, commands_folder, capsys):
    score.main(shlex.split(line))
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.deploy
@pytest.mark.parametrize("line", commands_of("share"))
def test_share_commands(line, commands_folder):
    from nmt.deploy.cli import share

    share.main(shlex.split(line))
    assert (commands_folder / "copy" / "checkpoints" / "best.safetensors").is_file()
