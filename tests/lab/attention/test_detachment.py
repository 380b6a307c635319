"""How detached a translation is from its source: distances against brute force, and planted patterns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from nmt.errors import UserError
from nmt.lab.attention import detachment
from nmt.lab.attention.detachment import HeldOut, Pattern, patterns, to_uniform, wasserstein
from nmt.translation.translator import Translator
from tests.attention_maps import GERMAN, make_map
from tests.tiny_run import Run, make_model, recurrent, sentences

Mass = NDArray[np.float64]


def random_mass(size: int, seed: int) -> Mass:
    mass: Mass = np.random.default_rng(seed).dirichlet(np.full(size, 0.5))
    return mass


def transported(one: Mass, other: Mass) -> float:
    """Return the cost of moving mass from left to right, piece by piece, which is optimal on a line."""
    left, right, cost = one.tolist(), other.tolist(), 0.0
    while left and right:
        moved = min(left[-1], right[-1])
        cost += moved * abs(len(left) - len(right))
        left[-1], right[-1] = left[-1] - moved, right[-1] - moved
        (left if left[-1] <= right[-1] else right).pop()
    return cost


@pytest.mark.parametrize("sizes", [(5, 5), (3, 8), (8, 3), (1, 4)])
def test_the_distance_is_the_cost_of_the_best_transport(sizes: tuple[int, int]) -> None:
    one, other = (random_mass(size, seed) for seed, size in enumerate(sizes))
    (found,) = wasserstein(one, other[None])
    assert found == pytest.approx(transported(one, other))
    assert found == pytest.approx(wasserstein(other, one[None])[0])
    assert wasserstein(one, one[None])[0] == 0
    assert wasserstein(np.pad(one, (0, 2)), np.pad(one, (2, 0))[None])[0] == pytest.approx(2), "two places to the right"


def test_the_distance_from_uniform_is_the_mass_that_must_move() -> None:
    for size in (1, 2, 5):
        assert to_uniform(np.full(size, 1 / size)) == pytest.approx(0)
        assert to_uniform(np.eye(size)[0]) == pytest.approx(1 - 1 / size)
    mass = random_mass(6, 1)
    assert to_uniform(mass) == pytest.approx(sum(max(0, share - 1 / 6) for share in mass))
    assert to_uniform(mass) == pytest.approx(to_uniform(mass[::-1])), "the order of the tokens does not matter"


def test_the_mass_is_the_mean_over_layers_heads_and_rows() -> None:
    weights = torch.rand(2, 3, len(GERMAN), 5, generator=torch.Generator().manual_seed(1))  # rows with any sum
    pattern = Pattern.of(make_map(list("abcde"), GERMAN, cross=weights))
    expected = weights.sum((0, 1, 2)) / weights.sum()
    assert pattern.mass.sum() == pytest.approx(1) and pattern.length == len(GERMAN)
    np.testing.assert_allclose(pattern.mass, expected, rtol=1e-5)


def held(count: int = 120) -> list[Pattern]:
    """Return patterns with nearly uniform mass, of lengths from 10 to 14."""
    draw = np.random.default_rng(5)
    return [Pattern(f"s{i}", 10 + i % 5, draw.dirichlet(np.full(6 + i % 5, 50.0))) for i in range(count)]


def test_the_nearest_others_of_the_same_length_are_compared() -> None:
    others = held()
    usual = HeldOut(others)
    for each in (others[7], Pattern("new", 12, random_mass(8, 3))):
        distances = sorted(
            transported(each.mass, other.mass)
            for other in others
            if other.source != each.source and abs(other.length - each.length) < 0.1 * each.length
        )
        found = usual.compare(each)
        assert found.wass_to_data == pytest.approx(np.mean(distances[:4])), "without the translation itself"
        assert found.wass_to_unif == to_uniform(each.mass)
    long = Pattern("long", 99, random_mass(9, 1))
    nearest = sorted(transported(long.mass, other.mass) for other in others)[:4]
    assert usual.compare(long).wass_to_data == pytest.approx(np.mean(nearest)), "no other is so long: all count"


def test_an_extreme_pattern_is_worse_than_all_others() -> None:
    usual = HeldOut(held())
    inside = [usual.compare(each) for each in held()]
    low, high = (f(each.wass_to_data for each in inside) for f in (min, max))
    for place in (0, 7):
        found = usual.compare(Pattern("planted", 12, np.eye(8)[place]))
        assert found.wass_to_unif == 0.875 and found.rank == 1 and found.wass_combo > high
        least, most = (f(each.wass_to_unif for each in inside) for f in (min, max))
        assert found.wass_combo == pytest.approx(low + (0.875 - least) / (most - least) * (high - low))
    ranks = sorted(each.rank for each in inside)
    assert ranks[:-1] == pytest.approx([place / 120 for place in range(119)]), "the held-out patterns among themselves"
    assert sum(each.wass_combo == each.wass_to_data for each in inside) == 119, "of all but the least uniform one"


def test_too_few_sources_are_an_error() -> None:
    with pytest.raises(UserError, match=r"detachment: got 99 different validation sentences .*, expected at least 100"):
        HeldOut([*held(99), *held(99)])


@pytest.mark.parametrize("kind", ["Transformer", "recurrent"])
def test_patterns_are_of_whole_translations(run: Run, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detachment, "PART", 2)
    translator = run.translator
    if kind == "recurrent":
        translator = Translator(make_model(recurrent(), translator.tokenizer), translator.tokenizer, translator.search)
    translations = translator.translate(["a dog", "", "two men", "red. blue snow.", "a man"], max_source_length=8)
    found = patterns(translator, translations)
    assert sorted(found) == [0, 2, 4], "neither an empty source nor one that was split"
    for place, pattern in found.items():
        (alone,) = translator.attention_maps([translations[place]])
        assert (pattern.source, pattern.length) == (alone.source, len(translations[place].tokens))
        np.testing.assert_allclose(pattern.mass, Pattern.of(alone).mass, atol=1e-6)


def test_validation_sentences_are_translated_by_the_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detachment, "FEWEST", 4)
    monkeypatch.setattr(detachment, "MOST", 6)
    sources = sentences(9, seed=2)
    usual = HeldOut.of(run.translator, sources)
    assert len(usual) == 6
    for pattern in patterns(run.translator, run.translator.translate(sources[:6])).values():
        rank = usual.compare(pattern).rank
        assert 0 <= rank < 1 and rank * 6 == pytest.approx(round(rank * 6))
