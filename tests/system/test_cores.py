"""How many cores there are for this process, and when it was started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nmt.system.place import start_of_run, usable_cores

V1 = "4:cpuacct,cpu:/docker/abc\n3:memory:/job\n0::/\n"  # the path of the host, which a container does not see


@pytest.mark.parametrize(
    ("own", "files", "cores"),
    [
        ("0::/", {"cpu.max": "200000 100000"}, 2),
        ("0::/", {"cpu.max": "max 100000"}, 64),
        ("0::/", {"cpu.max": "150000 100000"}, 1),
        ("0::/a.slice/b.scope", {"a.slice/cpu.max": "50000 100000", "a.slice/b.scope/cpu.max": "300000 100000"}, 1),
        ("0::/a.slice/b.scope", {"a.slice/cpu.max": "900000 100000", "a.slice/b.scope/cpu.max": "300000 100000"}, 3),
        ("0::/../../x", {"cpu.max": "200000 50000"}, 4),
        (V1, {"cpuacct,cpu/cpu.cfs_quota_us": "500000\n", "cpuacct,cpu/cpu.cfs_period_us": "100000\n"}, 5),
        (V1, {"cpu/docker/abc/cpu.cfs_quota_us": "-1\n", "cpu/docker/abc/cpu.cfs_period_us": "100000\n"}, 64),
        (V1, {"cpu/job/cpu.cfs_quota_us": "100000\n", "cpu/job/cpu.cfs_period_us": "100000\n"}, 64),
        ("", {"cpu.max": "100000 100000"}, 64),
        ("0::/", {"cpu.max": "damaged"}, 64),
    ],
)
def test_a_quota_counts_as_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str, files: dict[str, str], cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(64), raising=False)
    for name, text in {
        "proc/self/cgroup": own,
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert usable_cores(tmp_path) == cores


def test_processes_that_torchrun_has_started_again_have_the_time_of_the_first_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in (0, 1):
        (tmp_path / f"attempt_{number}" / "0").mkdir(parents=True)
    os.utime(tmp_path / "attempt_0", (1e9, 1e9))
    now = start_of_run()
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "attempt_1" / "0" / "error.json"))
    assert start_of_run().timestamp() == 1e9 and now.timestamp() > 1e9
