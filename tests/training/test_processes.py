"""Processes that a launcher has started: what they agree on, and how they end together."""

from __future__ import annotations

import sys
import time

import pytest

from nmt.cli.program import run
from nmt.errors import UserError
from nmt.system.launch import launch
from nmt.training.processes import from_first_process, joined, once_a_node
from tests.integration.launched import Srun


def together(folder, tasks, work, each=1):
    """Run `work` with the rank in joined processes, as a program does."""

    def program(arguments):
        with joined():
            work(launch().rank)

    def task():
        sys.argv = ["train.py"]
        run(program)

    return Srun(folder, tasks, task, each)


def test_all_get_the_value_of_the_first(tmp_path):
    started = together(tmp_path, 3, lambda rank: print(from_first_process(f"folder of {rank}")))
    assert started.wait() == [0, 0, 0]
    assert [started.said(rank) for rank in range(3)] == ["folder of 0\n"] * 3


def test_one_process_of_a_node_prepares_before_the_others(tmp_path):
    def prepare(rank):
        with once_a_node():
            for node in range(2):
                if rank == 2 * node:
                    time.sleep(0.3)
                    (tmp_path / f"prepared{node}").touch()
            assert (tmp_path / f"prepared{rank // 2}").exists()
        assert (tmp_path / "prepared0").exists() and (tmp_path / "prepared1").exists()
        from_first_process(None)

    started = together(tmp_path, 4, prepare, each=2)
    assert started.wait() == [0] * 4, started.said(0) + started.said(1)


@pytest.mark.parametrize("failing", [[0], [1], [0, 1]])
def test_a_mistake_in_some_processes_is_printed_once_and_ends_all(tmp_path, failing):
    def work(rank):
        if rank in failing:
            raise UserError(f"no such file on host {rank}")
        from_first_process(None)

    started = together(tmp_path, 2, work)
    assert started.wait(30) == [2, 2]
    said = [started.said(rank) for rank in range(2)]
    assert sum(each.count("error: ") for each in said) == 1, said
    assert f"no such file on host {failing[0]}\n" in said[0]
    assert ("process 1 (" in said[0]) == (failing == [1])


def test_a_late_heartbeat_does_not_hide_that_a_process_has_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("nmt.training.processes.BEAT", 1e-4)  # so that a heartbeat is under way at any time
    monkeypatch.setattr("nmt.training.processes.OWN_END", 0.1)

    def work(rank):
        if rank == 1:
            raise UserError("no such file")
        from_first_process(None)

    for _ in range(3):
        began = time.monotonic()
        assert together(tmp_path, 2, work).wait(30) == [2, 2]
        assert time.monotonic() - began < 8  # without waiting for a state that another one has replaced
