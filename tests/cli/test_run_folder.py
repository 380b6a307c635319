"""The folder of a run: its files, its name, who holds it, what is left of a run that fails, and `resume=FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from nmt.config.compose import compose_run
from nmt.config.recipe import changes
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from tests.train_frame import Runs, files


def test_a_run_has_one_folder_with_its_resolved_config_and_log(runs: Runs, tmp_path: Path) -> None:
    before = list(sys.argv)
    runs.run(["model=rnn", "seed=3", "data.target_lang=no"])
    ((config, plain, folder, resume),) = runs.calls
    assert folder.is_absolute() and folder.parent == tmp_path / "outputs" / "rnn" and not resume
    assert files(tmp_path) == sorted(f"{folder.relative_to(tmp_path)}/{name}" for name in ("config.yaml", "train.log"))
    assert yaml.safe_load((folder / "config.yaml").read_text("utf-8")) == plain
    assert plain["seed"] == config.seed == 3 and "${" not in (folder / "config.yaml").read_text("utf-8")
    assert "preparing" in (folder / "train.log").read_text("utf-8"), "the log begins before the folder exists"
    assert sys.argv == before and Path.cwd() == tmp_path


def test_a_second_run_is_refused_in_a_folder_and_changes_nothing(runs: Runs) -> None:
    runs.run(["hydra.run.dir=my run"])
    Path("my run", "checkpoints", "last.ckpt").touch()
    before = {name: Path("my run", name).read_bytes() for name in files(Path("my run"))}
    with pytest.raises(UserError, match=r"my run already holds a run \(config.yaml\); name another .* resume="):
        runs.run(["hydra.run.dir=my run", "seed=2"])
    assert {name: Path("my run", name).read_bytes() for name in files(Path("my run"))} == before


def test_runs_that_start_in_the_same_second_have_different_folders() -> None:
    assert len({compose_run([]).folder for _ in range(3)}) == 3


@pytest.mark.parametrize("error", [UserError("a mistake"), PermissionError(13, "a mistake"), KeyboardInterrupt()])
def test_a_run_that_fails_before_training_leaves_nothing(runs: Runs, tmp_path: Path, error: BaseException) -> None:
    def fail(config: TrainConfig) -> None:
        raise error

    runs.prepare = fail
    assert runs.status("hydra.run.dir=here") == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert not Path("here").exists()


def test_a_run_is_trained_by_one_process_at_a_time(runs: Runs) -> None:
    def again(config: TrainConfig, folder: Path) -> None:
        with pytest.raises(UserError, match=r"here: another process is training this run"):
            runs.run(["resume=here"])

    runs.work = again
    runs.run(["hydra.run.dir=here"])
    runs.work = lambda config, folder: None
    runs.run(["resume=here"])
    assert [resume for *_, resume in runs.calls] == [False, True, True]


def test_resume_takes_everything_from_the_run(runs: Runs) -> None:
    runs.run(["model=rnn", "seed=5", "data.source_lang='1e3'", "hydra.run.dir=here"])
    before = files(Path("here"))
    runs.run(["resume=here"])
    first, second = runs.calls
    assert first[:2] == second[:2] and second[2].samefile("here") and second[3]
    assert files(Path("here")) == before


def test_resume_names_mistakes_in_config_yaml(runs: Runs) -> None:
    runs.run(["hydra.run.dir=here"])
    path = Path("here/config.yaml")
    good = path.read_text("utf-8")
    for text, words in [
        (good.replace("\nseed:", "\nsed:"), r"resume=.*/here: sed: unknown key; did you mean 'seed'"),
        ("a: [", r"config\.yaml: damaged \(while parsing .*\); restore the file"),
        ("", r"config\.yaml: damaged"),
        (good.replace("\nseed: 1", "\nseed: ${name}"), r"seed: got '\${name}', expected an integer"),
    ]:
        path.write_text(text, "utf-8")
        with pytest.raises(UserError, match=words):
            runs.run(["resume=here"])


def test_resume_with_overrides_replaces_settings(runs: Runs, tmp_path: Path) -> None:
    runs.run(["hydra.run.dir=here"])
    words = ["trainer.max_epochs=60", "callbacks.early_stopping=null", "+search.n_best=2", "data.test=[a.en,a.de]"]
    runs.run([words[0], "resume=here", *words[1:]])
    (_, before, *_), (settings, after, folder, resume) = runs.calls
    assert (settings.trainer.max_epochs, settings.callbacks.early_stopping) == (60, None) and resume
    assert changes(before, after).keys() == {
        *("trainer.max_epochs", "search.n_best", "data.test"),
        *(f"callbacks.early_stopping{key}" for key in ("", "._target_", ".patience", ".min_delta")),
    }
    assert after["data"]["test"] == [f"{tmp_path}/a.en", f"{tmp_path}/a.de"] and folder == tmp_path / "here"


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("trainer.max_epoch=60", "trainer.max_epoch=60: a resumed run changes single keys of its config.yaml; did you"),
        ("trainer.max_epochs=x", "trainer.max_epochs: got 'x', expected an integer"),
        ("+a.b=1", "a: unknown key"),
        ("model=rnn", "model: got 'rnn', expected a mapping"),
        ("hydra.run.dir=there", "hydra.run.dir=there: a resumed run changes"),
    ],
)
def test_resume_with_overrides_checks_them(runs: Runs, word: str, message: str) -> None:
    runs.run(["hydra.run.dir=here"])
    with pytest.raises(UserError) as error:
        runs.run(["resume=here", word])
    assert message in str(error.value) and "\n" not in str(error.value) and len(runs.calls) == 1
