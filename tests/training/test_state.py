"""last.ckpt: whole or not at all, and a file that was made by hand ends in one line."""

from __future__ import annotations

import copy
import random
import struct
import sys
import zipfile
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nmt.config.compose import compose_run
from nmt.errors import UserError
from nmt.system.run_files import METRICS, last_checkpoint
from nmt.training.lightning import AtomicCheckpointIO
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


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value inside nested mappings and lists; of many weights, only some."""
    found = dict(list(value.items())[:6]) if isinstance(value, dict) else dict(enumerate(value[:2]))
    for key, inside in found.items():
        yield (*path, key)
        if isinstance(inside, dict | list):
            yield from places(inside, (*path, key))


def changed(state: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    new = copy.deepcopy(state)
    inside: Any = new
    for key in place[:-1]:
        inside = inside[key]
    if value is KeyError:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return new


@pytest.mark.parametrize("count", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_a_state_that_was_made_by_hand_goes_on_or_ends_in_one_line(
    state: dict[str, Any], tmp_path: Path, count: int
) -> None:
    draw = random.Random(count)
    found = [place for place in places(state) if place[:2] != ("nmt", "config")]
    junk = [KeyError, None, [], {}, "x", -1, 1e300, torch.zeros(3), b"x", [[1]]]
    for place in [*((key,) for key in list(state)[: count // 2]), *draw.choices(found, k=count // 2)]:
        value = draw.choice(junk)
        folder = tmp_path / "run"
        save_state(changed(state, place, value), last_checkpoint(folder))
        (folder / METRICS).unlink(missing_ok=True)
        try:
            go(folder, 3, resume=True)
        except UserError as error:
            assert "\n" not in str(error), (place, value)
        for path in folder.rglob("*.safetensors"):
            path.unlink()


def test_a_file_with_something_before_the_archive_is_refused(state: dict[str, Any], tmp_path: Path) -> None:
    """Of such a file, torch reads the beginning as an old pickle and Python reads the archive."""
    path = tmp_path / "last.ckpt"
    save_state(state, path)
    assert load_state(path)["global_step"] == 2
    path.write_bytes(b"\x80\x02" + path.read_bytes())
    with pytest.raises(UserError, match=r"damaged \(not a file of torch"):
        load_state(path)


def test_compressed_or_overlapping_parts_are_refused(state: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    save_state(state, path)
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(UserError, match="its content is compressed"):
        load_state(path)
    save_state({"x": torch.zeros(10_000)}, path)
    content = bytearray(path.read_bytes())
    end = content.rfind(b"PK\x05\x06")
    count, size, start = struct.unpack_from("<10xHLL", content, end)
    entries = bytes(content[start : start + size])
    more = content[:start] + entries * 9 + content[end:]  # the same parts nine times
    struct.pack_into("<HHL", more, more.rfind(b"PK\x05\x06") + 8, count * 9, count * 9, size * 9)
    path.write_bytes(more)
    with pytest.raises(UserError, match="its parts are larger than the file"):
        load_state(path)


def test_no_code_in_a_file_is_executed(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (open, (str(tmp_path / "ran"), "w"))

    torch.save({"nmt": {}, "evil": Evil()}, tmp_path / "last.ckpt")
    with pytest.raises(UserError, match="read safely"):
        load_state(tmp_path / "last.ckpt")
    assert not (tmp_path / "ran").exists()


def test_other_files_of_torch_and_other_formats_are_refused(state: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "last.ckpt"
    for about, message in ((None, "not hold the state"), ({"format": 3}, "got format 3, expected 4")):
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


@pytest.mark.parametrize(
    "value", [np.float64(0.5), Path("x"), deque([1]), defaultdict(int), np.zeros(2)], ids=lambda value: type(value)
)
def test_a_state_that_could_not_be_loaded_is_not_written(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "last.ckpt"
    inside, kind = [1, (2.5, {"a": value})], rf"[\w.]*\b{type(value).__name__}, which"
    for states, owner in (
        ({"callbacks": {"Mine": {"best": inside}}}, "callbacks: the state of Mine"),
        ({"optimizer_states": [{"state": {}, "param_groups": inside}]}, "optimizer: the state of the optimizer"),
    ):
        with pytest.raises(UserError, match=rf"^{owner} holds a {kind}"):
            AtomicCheckpointIO().save_checkpoint({"nmt": {"format": 1}, **states}, path)
        assert not path.exists()
    state = {
        "a": None,
        3: True,
        "b": [1, (2.5, {"x"}), b"x"],
        "c": {"d": torch.ones(2)},
        "e": torch.nn.Linear(1, 1).state_dict(),
    }
    state |= {"f": torch.Size([1]), "g": Counter("x"), "h": torch.nn.Parameter(torch.ones(1)), "i": torch.float16}
    AtomicCheckpointIO().save_checkpoint({"callbacks": {"Mine": state}}, path)
    assert str(torch.load(path, weights_only=True)["callbacks"]["Mine"]) == str(state)


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
