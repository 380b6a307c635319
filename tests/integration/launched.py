"""Starts train.py as launchers do: torchrun itself, and processes with the environment variables of SLURM's srun."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nmt.cli import train

ROOT = Path(__file__).resolve().parents[2]
TRAIN = [str(ROOT / "train.py")]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def torchrun(processes: int, *words: str, cwd: Path) -> subprocess.Popen[str]:
    """Start train.py in several processes with these words."""
    return python(
        "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", *TRAIN, *words, cwd=cwd
    )


def python(*words: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Start Python with these words; its standard output and standard error come together."""
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        cwd=cwd,
    )


class Srun:
    """Forks `tasks` processes with the variables of srun, each on its own node, which run train.py with `words`."""

    def __init__(self, folder: Path, tasks: int, *words: str) -> None:
        self.outputs = [folder / f"{rank}.out" for rank in range(tasks)]
        port, forks = free_port(), multiprocessing.get_context("fork")
        self.processes = []
        for rank in range(tasks):
            numbers = {"JOB_ID": port, "NTASKS": tasks, "STEP_NUM_TASKS": tasks, "NTASKS_PER_NODE": 1}
            numbers |= {"NNODES": tasks, "PROCID": rank, "LOCALID": 0, "NODEID": rank}
            variables = {f"SLURM_{name}": str(value) for name, value in numbers.items()}
            variables |= {"SLURM_NODELIST": "127.0.0.1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            process = forks.Process(target=_task, args=(self.outputs[rank], variables, words))
            process.start()
            self.processes.append(process)

    def wait(self, seconds: float = 120) -> list[int | None]:
        """Return the exit statuses; None for a task that has not ended."""
        for process in self.processes:
            process.join(seconds)
        return [process.exitcode for process in self.processes]

    def said(self, rank: int) -> str:
        """Return what a task has printed."""
        return self.outputs[rank].read_text("utf-8")


def _task(output: Path, variables: dict[str, str], words: Sequence[str]) -> None:
    os.environ.update(variables)
    with (
        output.open("w", buffering=1) as stream,
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
    ):
        sys.argv = ["train.py", *words]
        train.main()
