"""One run trained by the processes that torchrun or srun has started."""

from __future__ import annotations

import json
import re

import pytest

from tests.integration.launched import Srun, torchrun
from tests.integration.small_training import NO_AVERAGE, SMALL_TRANSFORMER, TINY

SHORT = [*TINY, *SMALL_TRANSFORMER, "data.sizes=[200,21,21]", "trainer.max_steps=4", NO_AVERAGE]


def test_tasks_of_srun_train_one_run_in_one_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    started = Srun(tmp_path, 2, *SHORT)
    assert started.wait() == [0, 0], started.said(0) + started.said(1)
    (folder,) = (tmp_path / "outputs" / "transformer").iterdir()
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["updates"] == 4 and metrics["sentences"]["val"] == 21
    said = started.said(0)
    assert said.count("run folder:") == 2 and ", 2 processes" in said and said.count("pieces, cached") == 1
    assert started.said(1) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "each"), [(2, 2), (3, 1)])
def test_a_single_run_goes_on_under_srun(tmp_path, monkeypatch, tasks, each):
    monkeypatch.chdir(tmp_path)
    started = Srun(tmp_path, tasks, *SHORT, "hydra.run.dir=run", each=each)
    assert started.wait() == [0] * tasks, started.said(0)
    started = Srun(tmp_path, tasks, "resume=run", "trainer.max_steps=6", each=each)
    assert started.wait() == [0] * tasks, started.said(0)
    assert json.loads((tmp_path / "run" / "metrics.json").read_text("utf-8"))["updates"] == 6


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 3])
def test_processes_of_torchrun_train_one_run_in_one_folder(tmp_path, processes):
    process = torchrun(processes, *SHORT, cwd=tmp_path)
    said = process.communicate()[0]
    assert process.returncode == 0, said
    (folder,) = (tmp_path / "outputs" / "transformer").iterdir()
    assert json.loads((folder / "metrics.json").read_text("utf-8"))["updates"] == 4
    assert said.count("run folder:") == 2 and f", {processes} processes" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", *SHORT, "seed=1,2"], "error: -m: a multirun is many runs, but torchrun has started 2 processes"),
        ([*SHORT, "modle=rnn"], "error: modle: unknown key"),
        ([*SHORT, "trainer.devices=3"], "error: trainer.devices: got 3, but torchrun has started 2 processes"),
        (["resume=nothing"], "error: resume: nothing: no such folder"),
        ([*SHORT, "hydra.run.dir=taken"], "error: hydra.run.dir: .*taken already holds a run"),
    ],
)
def test_a_mistake_is_reported_once(tmp_path, words, message):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "metrics.json").touch()
    process = torchrun(2, *words, cwd=tmp_path)
    said = process.communicate()[0]
    assert process.returncode != 0 and len(re.findall(message, said)) == 1 == said.count("error: "), said
    assert "[rank" not in said  # no traceback of a process of ours
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
