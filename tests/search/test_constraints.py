"""Rules on the next token against brute force."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from nmt.search.constraints import keep_top_k, keep_top_p, top


def rows(width: int, count: int = 40, *, sharpness: float = 2.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(width)
    return (torch.randn(count, width, generator=generator) * sharpness).log_softmax(1)


def kept(log_probs: torch.Tensor) -> list[set[int]]:
    return [set(row.isfinite().nonzero().flatten().tolist()) for row in log_probs]


def test_top_equals_a_stable_sort_even_with_ties_infinities_and_odd_widths() -> None:
    generator = torch.Generator().manual_seed(0)
    for width in (1, 7, 130, 1000, 8001):
        for levels in (3, 50, 10**6):
            values = torch.randint(levels, (9, width), generator=generator).float()
            values[values == 1] = -math.inf
            for count in (1, min(12, width)):
                best, places = top(values, count)
                expected = values.sort(dim=1, descending=True, stable=True)
                assert torch.equal(best, expected.values[:, :count])
                real = best > -math.inf
                assert torch.equal(places[real], expected.indices[:, :count][real])


@pytest.mark.parametrize("k", [1, 3, 8, 20])
def test_top_k_keeps_the_k_most_probable(k: int) -> None:
    log_probs = rows(8)
    found = keep_top_k(log_probs, k)
    for row, tokens, changed in zip(log_probs, kept(found), found, strict=True):
        ranked = sorted(range(8), key=lambda token: -row[token].item())
        assert tokens == set(ranked[:k])
        assert all(changed[token] == row[token] for token in tokens)
    equal = torch.zeros(1, 300)
    assert kept(keep_top_k(equal, k)) == [set(range(k))], "of equal tokens those with the lower ids"


@pytest.mark.parametrize("p", [1e-46, 0.05, 0.5, 0.9, 0.999])
def test_top_p_keeps_the_smallest_set_by_brute_force(p: float) -> None:
    log_probs = rows(7)
    log_probs[:, 2] = -math.inf  # another rule forbade a token, so the rows no longer sum to 1
    for row, tokens in zip(log_probs, kept(keep_top_p(log_probs, p)), strict=True):
        probability = (row - row.logsumexp(0)).double().exp().tolist()
        sets = itertools.chain.from_iterable(itertools.combinations(range(7), n) for n in range(1, 8))
        enough = [chosen for chosen in sets if sum(probability[token] for token in chosen) >= p]
        smallest = min(enough, key=lambda chosen: (len(chosen), -sum(probability[token] for token in chosen)))
        assert tokens == set(smallest)


@pytest.mark.parametrize("sharpness", [0.1, 1.0, 8.0])
def test_top_p_of_a_wide_row_equals_a_whole_sort(sharpness: float) -> None:
    log_probs = rows(5000, count=6, sharpness=sharpness)
    ordered = log_probs.sort(dim=1, descending=True, stable=True)
    for p in (0.3, 0.95):
        for row, tokens in enumerate(kept(keep_top_p(log_probs, p))):
            mass = ordered.values[row].exp().cumsum(0)
            count = int((mass < p).sum()) + 1
            assert abs(len(tokens) - count) <= 1, "one more or less where rounding decides"
            assert tokens == set(ordered.indices[row, : len(tokens)].tolist())
