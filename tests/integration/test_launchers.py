"""Training in processes of its own: several that torchrun or srun has started, and one that is killed."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import signal
import time

import pytest

from nmt.system.run_files import last_checkpoint
from nmt.training.state import load_state
from tests.integration.launched import TRAIN, Srun, python, torchrun
from tests.integration.small_training import NO_AVERAGE, SMALL_TRANSFORMER, TINY, go, last, last_weights, same

pytestmark = pytest.mark.usefixtures("default_signals")

EXACT = [
    *TINY, *SMALL_TRANSFORMER, "data.sizes=[200,8,8]", "data.batch_tokens=130", "trainer.gradient_clip_val=0.5",
    "optimizer.eps=1", "optimizer.lr=1", "scheduler=constant", "scheduler.warmup_updates=0", NO_AVERAGE,
    "model.encoder.embedding_dropout=0", "model.encoder.block.residual_dropout=0", "trainer.max_epochs=2",
]  # fmt: skip
SHORT = [*TINY, *SMALL_TRANSFORMER, "data.sizes=[200,21,21]", "trainer.max_steps=4", NO_AVERAGE]


def test_tasks_of_srun_train_one_run_in_one_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    started = Srun(tmp_path, 2, *SHORT)
    assert started.wait() == [0, 0], started.said(0) + started.said(1)
    (folder,) = (tmp_path / "outputs" / "transformer").iterdir()
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["updates"] == 4 and metrics["sentences"]["val"] == 21
    said = started.said(0)
    assert said.count("run folder:") == 2 and ", 2 processes" in said and said.count("tokenizer: ") == 1
    assert started.said(1) == ""


def train(folder, processes, *words):
    """Train with a number of processes and batches in an update that make 6 batches of one process."""
    started = Srun(folder.parent, processes, *words, f"trainer.accumulate_grad_batches={6 // processes}")
    assert started.wait() == [0] * processes, started.said(0)


def differ(one, other):
    """The largest difference of any weight."""
    return max(float((one[name] - other[name]).abs().max()) for name in one)


@pytest.mark.slow
def test_other_numbers_of_processes_make_the_same_updates(tmp_path):
    """All orders of 1, 2 and 3 processes, each resumed inside an epoch, against one process that is not stopped.

    Float32 sums in another order differ in the seventh digit.
    """
    go(tmp_path / "one", *EXACT, "trainer.accumulate_grad_batches=6")
    whole = last(tmp_path / "one")
    batches = whole["loops"]["fit_loop"]["epoch_loop.batch_progress"]["total"]["completed"] // 2
    assert batches % 6 not in (0, 5), "in the last update of an epoch, a process has no batch"
    for number, order in enumerate(itertools.permutations([1, 2, 3])):
        folder = tmp_path / f"many{number}"
        train(folder, order[0], *EXACT, "trainer.max_steps=2", f"hydra.run.dir={folder}")
        train(folder, order[1], f"resume={folder}", "trainer.max_steps=4")
        train(folder, order[2], f"resume={folder}", "trainer.max_steps=-1")
        state = last(folder)
        assert state["global_step"] == whole["global_step"] == 2 * math.ceil(batches / 6)
        assert state["totals"]["target_tokens"] == whole["totals"]["target_tokens"]
        assert state["totals"]["epochs"] == pytest.approx(2, abs=0.1)  # the last update of an epoch has fewer batches
        assert differ(last_weights(folder), last_weights(tmp_path / "one")) < 1e-5


@pytest.mark.slow
def test_the_same_number_of_processes_resumes_exactly(tmp_path):
    words = [*TINY, *SMALL_TRANSFORMER, "data.sizes=[200,8,8]", "trainer.max_epochs=2", "scheduler=constant"]
    for folder, *parts in (("whole", []), ("parts", ["trainer.max_steps=3"], ["trainer.max_steps=-1"])):
        train(tmp_path / folder, 2, *words, *parts[0], f"hydra.run.dir={tmp_path / folder}")
        for more in parts[1:]:
            train(tmp_path / folder, 2, f"resume={tmp_path / folder}", *more)
    assert same(last_weights(tmp_path / "whole"), last_weights(tmp_path / "parts"))


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
        (["-m", *SHORT, "seed=1,2"], "error: -m: a multirun is many runs, but torchrun has started one run"),
        ([*SHORT, "trainer.devices=3"], "error: trainer.devices: got 3, but this machine has 2"),
        ([*SHORT, "hydra.run.dir=taken"], "error: .*taken already holds a run"),
    ],
)
def test_a_mistake_is_a_line_of_each_process(tmp_path, words, message):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "metrics.json").touch()
    process = torchrun(2, *words, cwd=tmp_path)
    said = process.communicate()[0]
    assert process.returncode != 0 and re.search(message, said), said
    assert said.count("error: ") <= 2
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


# Processes that end

LONG = [
    *TINY, *SMALL_TRANSFORMER, "data.sizes=[3000,20,20]", "trainer.max_epochs=200", "data.batch_tokens=150",
    "callbacks.checkpointing.save_every_updates=5", "callbacks.early_stopping.patience=null",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_to_one_task_saves_the_run(tmp_path, number):
    started = Srun(tmp_path, 2, *LONG, f"hydra.run.dir={tmp_path / 'run'}")
    deadline = time.monotonic() + 120
    while not last_checkpoint(tmp_path / "run").exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    os.kill(started.processes[1].pid, number)
    assert started.wait(30) == [128 + number] * 2
    said = started.said(0)
    assert said.count("is saved") == 1 and f"resume={tmp_path / 'run'}" in said and "Traceback" not in said
    started = Srun(tmp_path, 2, f"resume={tmp_path / 'run'}", "trainer.max_steps=60")
    assert started.wait() == [0, 0], started.said(0)


# One process that is killed

KILLED = [
    *TINY, *SMALL_TRANSFORMER, "data.sizes=[3000,20,20]", "trainer.max_epochs=2",
    "callbacks.checkpointing.save_every_updates=10", "data.batch_tokens=150",
]  # fmt: skip


def wait_for_updates(folder, process, updates):
    """Wait until last.ckpt is from `updates` or later."""
    path = folder / "checkpoints" / "last.ckpt"
    for _ in range(600):
        if path.exists() and load_state(path)["global_step"] >= updates:
            return
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    raise AssertionError("no checkpoint within a minute")


@pytest.mark.slow
def test_killed_in_mid_epoch_and_resumed_ends_with_the_same_weights(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    process = python(*TRAIN, *KILLED, f"hydra.run.dir={whole}")
    assert process.wait() == 0, process.stdout.read()

    process = python(*TRAIN, *KILLED, f"hydra.run.dir={killed}")
    wait_for_updates(killed, process, 20)
    process.kill()
    process.wait()
    assert not (killed / "metrics.json").exists()

    process = python(*TRAIN, f"resume={killed}")
    assert process.wait() == 0, process.stdout.read()
    assert same(last_weights(killed), last_weights(whole))
    ours, theirs = (json.loads((path / "metrics.json").read_text("utf-8")) for path in (killed, whole))
    assert ours["test"] == theirs["test"] and ours["updates"] == theirs["updates"]
    assert math.isclose(ours["epochs"], theirs["epochs"])
    assert 0.1 < ours["target_tokens_per_second"] / theirs["target_tokens_per_second"] < 10
