"""What all tests share: no network, one thread, nothing of this machine's state."""

from __future__ import annotations

import gc
import importlib.util
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tiny_run import Run

# Read when the libraries are imported, by the tests' own process and by those that it starts.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
for rank in ("RANK", "LOCAL_RANK", "SLURM_PROCID"):
    os.environ.pop(rank, None)

# The parts that may be moved away, which also name the folder of their tests and the marker of other tests.
MISSING = [name for name in ("lab", "deploy") if importlib.util.find_spec(f"nmt.{name}") is None]
collect_ignore = MISSING


def use_core_configs() -> None:
    """Let runs use a copy of configs/ without the options of missing parts; without the lab, callbacks are plain."""
    from nmt.config import groups

    folder = tempfile.TemporaryDirectory()
    configs = shutil.copytree(groups.config_dir(), Path(folder.name) / "configs")
    if "lab" in MISSING:
        (configs / "callbacks" / "default.yaml").write_text("defaults: [plain]\n", "utf-8")
    gone = [path for path in configs.rglob("*.yaml") for name in MISSING if f"nmt.{name}" in path.read_text("utf-8")]
    while gone:
        for path in gone:
            path.unlink()
        chosen = re.compile(rf"^  - .*\b({'|'.join(path.stem for path in gone)})$", re.MULTILINE)
        gone = [path for path in (configs / "experiment").iterdir() if chosen.search(path.read_text("utf-8"))]
    groups.config_dir = lambda: Path(folder.name) / "configs"  # which keeps the folder until the end


if MISSING:
    use_core_configs()  # before other modules import the function

pytest_plugins = [
    "tests.fixtures.commands",
    "tests.fixtures.composed",
    "tests.fixtures.corpora",
    "tests.fixtures.programs",
]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are marked with the name of a missing part."""
    for name in MISSING:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker(name)])
        items[:] = [item for item in items if not item.get_closest_marker(name)]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import the libraries without garbage collection: the million objects that they make stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave the imported libraries out of garbage collection, which would take 0.4 s at the start of every run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep cached tokenizers of this machine out of the tests, and the tests' out of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NMT_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_power_cut() -> Iterator[None]:
    """Wait for no disk: what fsync does is seen only after a power cut, and costs 10 to 20 ms for each file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture(autouse=True)
def _as_a_program_starts() -> None:
    """Undo what a program in this process has set for its products (nmt.system.process) and its --config-dir."""
    import torch  # late, as in the fixture `run`

    from nmt.config.groups import use_configs_of

    torch.set_float32_matmul_precision("highest")
    use_configs_of(None)


@pytest.fixture
def root() -> Path:
    """The checkout's folder."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run's folder with a tiny untrained checkpoint in it, which no test changes."""
    from tests.tiny_run import make_run  # late: what is set above is read when torch is imported

    return make_run(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def run(made_run: Run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A copy of the folder for a module's tests, which may add files to it."""
    folder = tmp_path_factory.mktemp("runs") / made_run.folder.name
    return replace(made_run, folder=shutil.copytree(made_run.folder, folder))


@pytest.fixture(autouse=True)
def _same_signals() -> Iterator[None]:
    """Undo what a program in this process has set for its signals: it leaves them at its end."""
    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def default_signals(_same_signals: None) -> None:
    """Let these signals end the process, as they do unless nohup or a shell's `&` started the tests."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
