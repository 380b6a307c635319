"""last.ckpt: whole or not at all, and no code in it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.errors import UserError
from nmt.system.run_files import last_checkpoint
from nmt.training.state import load_state, save_state


@pytest.fixture(scope="module")
def state(run_folder: Path) -> dict[str, Any]:
    return load_state(last_checkpoint(run_folder))


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
