"""The program that makes training pairs from translations, and a training that reads them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from sacrebleu.metrics import CHRF

from nmt.cli import translate
from nmt.errors import UserError
from scripts.recipes import distill

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "transformer"
SOURCES = ("three days before", "three hours", "three days before")


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line)["translation"] for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def translations(tmp_path: Path) -> Path:
    """Three translations of each source; the first source occurs twice."""
    sources, out = tmp_path / "train.en", tmp_path / "translations.jsonl"
    sources.write_text("".join(f"{each}\n" for each in SOURCES), "utf-8")
    translate.main([f"ckpt={EXAMPLE}", f"input={sources}", f"output={out}", "search.n_best=3"])
    return out


def test_every_different_translation_is_a_pair(translations: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in translations.read_text("utf-8").splitlines()]
    expected = [
        {"en": row["source"], "de": each["text"]}
        for row in rows[:2]
        for each in row["n_best"]
        if not set(each["doubts"]) - {"unsure"} and not each["cut"]
    ]
    assert len(expected) > len({pair["en"] for pair in expected}) == 2, "n-best lists count"
    out = tmp_path / "pairs.jsonl"
    distill.main([str(out), str(translations), str(translations)])
    assert read(out) == expected

    with pytest.raises(UserError, match="exists and is not overwritten; remove it"):
        distill.main([str(out), str(translations)])


def test_doubtful_translations_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = {"text": "drei", "score": -1.0, "doubts": [], "cut": False}
    candidates = [
        *(good, {**good, "text": "drei drei", "doubts": ["repeated"]}, {**good, "text": "dr", "cut": True}),
        *({**good, "text": " "}, {**good, "text": "dreie", "doubts": ["unsure"]}),
    ]
    row = {"source": "three", **good, "translation": {"en": "three", "de": "drei"}}
    (tmp_path / "one.jsonl").write_text(json.dumps({**row, "n_best": candidates}) + "\n", "utf-8")
    (tmp_path / "two.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    distill.main([str(tmp_path / "out.jsonl"), str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl")])
    assert read(tmp_path / "out.jsonl") == [{"en": "three", "de": "drei"}, {"en": "three", "de": "dreie"}]
    assert "2 pairs written" in (out := capsys.readouterr().out) and "left out: 3 doubtful, 1 duplicate" in out


def row(source: str, **scores: float) -> str:
    """A line of translate.py with the translations `scores`, best first; "_" in a name is a space."""
    n_best = [
        {"text": text.replace("_", " "), "score": score, "doubts": ["repeated"] * ("drei_drei" in text), "cut": False}
        for text, score in scores.items()
    ]
    record = {"source": source, **n_best[0], "translation": {"en": source, "de": n_best[0]["text"]}, "n_best": n_best}
    return json.dumps(record) + "\n"


def test_agreement_chooses_the_translation_that_is_most_similar_to_the_others(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.jsonl" for name in "abc"]
    texts: list[list[dict[str, float]]] = [
        [{"ein_Hund_rennt": -0.5, "eine_Katze_rennt": -0.6}, {"drei": -1.0}, {"drei_drei_drei": -0.1}],
        [{"ein_Hund_schwimmt": -0.2, "der_Hund_rennt": -0.9}, {"vier": -1.0, "drei": -1.5}, {"drei_drei_drei": -0.1}],
        [{"ein_Hund_rennt_schnell": -0.3}, {"zwei": -0.9}, {"drei_drei": -0.1}],
    ]
    for path, lists in zip(files, texts, strict=True):
        path.write_text("".join(row(source, **each) for source, each in zip("xyz", lists, strict=True)), "utf-8")

    def expected(source: int) -> str:
        """The same with sacreBLEU's sentence scores."""
        weights: dict[str, float] = {}
        for lists in texts:
            total = sum(math.exp(3 * score) for score in lists[source].values())
            for text, score in lists[source].items():
                weights[text.replace("_", " ")] = weights.get(text.replace("_", " "), 0) + math.exp(3 * score) / total
        chrf = CHRF()
        return max(weights, key=lambda text: sum(w * chrf.sentence_score(text, [r]).score for r, w in weights.items()))

    out = tmp_path / "out.jsonl"
    distill.main([str(out), *map(str, files), "agree=chrf"])
    assert read(out) == [{"en": "x", "de": expected(0)}, {"en": "y", "de": expected(1)}]
    assert expected(0) != "ein Hund schwimmt", "has the highest score"
    assert expected(2).startswith("drei drei"), "left out, because it is doubtful"
