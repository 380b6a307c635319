"""last.ckpt: whole or not at all, and no code in it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.config.compose import compose_run
from nmt.errors import UserError
from nmt.system.run_files import METRICS, last_checkpoint
from nmt.training.run import train
from nmt.training.state import load_state, save_state

OVERRIDES = [
    *("data=cldr", "data.sizes=[60,4,4]", "data.max_parts=1", "data.batch_tokens=200", "tokenizer.vocab_size=376"),
    *("model.encoder.block.width=16", "model.encoder.block.heads=2", "model.encoder.block.feed_forward=16"),
    *("model.encoder.layers=1", "trainer.accelerator=cpu", "search=greedy", "search.max_length_factor=0.1"),
    *("search.max_length_extra=0", "logger.tensorboard=false", "callbacks=plain"),
]


def go(folder: Path, steps: int, *overrides: str, resume: bool = False) -> None:
    run = compose_run([*OVERRIDES, f"trainer.max_steps={steps}", f"hydra.run.dir={folder}", *overrides])
    train(run, resume=resume)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("run") / "run"
    go(folder, 2)
    return load_state(last_checkpoint(folder))


def test_a_damaged_file_is_refused(state: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    save_state(state, path)
    assert load_state(path)["global_step"] == 2
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (bytes(flipped), content[:-100], b"", b"no archive"):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match=r"last\.ckpt: .*damaged"):
            load_state(path)


def test_no_code_in_a_file_is_executed(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (open, (str(tmp_path / "ran"), "w"))

    torch.save({"nmt": {}, "evil": Evil()}, tmp_path / "last.ckpt")
    with pytest.raises(UserError, match="not the state of a training"):
        load_state(tmp_path / "last.ckpt")
    assert not (tmp_path / "ran").exists()


def test_other_files_of_torch_and_other_formats_are_refused(state: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    for about, message in ((None, "not the state of a training"), ({"format": 3}, "got format 3, expected 5")):
        save_state({**state, "nmt": about and state["nmt"] | about}, path)
        with pytest.raises(UserError, match=message):
            load_state(path)


def test_a_full_disk_is_named_and_leaves_the_old_file(state: dict[str, Any], tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = tmp_path / "last.ckpt"
    save_state(state, path)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as error:
            save_state(state, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert error.value.filename == str(path) and path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["last.ckpt"]


OWN = """
import numpy as np
import torch

from nmt.training.schedules import Schedule


class ByNumPy(Schedule):
    def decay(self, update, progress):
        return (1 + np.cos(np.pi * progress)) / 2


class ByTorch(Schedule):
    def decay(self, update, progress):
        return (1 + torch.cos(torch.tensor(torch.pi * progress))) / 2


class Scaled(torch.optim.Adam):
    def __init__(self, params, lr: float = 0.001) -> None:
        super().__init__(params, lr=lr / np.sqrt(64))
"""


@pytest.mark.parametrize("schedule", ["ByNumPy", "ByTorch"])
def test_a_rate_of_numpy_or_torch_is_saved_as_a_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schedule: str
) -> None:
    (tmp_path / "own_rates.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_rates", raising=False)
    own = ["~scheduler", f"+scheduler._target_=own_rates.{schedule}", "allow=[own_rates]"]
    own += ["~optimizer", "+optimizer._target_=own_rates.Scaled"]
    go(tmp_path / "run", 1, *own)
    go(tmp_path / "run", 2, *own, resume=True)
    last = load_state(last_checkpoint(tmp_path / "run"))
    assert last["global_step"] == 2 and (tmp_path / "run" / METRICS).is_file()
    group = last["optimizer_states"][0]["param_groups"][0]
    assert {type(rate) for rate in (group["lr"], group["peak_lr"], last["highest_factor"])} == {float}
