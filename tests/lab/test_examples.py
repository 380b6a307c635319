"""The models of examples/: small, whole, and as good as their table says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from nmt import checkpoint, load_translator
from nmt.config.compose import compose
from nmt.lab.cli import attend, compare
from nmt.system.run_files import best_checkpoint
from scripts import examples

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NAMES = ("bahdanau", "luong", "transformer")  # with attention
SMALL = ("no_attention", *NAMES)
MULTI30K = ("multi30k_bahdanau", "multi30k_distilled", "multi30k_transformer")
OFFICE_HELP = ("office_help_en_ko", "office_help_ko_en")
LARGER = (*MULTI30K, *OFFICE_HELP)
FILES = ("checkpoints/best.safetensors", "config.yaml", "metrics.json", "attention/0.json")
SECTIONS = ("name", "seed", "data", "tokenizer", "model", "objective", "optimizer", "scheduler", "trainer")
CAPTION = "A dog runs on the beach."
DATE = "August 9, 2027, 2:12 AM", "9. August 2027, 02:12", {0: 1, 1: 0, 2: 2, 3: 3}  # day, month, year, time
KOREAN, ENGLISH = "확인을 눌러 문서를 저장하십시오.", "Click OK to save the document."
# The source, its translation, and at which word of the source some words of the translation look.
KNOWN: dict[str, tuple[str, str, dict[int, int]]] = {
    **dict.fromkeys(NAMES, DATE),
    **dict.fromkeys(MULTI30K, (CAPTION, "Ein Hund rennt am Strand.", {1: 1})),
    "office_help_en_ko": (ENGLISH, KOREAN, {0: 1, 2: 5}),
    "office_help_ko_en": ("문서를 저장하려면 확인을 누르십시오.", ENGLISH, {0: 3, 3: 1}),
}
LOG_PROBS = {"bahdanau": -1.55, "luong": -1.43, "transformer": -3.00}


def test_shipped_examples_are_small() -> None:
    sizes = {name: [(EXAMPLES / name / file).stat().st_size for file in FILES] for name in (*NAMES, *LARGER)}
    assert sum(sum(sizes[name]) for name in NAMES) < 2_500_000
    assert all(sum(sizes[name]) < 10_000_000 for name in LARGER)


@pytest.mark.parametrize("name", KNOWN)
def test_shipped_examples_translate_and_attend(name: str) -> None:
    text, translation, places = KNOWN[name]
    translator = load_translator(EXAMPLES / name, device="cpu")
    (found,) = translator.translate([text])
    assert found.text == translation
    assert name not in LOG_PROBS or found.log_prob == pytest.approx(LOG_PROBS[name], abs=0.01)
    seen = translator.attention_map(text, translation).words().cross
    assert seen is not None
    looked_at = seen.mean((0, 1)).argmax(-1).tolist()
    assert {word: looked_at[word] for word in places} == places


@pytest.mark.parametrize("name", MULTI30K)
def test_multi30k_examples_hold_no_corpus_sentence(name: str) -> None:
    (sample,) = (EXAMPLES / name / "attention").iterdir()
    assert json.loads(sample.read_text("utf-8"))["source"] == CAPTION


@pytest.mark.parametrize("name", SMALL)
def test_the_commands_that_make_them_still_describe_them(name: str) -> None:
    config = checkpoint.load(best_checkpoint(EXAMPLES / name)).config
    composed = compose("train", examples.SMALL[name])
    assert all(agrees(config[key], composed[key]) for key in SECTIONS)


def agrees(then: Any, now: Any) -> bool:
    """Return whether the settings of a model are those of today, which may have new keys, and no key that was off."""
    if isinstance(then, dict):
        return all(agrees(value, now[key]) for key, value in then.items() if key != "stochastic_depth")
    return bool(then == now)


def test_the_table_is_what_the_files_say() -> None:
    page = (EXAMPLES / "README.md").read_text("utf-8")
    assert f"<!-- models -->\n{examples.table()}\n<!-- end of models -->" in page
    for name in NAMES:
        facts = json.loads((EXAMPLES / name / "metrics.json").read_text("utf-8"))
        assert facts["test"]["bleu"]["value"] > 97
    for name in (*SMALL, *LARGER):
        files = ("config.yaml", "metrics.json")
        named = [yaml.safe_load((EXAMPLES / name / file).read_text("utf-8"))["name"] for file in files]
        assert [*named, checkpoint.load(best_checkpoint(EXAMPLES / name)).config["name"]] == [name] * 3


def test_the_small_ones_are_compared_at_once(tmp_path: Path) -> None:
    """Their translations of the test set come with them: what attention brings, without a training."""
    compare.main([*(str(EXAMPLES / name) for name in SMALL), "bootstrap=2", "shuffles=9", f"out={tmp_path}"])
    found = json.loads((tmp_path / "comparison.json").read_text("utf-8"))
    scores = {system["name"]: system["mean"]["bleu"] for system in found["systems"]}
    assert list(scores) == list(SMALL) and scores.pop("no_attention") < 40 and min(scores.values()) > 97


def test_attend_needs_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    attend.main([f"ckpt={EXAMPLES}/transformer"])
    assert "source:      3,440 meters\ntranslation: 3.440 Meter\n" in capsys.readouterr().out
