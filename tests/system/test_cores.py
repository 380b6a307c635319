"""How many cores there are, and what other programs leave of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nmt.system.place import STAT, OtherPrograms, own_cores, start_of_run, usable_cores

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
    monkeypatch.setattr("nmt.system.place.own_cores", lambda: 64)
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


@pytest.mark.slow
@pytest.mark.skipif(not STAT.is_file(), reason="only Linux says how busy its cores are")
def test_other_programs_that_use_all_cores_slow_down_several_threads_but_not_one() -> None:
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * own_cores())]
    try:
        time.sleep(0.5)
        seen = OtherPrograms()
        time.sleep(1.0)
        assert seen.shortage(1) is None
        assert str(seen.shortage(2)).endswith(f" of {own_cores()} cores busy")
    finally:
        for each in others:
            each.kill()
            each.wait()


def test_two_threads_with_free_cores_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for busy, threads, slow in ((1.0, 2, False), (2.4, 2, False), (2.6, 2, True), (4.0, 2, True), (0.6, 4, True)):
        seconds = iter([(0.0, 0.0, 0.0), (1.0, busy + 0.5, 0.5)])
        monkeypatch.setattr("nmt.system.place.own_cores", lambda: 4)
        monkeypatch.setattr("nmt.system.place._seconds", lambda seconds=seconds: next(seconds))
        assert bool(OtherPrograms().shortage(threads)) is slow, (busy, threads)
