"""Plain facts about the machine and the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from nmt.system import machine, process

IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_facts_are_plain_values() -> None:
    facts = machine.describe()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["cpu"] and facts["threads"] == torch.get_num_threads() and facts["cores"] >= 1
    assert facts["gpus"] == [], "a run on the CPU, whatever else the machine has"


def test_commit_of_a_clean_and_of_a_changed_checkout(checkout: Path) -> None:
    head = git(checkout, "rev-parse", "HEAD")
    (checkout / "new.txt").write_text("files that git does not track do not count")
    assert machine.commit(checkout) == machine.commit(checkout / "code") == head
    (checkout / "code" / "a.py").write_text("2")
    assert machine.commit(checkout) == machine.commit(str(checkout / "code")) == f"{head}-dirty"


def test_commit_is_null_outside_git_and_for_what_git_does_not_track(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = checkout / "venv" / "site-packages"
    installed.mkdir(parents=True)
    (installed / "nmt.py").write_text("")
    assert machine.commit(installed) is None
    outside = tmp_path_factory.mktemp("outside")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(outside.parent))
    assert machine.commit(outside) is None is machine.commit(outside / "none")
    monkeypatch.setenv("PATH", "")
    assert machine.commit(checkout) is None


@pytest.mark.slow
def test_products_keep_their_precision_when_the_library_changes() -> None:
    """In a process of its own: the setting is one of the whole process."""
    program = (
        "import torch; from nmt.system import process\n"
        "left, right = torch.randn(2, 300, 300, generator=torch.Generator().manual_seed(1))\n"
        "process.multiply_with_onednn()\n"
        "error = (left @ right - left.double() @ right.double()).abs().max()\n"
        "print(float(error))"
    )
    error = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert float(error) < 1e-4  # with factors rounded to bfloat16 it is 0.1


@pytest.mark.parametrize("rounds", [True, False])
def test_the_library_of_products_changes_unless_it_rounds(monkeypatch: pytest.MonkeyPatch, rounds: bool) -> None:
    settings = ["highest"]
    exact = torch.Tensor.__matmul__

    def multiply(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return exact(left.bfloat16(), right.bfloat16()).float() if rounds else exact(left, right)

    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: "AVX512")
    monkeypatch.setattr("torch.accelerator.is_available", lambda: False)
    monkeypatch.setattr(machine, "cpu_fact", {"cpu family": "26"}.get)
    monkeypatch.setattr("torch.set_float32_matmul_precision", settings.append)
    monkeypatch.setattr("torch.Tensor.__matmul__", multiply)
    process.multiply_with_onednn()
    assert settings[-1] == ("highest" if rounds else "medium")
    monkeypatch.setattr(machine, "cpu_fact", {"cpu family": "25"}.get)  # Zen 4
    before = list(settings)
    process.multiply_with_onednn()
    assert settings == before


@pytest.mark.slow
def test_products_of_new_shapes_keep_little_memory() -> None:
    """With oneDNN and its defaults, 400 shapes keep 200 MiB. So a training run grew from 1 to 4 GB."""
    program = (
        "import torch; from nmt.system import machine, process\n"
        "process.speed_up(); torch.set_float32_matmul_precision('medium'); factor = torch.ones(64, 64)\n"
        "for rows in range(500):\n"
        "    torch.ones(rows, 64) @ factor\n"
        "    if rows in (99, 499): print(machine.peak_memory_bytes())"
    )
    before, after = map(int, subprocess.check_output([sys.executable, "-c", program], text=True).split())
    assert after - before < 20 * 2**20


@pytest.mark.slow
def test_freed_memory_is_kept_until_it_is_returned() -> None:
    """Many blocks of 64 KiB, of which the last one stays: the freed ones before it are returned too."""
    program = (
        "import torch; from pathlib import Path; from nmt.system import process\n"
        "def pages(): return int(Path('/proc/self/statm').read_text().split()[1])\n"
        "process.speed_up(); blocks = [torch.ones(16384) for _ in range(3200)]\n"
        "blocks = blocks[-1:]; kept = pages(); process.return_freed_memory(); print(kept, pages())"
    )
    kept, left = map(int, subprocess.check_output([sys.executable, "-c", program], text=True).split())
    assert (kept - left) * os.sysconf("SC_PAGE_SIZE") > 150 * 2**20


@pytest.mark.slow
def test_denormals_are_zero_in_every_thread_after_a_config_was_checked() -> None:
    program = (
        "import torch; from nmt.build import build_objects; from nmt.config.compose import compose_run\n"
        "from nmt.system import process\n"
        "torch.set_num_threads(4); build_objects(compose_run(['model=rnn', 'model/attention=luong']).settings)\n"
        "process.speed_up(); tiny = torch.full((1 << 22,), 1e-30) * 1e-10\n"
        "print(torch.set_flush_denormal(True), int(tiny.count_nonzero()))"
    )
    can, nonzero = subprocess.check_output([sys.executable, "-c", program], text=True).split()
    assert int(nonzero) == (0 if can == "True" else 1 << 22)
