"""Validation decodes the same whatever the run's search is."""

from __future__ import annotations

import pytest

from nmt.build import build_search
from nmt.config.compose import compose
from nmt.search.beam import BeamSearch
from nmt.training.validation import validation_search


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["search=greedy"],
        ["search=sampling", "search.temperature=0.5", "search.samples=4"],
        ["search.max_length_factor=1", "search.max_length_extra=0", "search.length_penalty=2"],
    ],
)
def test_validation_search_is_greedy(overrides: list[str]) -> None:
    search = build_search(compose("train", overrides)["search"])
    assert validation_search(search) == BeamSearch(beam_size=1)
    assert validation_search(search.replace(batch_tokens=100)) == BeamSearch(beam_size=1, batch_tokens=100)


def test_the_shipped_defaults_are_those_of_the_code() -> None:
    assert build_search(compose("train")["search"]) == BeamSearch()
    assert build_search(compose("train", ["search=greedy"])["search"]) == BeamSearch(beam_size=1)
