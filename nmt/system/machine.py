"""Facts about the machine, the installed packages and the git commit, for metrics.json and the benchmarks."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from nmt.system.place import usable_cores

DEPENDENCIES = (
    *("torch", "pytorch-lightning", "hydra-core", "omegaconf", "numpy"),
    *("sentencepiece", "sacrebleu", "datasets", "babel", "num2words"),
)


def describe(device: torch.device | str = "cpu", count: int = 1) -> dict[str, Any]:
    """Return plain facts about the machine. A run uses `count` devices of the type of `device`.

    `cpu`: the model. `cores`: how many this process may use. `threads`: how many torch uses for one operation.
    `memory_bytes`: memory of the machine, None if the system does not report it. `gpus`: the names of the GPUs that the
    run uses. `system`: operating system and architecture.
    """
    return {
        "cpu": cpu_fact("model name") or platform.processor() or platform.machine(),
        "cores": usable_cores(),
        "threads": torch.get_num_threads(),
        "memory_bytes": _memory_bytes(),
        "gpus": [torch.cuda.get_device_name(device)] * count if torch.device(device).type == "cuda" else [],
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the installed main dependencies."""
    found = {"python": platform.python_version()}
    for name in DEPENDENCIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def commit(folder: str | Path) -> str | None:
    """Return the git commit of `folder`, followed by "-dirty" if tracked files were changed.

    Returns None if git is not installed, if the repository has no commit, or if git does not track `folder`: a package
    may be installed inside the checkout of another project.
    """
    if not _git(folder, "ls-files", "--", "."):
        return None
    return _git(folder, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*") or None


def peak_memory_bytes() -> int:
    """Return the peak of the memory in use since the start.

    With a GPU this is the memory that torch has allocated on it, otherwise the resident memory of this process. On
    Linux, this is at least the peak of the program that started this one. Returns 0 on Windows, which does not report
    it.
    """
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return int(torch.cuda.max_memory_allocated())
    try:
        import resource
    except ModuleNotFoundError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts in bytes, other systems in KiB


def cpu_fact(name: str) -> str:
    """Return what Linux says about the first processor under this name, as in "cpu family"; "" if it says nothing."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    facts = (line.partition(":") for line in lines)
    return next((value.strip() for key, _, value in facts if key.strip() == name), "")


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _git(folder: str | Path, *arguments: str) -> str:
    """Return the output of a git command, or "" if it fails. It takes no locks, so it never blocks another git."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""
