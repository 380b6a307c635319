"""Facts about the machine, the installed versions and the checkout, for metrics.json and the benchmark."""

from __future__ import annotations

import ctypes
import gc
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

DEPENDENCIES = (
    *("torch", "pytorch-lightning", "hydra-core", "omegaconf", "numpy"),
    *("sentencepiece", "sacrebleu", "datasets", "babel", "num2words"),
)
GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")


def describe(device: torch.device | str = "cpu", count: int = 1) -> dict[str, Any]:
    """Return plain facts about the machine, of whose devices `count` such as `device` are used.

    `cpu` (model), `cores` (that this process may use), `threads` (that torch uses for one operation), `memory_bytes`
    (of the machine; None where the system does not tell), `gpus` (names of those used), `system`.
    """
    return {
        "cpu": _cpu_model(),
        "cores": usable_cores(),
        "threads": torch.get_num_threads(),
        "memory_bytes": _memory_bytes(),
        "gpus": [torch.cuda.get_device_name(device)] * count if torch.device(device).type == "cuda" else [],
        "system": f"{platform.system()} {platform.machine()}",
    }


def summary(facts: Mapping[str, Any]) -> str:
    """Return the facts of `describe` in a few words."""
    memory = f", {facts['memory_bytes'] / 2**30:.0f} GiB" if facts["memory_bytes"] else ""
    return ", ".join(facts["gpus"]) or f"{facts['threads']} threads of an {facts['cpu']}{memory}"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the main dependencies that are installed."""
    found = {"python": platform.python_version()}
    for name in DEPENDENCIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit(folder: str | Path) -> str | None:
    """Return the git commit that `folder` is checked out from, with "-dirty" where tracked files differ from it.

    None outside git, for a folder that git does not track (a package installed inside some other project's checkout),
    before the first commit, and where git itself is missing.
    """
    if not _git(folder, "ls-files", "--", "."):
        return None
    head = _git(folder, "rev-parse", "--verify", "HEAD")
    if not head:
        return None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return f"{head}-dirty" if changes else head


def peak_memory_bytes() -> int:
    """Return the most memory used so far, or since `forget_peak_memory`.

    Of the GPU's allocator where one is in use, else resident in this process; 0 where the system does not tell
    (Windows).
    """
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return int(torch.cuda.max_memory_allocated())
    try:
        import resource
    except ModuleNotFoundError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # Linux counts in KiB, macOS in bytes


def forget_peak_memory() -> None:
    """Begin `peak_memory_bytes` anew, so that each job of a multirun tells its own; on a CPU this takes Linux."""
    gc.collect()
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.reset_peak_memory_stats()
    with suppress(OSError, TypeError, AttributeError):  # what an earlier job freed is kept: give it back first
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # proc(5): resets the high-water mark


def matmul_peak(size: int = 2048, repeats: int = 10, device: torch.device | str = "cpu") -> float:
    """Return the FLOP/s of the best of `repeats` float32 products of `size` x `size` on `device`.

    A product counts 2 * size^3 operations.
    """
    left, right, product = (torch.randn(size, size, device=device) for _ in range(3))
    torch.mm(left, right, out=product)  # pages and threads are there before the clock runs
    best = float("inf")
    for _ in range(repeats):
        wait()
        start = time.perf_counter()
        torch.mm(left, right, out=product)
        wait()
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


def wait() -> None:
    """Wait until a GPU has done what it was asked for, so that a clock can be read."""
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = _run(["sysctl", "-n", "machdep.cpu.brand_string"]).splitlines()
        return lines[0] if lines else platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _git(folder: str | Path, *arguments: str) -> str:
    """Return what git prints, "" where it fails; it takes no locks, so it never disturbs another git."""
    return _run(["git", "--no-optional-locks", "-C", str(folder), *arguments])


def _run(command: list[str]) -> str:
    # Inside a git hook these name the repository of the hook, whatever folder is asked about.
    environment = {name: value for name, value in os.environ.items() if name not in GIT_VARIABLES}
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""
