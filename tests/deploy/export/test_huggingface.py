"""Models in transformers compute the same numbers, read the same ids, and find the same translations."""

from __future__ import annotations

import importlib.util
import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.deploy.cli import export
from nmt.deploy.export.huggingface import HuggingFace
from nmt.errors import UserError
from nmt.translation.loading import load
from tests.deploy.export.models import (
    TEXTS,
    check_spans,
    exported,
    largest_difference,
    same,
    transformer,
    two_vocabularies,
)
from tests.tiny_run import Run

LACKING = importlib.util.find_spec("transformers") is None  # its import takes seconds
pytestmark = [pytest.mark.slow, pytest.mark.skipif(LACKING, reason="needs transformers")]

POSITIONS = "nmt.models.positions"
HELD: dict[str, dict[str, Any]] = {
    "tied": {"ties": "all"},
    "decoder tied, gelu": {"ties": "target", "activation": "gelu"},
    "untied, unscaled scores": {"scale_scores": False},
    "other heads in the decoder": {"heads": 4, "sides": "decoder"},
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
    model = transformer(run, **settings)
    before = {name: value.clone() for name, value in model.model.state_dict().items()}
    pair = exported(HuggingFace(), model, tmp_path / "model")
    assert largest_difference(*pair) < 1e-4
    assert len({each.text for each in same(pair, TEXTS[:4], beam_size=1)}) > 2, "the texts say something"
    assert all(torch.equal(value, before[name]) for name, value in model.model.state_dict().items())
    pair[1]._their_tokenizer = lambda texts: {"input_ids": [[5, 3]]}  # type: ignore[attr-defined]
    assert pair[1].encode(["a dog"])[0].ids == [5, 3], "the comparison reads with their tokenizer"


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_their_tokenizer_reads_the_ids_of_ours(text: str, folder: Path, run: Run) -> None:
    from transformers import AutoTokenizer

    ours, theirs = run.translator.tokenizer, AutoTokenizer.from_pretrained(folder)
    (ids,) = ours.encode_source([text])
    assert theirs(text)["input_ids"] == ids
    assert theirs.decode([2, *ids, 0], skip_special_tokens=True) == ours.decode_target(ids)


def test_the_program_writes_a_folder_for_the_hub(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    card = (folder / "README.md").read_text("utf-8")
    assert re.match(r"---\nlanguage:\n- en\n- de\nlibrary_name: transformers\npipeline_tag: translation\n", card)
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o644}
    monkeypatch.chdir(folder)
    exec("".join(re.findall(r"```python\n(.*?)```", card, re.S)), {})
    assert capsys.readouterr().out.strip(), "the card's example prints a translation"
    with pytest.raises(UserError, match="written with format=huggingface for another program"):
        load(folder)
    search = json.loads((folder / "export.json").read_text("utf-8"))["search"]
    found = json.loads((folder / "generation_config.json").read_text("utf-8"))
    assert (found["num_beams"], found["length_penalty"]) == (search["beam_size"], search["length_penalty"])
    assert found["suppress_tokens"] == [0, 2]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"norm": "rms"}, "its encoder has norm=rms, expected layer; docs/deploying.md says"),
        ({"positions": f"{POSITIONS}.sinusoidal.Rotary"}, "its encoder has positions=rotary, expected sinusoidal"),
        ({"width": 32, "sides": "decoder"}, "its decoder has width=32, expected 16"),
    ],
    ids=lambda value: None if isinstance(value, str) else " ".join(map(str, value.values())),
)
def test_what_pegasus_lacks_is_refused(settings: dict[str, Any], words: str, run: Run) -> None:
    with pytest.raises(UserError, match=words):
        HuggingFace().require(transformer(run, **settings))


def test_two_vocabularies_are_refused(run: Run) -> None:
    with pytest.raises(UserError, match=r"Pegasus has one size .*tokenizer\.joint=true"):
        HuggingFace().require(transformer(run, tokenizer=two_vocabularies()))


def test_spans_are_kept(run: Run, tmp_path: Path) -> None:
    check_spans(HuggingFace(), run, tmp_path / "model")
