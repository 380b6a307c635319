"""Joins the processes that torchrun or srun has started for one run. On each node, one prepares the data for all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
from lightning_fabric.plugins.environments.cluster_environment import ClusterEnvironment
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from lightning_fabric.plugins.environments.slurm import SLURMEnvironment
from lightning_fabric.plugins.environments.torchelastic import TorchElasticEnvironment
from torch import distributed
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from nmt.errors import UserError, one_line
from nmt.system.place import place_of_process

T = TypeVar("T")

TIMEOUT = timedelta(hours=2)  # the longest wait for another process, which may still prepare the data


def cluster_environment() -> ClusterEnvironment:
    """Return Lightning's description of the launcher.

    SLURM's jobs are requeued by their script, and not by Lightning, which would save a checkpoint of its own.
    """
    place = place_of_process()
    if not place.several:
        return LightningEnvironment()
    return TorchElasticEnvironment() if place.launcher == "torchrun" else SLURMEnvironment(auto_requeue=False)


def join_processes() -> None:
    """Form the process group, which Lightning then uses, if a launcher has started several processes."""
    place, environment = place_of_process(), cluster_environment()
    if not place.several or distributed.is_initialized():
        return
    os.environ.setdefault("MASTER_ADDR", environment.main_address)  # torchrun has set both
    os.environ.setdefault("MASTER_PORT", str(environment.main_port))
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and distributed.is_nccl_available() else "gloo"
    with _lost_process_in_one_line():
        store, rank, size = next(rendezvous("env://", place.rank, place.size, timeout=TIMEOUT))
        # The store of torchrun still has the addresses of the processes that it started before these.
        store = PrefixStore(f"start {place.restarts}", store)
        distributed.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=TIMEOUT)


@contextmanager
def first_of_node_first() -> Iterator[None]:
    """Run the block in one process of each node first, then in the others, which find its results in the cache."""
    place = place_of_process()
    if place.local_rank > 0:
        _wait_for_all()
    yield
    if place.several and place.local_rank == 0:
        _wait_for_all()


def from_first_process(value: T) -> T:
    """Return in every process the value that the first one gives."""
    values: list[Any] = [value]
    if place_of_process().several:
        with _lost_process_in_one_line():
            distributed.broadcast_object_list(values)
    first: T = values[0]
    return first


def leave_processes() -> None:
    """Leave the other processes, at the end of training: only the first one goes on."""
    if distributed.is_initialized():
        distributed.destroy_process_group()


def _wait_for_all() -> None:
    with _lost_process_in_one_line():
        distributed.barrier()


@contextmanager
def _lost_process_in_one_line() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        reason = one_line(error)[:100]
        raise UserError(f"another process of this run has ended, and its own message says why ({reason})") from error
