"""Configs of one's own (--config-dir) and classes of one's own (allow=), from outside the project."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from nmt.config.compose import compose
from nmt.config.groups import groups, use_configs_of
from nmt.errors import UserError
from tests.own_package import write
from tests.train_frame import Runs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with configs/ and packages/, the latter not yet on the path."""
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_nmt"]:
        del sys.modules[name]


def test_configs_of_ones_own_are_options_like_the_shipped_ones(own: Path) -> None:
    shipped = groups()
    use_configs_of("configs")
    assert set(groups()["model/attention"]) == {*shipped["model/attention"], "first"}
    assert compose("train", ["search=short"])["search"]["beam_size"] == 2
    assert compose("train", ["experiment=acme"])["name"] == "acme"
    with pytest.raises(UserError, match="did you mean 'acme'"):
        compose("train", ["experiment=acm"])
    use_configs_of(None)
    assert groups() == shipped
    with pytest.raises(UserError, match="experiment: got 'acme', expected one of"):
        compose("train", ["experiment=acme"])


def test_help_lists_configs_of_ones_own(own: Path, runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    os.chdir(own)
    runs.run(["-cd", "configs", "--help"])
    assert {"acme", "first"} <= {*capsys.readouterr().out.split()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--config-dir", "nowhere"], "--config-dir: got 'nowhere', expected a folder"),
        (["--config-dir=configs", "resume=run"], "resume: expected only resume=RUN_FOLDER"),
        (
            ["--config-dir=configs", "experiment=acme"],
            "got 'acme_nmt.attention.First', expected a class in nmt.models; to use your own package, add allow=[",
        ),
        (["--config-dir=configs", "experiment=acme", "allow=[acme_nmt]"], "Python cannot find the module acme_nmt; "),
        (["allow=[a-b]"], "allow: got ['a-b'], expected a list (each text of letters, as in allow=[my_package])"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_own_package_is_refused(own: Path, runs: Runs, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        runs.run(words)
    assert runs.calls == [] and not (own / "outputs").exists()


def test_a_file_that_the_shipped_configs_have_too_is_refused(own: Path) -> None:
    (own / "configs" / "train.yaml").touch()
    with pytest.raises(UserError, match=r"configs has train\.yaml, which is also a shipped config"):
        use_configs_of("configs")


def test_a_run_keeps_its_allow_list_and_resume_asks_for_it_again(
    own: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(own / "packages"))
    runs.run(["--config-dir=configs", "experiment=acme", "allow=[acme_nmt]", "hydra.run.dir=run"])
    assert runs.calls[0][0].allow == ["acme_nmt"] and runs.calls[0][1]["allow"] == ["acme_nmt"]
    with pytest.raises(UserError, match=r"add allow=\[acme_nmt\]"):
        runs.run(["resume=run"])
    runs.run(["resume=run", "allow=[acme_nmt]"])
    assert runs.calls[1][0] == runs.calls[0][0] and runs.calls[1][3]
