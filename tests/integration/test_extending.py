"""Every example of docs/extending.md, taken out of the page, trains from a package and a folder outside the project."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.cli import train

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")
FILES = re.findall(r"^```(?:python|yaml) (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^python train\.py (.*)$", PAGE, re.MULTILINE)
TINY = ["data.max_length=64", "trainer.accelerator=cpu", "debug=fast", "callbacks=plain"]
CORPUS = ["data=cldr", "data.sizes=[200,8,8]", "data.topics=[numbers]", "data.max_parts=1", "tokenizer.vocab_size=300"]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all files of the page, in which Python finds the package my_lab."""
    for name, text in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "my_lab" / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMANDS)
def test_an_example_trains(line: str, lab: Path) -> None:
    words = shlex.split(line)
    corpus = ["tokenizer.vocab_size=287"] if any(word.startswith("data=") for word in words) else CORPUS
    train.main([*corpus, *TINY, "hydra.run.dir=run", *words])
    assert (lab / "run" / "metrics.json").is_file()
    assert (lab / "run" / "checkpoints" / "best.safetensors").is_file()


@pytest.mark.slow
def test_the_examples_pass_the_linter_and_the_type_checker(lab: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{lab}", "MYPYPATH": str(ROOT)}
    for words in (
        ["ruff", "check", "--line-length", "120", "--select", "E,F,B", "my_lab"],
        ["mypy", "--strict", "my_lab"],
    ):
        done = subprocess.run([sys.executable, "-m", *words], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_contract_tests_find_parts_of_a_model_inside_a_checkout(lab: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    for name in ("nmt", "configs", "tests", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, checkout / name)
    for name in ("attention/scaled", "positions/window", "convolution"):
        folder, _, module = name.rpartition("/")
        shutil.copy(lab / "my_lab" / f"{module}.py", checkout / "nmt" / "models" / f"{name}.py")
        node = (lab / "my_configs" / "model" / f"{name}.yaml").read_text("utf-8")
        node = node.replace("my_lab.", ".".join(["nmt.models", *filter(None, [folder]), ""]))
        (checkout / "configs" / "model" / f"{name}.yaml").write_text(node, "utf-8")
    chosen = ["-k", "scaled or window or convolution", "tests/models/test_contract.py"]
    command = [sys.executable, "-m", "pytest", "-vv", *chosen]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for case in ("rnn model/attention=scaled", "transformer model/positions=window", "convolution"):
        assert f"test_model_keeps_the_contract[{case}] PASSED" in done.stdout
