"""heads.py: a table, a JSON and a picture of what each head does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nmt.errors import UserError
from nmt.lab.cli import heads
from nmt.lab.heads.heads import Profile, heads_figure
from nmt.lab.heads.importance import Head
from tests.tiny_run import Run, save_other

LIMITS = ["search.max_length_extra=4", "search.max_length_factor=1"]  # those of the run
FAST = ["device=cpu", "sentences=4", *LIMITS]
NAME = "test.beam1.lp1.4"


def written(folder: Path, name: str = NAME) -> dict[str, Any]:
    assert (folder / "heads" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
    found: dict[str, Any] = json.loads((folder / "heads" / f"{name}.json").read_text("utf-8"))
    return found


def test_every_head_has_a_line_a_role_and_a_loss(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    heads.main([f"ckpt={run.folder}", f"out={tmp_path}", "scores=[chrf]", *FAST])
    out = capsys.readouterr().out.splitlines()
    found = written(tmp_path)
    assert (found["metric"], found["sentences"], found["search"]) == ("chrF", 4, "beam1.lp1")
    places = [(each["kind"], each["layer"], each["head"]) for each in found["heads"]]
    kinds = ("encoder_self", "decoder_self", "cross")
    assert places == [(kind, layer, head) for kind in kinds for layer in (1, 2) for head in (1, 2)]
    for each, line in zip(found["heads"], out[2:], strict=False):
        assert each["lost"] is not None
        assert line.split()[:3] == [each["kind"], str(each["layer"]), str(each["head"])]
        assert f"{each['lost']:+.2f}" in line
        assert each["role"] is None or each["shares"][each["role"]] >= 0.5
    assert out[-2:] == [f"written to {tmp_path}/heads/{NAME}.{suffix}" for suffix in ("json", "png")]


def test_a_head_that_cannot_be_left_out_has_no_place_in_the_scale_of_lost_scores() -> None:
    lost, whole = (Profile(Head("cross", 1, n), "end", {"end": 0.4}, {}, value) for n, value in ((1, 5.2), (2, None)))
    figure = heads_figure([lost, whole], "", "")
    panel = figure.axes[0]
    assert {text.get_text() for text in panel.texts} == {"end\n+5.2", "end"}
    assert panel.images[0].get_clim() == (0, 5.2)
    assert {text.get_text() for text in heads_figure([whole], "", "").axes[0].texts} == {"end\n40 %"}


def test_a_recurrent_model_has_one_head_that_cannot_be_masked(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = save_other(run, tmp_path / "other.safetensors")
    words = [f"ckpt={other}", f"out={tmp_path}", "rarity=false", *FAST]
    with pytest.raises(UserError, match=r"^bootstrap: unknown key"):
        heads.main([*words, "bootstrap=10"])
    capsys.readouterr()
    heads.main(words)
    out, err = capsys.readouterr()
    assert "importance: only heads of Transformer layers can be masked, and this model has none; it is left out" in err
    assert "lost" not in out
    heads.main([*words, "importance=false"])
    assert "importance:" not in capsys.readouterr().err
    (only,) = written(tmp_path, "test.other.beam1.lp1.4")["heads"]
    assert (only["kind"], only["lost"], set(only["shares"])) == ("cross", None, {"end"})
