"""Many runs by one command: their folders, what is said of failures, and the table at the end."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import sys
from pathlib import Path

import pytest
import yaml

from nmt.cli import train
from nmt.cli.multirun import claimed, jobs_at_once, plan
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.system.cores import usable_cores
from nmt.training.interruption import Interrupted
from tests import own_package
from tests.train_frame import Runs, status


def metrics(**values: list[float]) -> str:
    """Return a metrics.json with the values of BLEU and chrF for each split."""
    labels = {"bleu": "BLEU", "chrf": "chrF"}
    scores = {
        split: {key: {"label": labels[key], "value": value} for key, value in zip(labels, numbers, strict=False)}
        for split, numbers in values.items()
    }
    sizes = {"parameters": 4_124_648, "updates": 1_219, "wall_seconds": 90.0, "target_tokens_per_second": 1e3}
    return json.dumps({**scores, **sizes, "search": {}})


def test_a_multirun_has_a_folder_for_each_job(runs: Runs, tmp_path: Path) -> None:
    runs.run(["-m", "model=rnn", "model/attention=none,luong"])
    assert [call[1]["model"]["attention"] is None for call in runs.calls] == [True, False]
    (folder,) = (tmp_path / "multirun" / "rnn").iterdir()
    names = ["0_attention=none", "1_attention=luong"]
    assert [call[2] for call in runs.calls] == [folder / name for name in names]
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == names
    assert all((folder / name / "config.yaml").is_file() for name in names)


@pytest.mark.slow
def test_multirun_continues_after_a_failed_job(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        if config.seed == 2:
            raise UserError("a mistake")
        if config.seed == 4:
            raise OSError(28, "No space left on device", "last.ckpt")
        if config.seed == 5:
            raise ModuleNotFoundError("No module named 'a_package'", name="a_package")

    runs.work = fail
    assert runs.status("-m", "seed=2,3,4,5", "hydra.sweep.dir=many") == 2
    err = capsys.readouterr().err
    assert (
        "error: job 0: a mistake\n" in err and "error: 3 of 4 jobs failed: 0 (a mistake), 2 (last.ckpt: No space" in err
    )
    assert "error: job 2: last.ckpt: No space left on device; check" in err and err.count("\n") == 4
    assert "error: job 3: No module named 'a_package' in " in err and len(runs.calls) == 4


def test_jobs_that_differ_in_a_backslash_are_not_runs_of_one_system(runs: Runs, tmp_path: Path) -> None:
    runs.work = lambda config, folder: (folder / "metrics.json").write_text(metrics(test=[1.0]), "utf-8")
    runs.run(["-m", r"+spans.ids='\d\d','dd'", "hydra.sweep.dir=many"])
    text = (tmp_path / "many" / "results.tsv").read_text("utf-8")
    assert "mean" not in text and r"'\d\d'" in text and "'dd'" in text


def test_a_multirun_ends_with_what_its_jobs_reached(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def score(config: TrainConfig, folder: Path) -> None:
        bleu = 20.0 + config.seed + (0 if config.model["attention"] is None else 5)
        (folder / "metrics.json").write_text(metrics(val=[bleu + 1], test=[bleu, 2 * bleu]), "utf-8")

    runs.work = score
    runs.run(["-m", "model=rnn", "model/attention=none,luong", "seed=1,2", "trainer.max_time=00:00:01:00"])
    (folder,) = (tmp_path / "multirun" / "rnn").iterdir()
    with (folder / "results.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["job"] for row in rows] == [*"0123", "mean of 2", "deviation", "mean of 2", "deviation"]
    assert {key: rows[3][key] for key in ("attention", "seed", "parameters", "minutes", "val BLEU", "test chrF")} == {
        **{"attention": "luong", "seed": "2", "parameters": "4124648", "minutes": "1.5"},
        **{"val BLEU": "28.0", "test chrF": "54.0"},
    }
    assert (rows[4]["attention"], rows[4]["seed"], rows[4]["test BLEU"]) == ("none", "", "21.5")
    assert float(rows[5]["test BLEU"]) == pytest.approx(0.5**0.5) and rows[7]["minutes"] == "0.0"
    shown = capsys.readouterr().out
    assert re.search(r"^mean of 2 +luong +4,124,648 +1,219 +1.5 +27.50 +26.50 +53.00$", shown, re.MULTILINE)
    assert re.search(r"^deviation +luong +0 +0 +0.0 +0.71 +0.71 +1.41$", shown, re.MULTILINE)
    assert "all jobs: model=rnn trainer.max_time=00:00:01:00\n" in shown and "tensorboard --logdir" in shown
    markdown = (folder / "results.md").read_text("utf-8").splitlines()
    assert (
        markdown[0] == "| job | attention | seed | parameters | updates | minutes | val BLEU | test BLEU | test chrF |"
    )
    assert markdown[5] == "| 3 | luong | 2 | 4,124,648 | 1,219 | 1.5 | 28.00 | 27.00 | 54.00 |"


@pytest.mark.slow
def test_interrupted_multirun_prints_results_and_commands_of_the_rest(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(config: TrainConfig, folder: Path) -> None:
        if config.seed == 2:
            raise KeyboardInterrupt
        (folder / "metrics.json").write_text(metrics(val=[1.5]), "utf-8")

    runs.work = stop
    assert runs.status("-m", "seed=1,2", "data.path=a b,c d", "hydra.sweep.dir='viele, ö'") == 130
    out = capsys.readouterr().out
    assert re.search(r"^0 .* 1\.50$", out, re.MULTILINE) and Path("viele, ö/results.tsv").is_file()
    lines = re.findall(r"^to run job \d: .*train\.py (.*)$", out, re.MULTILINE)
    assert len(lines) == 2, "the job that was stopped had saved nothing"
    runs.work = lambda config, folder: None
    for number, line in enumerate(lines, start=2):
        runs.run(shlex.split(line))
        _, plain, folder, _ = runs.calls[-1]
        assert plain["seed"] == number // 2 + 1 and folder.parent == Path.cwd() / "viele, ö"
        assert folder.name == f"{number}_seed={plain['seed']},path={'ac'[number % 2]}-{'bd'[number % 2]}"
        assert plain["data"]["path"] == str(Path.cwd() / ("a b", "c d")[number % 2])


def test_multirun_stopped_by_a_signal_while_joblib_runs_its_jobs_prints_their_commands(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def kill(*_: object) -> None:  # this process only waits for the jobs
        os.kill(os.getpid(), signal.SIGTERM)

    def not_handled(*_: object) -> None:
        raise RuntimeError("the signal would end the program")

    monkeypatch.setattr("nmt.cli.multirun._launch", kill)
    before = signal.signal(signal.SIGTERM, not_handled)
    try:
        assert runs.status("-m", "seed=1,2", "hydra.sweep.dir=many") == 128 + signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
    assert re.findall(r"^to run job (\d): ", capsys.readouterr().out, re.MULTILINE) == ["0", "1"]


def test_interrupted_multirun_prints_the_resume_command(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(config: TrainConfig, folder: Path) -> None:
        (folder / "checkpoints").mkdir()
        (folder / "checkpoints" / "last.ckpt").touch()
        raise Interrupted(15, 7, folder)

    runs.work = stop
    assert runs.status("-m", "seed=1,2", "hydra.sweep.dir=many") == 128 + 15
    out = capsys.readouterr().out
    assert f"to continue job 0: python train.py resume={Path.cwd()}/many/0_seed=1" in out.replace(
        sys.executable, "python"
    )
    assert "to run job 1: " in out


@pytest.mark.parametrize("word", ["hydra.sweep.dir=en,ko", "hydra.sweep.subdir=a,b", "hydra/launcher=basic,joblib"])
@pytest.mark.parametrize("flags", [["-m"], ["-m", "--cfg", "job"]])
def test_all_jobs_have_the_same_settings_of_hydra(runs: Runs, tmp_path: Path, flags: list[str], word: str) -> None:
    with pytest.raises(UserError, match=rf"^{word}: got several values, expected one for all jobs; .* needs quotes"):
        runs.run([*flags, "seed=1,2", word])
    assert runs.calls == [] and list(tmp_path.iterdir()) == []


def test_the_name_of_a_folder_may_have_a_comma_in_quotes(runs: Runs, tmp_path: Path) -> None:
    runs.run(["-m", "seed=1,2", "hydra.sweep.dir='en,ko'"])
    assert [(call[0].seed, call[2].parent) for call in runs.calls] == [(seed, tmp_path / "en,ko") for seed in (1, 2)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seed=1,2,2"], r"job 2 \(seed=2\): the same settings as job 1; give each value once"),
        (["optimizer.lr=1e-3,0.001", "seed=1,2"], r"job 2 \(optimizer.lr=0.001 seed=1\): the same settings as job 0;"),
    ],
)
def test_a_repeated_value_is_not_another_job(runs: Runs, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runs.run(["-m", *words])
    assert runs.calls == []


def test_jobs_are_found_in_folders_of_any_depth(runs: Runs, tmp_path: Path) -> None:
    def score(config: TrainConfig, folder: Path) -> None:
        (folder / "metrics.json").write_text(metrics(val=[10 * config.seed]), "utf-8")

    runs.work = score
    runs.run(["-m", "seed=1,2", "hydra.sweep.dir=many", f"hydra.sweep.subdir='{tmp_path}/elsewhere/seed${{seed}}/run'"])
    assert [call[2] for call in runs.calls] == [tmp_path / "elsewhere" / name / "run" for name in ("seed1", "seed2")]
    lines = (tmp_path / "many" / "results.tsv").read_text("utf-8").splitlines()
    assert [line.split("\t")[-1] for line in lines[1:]] == ["10", "20", "15.0", str(50**0.5)]


def test_multirun_does_not_overwrite_another(runs: Runs) -> None:
    runs.run(["-m", "seed=1,2", "hydra.sweep.dir=many"])
    with pytest.raises(UserError, match=r"job 0 \(seed=3\): .*many/0_seed=1 already holds a run"):
        runs.run(["-m", "seed=3,4", "hydra.sweep.dir=many"])
    assert len(runs.calls) == 2


def test_a_folder_takes_one_multirun_at_a_time(runs: Runs) -> None:
    """Another multirun may have been planned in the same second, before the first one made a folder for a job."""
    first, second = (plan([f"seed={seeds}", "hydra.sweep.dir=many"]) for seeds in ("1,2", "3,4"))
    with (
        claimed(*first),
        pytest.raises(
            UserError, match=r"^hydra\.sweep\.dir: another multirun is running in .*/many; name another folder$"
        ),
        claimed(*second),
    ):
        raise AssertionError
    runs.run(["-m", "seed=1,2", "hydra.sweep.dir=many"])
    with pytest.raises(UserError, match=r"job 0 \(seed=3\): .*many/0_seed=1 already holds a run"), claimed(*second):
        raise AssertionError


@pytest.mark.slow
def test_joblib_runs_two_jobs_at_once_each_with_its_share_of_the_threads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    own_package.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"), prepend=os.pathsep)
    meeting = f"{{_target_: acme_nmt.meeting.Meeting, folder: '{tmp_path}', seed: ${{seed}}}}"
    words = [
        *("-m", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "seed=1,2", "hydra.sweep.dir=many", "debug=fast"),
        *("--config-dir=configs", "allow=[acme_nmt]", "experiment=acme", *own_package.SMALL),
        f"+callbacks.extra.meeting={meeting}",
    ]
    assert status(monkeypatch, *words) == 2
    out, err = capfd.readouterr()
    share = max(1, usable_cores() // 2)
    assert [(tmp_path / seed).read_text() for seed in "12"] == [f"{share} {share}"] * 2
    assert f"threads: {share}, this job's share" in Path("many/0_seed=1/train.log").read_text("utf-8")
    assert re.search(r"^job 0: run folder:\s.*many/0_seed=1$", out, re.MULTILINE) and re.search(
        r"^0 +1 ", out, re.MULTILINE
    )
    assert "error: job 1: a mistake\n" in err and "error: 1 of 2 jobs failed: 1 (a mistake)\n" in err
    assert Path("many/results.tsv").is_file() and not Path("many/1_seed=2/config.yaml").exists()


@pytest.mark.parametrize(
    ("n_jobs", "count", "expected"),
    [(1, 9, 1), (4, 9, 4), (4, 2, 2), (-1, 99, usable_cores()), (-2, 99, max(1, usable_cores() - 1))],
)
def test_jobs_at_once_of_each_launcher(n_jobs: int, count: int, expected: int) -> None:
    assert jobs_at_once({"n_jobs": n_jobs}, count) == expected and jobs_at_once({}, count) == 1


def test_a_launcher_that_runs_no_job_is_refused_before_the_jobs_are_checked(runs: Runs) -> None:
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    with pytest.raises(UserError, match=r"hydra\.launcher\.n_jobs: got 0, expected at least 1, or -1 for all cores$"):
        runs.run(["-m", "seed=1,2", "hydra/launcher=joblib", "hydra.launcher.n_jobs=0"])
    assert runs.calls == []


def test_cfg_shows_each_job_of_a_multirun(runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs.run(["-m", "--cfg", "job", "--resolve", "model=rnn", "seed=1,2", "data.seed=${hydra.job.num}"])
    shown = capsys.readouterr().out
    assert [(config["seed"], config["data"]["seed"]) for config in yaml.safe_load_all(shown)] == [(1, 0), (2, 1)]
    assert "# job 1: model=rnn seed=2 data.seed=" in shown and list(tmp_path.iterdir()) == [] and runs.calls == []


@pytest.mark.parametrize("line", ["hydra/sweeper=basic", "hydra.sweeper.params={seed:[1,2]}", "hydra.sweeper=1"])
def test_hydra_sweeper_other_than_basic_is_refused(line: str) -> None:
    with pytest.raises(UserError, match="only Hydra's basic sweeper"):
        train.main(["-m", "debug=fast", "seed=1,2", line])


def test_values_in_a_yaml_are_refused_because_the_plan_does_not_have_their_jobs(runs: Runs, tmp_path: Path) -> None:
    mine = tmp_path / "own" / "experiment" / "mine.yaml"
    mine.parent.mkdir(parents=True)
    mine.write_text("# @package _global_\nhydra: {sweeper: {params: {seed: '1,2,3'}}}\n", "utf-8")
    with pytest.raises(UserError, match=r"hydra\.sweeper: got params .*'seed': '1,2,3'"):
        runs.run(["-m", "--config-dir", str(tmp_path / "own"), "experiment=mine"])
    assert runs.calls == []


def test_jobs_that_share_a_folder_are_refused_before_the_first_starts(runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"job 1 \(seed=2\): hydra\.sweep\.subdir: got .*, also the folder of job 0"):
        runs.run(["-m", "seed=1,2", "hydra.sweep.subdir='${name}'"])
    assert runs.calls == [] and list(tmp_path.iterdir()) == []


def test_multirun_checks_init_before_the_first_job(runs: Runs, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"job 0 \(.*init='nowhere'\): init=.*nowhere: no such file or folder"):
        runs.run(["-m", "seed=1,2", "init=nowhere"])
    with pytest.raises(UserError, match=r"^init=.*nowhere: no such file or folder"):
        runs.run(["init=nowhere"])
    assert runs.calls == [] and list(tmp_path.iterdir()) == []


def test_multirun_with_several_devices_is_refused(runs: Runs) -> None:
    with pytest.raises(UserError, match=r"job 0 .*trainer\.devices: got 2 in a multirun"):
        runs.run(["-m", "seed=1,2", "trainer.devices=2"])
    assert runs.calls == []


def test_values_of_different_types_are_different_jobs(tmp_path: Path) -> None:
    words = ["experiment=demo", "trainer.val_check_interval=1,1.0", "trainer.check_val_every_n_epoch=1"]
    assert len(plan([*words, f"hydra.sweep.dir={tmp_path}"])[1]) == 2
