"""TensorBoard's files: on a disk that becomes full, and after a kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing import event_accumulator, plugin_event_accumulator
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.training.events import Events

WRITE = """
import logging, resource, sys
from pathlib import Path
from nmt.training.events import Events

logging.basicConfig(format="%(message)s")
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # a write beyond it fails as on a full disk
for name in ("required", "optional"):
    try:
        with Events(Path(sys.argv[1], name), required=name == "required") as events:
            for step in range(1000):
                events.add_scalar("loss", step, step)
                if step % 10 == 0:
                    events.flush()
            events.close()
            events.add_scalar("loss", 0.0, step)  # as after the end of Lightning's fit
    except OSError as error:
        print("OSError", error.errno, error.filename)
    print("went on")
"""


def test_a_disk_that_is_full_is_told_once_and_without_a_traceback(tmp_path: Path) -> None:
    """One process for both kinds of files, as it imports torch."""
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", WRITE, str(tmp_path)], capture_output=True, text=True, check=True)
    (required,), (optional,) = ((tmp_path / name).iterdir() for name in ("required", "optional"))
    assert done.stdout == f"OSError 27 {required}\nwent on\nwent on\n"
    assert done.stderr == f"{optional}: File too large; the run goes on, but TensorBoard gets no more of it\n"
    for folder in (required.parent, optional.parent):
        steps = [event.step for event in EventAccumulator(str(folder)).Reload().Scalars("loss")]
        assert len(steps) >= 30 and steps == list(range(len(steps)))


def test_after_a_kill_each_step_is_there_once(tmp_path: Path) -> None:
    killed, resumed = Events(tmp_path), Events(tmp_path)  # neither is closed
    for session, steps in ((killed, range(1, 11)), (resumed, range(8, 15))):
        session.begin_session(steps[0])
        for step in steps:
            session.add_scalar("loss", step, step)
    old = event_accumulator.EventAccumulator(str(tmp_path)).Reload().Scalars("loss")
    new = plugin_event_accumulator.EventAccumulator(str(tmp_path)).Reload().Tensors("loss")
    assert [each.step for each in old] == [each.step for each in new] == list(range(1, 15))
