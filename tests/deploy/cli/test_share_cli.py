"""The program that makes a small copy of a model: the same model in half the bytes, without paths of this machine."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from nmt import __version__, checkpoint, load_translator
from nmt.build import build_metrics
from nmt.cli import translate
from nmt.config.settings import shareable
from nmt.deploy.cli import share
from nmt.errors import UserError
from tests.tiny_run import Run, sentences

METRICS = json.dumps(
    {
        **{"search": {}, "parameters": 9, "updates": 7, "wall_seconds": 1.5, "target_tokens_per_second": 3},
        "test": {"bleu": {"label": "BLEU", "value": 41.23}},
    }
)


@pytest.fixture
def finished(run: Run, tmp_path: Path) -> Path:
    """The folder of a finished run."""
    folder = tmp_path / "run"
    shutil.copytree(run.folder, folder)
    (folder / "metrics.json").write_text(METRICS, "utf-8")
    (folder / "attention").mkdir()
    for number, text in enumerate(("two dogs", "a man")):
        (folder / "attention" / f"{number}.json").write_text(run.translator.attention_map(text).to_json(), "utf-8")
    return folder


def test_the_copy_is_the_same_model_in_half_the_bytes(
    run: Run, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a, copy"
    share.main([f"ckpt={finished}", f"out={out}"])
    files = ["README.md", "attention/0.json", "checkpoints/best.safetensors", "config.yaml", "metrics.json"]
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*")) == files
    said = capsys.readouterr().out
    assert all(f"written to {out / name} (" in said for name in files)

    whole, copy = checkpoint.load(finished / "checkpoints" / "best.safetensors"), checkpoint.load(out / files[2])
    for name, value in whole.weights.items():
        assert copy.weights[name].dtype == torch.float16
        torch.testing.assert_close(copy.weights[name].float(), value, rtol=2**-11, atol=2**-24)
    assert len(whole.weights) == len(copy.weights)
    assert copy.config == yaml.safe_load((out / "config.yaml").read_text("utf-8"))
    assert copy.config["data"] == {**whole.config["data"], "path": None}
    assert (out / "metrics.json").read_bytes() == (finished / "metrics.json").read_bytes()

    loaded = load_translator(out)
    assert loaded.update == 7 and {value.dtype for value in loaded.model.parameters()} == {torch.float32}
    lines = sentences(20, seed=2)
    mine, theirs = ([found.text for found in each.translate(lines)] for each in (run.translator, loaded))
    assert sum(one != other for one, other in zip(mine, theirs, strict=True)) <= 2


def test_the_card_says_what_the_model_is_and_its_commands_run(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    share.main([f"ckpt={finished}", f"out={tmp_path}/내 모델", "text=it's a dog; two dogs"])
    monkeypatch.chdir(tmp_path / "내 모델")
    card = Path("README.md").read_text("utf-8")
    assert "English to German" in card and "(Transformer)" in card and "local files" in card
    assert "test sentences: BLEU 41.2" in card and f"nmt_attention_lab-{__version__}-py3-none-any.whl" in card
    sentence, file = (shlex.split(line) for line in re.findall(r"nmt-translate (.*)", card))
    capsys.readouterr()
    translate.main(sentence)
    one = capsys.readouterr().out
    Path("YOUR_FILE").write_text("it's a dog; two dogs\n", "utf-8")
    translate.main(file)
    assert Path("NEW_FILE").read_text("utf-8") == one != "\n"


def test_shared_copy_holds_no_local_path(finished: Path, tmp_path: Path) -> None:
    payload = checkpoint.load(finished / "checkpoints" / "best.safetensors")
    payload.config["data"] |= {"train": ["/me/a.en", "/me/a.de"], "train_alignment": "/me/a.align"}
    payload.config["data"] |= {"_target_": "nmt.data.sources.hub.Hub", "name": "/me/corpus"}
    payload.config["data"] |= {"root": ["/me/catalogues"]}
    payload.config["scores"]["terms"] = {"_target_": "nmt.evaluation.metrics.spans.TermAccuracy", "file": "/me/g.tsv"}
    checkpoint.save(payload, finished / "checkpoints" / "best.safetensors")
    share.main([f"ckpt={finished}", f"out={tmp_path}/copy"])
    assert "/me/" not in (tmp_path / "copy" / "config.yaml").read_text("utf-8")
    config = checkpoint.load(tmp_path / "copy" / "checkpoints" / "best.safetensors").config
    assert "/me/" not in str(config) and list(config["scores"]) == ["bleu", "exact_match"]
    only = {"scores": {"terms": payload.config["scores"]["terms"]}}
    assert list(build_metrics(shareable(payload.config | only)["scores"], target_lang="de")) == ["chrf"]


@pytest.mark.parametrize("files", [{"path": "/me/folder"}, {"path": None, "train": ["/me/a.en", "/me/a.de"]}])
def test_shared_copy_does_not_name_a_corpus_that_was_not_read(run: Run, files: dict[str, Any]) -> None:
    hub = {"_target_": "nmt.data.sources.hub.Hub", "name": "bentrevett/multi30k", "config": None}
    config = checkpoint.load(run.folder / "checkpoints" / "best.safetensors").config
    own = config["data"] | hub
    assert shareable(config | {"data": own | {"path": None}})["data"] == own | {"path": None}
    extra = {"logger": {"tensorboard": False, "extra": {"mine": {"save_dir": "/me/logs"}}}}
    assert shareable(config | extra)["logger"] == {"tensorboard": False, "extra": {}}
    data = shareable(config | {"data": own | files})["data"]
    assert data["_target_"] == "nmt.data.sources.files.Files" and not {"name", "config"} & set(data)
    assert data["source_lang"] == "en" and data["path"] is data["train"] is None


def test_share_errors(run: Run, finished: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no metrics.json; expected the folder of a finished run"):
        share.main([f"ckpt={run.folder}", f"out={tmp_path}/copy"])
    (tmp_path / "taken").mkdir()
    with pytest.raises(UserError, match=r"^out: .*taken exists already; name another folder$"):
        share.main([f"ckpt={finished}", f"out={tmp_path}/taken"])
    payload = checkpoint.load(finished / "checkpoints" / "best.safetensors")
    checkpoint.save(payload, other := finished / "checkpoints" / "other.safetensors")
    with pytest.raises(UserError, match=r"has other scores than the metrics.json of its run; expected ckpt="):
        share.main([f"ckpt={other}", f"out={tmp_path}/copy"])
    other.unlink()
    payload.weights["encoder.embed.table.weight"][0, 0] = 1e5
    checkpoint.save(payload, finished / "checkpoints" / "best.safetensors")
    with pytest.raises(UserError, match=r"has values above 65,504, too large for float16"):
        share.main([f"ckpt={finished}", f"out={tmp_path}/copy"])
    assert not (tmp_path / "copy").exists()
