"""The processes of a run that torchrun or srun has started: they find each other, agree, and end together.

They meet at a store of torch.distributed: that of torchrun, or one of the first process. Then they form the process
group that Lightning uses. Each process writes a heartbeat to the store every second. If one fails, is killed or
hangs, the others end within half a minute, and one of them names it.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

import torch
from lightning_fabric.plugins.environments.cluster_environment import ClusterEnvironment
from lightning_fabric.plugins.environments.slurm import SLURMEnvironment
from lightning_fabric.plugins.environments.torchelastic import TorchElasticEnvironment
from torch import distributed
from torch.distributed import DistError, PrefixStore, TCPStore  # type: ignore[attr-defined]

from nmt.errors import UserError, one_line, printable
from nmt.system.launch import Launch, launch
from nmt.training.interruption import handled

T = TypeVar("T")

JOIN = timedelta(minutes=5)  # for all processes to find each other
BEAT = 1.0  # seconds between two heartbeats
# Seconds without a heartbeat. Before training, libraries may keep the other threads of a process from running.
HUNG, HUNG_BEFORE_TRAINING = 15.0, 600.0
SILENT = 5.0  # the same after an operation with the others has failed, so that one of them must be lost
OWN_END = 3.0  # seconds for the main thread to end by itself, because an operation with a lost process fails at once
ALIVE, LEFT, FAILED = "alive", "left", "failed"

logger = logging.getLogger(__name__)


class Lost(UserError):
    """Another process of the run has failed, was killed or hangs."""


class Processes:
    """All processes of a run, as one of them sees them."""

    def __init__(self, place: Launch, host: str, port: int) -> None:
        """Meet the others at a store. Raises UserError if they do not come."""
        self.place = place
        hosts = place.launcher == "srun" and place.rank == 0  # torchrun has a store already
        restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        try:
            whole = TCPStore(host, port, is_master=hosts, timeout=JOIN, wait_for_workers=False)
            self.store = PrefixStore(f"nmt {restart}", whole)
            # A connection of its own for the heartbeats: an operation blocks the others of its connection.
            mine = TCPStore(host, port, timeout=timedelta(seconds=HUNG), wait_for_workers=False)
        except DistError as error:
            raise UserError(
                f"{place.launcher}: process {place.rank} cannot reach {host}:{port}, where the processes of the run "
                f"meet ({one_line(error)[:100]}); check the network, or set MASTER_ADDR and MASTER_PORT"
            ) from error
        self._heartbeats = PrefixStore(f"nmt {restart}", mine)
        self._names = [f"name {rank}" for rank in range(place.size)]
        # Two entries for each process: a late heartbeat must not replace the state in which the process has ended.
        self._lives = [f"life {rank}" for rank in range(place.size)]
        self._beats = [f"beat {rank}" for rank in range(place.size)]
        self._lost_process: str | None = None
        self._reporter = 0
        self._silent: set[int] = set()  # the processes that cannot hear the others
        self._patience = HUNG_BEFORE_TRAINING
        self._seen: dict[int, tuple[str, str, float]] = {}  # state and last heartbeat of a process, and when it came
        self._exchanged = time.monotonic()  # when heartbeats were last exchanged
        self._ending = False  # the watch ends the process
        self._store_lost = False  # an operation of the store would fail or wait for minutes
        self._reached, self._ended = threading.Event(), threading.Event()
        self._limit = HUNG_BEFORE_TRAINING  # this process may be silent for so long
        self.report: Callable[[str], None] = _print_error
        self.store.set(self._names[place.rank], f"process {place.rank} ({socket.gethostname()}, pid {os.getpid()})")
        self._beat(0)
        self.store.set(self._lives[place.rank], ALIVE)
        self._meet()
        for work in (self._exchange, self._watch):  # two threads, because an operation of a lost store may not end
            threading.Thread(target=work, name="heartbeats", daemon=True).start()

    def _meet(self) -> None:
        try:
            self.store.wait([*self._names, *self._lives], JOIN)
        except DistError as error:
            missing = [rank for rank, name in enumerate(self._names) if not self.store.check([name])]
            raise UserError(
                f"{self.place.launcher}: {self.place.size - len(missing)} of {self.place.size} processes have come "
                f"within {JOIN.seconds // 60} minutes, process {', '.join(map(str, missing))} has not; start all of "
                "them with the launcher, on hosts that reach each other"
            ) from error
        self._names = [name.decode() for name in self.store.multi_get(self._names)]

    def wait(self, *names: str) -> None:
        """Wait for these entries of the store, for any time. Unlike a wait in the store, this lets signals in."""
        while not self.store.check(list(names)):
            time.sleep(0.1)

    def begin_training(self) -> None:
        """From now on, a process that gives no heartbeat for `HUNG` seconds is lost."""
        self._limit = HUNG
        self._beat(-1)  # at once: the process may hang before its next heartbeat

    def leave(self) -> None:
        """Leave the process group: the others do not miss this process any more."""
        self._end(LEFT)
        if distributed.is_initialized():
            distributed.destroy_process_group()

    def fail(self, reason: str) -> bool:
        """Let the others end with this reason, and give them time. Return whether the first process has printed it.

        The first process, which may keep the store, ends after the others. These end after it has printed the reason,
        because a launcher ends all processes when one has ended.
        """
        self._end(f"{FAILED} {reason}")
        first, printed, deadline = self.place.rank == 0, False, time.monotonic() + 2 * SILENT
        with suppress(DistError):
            while time.monotonic() < deadline and not self._store_lost and not printed:
                time.sleep(0.1)
                kinds = [state.decode().split()[0] for state in self.store.multi_get(self._lives)]
                others = {kinds[rank] for rank in range(1, len(kinds)) if rank not in self._silent}
                printed = others <= {LEFT} if first else kinds[0] != ALIVE
            if not first and not self._store_lost:
                self.store.set(self._lives[self.place.rank], LEFT)
        return printed and not first

    def _end(self, state: str) -> None:
        if not self._ended.is_set():
            self._ended.set()
            if not self._store_lost:
                with suppress(DistError):
                    self.store.set(self._lives[self.place.rank], state)

    # The watch

    def lost_process(self) -> str | None:
        """Return which process is lost, after an operation with the others has failed; None if none is."""
        self._patience = SILENT
        self._reached.wait(2 * SILENT)
        while self._ending:
            time.sleep(1)
        return self._lost_process

    @property
    def reports(self) -> bool:
        """Whether this process prints which process is lost: the first one that can."""
        return self._reporter == self.place.rank

    def _beat(self, number: int) -> None:
        self._heartbeats.set(self._beats[self.place.rank], f"{self._limit} {number}")

    def _exchange(self) -> None:
        """Give a heartbeat every second, and take those of the others."""
        number = 0
        while not self._ended.wait(BEAT):
            number += 1
            try:
                self._beat(number)
                got = [entry.decode() for entry in self._heartbeats.multi_get([*self._lives, *self._beats])]
            except DistError:
                self._store_lost = True
                return
            self._exchanged = time.monotonic()
            for rank, new in enumerate(zip(got[: self.place.size], got[self.place.size :], strict=True)):
                if self._seen.get(rank, ("", "", 0.0))[:2] != new:
                    self._seen[rank] = *new, self._exchanged

    def _watch(self) -> None:
        """Find lost processes."""
        awake = last = time.monotonic()
        while not self._ended.wait(BEAT):
            now = time.monotonic()
            if now - last > SILENT:  # this process itself was stopped, perhaps together with the others
                awake = now
            last = now
            limit = min(self._patience, self._limit)
            self._store_lost = self._store_lost or now - max(self._exchanged, awake) > limit
            if self._store_lost:
                lost = {0: self._names[0] if self.place.launcher == "srun" else "torchrun"}
                lost[0] += " has ended, hangs or cannot be reached: it keeps the store of all processes"
            else:
                problems = {rank: self._problem(rank, now - awake) for rank in self._seen}
                lost = {rank: problem for rank, problem in problems.items() if problem is not None}
            if lost:
                self._give_up(lost)
                return

    def _problem(self, rank: int, longest: float) -> str | None:
        """Return why a process is lost, or None. Its silence counts for `longest` seconds at most."""
        state, beat, seen = self._seen[rank]
        if state.startswith(FAILED):
            return f"{self._names[rank]}: {state.removeprefix(FAILED).strip()}"
        silent = min(longest, time.monotonic() - seen)
        if state == ALIVE and silent > min(self._patience, float(beat.split()[0])):
            return f"{self._names[rank]} was killed or hangs: no heartbeat for {silent:.0f} s"
        return None

    def _give_up(self, lost: dict[int, str]) -> None:
        """Let the main thread end by itself if it can, and end the process otherwise."""
        self._silent = {rank for rank in lost if self._store_lost or not self._seen[rank][0].startswith(FAILED)}
        self._reporter = min(set(range(self.place.size)) - self._silent)
        self._lost_process = next(iter(lost.values()))
        self._reached.set()
        if self._ended.wait(OWN_END):
            return
        self._ending = True
        if self.reports:
            self.report(self._lost_process)
        self.fail(self._lost_process)
        os._exit(2)


def _print_error(message: str) -> None:
    print("error:", printable(message), file=sys.stderr, flush=True)


_joined: Processes | None = None


def cluster_environment() -> ClusterEnvironment | None:
    """Return Lightning's description of a launcher that has started several processes, else None.

    SLURM's jobs are requeued by their script, and not by Lightning, which would save a checkpoint of its own.
    """
    place = launch()
    if not place.several:
        return None
    return TorchElasticEnvironment() if place.launcher == "torchrun" else SLURMEnvironment(auto_requeue=False)


@contextmanager
def joined() -> Iterator[None]:
    """Join the other processes of the run for the time of the block.

    If the block fails in one process, all end. One of them reports it: the first process, if it lives.
    """
    global _joined
    environment = cluster_environment()
    assert environment is not None, "a launcher has started several processes"
    place = launch()
    _joined = everyone = Processes(place, environment.main_address, environment.main_port)
    try:
        group = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and distributed.is_nccl_available() else "gloo"
        distributed.init_process_group(group, store=everyone.store, rank=place.rank, world_size=place.size)
        yield
        everyone.leave()
    except UserError as error:
        reports = everyone.reports if isinstance(error, Lost) else place.rank == 0
        if reports:
            _print_error(str(error))  # now, before another process has ended
        if not everyone.fail(str(error)) and not reports and not isinstance(error, Lost):
            _print_error(str(error))
        raise SystemExit(2) from error
    except SystemExit:
        everyone.leave()
        raise
    except BaseException as error:
        everyone.fail(f"{type(error).__name__}: {one_line(error)}")
        raise
    finally:
        _joined = None


@contextmanager
def lost_process_named() -> Iterator[None]:
    """Turn the failure of an operation with a lost process into `Lost`, which names that process.

    The launcher may send SIGTERM at the same time, which changes nothing.
    """
    try:
        yield
    except (RuntimeError, KeyboardInterrupt, SystemExit) as error:
        if _joined is None or not _of_operation(error):
            raise
        for number in handled():
            signal.signal(number, signal.SIG_IGN)
        message = _joined.lost_process()
        if message is None:
            raise
        raise Lost(message) from error


def _of_operation(error: BaseException | None) -> bool:
    """Return whether an operation of the process group failed, or led to this error."""
    while error is not None:
        if isinstance(error, DistError) or (isinstance(error, RuntimeError) and "gloo" in str(error)):
            return True
        error = error.__context__
    return False


@contextmanager
def once_a_node() -> Iterator[None]:
    """Run the block in one process of each node first, then in the others, which find its results in the cache."""
    if _joined is None:
        yield
        return
    place = _joined.place
    if place.local_rank > 0:
        _joined.wait(f"prepared {place.node}")
    yield
    if place.local_rank == 0:
        _joined.store.set(f"prepared {place.node}", "")
    _joined.store.set(f"ready {place.rank}", "")
    _joined.wait(*(f"ready {rank}" for rank in range(place.size)))
    _joined.begin_training()


def on_lost(report: Callable[[str], None]) -> None:
    """Call `report` with the message before this process is ended because of a lost one."""
    if _joined is not None:
        _joined.report = report


def leave() -> None:
    """Leave the other processes, at the end of training: only the first one goes on."""
    if _joined is not None:
        _joined.leave()


def from_first_process(value: T) -> T:
    """Return in every process the value that the first one gives."""
    values: list[Any] = [value]
    with lost_process_named():
        distributed.broadcast_object_list(values)
    first: T = values[0]
    return first
