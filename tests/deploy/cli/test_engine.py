"""The programs that translate, with an exported model: the same lines, scores and files as with the run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nmt.cli import translate
from nmt.deploy.cli import export
from nmt.errors import UserError
from nmt.translation.loading import load
from tests.tiny_run import Run, sentences

pytest.importorskip("ctranslate2")
POWER = ("search.normalization=power", "search.length_penalty=0.6")


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model exported to CTranslate2."""
    out = tmp_path_factory.mktemp("out") / "model"
    export.main([f"ckpt={run.folder}", f"out={out}", "format=ctranslate2", "sentences=5"])
    return out


def test_a_file_has_the_same_lines(run: Run, folder: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.en"
    lines.write_text("".join(f"{line}\n" for line in ["", *sentences(30, seed=8)]), "utf-8")
    form = [f"input={lines}", "format=jsonl", "search.beam_size=1", *POWER]
    translate.main([f"ckpt={run.folder}", f"output={tmp_path / 'ours'}", *form])
    translate.main([f"ckpt={folder}", f"output={tmp_path / 'theirs'}", *form])
    ours, theirs = (
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()] for name in ("ours", "theirs")
    )
    assert [row["text"] for row in ours] == [row["text"] for row in theirs]
    for one, two in zip(ours, theirs, strict=True):
        assert one["pieces"] == two["pieces"] and one["cut"] == two["cut"]
        assert two["token_log_probs"] == pytest.approx(one["token_log_probs"], abs=1e-4)
        assert two["score"] == pytest.approx(one["score"], abs=1e-4)


def test_an_exported_model_has_no_attention_maps_and_is_in_no_ensemble(folder: Path) -> None:
    with pytest.raises(UserError, match="an exported model has none"):
        translate.main([f"ckpt={folder}", "text=a dog", "format=jsonl", "with_attention=true"])
    with pytest.raises(UserError, match=r"it has no checkpoints/best\.safetensors, expected a run"):
        translate.main([f"ckpt=[{folder},{folder}]", "text=a dog"])


def test_a_strangers_folder_names_a_class_of_ours_and_damage_is_found(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    manifest = json.loads((other / "export.json").read_text("utf-8"))
    for wrong, message in (
        (
            {"translator": {"_target_": "os.system"}},
            r"^translator\._target_: got 'os\.system', expected a class in nmt",
        ),
        ({"translator": None}, "written with format=ctranslate2 for another program"),
        ({"files": {"../a": "b"}}, r"got '\.\./a' as a part of a file's name"),
        ({"files": {"missing": "b"}}, "missing: missing or damaged; export the model again"),
    ):
        (other / "export.json").write_text(json.dumps({**manifest, **wrong}), "utf-8")
        with pytest.raises(UserError, match=message):
            load(other)
    (other / "export.json").write_text(json.dumps(manifest), "utf-8")
    for name in ("model.bin", "config.json", "source.spm"):
        whole = (other / name).read_bytes()
        (other / name).write_bytes(bytes([*whole[:-9], whole[-9] ^ 1, *whole[-8:]]))
        with pytest.raises(UserError, match=f"{name}: missing or damaged"):
            load(other)
        (other / name).write_bytes(whole)
    load(other)
