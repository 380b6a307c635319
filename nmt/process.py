"""Settings of the whole process that make training and translation faster on a CPU."""

from __future__ import annotations

import ctypes
import os

import torch

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_MMAP_MAX = -1, -3, -4  # malloc.h
LARGEST_INT = 2**31 - 1


def speed_up() -> None:
    """Set what makes a program of ours faster on a CPU; for the whole process, and so not for a library to do."""
    keep_freed_memory()
    flush_denormals()


def limit_threads(count: int) -> None:
    """Let torch, and the libraries of processes started from now on, use `count` threads."""
    os.environ["OMP_NUM_THREADS"] = str(count)
    torch.set_num_threads(count)


def keep_freed_memory() -> bool:
    """Tell glibc's malloc to keep freed memory for the next tensor; return whether it was told.

    By default blocks above a threshold are mapped afresh for every allocation and given back on every free. The kernel
    zeroes each new page at its first touch, which costs a third of the time of training on a CPU. Without glibc (macOS,
    Windows, musl) this does nothing.
    """
    try:
        libc = ctypes.CDLL(None)
        libc.gnu_get_libc_version  # noqa: B018  (the question is whether it is there)
        mallopt = libc.mallopt
    except (OSError, TypeError, AttributeError):
        return False
    mallopt.argtypes, mallopt.restype = (ctypes.c_int, ctypes.c_int), ctypes.c_int
    # Old versions of glibc refuse a threshold above 32 MiB, but not to map nothing at all.
    unmapped = mallopt(M_MMAP_THRESHOLD, LARGEST_INT) == 1 or mallopt(M_MMAP_MAX, 0) == 1
    return bool(unmapped and mallopt(M_TRIM_THRESHOLD, LARGEST_INT) == 1)


def flush_denormals() -> bool:
    """Let this thread, and all that it starts from now on, take numbers below 1e-38 for 0; return whether it can.

    A processor takes a hundred times longer for a denormal number, and a sharp softmax is full of them: Luong attention
    that has learnt for a thousand updates trains by two fifths faster without. Threads that are there already keep
    their mode, so this comes before the first large tensor.
    """
    return torch.set_flush_denormal(True)
