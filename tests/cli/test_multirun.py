"""Many runs by one command: their folders, what is said of failures, and the table at the end."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from nmt.cli.multirun import SIZES, Result, differences, folder_name, with_means, write
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from tests.train_frame import Runs


def write_metrics(folder: Path, **values: list[float]) -> None:
    """Write a metrics.json with the values of BLEU and chrF for each split."""
    labels = {"bleu": "BLEU", "chrf": "chrF"}
    scores = {
        split: {key: {"label": labels[key], "value": value} for key, value in zip(labels, numbers, strict=False)}
        for split, numbers in values.items()
    }
    sizes = {"parameters": 4_124_648, "updates": 1_219, "wall_seconds": 90.0, "target_tokens_per_second": 1e3}
    (folder / "metrics.json").write_text(json.dumps({**scores, **sizes, "search": {}}), "utf-8")


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
    assert "tensorboard --logdir" in shown


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


def test_a_multirun_that_was_stopped_goes_on_by_the_same_command_and_by_the_printed_one(
    runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(config: TrainConfig, folder: Path) -> None:
        write_metrics(folder, val=[1.5]) if config.seed < 2 else (folder / "checkpoints").mkdir(exist_ok=True)
        if config.seed == 3:
            (folder / "checkpoints" / "last.ckpt").touch()
        if config.seed >= 2:
            raise KeyboardInterrupt

    runs.work = stop
    command = ["-m", "seed=1,2", "data.path=a b,c d", "hydra.sweep.dir='viele, ö'"]
    assert runs.status(*command) == 130 and len(runs.calls) == 3
    out = capsys.readouterr().out
    assert re.search(r"^0 .* 1\.50$", out, re.MULTILINE)
    (folder,) = {path.parent.absolute() for path in Path().rglob("results.tsv")}
    (folder / "2_seed=2,path=a-b" / "checkpoints" / "best.safetensors").touch()  # of a start that saved no state
    before = {path: path.stat().st_mtime_ns for path in folder.glob("[01]*/*")}
    runs.work = lambda config, folder: write_metrics(folder, val=[2.5])
    (line,) = re.findall(r"^to go on with the unfinished jobs \(2, 3\): python train\.py (.*)$", out, re.MULTILINE)
    runs.run(command)
    runs.run(shlex.split(line))  # trains nothing more
    assert [call[2] for call in runs.calls[3:]] == [
        folder / f"{n}_seed=2,path={p}" for n, p in ((2, "a-b"), (3, "c-d"))
    ]
    assert {path: path.stat().st_mtime_ns for path in before} == before, "finished jobs stay as they are"
    assert not list(folder.glob("2*/checkpoints/*"))
    assert len((folder / "results.tsv").read_text("utf-8").splitlines()) == 9
    runs.run(["-m", "seed=1,2,3", "data.path=a b,c d", f"hydra.sweep.dir='{folder}'"])  # with more seeds
    assert [call[0].seed for call in runs.calls[5:]] == [3, 3]


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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["seed=3,4"], r"hydra\.sweep\.dir: .*en,ko holds 0_seed=1, which is not of these jobs; name another folder"),
        (["seed=1,2", "optimizer.lr=1"], r"holds a run with other settings: optimizer\.lr: 1 \(was 0\.003\); name a"),
    ],
)
def test_a_multirun_does_not_overwrite_another(runs: Runs, words: list[str], message: str) -> None:
    command = ["-m", "seed=1,2", "hydra.sweep.dir='en,ko'"]
    runs.run(command)
    with pytest.raises(UserError, match=message):
        runs.run(["-m", *words, command[-1]])
    assert len(runs.calls) == 2


# The table and the names of folders


def test_only_what_differs_is_told_by_the_shortest_clear_name() -> None:
    jobs = [["model=rnn", f"model/attention={name}", f"seed={seed}"] for name in ("none", "luong") for seed in (1, 2)]
    assert differences(jobs)[3] == {"attention": "luong", "seed": "2"}
    assert differences(jobs[:1]) == [{}] and differences([["+a.b=1"], []]) == [{"b": "1"}, {"b": ""}]
    jobs = [["model.encoder.layers=1", "model.decoder.layers=2"], ["model.encoder.layers=3", "model.decoder.layers=4"]]
    assert differences(jobs)[0] == {"model.encoder.layers": "1", "model.decoder.layers": "2"}


def test_only_the_seed_itself_makes_runs_of_one_system() -> None:
    for key, rows in (("seed", 4), ("data.seed", 2), ("search.seed", 2)):
        settings = differences([[f"{key}=1"], [f"{key}=2"]])
        assert settings == [{key: "1"}, {key: "2"}]
        assert len(with_means([Result(str(n), each, {"BLEU": 1.0}) for n, each in enumerate(settings)])) == rows


@pytest.mark.parametrize(("values", "mean"), [("nan 1", "nan"), ("inf 1", "inf"), ("inf -inf", "nan")])
def test_a_score_that_is_not_finite_leaves_the_rest_of_the_table(values: str, mean: str) -> None:
    scores = list(map(float, values.split()))
    results = [Result(str(n), {"seed": str(n)}, {"own": scores[n], "BLEU": 10.0 + n}) for n in (0, 1)]
    *_, means, deviations = with_means(results)
    assert (str(means.figures["own"]), means.figures["BLEU"]) == (mean, 10.5)
    assert (str(deviations.figures["own"]), deviations.figures["BLEU"]) == ("nan", pytest.approx(0.5**0.5))


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"attention": "luong", "seed": "2"}, "3_attention=luong,seed=2"),
        ({"path": "/data/my corpus", "model/x": "[1,2]"}, "3_path=data-my-corpus,model-x=1-2"),
        ({}, "3"),
        ({f"설정{number}": "값" * 100 for number in range(9)}, f"3_설정0={'값' * 30},설정1={'값' * 14}"),
    ],
)
def test_names_of_folders_need_no_quotes_and_are_not_too_long(settings: dict[str, str], name: str) -> None:
    assert folder_name(3, settings) == name


def test_the_table_has_rounded_figures_and_the_file_all_digits(tmp_path: Path) -> None:
    figures = {"val BLEU": 1.0, "test BLEU": 12.345, "parameters": 4_124_648, "updates": 1_219, "minutes": 1.5}
    results = [Result(str(n), {"path": "a|b", "seed": str(n)}, {**figures, "val BLEU": float(n)}) for n in (1, 2)]
    shown = write(with_means(results), tmp_path).splitlines()
    assert " ".join(shown[:2]).split() == ["job", "path", "seed", *SIZES, "val", "test", "BLEU", "BLEU"]
    assert shown[2].split() == ["1", "a|b", "1", "4,124,648", "1,219", "1.5", "1.00", "12.35"]
    assert "mean of 2" in shown[4] and "1.50" in shown[4]
    lines = (tmp_path / "results.tsv").read_text().splitlines()
    assert lines[1].split("\t") == ["1", "a|b", "1", "4124648", "1219", "1.5", "1.0", "12.345"] and len(lines) == 5
    markdown = (tmp_path / "results.md").read_text().splitlines()
    assert r"a\|b" in markdown[2] and len(markdown) == 6
