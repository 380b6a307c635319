"""Training in separate processes: one is killed and resumed, two train one model together."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from nmt.system.run_files import last_checkpoint
from nmt.training.state import load_state
from tests.integration.small_training import (
    NO_AVERAGE,
    ROOT,
    SMALL_TRANSFORMER,
    TINY,
    go,
    last_weights,
    same,
)

KILLED = [
    *TINY, *SMALL_TRANSFORMER, "data.sizes=[3000,20,20]", "trainer.max_epochs=2",
    "callbacks.checkpointing.save_every_updates=10", "data.batch_tokens=150",
]  # fmt: skip


def start(*overrides, program=ROOT / "train.py", cwd=None):
    return subprocess.Popen(
        [sys.executable, str(program), *overrides],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        cwd=cwd,
    )


def wait_for_updates(folder, process, updates):
    """Wait until last.ckpt is from `updates` or later."""
    path = folder / "checkpoints" / "last.ckpt"
    for _ in range(600):
        if path.exists() and load_state(path)["nmt"]["update"] >= updates:
            return
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    raise AssertionError("no checkpoint within a minute")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_a_run_at_any_time_and_it_goes_on(tmp_path, number):
    folder = tmp_path / "run"
    words = [*KILLED, f"hydra.run.dir={folder}"]
    process = start(*words)
    while not (folder / "config.yaml").exists():
        time.sleep(0.05)
    process.send_signal(number)
    said = process.communicate()[0]
    assert process.returncode == 128 + number and "Traceback" not in said and not folder.exists()

    process = start(*words)
    wait_for_updates(folder, process, 20)
    process.send_signal(number)
    said = process.communicate()[0]
    assert process.returncode == 128 + number and f"train.py resume={folder}" in said and "Traceback" not in said
    process = start(f"resume={folder}")
    assert process.wait() == 0, process.stdout.read()


@pytest.mark.slow
def test_killed_in_mid_epoch_and_resumed_ends_with_the_same_weights(tmp_path):
    whole, killed, stopped = (tmp_path / name for name in ("whole", "killed", "stopped"))
    process = start(*KILLED, f"hydra.run.dir={whole}")
    assert process.wait() == 0, process.stdout.read()

    process = start(*KILLED, f"hydra.run.dir={killed}")
    wait_for_updates(killed, process, 20)
    process.kill()
    process.wait()
    assert not (killed / "metrics.json").exists()

    process = start(*KILLED, f"hydra.run.dir={stopped}")
    wait_for_updates(stopped, process, 20)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130 and f"train.py resume={stopped}" in said and "Traceback" not in said

    for folder in (killed, stopped):
        process = start(f"resume={folder}")
        assert process.wait() == 0, process.stdout.read()
        assert same(last_weights(folder), last_weights(whole))
        ours, theirs = (json.loads((path / "metrics.json").read_text("utf-8")) for path in (folder, whole))
        assert ours["test"] == theirs["test"] and ours["updates"] == theirs["updates"]
        assert math.isclose(ours["epochs"], theirs["epochs"])
        assert 0.1 < ours["target_tokens_per_second"] / theirs["target_tokens_per_second"] < 10


@pytest.mark.slow
def test_two_processes_train_one_model_in_one_folder_and_show_it(tmp_path):
    process = start(
        *TINY, *SMALL_TRANSFORMER, "data.sizes=[200,21,21]", "trainer.max_steps=6", "trainer.devices=2",
        "trainer.strategy=ddp", "callbacks.checkpointing.average_last=2", "callbacks.progress.plain_seconds=0",
        cwd=tmp_path,
    )  # fmt: skip
    said = process.communicate()[0]
    assert process.returncode == 0, said
    (folder,) = (tmp_path / "outputs" / "transformer").iterdir()
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["updates"] == 6 and metrics["sentences"]["val"] == 21
    assert said.count("left\n") >= 5, said
    states = load_state(last_checkpoint(folder))["callbacks"]["Generators"]["ranks"]
    assert len(states) == 2 and not torch.equal(states[0]["torch"], states[1]["torch"])


@pytest.mark.slow
def test_two_processes_are_stopped_and_go_on_as_if_they_had_not_been(tmp_path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    two = [*KILLED, "trainer.devices=2", "trainer.strategy=ddp"]
    process = start(*two, f"hydra.run.dir={whole}")
    assert process.wait() == 0, process.stdout.read()
    process = start(*two, f"hydra.run.dir={stopped}")
    wait_for_updates(stopped, process, 20)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130 and f"train.py resume={stopped}" in said, said
    process = start(f"resume={stopped}")
    assert process.wait() == 0, process.stdout.read()
    for name, value in last_weights(whole).items():
        torch.testing.assert_close(last_weights(stopped)[name], value, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_the_killed_one_of_two_processes_is_named(tmp_path):
    folder = tmp_path / "run"
    process = start(*KILLED, "trainer.max_epochs=200", "trainer.devices=2", f"hydra.run.dir={folder}")
    wait_for_updates(folder, process, 10)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("ascii").split()
    os.kill(int(children[-1]), signal.SIGKILL)
    said = process.communicate(timeout=30)[0]
    assert process.returncode == 2 and "Traceback" not in said
    assert re.search(r"error: process \d \(pid \d+\) was ended by SIGKILL\n", said), said
    assert f"resume={folder}" in said


@pytest.mark.slow
def test_two_processes_update_as_one_that_accumulates(tmp_path):
    common = [
        *TINY, *SMALL_TRANSFORMER, "data.sizes=[200,8,8]", "trainer.max_epochs=2", "trainer.gradient_clip_val=0.5",
        "optimizer.eps=1", "optimizer.lr=1",
        "model.encoder.embedding_dropout=0", "model.encoder.block.residual_dropout=0", NO_AVERAGE,
    ]  # fmt: skip
    process = start(*common, "trainer.devices=2", "trainer.strategy=ddp", f"hydra.run.dir={tmp_path / 'two'}")
    said = process.communicate()[0]
    assert process.returncode == 0, said
    go(tmp_path / "one", *common, "trainer.accumulate_grad_batches=2")
    one, two = last_weights(tmp_path / "one"), last_weights(tmp_path / "two")
    for name, value in one.items():
        torch.testing.assert_close(two[name], value, rtol=1e-4, atol=1e-6)
