"""The claims: what they train composes, what they measure is right on made-up runs, and verdicts follow intervals."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.config.compose import compose
from nmt.lab.alignment import eflomal
from nmt.lab.claims import CLAIMS, faithful
from nmt.lab.claims.claim import (
    NO_ATTENTION,
    Contrast,
    Loss,
    Text,
    accuracy_by,
    corrected,
    over_seeds,
    student_quantile,
)
from nmt.lab.claims.memory import ONE_WAY, right_by_position
from nmt.lab.claims.page import Measured, files, judged_again, page, to_facts
from nmt.lab.cli import lab
from nmt.lab.compare.runs import EvaluationSet, FinishedRun, read_runs
from nmt.lab.tasks.buried import Buried
from nmt.lab.tasks.slots import Slots

METRICS = {"parameters": 12_345, "updates": 1_000, "wall_seconds": 90.0}


def finished(sources, references, hypotheses, seed=1):
    test_set = EvaluationSet("question", "answer", tuple(sources), tuple(references))
    return FinishedRun(Path("run"), {"seed": seed}, METRICS, test_set, tuple(hypotheses), 1.0)


def made_up(claim, pairs, right):
    """Return runs of all systems of a claim on `pairs`; `right(system, seed, source)` says which are translated."""
    sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]
    return {
        system: [
            finished(
                sources,
                references,
                [ref if right(system, seed, src) else "-" for src, ref in zip(sources, references, strict=True)],
                seed,
            )
            for seed in (1, 2, 3)
        ]
        for system in claim.systems()
    }


def judged(claim, runs):
    """Return the differences of a claim on these runs."""
    curves = claim.measure(runs)
    return claim.contrasts(curves.lines, curves.more)


# Two-sided quantiles of 95 and 99.5 % as tables of Student's t have them.
@pytest.mark.parametrize(
    ("freedom", "usual", "strict"),
    [(1, 12.706, 127.32), (2, 4.303, 14.089), (3, 3.182, 7.453), (9, 2.262, 3.690), (30, 2.042, 3.030)],
)
def test_the_quantiles_are_those_of_tables(freedom, usual, strict):
    assert student_quantile(0.95, freedom) == pytest.approx(usual, abs=1e-3)
    assert student_quantile(0.995, freedom) == pytest.approx(strict, abs=5e-3)


def test_the_interval_over_seeds_by_hand():
    found = over_seeds([1.0, 2.0, 3.0])
    assert (found.mean, found.seeds) == (2.0, 3) and found.half_width == pytest.approx(4.303 / math.sqrt(3), rel=1e-3)
    assert str(found) == "2.0 ± 2.5"
    assert over_seeds([1.0, 2.0, 3.0], comparisons=10).half_width == pytest.approx(14.089 / math.sqrt(3), rel=1e-3)


@pytest.mark.parametrize(
    ("near", "far", "verdict"),
    [
        ((50.0, 52.0, 51.0), (20.0, 22.0, 21.0), "supported"),
        ((50.0, 52.0, 51.0), (50.0, 52.0, 51.0), "undecided"),  # nothing is lost: the other system has gained
        ((50.0, 52.0, 51.0), (20.0, 22.0, 51.0), "undecided"),
    ],
)
def test_a_difference_between_losses_needs_a_baseline_with_something_to_lose(near, far, verdict):
    gained = Contrast(Text("a", "b"), (2.5, 2.6, 2.4), Loss(near, far))
    assert gained.verdict == verdict
    assert replace(gained, loss=None).verdict == "supported"


@pytest.mark.parametrize("comparisons", [1, 4])
def test_a_verdict_is_where_the_interval_lies(comparisons):
    rng = random.Random(1)
    seen = set()
    for _ in range(300):
        center, spread = rng.uniform(-8, 8), rng.choice([0.1, 1, 5])
        values = tuple(rng.gauss(center, spread) for _ in range(5))
        contrast = Contrast(Text("a", "b"), values, margin=4.0, comparisons=comparisons)
        low, high = (contrast.interval.mean + sign * contrast.interval.half_width for sign in (-1, 1))
        within = low > -4 and high < 4
        side = "supported" if low > 0 else "contradicted" if high < 0 else "undecided"
        assert contrast.verdict == ("no difference" if within else side)
        assert (contrast.verdict != "undecided") == (contrast.p_value < 0.05 / comparisons)
        seen.add(contrast.verdict)
    assert len(seen) == 4


def test_the_correction_is_that_of_holm_by_brute_force():
    rng = random.Random(2)
    for _ in range(100):
        found = [Contrast(Text(str(n), ""), tuple(rng.gauss(n, 2) for _ in range(5))) for n in range(5)]
        p_values = sorted(each.p_value for each in found)
        decided = next((k for k, p in enumerate(p_values) if p >= 0.05 / (5 - k)), 5)
        again = corrected(found)
        verdicts = {each.text.en: each.verdict for each in again}
        assert [each.text for each in again] == [each.text for each in found]
        assert sum(verdict != "undecided" for verdict in verdicts.values()) == decided
        mixed = rng.sample(found, 5)
        assert {each.text.en: each.verdict for each in corrected(mixed)} == verdicts


def test_what_is_not_learned_has_no_difference_and_no_part_in_the_correction():
    clear = Contrast(Text("a", "b"), (5.0, 6.0, 7.0, 5.0, 6.0), easy=((99.0,) * 5, (96.0,) * 5))
    poor = replace(clear, easy=((99.0,) * 5, (100.0, 100.0, 100.0, 100.0, 70.0)))
    assert (clear.verdict, poor.verdict) == ("supported", "not learned here")
    assert [each.comparisons for each in corrected([clear, poor, clear])] == [2, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_all_trainings_of_a_claim_compose_with_one_budget(name):
    composed = [compose("train", list(settings)) for settings in CLAIMS[name]().systems().values()]
    tasks = {one["data"]["_target_"] for one in composed}
    assert len(tasks) <= 1 or name in ("faithful", "head_grammar")
    for task in tasks:
        own = [one for one in composed if one["data"]["_target_"] == task]
        for part in ("trainer", "optimizer", "scheduler", "objective", "search", "data"):
            assert all(one[part] == own[0][part] for one in own)


def test_accuracy_counts_the_exact_answers_of_each_place():
    run = finished(["a", "b c", "d e", "f"], ["1", "2", "2", "1"], ["1", "2", "7", "1"])
    words = {1: (100.0, 0.0), 2: (50.0, 0.0)}
    assert accuracy_by([run, replace(run, hypotheses=("", "", "", ""))], lambda src: len(src.split())) == words


def test_right_words_count_at_their_position_in_the_source():
    source, reference = "sit red two cats", "two red cats sit"
    run = finished([source] * 2 + ["run red"], [reference] * 2 + ["red run"], ["two red cats", "six red", "-"])
    assert right_by_position([run], words=4) == {1: (0.0,), 2: (100.0,), 3: (50.0,), 4: (50.0,)}


def slots(test=400):
    return Slots(seed=1, sizes=[1, 1, test], max_words=4).splits()["test"]


def test_memory_compares_the_earlier_with_the_later_half():
    claim = CLAIMS["memory"]()
    pairs = slots()
    runs = made_up(claim, pairs, lambda system, seed, src: system != ONE_WAY)
    forgetful = [
        " ".join(
            word if position > 2 or len(pair.source.split()) == 3 else "-"
            for position, word in zip(Slots.positions(pair.source), pair.target.split(), strict=True)
        )
        for pair in pairs
    ]
    runs[ONE_WAY] = [replace(run, hypotheses=tuple(forgetful)) for run in runs[ONE_WAY]]
    early, attention = judged(claim, runs)
    assert early.values == (100.0,) * 3 and early.verdict == "supported"
    assert attention.values == (0.0,) * 3 and "Luong, Transformer" in attention.text.en


def buried(claim, test=400):
    return Buried(seed=1, sizes=[1, 1, test], max_distance=claim.far[-1]).splits()["test"]


def near_alone(claim):
    """Return runs in which the model without attention answers only near."""
    return made_up(
        claim, buried(claim), lambda system, seed, src: system != NO_ATTENTION or claim.place(src) in claim.near
    )


def test_distance_compares_what_is_lost_from_near_to_far():
    claim = CLAIMS["distance"]()
    (found,) = judged(claim, near_alone(claim))
    assert (found.values, found.verdict) == ((100.0,) * 3, "supported")
    assert claim.measure(near_alone(claim)).lines[NO_ATTENTION]["8"] == (0.0,) * 3
    (found,) = judged(claim, made_up(claim, buried(claim), lambda system, seed, src: True))
    assert (found.values, found.verdict) == ((0.0,) * 3, "no difference")


def test_the_softmax_saturates_without_the_division():
    claim = CLAIMS["scaling"]()
    runs = made_up(claim, [], lambda system, seed, src: True)
    scores = {"test": {"bleu": {"value": 30.0}}}
    runs = {system: [replace(run, metrics=scores) for run in each] for system, each in runs.items()}
    entropy, gradient, bleu = judged(claim, runs)
    assert entropy.verdict == gradient.verdict == "supported" and min(entropy.values) > 50
    assert bleu.values == (0.0,) * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("alignment", "faithful", "head_roles", "head_grammar", "head_importance", "coreference_head"),
        *("sinks", "trained_gradient"),
    ],
)
def test_claims_about_weights_are_measured_on_trained_models(name, tmp_path, monkeypatch):
    test = 300 if name == "trained_gradient" else 30  # sentences with each number of fillers
    tiny = (f"data.sizes=[300,20,{test}]", "tokenizer.vocab_size=null", "trainer.max_steps=2")
    monkeypatch.setattr(eflomal, "align", lambda pairs, more: ([{(0, 0)} for _ in pairs], [set() for _ in pairs]))
    monkeypatch.setattr(faithful, "SENTENCES", 2)
    claim = CLAIMS[name]()
    runs = {}
    for number, (system, settings) in enumerate(claim.systems().items()):
        trainings = [lab.Training(tmp_path / f"{number}-{seed}", (*settings, *tiny), seed) for seed in (1, 2)]
        lab.train_all(trainings, jobs=2)
        runs[system] = read_runs([each.folder for each in trainings], "test")
    found = claim.measure(runs)
    lines = [values for line in found.lines.values() for values in line.values()]
    assert lines and all(len(values) == 2 and all(map(math.isfinite, values)) for values in lines)
    contrasts = claim.contrasts(found.lines, found.more)
    assert contrasts and all(len(contrast.values) == 2 for contrast in contrasts)


def test_the_page_has_every_claim_in_both_languages_and_is_judged_again_from_the_values():
    distance, memory = CLAIMS["distance"](), CLAIMS["memory"]()
    near, right = near_alone(distance), made_up(memory, slots(), lambda system, seed, src: True)
    facts = to_facts(
        [Measured(claim, claim.measure(runs), runs) for claim, runs in ((distance, near), (memory, right))]
    )
    english, korean = page(facts, "en"), page(facts, "ko")
    assert "| 12,345 | 1,000 | 1.5 | 90 | 1, 2, 3 |" in english
    for claim in (distance, memory):
        assert f"## {claim.text('claim').en}" in english and f"## {claim.text('claim').ko}" in korean
    assert facts[0]["contrasts"][0]["verdict"] == "supported" and facts[1]["contrasts"][0]["verdict"] == "no difference"
    stored = json.loads(files(facts)["claims.json"])
    for each in stored:
        each["claim"] = {"en": "other words", "ko": "다른 말"}
        each["contrasts"] = [{**contrast, "verdict": "undecided"} for contrast in each["contrasts"]]
    assert files(judged_again(stored)) == files(facts)
