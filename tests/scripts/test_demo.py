"""What the demo tells people to try next can be tried."""

import json
import re
import shlex

import pytest

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from tests.integration.small_training import SMALL_TRANSFORMER

demo = pytest.importorskip("scripts.demo", reason="it needs nmt.lab and nmt.deploy")
COMMANDS = re.findall(r"^  python train\.py (.*?)(?:  \(.*)?$", demo.CLOSING, re.MULTILINE)


@pytest.mark.parametrize("command", [command for command in COMMANDS if "--help" not in command])
def test_a_suggested_command_composes_and_builds(command: str) -> None:
    build_objects(validate(compose("train", shlex.split(command))))


@pytest.mark.slow
def test_the_whole_demo_in_small(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    quick = ["debug=fast", "data.sizes=[400,5,5]", "callbacks.samples=null", "search.max_length_factor=0.5"]
    words = [*quick, *SMALL_TRANSFORMER, "tokenizer.vocab_size=320", "trainer.accelerator=cpu"]
    demo.main([*words, "hydra.run.dir=my runs"])
    said, folder = capsys.readouterr().out, tmp_path / "my runs"
    for command in ("train.py experiment=demo", "scripts/evaluate.py", "scripts/translate.py", "scripts/attend.py"):
        assert f"$ python {command}" in said
    made, _, to_try = said.partition("What to try next")
    assert to_try.count(" ckpt='my runs' text=") == 2 and "--logdir 'my runs'" in made, "paths with spaces have quotes"
    assert said.count("(reference: ") == demo.SENTENCES and (folder / "page.html").is_file()
    for number in range(1, demo.SENTENCES + 1):
        assert (folder / "attention" / "demo" / f"{number}.png").is_file()


@pytest.mark.slow
def test_the_demo_translates_nine_in_ten_exactly(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo.main([])
    (folder,) = (tmp_path / "outputs" / "demo").iterdir()
    assert json.loads((folder / "metrics.json").read_text("utf-8"))["test"]["exact_match"]["value"] >= 90
