"""Models in transformers compute the same numbers, read the same ids, and find the same translations."""

from __future__ import annotations

import io
import json
import re
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from nmt.deploy.cli import export
from nmt.deploy.export.base import read_tokenizer
from nmt.deploy.export.huggingface import HuggingFace, load
from nmt.errors import UserError
from nmt.translation.exported import load_exported
from tests.deploy.export.models import (
    TEXTS,
    check_spans,
    exported,
    largest_difference,
    recurrent_model,
    transformer,
    two_vocabularies,
)
from tests.tiny_run import Run

pytest.importorskip("transformers")
pytestmark = pytest.mark.slow  # the import of transformers takes seconds

POSITIONS = "nmt.models.positions"
HELD: dict[str, dict[str, Any]] = {
    "pre-norm": {"ties": "all"},
    "pre-norm, gelu, decoder tied": {"ties": "target", "activation": "gelu"},
    "pre-norm, untied, unscaled scores": {"scale_scores": False},
    "post-norm": {"ties": "all", "norm_first": False},
    "other heads in the decoder": {"heads": 4, "sides": "decoder"},
    "post-norm, decoder tied": {"ties": "target", "norm_first": False},
    "post-norm, untied": {"norm_first": False},
    "post-norm, two vocabularies": {"ties": "target", "norm_first": False, "two": True},
}
ODD = {
    "Hangul in letters": unicodedata.normalize("NFD", "나는 한국어를 배운다."),
    "combining marks": "cafe\u0301 nai\u0308ve",
    "emoji": "a 😀 dog 👍🏽👨‍👩‍👧",
    "digits": "3.14 1,000 2026-11-25 \uff11\uff12 ٣",
    "control characters": "a\x00b\x07c\x1f d\u200be\ufeff",
    "spaces": "  two \t\u00a0\u3000 dogs\u2028and\x85snow ",
    "special names": "a </s> b <pad> <s> <unk>",
    "an end first": "</s> dog",
    "bytes and reserved pieces": "<0x41> ｟3｠",
    "word mark, underscore": "a▁dog a_dog",
    "one space": " ",
    "empty": "",
}


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the program writes."""
    out = tmp_path_factory.mktemp("program") / "model"
    export.main([f"ckpt={run.folder}", f"out={out}", "format=huggingface", "sentences=4"])
    return out


@pytest.mark.parametrize("settings", HELD.values(), ids=HELD)
def test_numbers_and_translations_are_ours(settings: dict[str, Any], run: Run, tmp_path: Path) -> None:
    tokenizer = two_vocabularies() if settings.get("two") else None
    model = transformer(run, tokenizer=tokenizer, **{key: value for key, value in settings.items() if key != "two"})
    ours, theirs = exported(HuggingFace(), model, tmp_path / "model")
    assert largest_difference(ours, theirs) < 1e-4
    one, two = (each.translate(TEXTS[:4], beam_size=1) for each in (ours, theirs))
    assert [each.tokens for each in one] == [each.tokens for each in two]
    assert len({each.text for each in one}) > 2, "the texts say something"


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_their_tokenizer_reads_the_ids_of_ours(text: str, folder: Path) -> None:
    from transformers import AutoTokenizer

    ours, theirs = read_tokenizer(folder, {}), AutoTokenizer.from_pretrained(folder)
    (ids,) = ours.encode_source([text])
    assert theirs(text)["input_ids"] == ids
    assert theirs.decode([2, *ids, 0], skip_special_tokens=True) == ours.decode_target(ids)


def test_the_program_writes_a_folder_for_the_hub(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    card = (folder / "README.md").read_text("utf-8")
    assert re.match(r"---\nlanguage:\n- en\n- de\nlibrary_name: transformers\npipeline_tag: translation\n", card)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}
    (program,) = re.findall(r"```python\n(.*?)```", card, re.S)
    monkeypatch.chdir(folder)
    exec(program, {})
    assert capsys.readouterr().out.strip()


def test_generation_settings_are_those_of_the_comparison(folder: Path) -> None:
    search = json.loads((folder / "export.json").read_text("utf-8"))["search"]
    found = json.loads((folder / "generation_config.json").read_text("utf-8"))
    assert (found["num_beams"], found["length_penalty"]) == (search["beam_size"], search["length_penalty"])
    assert found["suppress_tokens"] == [0, 2]


@pytest.mark.parametrize("name", ["model.encoder.layers.1.fc1.bias", "model.shared.weight"])
def test_a_weight_that_is_missing_is_named(name: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    weights = safetensors.torch.load_file(path)
    del weights[name]
    safetensors.torch.save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(UserError, match=rf"missing_keys .*{name}"):
        load(tmp_path / "model")


def test_a_program_in_the_folder_is_not_run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers would ask on standard input whether to run the code that `auto_map` names."""
    shutil.copytree(folder, tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text("utf-8"))
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForSeq2SeqLM": "own.Own"}}
    (tmp_path / "model" / "config.json").write_text(json.dumps(config), "utf-8")
    (tmp_path / "model" / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Own: pass\n", "utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 9))
    with pytest.raises(ValueError, match="trust_remote_code"):
        load(tmp_path / "model")
    assert not (tmp_path / "ran").exists()
    with pytest.raises(UserError, match="written with format=huggingface for another program"):
        load_exported(folder)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"norm": "rms"}, "norm=rms; use format=ctranslate2"),
        ({"qk_norm": True, "sides": "decoder"}, "decoder has qk_norm; train with qk_norm=false"),
        ({"activation": "swiglu"}, "encoder has activation=swiglu; use format=ctranslate2"),
        ({"activation": "geglu", "sides": "decoder"}, "decoder has activation=geglu; use format=ctranslate2"),
        ({"attention_gate": True, "sides": "decoder"}, "decoder has attention_gate; train with"),
        ({"positions": f"{POSITIONS}.rotary.Rotary"}, "positions Rotary; use format=ctranslate2"),
        ({"positions": f"{POSITIONS}.learned.Learned"}, "positions Learned; use format=ctranslate2"),
        ({"positions": f"{POSITIONS}.base.NoPositions"}, "positions NoPositions; train with"),
        ({"norm_first": False, "sides": "encoder"}, "norm_first=True, and the encoder norm_first=False"),
        ({"activation": "gelu", "sides": "decoder"}, "activation=gelu, and the encoder activation=relu"),
        ({"width": 32, "sides": "decoder"}, "width=32, and the encoder width=16"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(map(str, value.values())),
)
def test_what_no_class_holds_is_refused(settings: dict[str, Any], words: str, run: Run) -> None:
    with pytest.raises(UserError, match=words):
        HuggingFace().require(transformer(run, **settings))


def test_two_vocabularies_of_a_pre_norm_model_and_recurrent_models_are_refused(run: Run) -> None:
    with pytest.raises(UserError, match=r"Pegasus has one size .*tokenizer\.joint=true"):
        HuggingFace().require(transformer(run, tokenizer=two_vocabularies()))
    with pytest.raises(UserError, match="train one with model=transformer"):
        HuggingFace().require(recurrent_model(run))


def test_our_weights_stay_as_they_are(run: Run, tmp_path: Path) -> None:
    model = transformer(run, scale_scores=False)
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    exported(HuggingFace(), model, tmp_path / "model")
    assert all(torch.equal(value, before[name]) for name, value in model.model.state_dict().items())


def test_spans_are_kept(run: Run, tmp_path: Path) -> None:
    check_spans(HuggingFace(), run, tmp_path / "model")
