"""The significance tests, against the sacrebleu program and against all cases by hand."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.evaluation.metrics.ter import TER
from nmt.evaluation.significance import paired_test, seeds_test
from tests.evaluation.corpus import HYPOTHESES, REFERENCES
from tests.tiny_run import sentences

LINES = sentences(60, seed=1)


def spoiled(share: float, seed: int) -> list[str]:
    """Return LINES with this share of their words exchanged."""
    draw = random.Random(seed)
    return [" ".join("x" if draw.random() < share else word for word in line.split()) for line in LINES]


@pytest.mark.parametrize("test", ["ar", "bs"])
def test_p_values_equal_those_of_the_sacrebleu_program(tmp_path: Path, test: Literal["ar", "bs"]) -> None:
    baseline, system = spoiled(0.3, seed=2), spoiled(0.25, seed=3)
    for name, lines in (("ref", LINES), ("a", baseline), ("b", system)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "a", "b", "-m", "bleu", "chrf", "ter"]
    command += [f"--paired-{test}", f"--paired-{test}-n", "300", "-f", "text"]  # its JSON fails for chrF and TER
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    theirs = re.findall(r"\(p = ([\d.]+)\)", done.stdout)
    for metric, p_value in zip((BLEU(), ChrF(), TER()), theirs, strict=True):
        ours = paired_test(baseline, system, LINES, metric=metric, test=test, samples=300)
        if isinstance(metric, TER) and test == "ar":  # few edits: shuffles with the same difference, which we count
            assert ours.p_value > float(p_value)
        else:
            assert ours.p_value == pytest.approx(float(p_value), abs=1e-4), "one shuffle more or less is 0.003"
        assert 0.003 < ours.p_value < 1 and f"{test}:300" in ours.signature


@pytest.mark.parametrize("differing", [1, 2, 3])
def test_a_few_sentences_are_no_significant_difference(differing: int) -> None:
    """All 2^m shuffles by hand: at least the real one and its mirror image differ as much."""
    references = [f"the {word} runs over a green hill in the {word} sun" for word in ["dog", "cat", "fox", "cow"]] * 5
    system = [text.replace("green", "red") if i < differing else text for i, text in enumerate(references)]
    bleu = BLEU()
    real = abs(bleu.score(references, references).value - bleu.score(system, references).value)
    counted = 0
    for swaps in itertools.product([False, True], repeat=differing):
        one = [system[i] if i < differing and swaps[i] else text for i, text in enumerate(references)]
        two = [system[i] if i < differing and not swaps[i] else text for i, text in enumerate(references)]
        scores = [bleu.score(lines, references).value for lines in (one, two)]
        counted += abs(scores[0] - scores[1]) >= real - 1e-9
    found = paired_test(references, system, references, metric=bleu, samples=2000).p_value
    assert found == pytest.approx(counted / 2**differing, abs=0.01)


def test_differences_that_no_score_counts_make_nothing_significant() -> None:
    """Many texts differ, but one sentence alone has other statistics: every shuffle has the same difference."""
    references = [f"the dog {i} runs over a green hill" for i in range(30)]
    baseline = [text.replace("dog", "cat") for text in references]
    system = ["the fox 0 runs over a red hill", *(text.replace("dog", "fox") for text in references[1:])]
    assert paired_test(baseline, system, references, metric=BLEU(), samples=200).p_value == 1.0


def test_gains_and_losses_of_the_same_size_by_hand() -> None:
    """Five sentences better and two worse by the same edit: of seven signs, at least five must agree."""
    references = [f"the dog {i} runs over a green hill" for i in range(40)]
    worse = [text.replace("green", "red") for text in references]
    baseline = [*worse[:5], *references[5:7], *references[7:]]
    system = [*references[:5], *worse[5:7], *references[7:]]
    signs = itertools.product((1, -1), repeat=7)
    expected = sum(abs(sum(each)) >= 3 for each in signs) / 2**7
    found = paired_test(baseline, system, references, metric=BLEU(), samples=4000).p_value
    assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("test", ["ar", "bs"])
def test_equal_systems_do_not_differ(test: Literal["ar", "bs"]) -> None:
    found = paired_test(HYPOTHESES, HYPOTHESES, REFERENCES, metric=BLEU(), test=test, samples=50)
    assert found.p_value == 1.0 and found.baseline == found.system == BLEU().score(HYPOTHESES, REFERENCES).value
    assert seeds_test([HYPOTHESES] * 2, [HYPOTHESES], REFERENCES, metric=BLEU(), samples=50) == 1.0


def test_every_resample_of_seeds_and_sentences_by_hand() -> None:
    references = ["a dog runs over there", "two men sit here now", "it is cold out today"]
    baseline = [["a dog runs over there", "two men sit", "it is hot out today"], ["a cat", "two men sit here", "it"]]
    system = [["a dog runs over there", "two men sit here now", "it is cold"], ["a dog runs", "two men", "it is cold"]]
    chrf, draws = ChrF(), list(itertools.product((0, 1, 2), repeat=3))

    def scores(drawn: tuple[int, ...]) -> list[float]:
        targets = [references[i] for i in drawn]
        return [chrf.score([lines[i] for i in drawn], targets).value for lines in (*baseline, *system)]

    of = {drawn: scores(drawn) for drawn in draws}

    def difference(runs: tuple[int, ...], drawn: tuple[int, ...]) -> float:
        return float(np.mean([of[drawn][2 + i] for i in runs[2:]]) - np.mean([of[drawn][i] for i in runs[:2]]))

    real = difference((0, 1, 0, 1), (0, 1, 2))
    every = [
        abs(difference(runs, drawn) - real) >= abs(real) - 1e-9
        for runs in itertools.product((0, 1), repeat=4)
        for drawn in draws
    ]
    found = seeds_test(baseline, system, references, metric=chrf, samples=2000)
    assert 0.05 < sum(every) / len(every) < 0.95
    assert found == pytest.approx(sum(every) / len(every), abs=0.04)


def test_seeds_that_vary_make_a_difference_less_certain() -> None:
    """The same mean scores, once of seeds that agree and once of seeds that do not."""
    baseline = [spoiled(0.30, seed=seed) for seed in range(4)]
    steady = [spoiled(0.20, seed=seed) for seed in range(10, 14)]
    varying = [spoiled(share, seed=seed) for seed, share in enumerate((0.02, 0.38, 0.04, 0.36), start=20)]
    certain, uncertain = (
        seeds_test(baseline, system, LINES, metric=ChrF(), samples=300) for system in (steady, varying)
    )
    assert certain < 0.02 and uncertain > 0.1


def test_unequal_counts_are_refused() -> None:
    with pytest.raises(UserError, match="14 system for 15"):
        paired_test(HYPOTHESES, HYPOTHESES[1:], REFERENCES, metric=BLEU())
    with pytest.raises(UserError, match="14 translations of run 2 for 15"):
        seeds_test([HYPOTHESES], [HYPOTHESES[1:]], REFERENCES, metric=BLEU())
