"""Facts about the machine, the installed packages and the git commit, for metrics.json and the benchmarks."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from nmt.system.place import usable_cores

DEPENDENCIES = (
    *("torch", "pytorch-lightning", "hydra-core", "omegaconf", "numpy"),
    *("sentencepiece", "sacrebleu", "datasets", "babel", "num2words"),
)
GIT_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")


def describe(device: torch.device | str = "cpu", count: int = 1) -> dict[str, Any]:
    """Return plain facts about the machine. A run uses `count` devices of the type of `device`.

    `cpu`: the model. `cores`: how many this process may use. `threads`: how many torch uses for one operation.
    `memory_bytes`: memory of the machine, None if the system does not report it. `gpus`: the names of the GPUs that the
    run uses. `system`: operating system and architecture.
    """
    return {
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "threads": torch.get_num_threads(),
        "memory_bytes": memory_bytes(),
        "gpus": [torch.cuda.get_device_name(device)] * count if torch.device(device).type == "cuda" else [],
        "system": f"{platform.system()} {platform.machine()}",
    }


def summary(facts: Mapping[str, Any]) -> str:
    """Return the most important facts of `describe` as a short text."""
    memory = f", {facts['memory_bytes'] / 2**30:.0f} GiB" if facts["memory_bytes"] else ""
    threads = f"{facts['threads']} thread{'' if facts['threads'] == 1 else 's'}"
    return ", ".join(facts["gpus"]) or f"{threads} of an {facts['cpu']}{memory}"


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
    head = _git(folder, "rev-parse", "--verify", "HEAD")
    if not head:
        return None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return f"{head}-dirty" if changes else head


def peak_memory_bytes() -> int:
    """Return the peak of the memory in use since the start.

    With a GPU this is the memory that torch has allocated on it, otherwise the resident memory of this process. Returns
    0 on Windows, which does not report it.
    """
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        return int(torch.cuda.max_memory_allocated())
    with suppress(OSError):  # on Linux: getrusage would also count the process that started this one
        if found := re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"), re.M):
            return int(found[1]) * 1024
    try:
        import resource
    except ModuleNotFoundError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS counts in bytes, other systems in KiB


def cpu_model() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = _run(["sysctl", "-n", "machdep.cpu.brand_string"]).splitlines()
        return lines[0] if lines else platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def memory_bytes() -> int | None:
    """Return the memory of the machine; None if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _git(folder: str | Path, *arguments: str) -> str:
    """Return the output of a git command, or "" if it fails. It takes no locks, so it never blocks another git."""
    return _run(["git", "--no-optional-locks", "-C", str(folder), *arguments])


def _run(command: list[str]) -> str:
    # Inside a git hook, these variables name the repository of the hook and would override `folder`.
    environment = {name: value for name, value in os.environ.items() if name not in GIT_VARIABLES}
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, env=environment, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""
