"""Many runs by one command: their folders, what is said of failures, and the table at the end."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from tests.train_frame import Runs


def write_metrics(folder: Path, *, by_chance: bool = False, **values: list[float]) -> None:
    """Write a metrics.json with the values of BLEU and chrF for each split."""
    labels = {"bleu": "BLEU", "chrf": "chrF"}
    scores = {
        split: {key: {"label": labels[key], "value": value} for key, value in zip(labels, numbers, strict=False)}
        for split, numbers in values.items()
    }
    sizes = {"parameters": 4_124_648, "updates": 1_219, "wall_seconds": 90.0, "target_tokens_per_second": 1e3}
    (folder / "metrics.json").write_text(json.dumps({**scores, **sizes, "search": {}, "by_chance": by_chance}), "utf-8")


def test_a_multirun_has_a_folder_for_each_job_and_ends_with_a_table(
    runs: Runs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def score(config: TrainConfig, folder: Path) -> None:
        bleu = 20.0 + config.seed + (0 if config.model["attention"] is None else 5)
        write_metrics(folder, val=[bleu + 1], test=[bleu, 2 * bleu])

    runs.work = score
    runs.run(["-m", "model=rnn", "model/attention=none,luong", "seed=1,2", "trainer.max_time=00:00:01:00"])
    (folder,) = (tmp_path / "multirun" / "rnn").iterdir()
    names = [f"{n}_attention={a},seed={s}" for n, (a, s) in enumerate((a, s) for a in ("none", "luong") for s in "12")]
    assert [call[2] for call in runs.calls] == [folder / name for name in names]
    with (folder / "results.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["job"] for row in rows] == [*"0123", "mean of 2", "deviation", "mean of 2", "deviation"]
    assert (rows[3]["attention"], rows[3]["val BLEU"], rows[4]["test BLEU"]) == ("luong", "28.0", "21.5")
    shown = capsys.readouterr().out
    assert re.search(r"^mean of 2 +luong +4,124,648 +1,219 +1.5 +27.50 +26.50 +53.00$", shown, re.MULTILINE)
    assert "tensorboard --logdir" in shown and "runs have learned" not in shown
    runs.work = lambda config, folder: write_metrics(folder, by_chance=True)
    runs.run(["-m", "seed=1,2", "hydra.sweep.dir=many"])
    for said in (capsys.readouterr().out, (tmp_path / "many" / "results.md").read_text("utf-8")):
        assert "\n2 of 2 runs have learned too little to be compared: " in said


def test_a_multirun_continues_after_a_failed_job(runs: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(config: TrainConfig, folder: Path) -> None:
        if config.seed == 2:
            raise UserError("a mistake")
        if config.seed == 4:
            raise AssertionError("a bug")

    runs.work = fail
    assert runs.status("-m", "seed=2,3,4", "hydra.sweep.dir=many") == 2
    err = capsys.readouterr().err
    assert "error: job 0: a mistake\n" in err and "Traceback" in err and len(runs.calls) == 3
    assert err.endswith("error: 2 of 3 jobs failed: 0 (a mistake), 2 (AssertionError: a bug)\n")


def test_an_interrupted_multirun_prints_results_and_commands_of_the_rest(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(config: TrainConfig) -> None:
        if config.seed == 2:
            raise KeyboardInterrupt

    runs.prepare = stop
    runs.work = lambda config, folder: write_metrics(folder, val=[1.5])
    assert runs.status("-m", "seed=1,2", "data.path=a b,c d", "hydra.sweep.dir='viele, ö'") == 130
    out = capsys.readouterr().out
    assert re.search(r"^0 .* 1\.50$", out, re.MULTILINE) and Path("viele, ö/results.tsv").is_file()
    lines = re.findall(r"^to run job \d: python train\.py (.*)$", out, re.MULTILINE)
    assert len(lines) == 2, "the job that was stopped had saved nothing"
    runs.prepare = lambda config: None
    for number, line in enumerate(lines, start=2):
        runs.run(shlex.split(line))
        _, plain, folder, _ = runs.calls[-1]
        assert (plain["seed"], folder.parent) == (2, Path.cwd() / "viele, ö")
        assert folder.name == f"{number}_seed=2,path={'ac'[number % 2]}-{'bd'[number % 2]}"
        assert plain["data"]["path"] == str(Path.cwd() / ("a b", "c d")[number % 2])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seed=1,x"], r"job 1 \(seed=x\): seed: got 'x', expected an integer"),
        (["seed=1,2", "init=nowhere"], r"job 0 \(.*init=nowhere\): init=.*nowhere: no such file or folder"),
        (["seed=1,2", "hydra.sweep.dir=en,ko"], r"hydra.sweep.dir=en,ko: expected one value"),
        (["seed=range(1,3)", "seed=interval(0,1)"], r"expected one value, or values with commas"),
        (["seed=1,2", "hydra.run.dir=x"], r"hydra.run.dir=x: has no effect here; .* hydra.sweep.dir=FOLDER"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_told_before_the_first_job(runs: Runs, tmp_path: Path, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        runs.run(["-m", *words])
    assert runs.calls == [] and list(tmp_path.iterdir()) == []


def test_a_multirun_does_not_overwrite_another(runs: Runs) -> None:
    runs.run(["-m", "seed=1,2", "hydra.sweep.dir='en,ko'"])
    with pytest.raises(UserError, match=r"hydra\.sweep\.dir: .*en,ko is not empty; name another folder"):
        runs.run(["-m", "seed=3,4", "hydra.sweep.dir='en,ko'"])
    assert len(runs.calls) == 2
