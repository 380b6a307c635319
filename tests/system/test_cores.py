"""How many cores there are, and what other programs leave of them."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from nmt.system.place import STAT, OtherPrograms, usable_cores


@pytest.mark.slow
@pytest.mark.skipif(not STAT.is_file(), reason="only Linux says how busy its cores are")
def test_other_programs_that_use_all_cores_slow_down_several_threads_but_not_one() -> None:
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * usable_cores())]
    try:
        time.sleep(0.5)
        seen = OtherPrograms()
        time.sleep(1.0)
        assert seen.shortage(1) is None
        assert str(seen.shortage(2)).endswith(f" of {usable_cores()} cores busy")
    finally:
        for each in others:
            each.kill()
            each.wait()


def test_two_threads_with_free_cores_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for busy, threads, slow in ((1.0, 2, False), (2.4, 2, False), (2.6, 2, True), (4.0, 2, True), (0.6, 4, True)):
        seconds = iter([(0.0, 0.0, 0.0), (1.0, busy + 0.5, 0.5)])
        monkeypatch.setattr("nmt.system.place.usable_cores", lambda: 4)
        monkeypatch.setattr("nmt.system.place._seconds", lambda seconds=seconds: next(seconds))
        assert bool(OtherPrograms().shortage(threads)) is slow, (busy, threads)
