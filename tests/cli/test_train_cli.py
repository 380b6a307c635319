"""The frame of a training run: folders, files, statuses, what is refused before anything is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
import yaml

from nmt.cli import program
from nmt.cli.run_folder import claimed
from nmt.config.compose import compose_run, groups
from nmt.config.recipe import read_recipe
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.training.interruption import Interrupted
from tests.train_frame import Runs, files

# One run


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


def test_the_log_has_warnings_and_the_terminal_has_not(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    runs.work = lambda config, folder: warnings.warn("mind the gap", stacklevel=1)
    runs.run(["hydra.run.dir=here"])
    assert "mind the gap" in Path("here/train.log").read_text("utf-8")
    out, err = capsys.readouterr()
    assert "training" in out and "mind the gap" not in out + err


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


def test_folders_may_have_any_characters_and_a_home(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "heim"))
    runs.run(["hydra.run.dir=~/Läufe (1) ${seed}", "data.path=~/Paare"])
    _, plain, folder, _ = runs.calls[0]
    assert folder == tmp_path / "heim" / "Läufe (1) 1" and plain["data"]["path"] == f"{tmp_path}/heim/Paare"
    runs.run(["resume=~/Läufe (1) 1"])
    assert runs.calls[1][2:] == (folder, True)


def test_folders_of_data_are_remembered_from_the_root(runs: Runs, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "acme/set"):
        runs.run(["data=hub", f"data.name={name}", "data.val=[a.en,a.de]", f"hydra.run.dir=runs/{name}"])
    names = [plain["data"]["name"] for _, plain, _, _ in runs.calls]
    assert names == [str(tmp_path / "mine"), "acme/set"]
    assert runs.calls[0][1]["data"]["val"] == [str(tmp_path / name) for name in ("a.en", "a.de")]


def test_of_two_runs_that_claim_a_folder_one_gets_it(tmp_path: Path) -> None:
    first, second = (compose_run([f"hydra.run.dir={tmp_path}", f"seed={seed}"]) for seed in (1, 2))
    with (
        claimed(first, "hydra.run.dir", existed=True),
        pytest.raises(UserError, match="another process is training this run"),
        claimed(second, "hydra.run.dir", existed=True),
    ):
        raise AssertionError
    with (
        pytest.raises(UserError, match=r"already holds a run \(config.yaml\)"),
        claimed(second, "hydra.run.dir", existed=True),
    ):
        raise AssertionError
    assert read_recipe(tmp_path) == first


@pytest.mark.parametrize(
    "arguments",
    [
        ["model=trnsformer"],
        ["search.beam_sise=5"],
        ["model.encoder.block.heads=3"],
        ["optimizer.lr=-1"],
        ["data.target_lang=en"],
        ["resume=nowhere"],
        ["resume=nowhere", "seed=2"],
        ["--bogus"],
        ["rnn"],
        ["-m", "model=rnn", "model/attention=luong,bahdano"],
        ["-m", "seed=1,2", "trainer.devices=2"],
        ["-m", "seed=1,2", "hydra.run.dir=x"],
        ["--cfg", "nothing"],
        ["--resolve"],
        ["-m", "--resolve", "seed=1,2"],
        ["--cfg", "job", "sed=1"],
    ],
    ids=" ".join,
)
def test_bad_input_ends_with_status_2_and_one_line_and_writes_nothing(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: list[str],
) -> None:
    assert runs.status(*arguments) == program.USER_ERROR
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [] and runs.calls == []


def test_a_user_error_of_the_training_leaves_no_folder_to_trip_over(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        raise UserError("data.path: got 'x', there is no such folder\nor file")

    runs.work = fail
    assert runs.status("hydra.run.dir=here") == 2
    assert capsys.readouterr().err == "error: data.path: got 'x', there is no such folder or file\n"
    assert not Path("here").exists()


def test_a_memory_that_is_too_small_is_the_users_to_mend(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.\nGPU 0 has ...")

    runs.work = fail
    assert runs.status("hydra.run.dir=here", "data.batch_tokens=90000") == 2
    err = capsys.readouterr().err
    assert err.startswith("error: data.batch_tokens: got 90000") and "(CUDA out of memory)" in err
    assert "data.eval_batch_tokens=" in err and not Path("here").exists()


@pytest.mark.parametrize(
    "error", [UserError("a mistake"), OSError(28, "No space left on device"), torch.OutOfMemoryError("out of memory")]
)
def test_a_run_that_has_saved_its_state_says_how_to_continue_it(
    runs: Runs, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "checkpoints" / "last.ckpt").touch()
        raise error

    runs.work = fail
    assert runs.status("hydra.run.dir=here") == 2
    assert re.search(r"^to continue this run when the error below is solved: .*resume=", capsys.readouterr().out, re.M)


def test_what_was_trained_stays_whatever_comes_after(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "checkpoints" / "last.ckpt").touch()
        raise UserError("no room on the disk")

    runs.work = fail
    assert runs.status("hydra.run.dir=here") == 2
    assert files(Path("here")) == ["checkpoints/last.ckpt", "config.yaml", "train.log"]
    assert "no room on the disk" in Path("here/train.log").read_text("utf-8")


def test_a_bug_keeps_its_traceback(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        raise ZeroDivisionError("a bug")

    runs.work = fail
    with pytest.raises(ZeroDivisionError, match="a bug"):
        runs.status("hydra.run.dir=here")
    assert "Traceback" in Path("here/train.log").read_text("utf-8")


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (KeyboardInterrupt(), ["hydra.run.dir=here"]),
        (Interrupted(2, 7, Path()), ["-m", "seed=1,2", "hydra.sweep.dir=many"]),
    ],
)
def test_ctrl_c_is_status_130_and_ends_a_multirun(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, error: BaseException, arguments: list[str]
) -> None:
    def stop(config: TrainConfig, folder: Path) -> None:
        raise error

    runs.work = stop
    assert runs.status(*arguments) == 130
    assert len(runs.calls) == 1


def test_a_process_that_lightning_starts_shares_the_folder(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def start_another(config: TrainConfig, folder: Path) -> None:
        if os.environ.get("LOCAL_RANK") == "1":
            return
        before = files(folder), (folder / "config.yaml").stat()
        with monkeypatch.context() as another:
            another.setenv("LOCAL_RANK", "1")
            runs.run(["model=rnn"])
        assert (files(folder), (folder / "config.yaml").stat()) == before

    runs.work = start_another
    runs.run(["model=rnn"])
    first, second = runs.calls
    assert first == second and "NMT_RUN_FOLDER" not in os.environ


def test_a_process_that_lightning_starts_shares_the_folder_of_a_resumed_run(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start_another(config: TrainConfig, folder: Path) -> None:
        if os.environ.get("LOCAL_RANK") != "1":
            with monkeypatch.context() as another:
                another.setenv("LOCAL_RANK", "1")
                runs.run(["resume=here"])

    runs.run(["hydra.run.dir=here"])
    runs.work = start_another
    runs.run(["resume=here"])
    assert len(runs.calls) == 3


def test_a_rank_in_the_environment_makes_no_further_process(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ("0", "1"):
        monkeypatch.setenv("SLURM_PROCID", number)
        monkeypatch.setenv("LOCAL_RANK", number)
        runs.run([f"hydra.run.dir={number}"])
        assert files(Path(number)) == ["config.yaml", "train.log"]
    with pytest.raises(UserError, match="already holds a run"):
        runs.run(["hydra.run.dir=0"])


def test_processes_of_one_run_are_started_by_the_first_one_only(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match=r"^WORLD_SIZE=2: a launcher .* start it once"):
        runs.run([])
    assert runs.calls == []


# Going on


def test_resume_takes_everything_from_the_run(runs: Runs) -> None:
    runs.run(["model=rnn", "seed=5", "hydra.run.dir=here"])
    before = files(Path("here"))
    runs.run(["resume=here"])
    first, second = runs.calls
    assert first[:2] == second[:2] and second[2] == Path("here") and second[3]
    assert files(Path()) == [f"here/{name}" for name in before]
    with pytest.raises(UserError, match=r"got also seed=2, expected only resume=RUN_FOLDER"):
        runs.run(["resume=here", "seed=2"])
    with pytest.raises(UserError, match="got also -m, expected"):
        runs.run(["-m", "resume=here"])


def test_resume_says_what_is_wrong_with_a_runs_config(runs: Runs) -> None:
    runs.run(["hydra.run.dir=here"])
    path = Path("here/config.yaml")
    good = path.read_text("utf-8")
    for text, words in [
        (good.replace("\nseed:", "\nsed:"), r"here/config.yaml: sed: unknown key; did you mean 'seed'"),
        ("a: [", "cannot be read as YAML"),
        ("", "expected the config of a run"),
    ]:
        path.write_text(text, "utf-8")
        with pytest.raises(UserError, match=words):
            runs.run(["resume=here"])


def test_a_run_that_is_going_on_is_not_resumed(runs: Runs) -> None:
    def again(config: TrainConfig, folder: Path) -> None:
        before = (folder / "train.log").read_bytes()
        with pytest.raises(UserError, match=r"here: another process is training this run"):
            runs.run(["resume=here"])
        assert (folder / "train.log").read_bytes() == before

    runs.work = again
    runs.run(["hydra.run.dir=here"])
    runs.work = lambda config, folder: None
    runs.run(["resume=here"])
    assert [resume for *_, resume in runs.calls] == [False, True]


def test_resume_null_is_no_resume(runs: Runs) -> None:
    runs.run(["resume=null", "hydra.run.dir=here"])
    assert not runs.calls[0][3]


def test_a_disk_that_is_full_before_anything_is_saved_leaves_nothing_to_trip_over(runs: Runs) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "events.out").touch()
        raise OSError(28, "No space left on device")

    runs.work = fail
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            runs.run(["hydra.run.dir=here"])
    assert files(Path("here")) == ["events.out"] and not Path("here/checkpoints").exists()


def test_a_folder_with_quotes_in_its_name_is_gone_on_in(runs: Runs) -> None:
    name = "it's 'one'"
    runs.run([f"hydra.run.dir={name}"])
    for words in (f"resume={name}", f'resume="{name}"'):
        runs.run([words])
        assert runs.calls[-1][2:] == (Path(name), True)


@pytest.mark.parametrize("before", [{}, {"mine.txt": "hi"}])
@pytest.mark.parametrize("error", [UserError("a mistake"), PermissionError(13, "a mistake")])
def test_a_mistake_leaves_a_folder_as_it_was(
    runs: Runs, tmp_path: Path, error: Exception, before: dict[str, str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
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


def test_a_log_that_is_somebody_elses_is_not_written_into(runs: Runs, tmp_path: Path) -> None:
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
        (["-m", "experiment=glob(multi*)"], "list the options: experiment=A,B"),
        (["+resume=nothing"], "nothing holds no run"),
    ],
)
def test_what_used_to_fall_over(runs: Runs, tmp_path: Path, words: list[str], match: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=re.escape(match)):
        runs.run(words)
    assert runs.calls == []


# The program


def test_cfg_shows_the_config_and_writes_nothing(
    runs: Runs, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    runs.run(["--cfg", "job", "--resolve", "model=rnn", "seed=4"])
    shown = yaml.safe_load(capsys.readouterr().out)
    assert (shown["seed"], shown["name"]) == (4, "rnn")
    assert list(tmp_path.iterdir()) == [] and runs.calls == []


def test_help_names_every_group_and_option_and_imports_nothing_heavy(root: Path, tmp_path: Path) -> None:
    code = (
        "import sys; sys.argv = ['train.py', '--help']; import nmt.cli.train as t\n"
        "try: t.main()\n"
        "finally: assert not {'torch', 'hydra', 'omegaconf', 'yaml', 'numpy'} & set(sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    for group, options in groups().items():
        assert f"  {group}=" in found.stdout
        assert all(f" {option} " in found.stdout for option in options)
    assert "* transformer" in found.stdout and max(map(len, found.stdout.splitlines())) <= 130


def test_the_program_from_a_checkout(root: Path, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(root / "train.py"), "model=trnsformer"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        "error: model: got 'trnsformer', expected one of hybrid, rnn, transformer; did you mean 'transformer'?\n"
    )
