"""Models in transformers compute the same numbers, read the same ids, and find the same translations."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from nmt.cli import export
from nmt.errors import UserError
from nmt.export.base import read_tokenizer
from nmt.export.huggingface import HuggingFace
from nmt.translation.base import BaseTranslator
from tests.export.models import (
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
def both(run: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[BaseTranslator, BaseTranslator]:
    return exported(HuggingFace(), transformer(run, ties="all"), tmp_path_factory.mktemp("default") / "model")


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


@pytest.mark.parametrize("fields", [{"no_repeat_ngram_size": 2}, {"min_length": 9}], ids=str)
def test_constraints_are_ours(fields: dict[str, Any], both: tuple[BaseTranslator, ...]) -> None:
    one, two = (each.translate(TEXTS[:4], beam_size=1, **fields) for each in both)
    assert [each.tokens for each in one] == [each.tokens for each in two]


def test_beam_scores_are_ours(both: tuple[BaseTranslator, ...]) -> None:
    one, two = (each.hypotheses(TEXTS[:8], beam_size=4, n_best=4) for each in both)
    same = [(a, b) for a, b in zip(one, two, strict=True) if a[0].tokens == b[0].tokens]
    assert len(same) > 6
    assert all(a[0].score == pytest.approx(b[0].score, abs=1e-4) for a, b in same)


def test_sentences_are_the_same_in_any_number(both: tuple[BaseTranslator, ...]) -> None:
    _, theirs = both
    alone = [each.tokens for each in theirs.translate(TEXTS, beam_size=4)]
    many = theirs.translate([text for text in TEXTS for _ in range(6)], beam_size=4)
    assert [each.tokens for each in many] == [tokens for tokens in alone for _ in range(6)]


def test_each_sentence_has_its_own_limit_and_its_own_prefix(both: tuple[BaseTranslator, ...]) -> None:
    texts, prefixes = ["dog", " ".join(TEXTS[:3]), "two dogs"], ["", "god a", "sgod"]
    fields: dict[str, Any] = {"beam_size": 1, "max_length_factor": 0.5, "max_length_extra": 6, "long_source": "whole"}
    one, two = (each.translate(texts, prefixes=prefixes, **fields) for each in both)
    assert [each.tokens for each in one] == [each.tokens for each in two]
    assert any(each.cut for each in two)
    for several in both[1].hypotheses(texts, prefixes=prefixes, beam_size=6, n_best=6):
        assert [each.score for each in several] == sorted((each.score for each in several), reverse=True)


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_their_tokenizer_reads_the_ids_of_ours(text: str, folder: Path) -> None:
    from transformers import AutoTokenizer

    ours, theirs = read_tokenizer(folder), AutoTokenizer.from_pretrained(folder)
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
def test_a_weight_that_is_missing_is_named(name: str, run: Run, tmp_path: Path) -> None:
    exported(HuggingFace(), transformer(run, ties="all"), tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    weights = safetensors.torch.load_file(path)
    del weights[name]
    safetensors.torch.save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(UserError, match=rf"missing_keys .*{name}.*; export the model again"):
        HuggingFace().open(tmp_path / "model")


def test_a_damaged_file_is_one_message(run: Run, tmp_path: Path) -> None:
    exported(HuggingFace(), transformer(run), tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(UserError, match=r"transformers cannot load it .*; export the model again"):
        HuggingFace().open(tmp_path / "model")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"norm": "rms"}, "norm=rms; use format=ctranslate2"),
        ({"qk_norm": True, "sides": "decoder"}, "decoder has qk_norm; use format=onnx"),
        ({"activation": "swiglu"}, "encoder has activation=swiglu; use format=ctranslate2 or format=onnx"),
        ({"activation": "geglu", "sides": "decoder"}, "decoder has activation=geglu; use format=ctranslate2"),
        ({"attention_gate": True, "sides": "decoder"}, "decoder has attention_gate; use format=onnx"),
        ({"positions": f"{POSITIONS}.rotary.Rotary"}, "positions Rotary; use format=ctranslate2"),
        ({"positions": f"{POSITIONS}.learned.Learned"}, "positions Learned; use format=ctranslate2"),
        ({"positions": f"{POSITIONS}.base.NoPositions"}, "positions NoPositions; use format=onnx"),
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
    with pytest.raises(UserError, match="format=onnx"):
        HuggingFace().require(recurrent_model(run))


def test_our_weights_stay_as_they_are(run: Run, tmp_path: Path) -> None:
    model = transformer(run, scale_scores=False)
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    exported(HuggingFace(), model, tmp_path / "model")
    assert all(torch.equal(value, before[name]) for name, value in model.model.state_dict().items())


def test_spans_are_kept(run: Run, tmp_path: Path) -> None:
    check_spans(HuggingFace(), run, tmp_path / "model")
