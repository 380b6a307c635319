"""TensorBoard's files on a disk that becomes full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

resource = pytest.importorskip("resource")

WRITE = """
import logging, resource, sys
from pathlib import Path
from nmt.system.events import Events

logging.basicConfig(format="%(message)s")
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # a write beyond it fails as on a full disk
try:
    with Events(Path(sys.argv[1]), required=sys.argv[2] == "required") as events:
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


@pytest.mark.parametrize("required", [True, False])
def test_a_disk_that_is_full_is_told_once_and_without_a_traceback(tmp_path: Path, required: bool) -> None:
    command = [sys.executable, "-c", WRITE, str(tmp_path), "required" if required else "optional"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (path,) = tmp_path.iterdir()
    if required:
        assert (done.stdout, done.stderr) == (f"OSError 27 {path}\nwent on\n", "")
    else:
        told = f"{path}: File too large; the run goes on, but TensorBoard gets no more of it\n"
        assert (done.stdout, done.stderr) == ("went on\n", told)
    steps = [event.step for event in EventAccumulator(str(tmp_path)).Reload().Scalars("loss")]
    assert len(steps) >= 30 and steps == list(range(len(steps)))
