"""The significance tests, against the sacrebleu program and against all cases by hand."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.evaluation.metrics.ter import TER
from nmt.lab.compare import significance
from nmt.lab.compare.significance import PairedBootstrap, bootstrap_test, randomization_test
from tests.finished_runs import spoiled
from tests.tiny_run import sentences

LINES = sentences(60, seed=1)


def counts(lines: list[str], references: list[str], metric: Metric) -> NDArray[np.float64]:
    return np.asarray(metric.statistics(lines, references), float)


def randomization(one: list[str], two: list[str], references: list[str], metric: Metric, shuffles: int) -> float:
    both = (counts(lines, references, metric) for lines in (one, two))
    return randomization_test(*both, metric=metric, shuffles=shuffles)


def bootstrap(
    baseline: list[list[str]], system: list[list[str]], references: list[str], metric: Metric, resamples: int
) -> PairedBootstrap:
    both = ([counts(lines, references, metric) for lines in runs] for runs in (baseline, system))
    return bootstrap_test(*both, metric=metric, resamples=resamples)


def test_p_values_of_randomization_equal_those_of_the_sacrebleu_program(tmp_path: Path) -> None:
    baseline, system = spoiled(LINES, 0.3, seed=2), spoiled(LINES, 0.25, seed=3)
    for name, lines in (("ref", LINES), ("a", baseline), ("b", system)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "a", "b", "-m", "bleu", "chrf", "ter"]
    command += ["--paired-ar", "--paired-ar-n", "300", "-f", "text"]  # its JSON fails for chrF and TER
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    theirs = re.findall(r"\(p = ([\d.]+)\)", done.stdout)
    for metric, p_value in zip((BLEU(), ChrF(), TER()), theirs, strict=True):
        ours = randomization(baseline, system, LINES, metric, shuffles=300)
        if isinstance(metric, TER):  # few edits: shuffles with the same difference, which we count
            assert ours > float(p_value)
        else:
            assert ours == pytest.approx(float(p_value), abs=1e-4), "one shuffle more or less is 0.003"
        assert 0.003 < ours < 1


def test_shuffles_drawn_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    baseline, system = spoiled(LINES, 0.3, seed=2), spoiled(LINES, 0.25, seed=3)
    found = set()
    for block in (1, 10_000, 1_000_000):
        monkeypatch.setattr(significance, "_BLOCK", block)
        found.add(randomization(baseline, system, LINES, metric=ChrF(), shuffles=300))
    assert len(found) == 1


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
    found = randomization(references, system, references, metric=bleu, shuffles=2000)
    assert found == pytest.approx(counted / 2**differing, abs=0.01)


@pytest.mark.parametrize("runs", [1, 2])
def test_every_resample_of_seeds_and_sentences_by_hand(runs: int) -> None:
    references = ["a dog runs over there", "two men sit here now", "it is cold out today"]
    baseline = [["a dog runs over there", "two men sit", "it is hot out today"], ["a cat", "two men sit here", "it"]]
    system = [["a dog runs over there", "two men sit here now", "it is cold"], ["a dog runs", "two men", "it is cold"]]
    baseline, system = baseline[:runs], system[:runs]
    chrf, draws = ChrF(), list(itertools.product((0, 1, 2), repeat=3))

    def scores(drawn: tuple[int, ...]) -> list[float]:
        targets = [references[i] for i in drawn]
        return [chrf.score([lines[i] for i in drawn], targets).value for lines in (*baseline, *system)]

    of = {drawn: scores(drawn) for drawn in draws}

    def difference(chosen: tuple[int, ...], drawn: tuple[int, ...]) -> float:
        first, second = chosen[:runs], chosen[runs:]
        return float(np.mean([of[drawn][runs + i] for i in second]) - np.mean([of[drawn][i] for i in first]))

    real = difference((*range(runs), *range(runs)), (0, 1, 2))
    every = np.array(
        [difference(chosen, drawn) for chosen in itertools.product(range(runs), repeat=2 * runs) for drawn in draws]
    )
    expected = float(np.mean(abs(every - real) >= abs(real) - 1e-9))
    found = bootstrap(baseline, system, references, metric=chrf, resamples=2000)
    assert 0.05 < expected < 0.95
    assert found.p == pytest.approx(expected, abs=0.04)
    assert found.difference == pytest.approx(real)
    low, high = np.quantile(every, [0.025, 0.975], method="inverted_cdf")
    assert found.half_width == pytest.approx((high - low) / 2, rel=0.1)
