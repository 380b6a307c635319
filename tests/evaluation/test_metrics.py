"""Scores against the sacrebleu program, and the counts that it does not check."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.evaluation import metrics

REFERENCES = [
    "Ein Mann in einem roten Hemd fährt Fahrrad .",
    "Zwei Kinder spielen im Schnee, und ein Hund (braun) schaut zu.",
    'Sie sagte: "Nein!"',
    "Heute ist der 3. Mai 2021.",
    "Eine Frau liest.",
] * 3
HYPOTHESES = [
    "Ein Mann in einem roten Shirt fährt ein Fahrrad .",
    "Zwei Kinder spielen im Schnee und ein brauner Hund schaut zu.",
    'Sie sagte "Nein".',
    "Heute ist der 3. Mai 2021. ",
    "",
] * 3


def sacrebleu(folder: Path, *options: str) -> list[dict[str, object]]:
    (folder / "ref").write_text("".join(f"{line}\n" for line in REFERENCES), encoding="utf-8")
    (folder / "hyp").write_text("".join(f"{line}\n" for line in HYPOTHESES), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "hyp", "-m", "bleu", "chrf", "-w", "10", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("tokenize", ["13a", "char"])
def test_equals_the_sacrebleu_program(tmp_path: Path, tokenize: str) -> None:
    bleu, chrf = sacrebleu(tmp_path, "--tokenize", tokenize)
    scores = metrics.score(HYPOTHESES, REFERENCES, tokenize=tokenize)
    assert scores.bleu == pytest.approx(bleu["score"], abs=1e-8)
    assert scores.chrf == pytest.approx(chrf["score"], abs=1e-8)
    assert scores.bleu_signature == bleu["signature"] and scores.chrf_signature == chrf["signature"]
    assert f"tok:{tokenize}" in scores.bleu_signature and "case:mixed" in scores.bleu_signature


def test_intervals_equal_the_sacrebleu_program(tmp_path: Path) -> None:
    bleu, chrf = sacrebleu(tmp_path, "--confidence", "--confidence-n", "50")
    scores = metrics.score(HYPOTHESES, REFERENCES, bootstrap=50)
    for theirs, value, ours, signature in (
        (bleu, scores.bleu, scores.bleu_interval, scores.bleu_signature),
        (chrf, scores.chrf, scores.chrf_interval, scores.chrf_signature),
    ):
        assert ours is not None and signature == theirs["signature"]
        assert value == pytest.approx(theirs["score"], abs=1e-8)
        assert ours.mean == pytest.approx(theirs["confidence_mean"], abs=1e-4)
        assert ours.half_width == pytest.approx(theirs["confidence_var"], abs=1e-4)
    assert json.loads(json.dumps(scores.to_dict()))["bleu_interval"]["mean"] == scores.bleu_interval.mean


def test_exact_match_and_the_perfect_corpus() -> None:
    assert metrics.score(HYPOTHESES, REFERENCES).exact_match == pytest.approx(20.0)
    perfect = metrics.score(REFERENCES, REFERENCES)
    assert (perfect.bleu, perfect.chrf, perfect.exact_match) == pytest.approx((100.0, 100.0, 100.0))
    assert perfect.sentences == len(REFERENCES) and perfect.bleu_interval is None


def test_corpus_scores_do_not_depend_on_the_order() -> None:
    forwards, backwards = metrics.score(HYPOTHESES, REFERENCES), metrics.score(HYPOTHESES[::-1], REFERENCES[::-1])
    assert (forwards.bleu, forwards.chrf) == pytest.approx((backwards.bleu, backwards.chrf))


def test_intervals_where_some_resamples_score_nothing() -> None:
    scores = metrics.score(["a", "b", "c d e f"], ["x", "y", "c d e f"], bootstrap=50)
    assert scores.bleu_interval is not None and scores.bleu_interval.half_width > 0
    assert metrics.score(["a"], ["b"], bootstrap=10).bleu_interval == metrics.Interval(0.0, 0.0)


def test_nothing_of_sacrebleu_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    metrics.score(["a dog ."] * 150, ["a dog ."] * 150, bootstrap=10)
    captured = capfd.readouterr()
    assert captured.out == "" and captured.err == ""


@pytest.mark.parametrize("differing", [1, 2, 3])
def test_a_few_sentences_are_no_significant_difference(differing: int) -> None:
    """All 2^m shuffles by hand: at least the real one and its mirror image differ as much."""
    references = [f"the {word} runs over a green hill in the {word} sun" for word in ["dog", "cat", "fox", "cow"]] * 5
    system = [text.replace("green", "red") if i < differing else text for i, text in enumerate(references)]
    real = abs(metrics.score(references, references).bleu - metrics.score(system, references).bleu)
    counted = 0
    for swaps in itertools.product([False, True], repeat=differing):
        one = [system[i] if i < differing and swaps[i] else text for i, text in enumerate(references)]
        two = [system[i] if i < differing and not swaps[i] else text for i, text in enumerate(references)]
        scores = [metrics.score(lines, references).bleu for lines in (one, two)]
        counted += abs(scores[0] - scores[1]) >= real - 1e-9
    found = metrics.compare(references, system, references, samples=2000).p_value
    assert found == pytest.approx(counted / 2**differing, abs=0.01)


def test_compare() -> None:
    verdict = metrics.compare(HYPOTHESES, REFERENCES, REFERENCES, samples=200)
    assert verdict.baseline == pytest.approx(metrics.score(HYPOTHESES, REFERENCES).bleu)
    assert verdict.system == pytest.approx(100.0) and verdict.p_value < 0.05 and "ar:200" in verdict.signature
    assert metrics.compare(HYPOTHESES, HYPOTHESES, REFERENCES, samples=50).p_value == 1.0


def test_wrong_input() -> None:
    with pytest.raises(UserError, match="14 hypotheses for 15 references"):
        metrics.score(HYPOTHESES[1:], REFERENCES)
    with pytest.raises(UserError, match="14 system for 15"):
        metrics.compare(HYPOTHESES, HYPOTHESES[1:], REFERENCES)
    with pytest.raises(UserError, match="no sentences"):
        metrics.score([], [])
    with pytest.raises(UserError, match="did you mean 'char'"):
        metrics.score(HYPOTHESES, REFERENCES, tokenize="chars")
    with pytest.raises(UserError, match="bootstrap"):
        metrics.score(HYPOTHESES, REFERENCES, bootstrap=1)


@pytest.mark.parametrize(
    ("language", "tokenizer"),
    [("de", "13a"), ("zh-TW", "zh"), ("zho_Hans", "zh"), ("ko", "char"), ("ja_JP", "char"), ("kor_Hang", "char")],
)
def test_default_tokenizer(language: str, tokenizer: str) -> None:
    assert metrics.default_tokenizer(language) == tokenizer
    metrics.score(["가 나 다 라 마"], ["가 나 다 라 바"], tokenize=tokenizer)
