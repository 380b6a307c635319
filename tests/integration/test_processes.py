"""Training in separate processes: one is killed and resumed, two train one model together."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest

from nmt.training.state import load_state
from tests.integration.small_training import (
    ROOT,
    SMALL_TRANSFORMER,
    TINY,
    last_weights,
    same,
)

pytestmark = pytest.mark.usefixtures("default_signals")

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
        if path.exists() and load_state(path)["global_step"] >= updates:
            return
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    raise AssertionError("no checkpoint within a minute")


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
