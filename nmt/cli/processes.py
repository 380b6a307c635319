"""`trainer.devices=2`: two processes on this machine train one run, as if torchrun had started them."""

from __future__ import annotations

import logging
import os
import sys
import uuid
from collections.abc import Sequence

from nmt.config.settings import TrainerConfig
from nmt.errors import UserError, counted

STARTED = "NMT_STARTED_PROCESSES"  # an environment variable of the processes that `start_processes` has started
SIGNALS = "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1"  # those that are passed on to the processes


def device_count(trainer: TrainerConfig) -> int:
    """Return the number of devices, and so of processes, that the settings mean on this machine."""
    if isinstance(trainer.devices, list):
        return len(trainer.devices)
    if trainer.devices not in ("auto", -1):
        return int(trainer.devices)
    if trainer.accelerator in ("cpu", "mps"):
        return 1
    import torch  # here, because importing torch takes seconds

    return max(1, torch.cuda.device_count())


def start_processes(command: Sequence[str], trainer: TrainerConfig) -> None:
    """Run the Python program `command` (its path, then its arguments) in one process for each device, to their end.

    Raises SystemExit with the status of the first one that fails, or 128 + the number of a signal that ends them all,
    and UserError if one was killed.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    os.environ[STARTED] = "1"
    if isinstance(trainer.devices, list) and trainer.accelerator != "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = _visible(trainer.devices)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # as torchrun does; each process takes its share of the cores
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=device_count(trainer),
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=0,
        signals_to_handle=SIGNALS,
    )
    logging.disable(logging.ERROR)  # the processes report their own errors
    try:
        elastic_launch(config, sys.executable)(*command)
    except SignalException as stop:
        raise SystemExit(128 + stop.sigval) from stop
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        if failure.exitcode > 0:
            raise SystemExit(failure.exitcode) from error
        raise UserError(f"process {rank} (pid {failure.pid}) was ended by {failure.signal_name()}") from error
    finally:
        logging.disable(logging.NOTSET)


def _visible(devices: Sequence[int]) -> str:
    """Return the value of CUDA_VISIBLE_DEVICES that leaves only these GPUs, which are numbered as they are visible now.

    Raises UserError for a GPU that is not there.
    """
    import torch

    count = torch.cuda.device_count()
    if max(devices) >= count:
        raise UserError(f"trainer.devices: got {devices}, but this machine has {counted(count, 'GPU')}, counted from 0")
    names = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    return ",".join(names[index] if len(names) > 1 else str(index) for index in devices)
