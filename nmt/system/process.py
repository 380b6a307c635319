"""Settings of the process that make training and translation faster."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import torch

from nmt.system import machine
from nmt.system.place import Place, usable_cores

M_TRIM_THRESHOLD, M_MMAP_MAX, M_ARENA_MAX = -1, -4, -8  # malloc.h
LARGEST_INT = 2**31 - 1
ZEN_5 = "26"  # AMD's number of this family of processors; Intel has none with 26
ALONE = Place()


def speed_up(place: Place = ALONE) -> None:
    """Apply all settings. They change the complete process, so only programs, training and its benchmark call this."""
    keep_freed_memory()
    keep_few_products()
    choose_threads(place)
    # A processor needs a hundred times longer for a denormal number (below about 1e-38), and a sharp softmax has many:
    # after a thousand updates, Luong attention trains 40 % faster if they are 0. Threads that are started later do as
    # this one, but threads that already run keep their mode. So this comes before the first large tensor.
    torch.set_flush_denormal(True)
    # With bfloat16 or float16, torch prefers the attention of cuDNN on some GPUs. It makes a plan for each new shape of
    # a batch, which takes tenths of a second, and the batches of sentences have hundreds of shapes
    # (https://github.com/modelscope/FunASR/issues/3704).
    torch.backends.cuda.enable_cudnn_sdp(False)
    multiply_with_onednn()


def multiply_with_onednn() -> None:
    """Let oneDNN compute float32 products if it needs half the time of MKL.

    Torch multiplies with MKL, which uses the instructions of AVX-512 only on processors of Intel. So this function
    chooses oneDNN on AMD's Zen 5, if there is no GPU. Zen 4 has the instructions too, but each takes two cycles: large
    products are no faster, and small ones slower, because oneDNN compiles a product for each shape.

    Torch offers oneDNN only by a setting that also allows it to round the factors to bfloat16. oneDNN rounds only on
    processors with matrix units (AMX). A product is computed as a test, and the setting is taken back if it was
    rounded.
    """
    if (
        torch.backends.cpu.get_cpu_capability() != "AVX512"
        or machine.cpu_fact("cpu family") != ZEN_5
        or torch.accelerator.is_available()
    ):
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    factor = torch.full((256, 256), 1 + 2**-12)  # bfloat16 rounds it to 1
    if (factor @ factor < 256 * (1 + 2**-12)).any():
        torch.set_float32_matmul_precision(before)


def keep_few_products() -> None:
    """Let oneDNN keep the last 64 products that it has compiled, if the environment says nothing else.

    oneDNN multiplies with bfloat16, and in float32 on AMD's Zen 5. It compiles a product for each shape and keeps
    the last 1,024. Torch keeps 1,024 descriptions of products beside them. Each of both holds a quarter of a MiB, so
    the memory of a run grows. Both libraries read their variable at the first product.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")
    os.environ.setdefault("LRU_CACHE_CAPACITY", "1")  # torch crashes with 0


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread in the block. Threads that it starts here would not obey a later `speed_up`."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def choose_threads(place: Place) -> None:
    """Let torch, and all that asks torch, use as many threads as this process has cores for itself.

    If OMP_NUM_THREADS is set, it decides. But torchrun sets it to 1 for processes that share a machine, whatever the
    number of cores, so this 1 is ignored. Otherwise SLURM_CPUS_PER_TASK decides, the number of cores of a SLURM task.
    """
    given, task = os.environ.get("OMP_NUM_THREADS"), os.environ.get("SLURM_CPUS_PER_TASK", "")
    if place.launcher == "torchrun" and place.local_size > 1 and given == "1":
        count = max(1, usable_cores() // place.local_size)
    elif given is None:
        count = int(task) if task.isdecimal() and int(task) else min(torch.get_num_threads(), usable_cores())
    else:
        return
    os.environ["OMP_NUM_THREADS"] = str(count)  # for processes that are started later
    torch.set_num_threads(count)


def take_own_gpu(place: Place) -> None:
    """Make the GPU of this process the current one of torch, beside the other processes that a launcher has started."""
    if place.several and torch.cuda.is_available():
        torch.cuda.set_device(place.local_rank % torch.cuda.device_count())


def keep_freed_memory() -> None:
    """Let glibc's malloc keep freed memory for the next tensor.

    By default, malloc maps new pages for every large block, and returns them to the kernel when the block is freed. The
    kernel fills each new page with zeros, which takes a third of the time of training on a CPU. Without glibc (macOS,
    Windows, musl) this function does nothing. What one thread has freed, all threads may use.
    """
    with suppress(OSError, TypeError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt.argtypes = (ctypes.c_int, ctypes.c_int)
        mallopt(M_MMAP_MAX, 0)
        mallopt(M_TRIM_THRESHOLD, LARGEST_INT)
        mallopt(M_ARENA_MAX, 1)


def return_freed_memory() -> None:
    """Return the memory that malloc keeps to the kernel, if malloc is glibc's.

    A validation needs pieces of other sizes than training. So this is called before and after each.
    """
    with suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
