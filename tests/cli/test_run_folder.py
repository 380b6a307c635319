"""The folder of a run: its files, its name, who holds it, and what a mistake leaves in it."""

from __future__ import annotations

import os
import re
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from nmt.cli.run_folder import check_free, claimed
from nmt.config.compose import compose_run
from nmt.config.recipe import Recipe, read_recipe
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
    assert "training" in (folder / "train.log").read_text("utf-8")
    assert sys.argv == before and Path.cwd() == tmp_path


def test_hydra_run_dir_names_the_folder_and_a_second_run_is_refused_there(runs: Runs) -> None:
    runs.run(["hydra.run.dir=my run"])
    Path("my run", "checkpoints", "last.ckpt").touch()
    before = {name: Path("my run", name).read_bytes() for name in files(Path("my run"))}
    with pytest.raises(
        UserError, match=r"my run already holds a run \(config.yaml\); name another folder, or .*resume="
    ):
        runs.run(["hydra.run.dir=my run", "seed=2"])
    assert {name: Path("my run", name).read_bytes() for name in files(Path("my run"))} == before
    assert len(runs.calls) == 1


def test_runs_that_start_in_the_same_second_have_different_folders() -> None:
    assert len({compose_run([]).folder for _ in range(3)}) == 3


def test_run_folder_with_special_characters_and_home(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "heim"))
    runs.run(["hydra.run.dir=~/Läufe (1) ${seed}", "data.path=~/Paare"])
    _, plain, folder, _ = runs.calls[0]
    assert folder == tmp_path / "heim" / "Läufe (1) 1" and plain["data"]["path"] == f"{tmp_path}/heim/Paare"
    runs.run(["resume=~/Läufe (1) 1"])
    assert runs.calls[1][2:] == (folder, True)


def test_data_paths_are_stored_absolute(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "acme/set"):
        runs.run(["data=hub", f"data.name={name}", "data.val=[a.en,a.de]", f"hydra.run.dir=runs/{name}"])
    names = [plain["data"]["name"] for _, plain, _, _ in runs.calls]
    assert names == [str(tmp_path / "mine"), "acme/set"]
    assert runs.calls[0][1]["data"]["val"] == [str(tmp_path / name) for name in ("a.en", "a.de")]


def test_run_folder_is_locked_against_a_second_run(tmp_path: Path) -> None:
    first, second = (compose_run([f"hydra.run.dir={tmp_path}", f"seed={seed}"]) for seed in (1, 2))
    with (
        claimed(first, "hydra.run.dir"),
        pytest.raises(UserError, match="another process is training this run"),
        claimed(second, "hydra.run.dir"),
    ):
        raise AssertionError
    with (
        pytest.raises(UserError, match=r"already holds a run \(config.yaml\)"),
        claimed(second, "hydra.run.dir"),
    ):
        raise AssertionError
    assert read_recipe(tmp_path) == first


def test_user_error_removes_the_new_run_folder(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        raise UserError("data.path: got 'x', there is no such folder\nor file")

    runs.work = fail
    assert runs.status("hydra.run.dir=here") == 2
    assert capsys.readouterr().err == "error: data.path: got 'x', there is no such folder or file\n"
    assert not Path("here").exists()


def test_trained_weights_stay_after_a_later_error(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "checkpoints" / "last.ckpt").touch()
        raise UserError("no room on the disk")

    runs.work = fail
    assert runs.status("hydra.run.dir=here") == 2
    assert files(Path("here")) == ["checkpoints/last.ckpt", "config.yaml", "train.log"]
    assert "no room on the disk" in Path("here/train.log").read_text("utf-8")


def test_full_disk_before_the_first_save_removes_the_run_folder(runs: Runs) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "mine").touch()
        (folder / "events.out.tfevents.2").touch()
        raise OSError(28, "No space left on device")

    runs.work = fail
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            runs.run(["hydra.run.dir=here"])
    assert files(Path("here")) == ["mine"] and not Path("here/checkpoints").exists()


@pytest.mark.parametrize("before", [{}, {"mine.txt": "hi", "events.out.tfevents.1": "of another program"}])
@pytest.mark.parametrize("error", [UserError("a mistake"), PermissionError(13, "a mistake")])
def test_error_leaves_an_existing_run_folder_unchanged(
    runs: Runs, tmp_path: Path, error: Exception, before: dict[str, str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "events.out.tfevents.2").touch()
        raise error

    folder = tmp_path / "there"
    folder.mkdir()
    for name, text in before.items():
        (folder / name).write_text(text)
    runs.work = fail
    for _ in range(2):  # the mended command is not refused
        with pytest.raises(type(error), match="a mistake"):
            runs.run([f"hydra.run.dir={folder}"])
        assert {path.name: path.read_text() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "left",
    [
        pytest.param(["train.log"], marks=pytest.mark.slow),
        ["train.log", "config.yaml", "events.out.tfevents.1"],
        pytest.param(
            ["config.yaml", ".config.yaml.0123456789abcdef.part", "checkpoints/.l.0123456789abcdef.part"],
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_folder_of_a_run_that_was_killed_before_its_first_checkpoint_is_used_again(
    runs: Runs, tmp_path: Path, left: list[str]
) -> None:
    words, here = ["hydra.run.dir=here", "seed=2"], Path("here")
    killed = compose_run(words)
    for name in left:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(killed.to_yaml() if name == "config.yaml" else "")
    others = here / "events.out.tfevents.0"
    others.touch()
    os.utime(others, (1, 1))  # it is older than the run
    if "config.yaml" in left:
        with pytest.raises(UserError, match=r"already holds a run \(config.yaml\); name another folder"):
            runs.run(["hydra.run.dir=here", "seed=3"])
    runs.run(words)
    assert files(here) == ["config.yaml", "events.out.tfevents.0", "train.log"]
    (here / "checkpoints" / "last.ckpt").touch()
    with pytest.raises(UserError, match=r"already holds a run .*or continue that run: resume="):
        runs.run(words)
    assert len(runs.calls) == 1 and read_recipe(here) == runs_recipe(runs)


@pytest.mark.parametrize(("chosen", "seed"), [("bf16-mixed", 1), ("32-true", 1), ("32-true", 2)])
def test_a_killed_run_that_chose_its_precision_is_started_again(tmp_path: Path, chosen: str, seed: int) -> None:
    recipe = compose_run([f"hydra.run.dir={tmp_path}", "trainer.precision=auto", "seed=1"])
    killed = compose_run([f"hydra.run.dir={tmp_path}", f"trainer.precision={chosen}", f"seed={seed}"])
    (tmp_path / "config.yaml").write_text(killed.to_yaml())
    with nullcontext() if seed == 1 else pytest.raises(UserError, match="already holds a run"):
        check_free(recipe, "hydra.run.dir")


def runs_recipe(runs: Runs) -> Recipe:
    return Recipe(runs.calls[0][1], Path("here"))


def test_foreign_train_log_is_not_overwritten(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("mine")
    with pytest.raises(UserError, match=r"already holds a run \(train\.log\); name another folder$"):
        runs.run([f"hydra.run.dir={tmp_path}"])
    assert (tmp_path / "train.log").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["hydra.run.dir=file"], "/file cannot be used"),
        (["hydra.run.dir=file/below"], "/file/below cannot be used"),
        (["-m", "seed=1,2", "hydra.sweep.dir=file"], "file cannot be used"),
        (["hydra.run.dir="], "hydra.run.dir: got nothing"),
        (["-m", "seed=1,2", "hydra.sweep.dir="], "hydra.sweep.dir: got nothing"),
        (["seed=${nope}"], "Interpolation key 'nope' not found"),
        (["hydra.run.dir=r/${nope}"], "Interpolation key 'nope' not found"),
        (["-m", "experiment=glob(multi*)"], "expected one value, or values with commas"),
        (["+resume=nothing"], "/nothing holds no run"),
    ],
)
def test_unusable_folders_and_values_are_refused(runs: Runs, tmp_path: Path, words: list[str], match: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=re.escape(match)):
        runs.run(words)
    assert runs.calls == []
