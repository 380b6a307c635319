"""Faults of translations, search errors and model errors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nmt.lab.report.errors import FAULTS, Verdict, faults, judge, repeats, shares, totals
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.translation.translator import Translator
from tests.tiny_run import Run, ended, sentences

SOURCES = sentences(12, seed=3)
GOOD = ("A dog runs.", "Ein Hund rennt.", "Ein Hund läuft.")


@pytest.mark.parametrize(
    "search",
    [
        BeamSearch(beam_size=2),
        BeamSearch(beam_size=4, normalization="power", length_penalty=0.7),
    ],
)
def test_a_reference_that_the_model_prefers_is_a_search_error(run: Run, search: BeamSearch) -> None:
    """The translations of another search serve as references: their scores are known."""
    translator = Translator(run.translator.model, run.translator.tokenizer, search)
    found = ended(translator.translate(SOURCES))
    others = [each.text for each in translator.translate(SOURCES, search=Sampling(seed=5))]
    verdicts = judge(translator, found, others)
    for verdict, own, other in zip(verdicts, found, translator.score(SOURCES, others), strict=True):
        assert verdict.hypothesis == pytest.approx(own.score, abs=1e-4)
        assert verdict.reference is not None and verdict.hypothesis is not None
        if own.text != other.text:
            better = verdict.reference > verdict.hypothesis
            assert verdict.kind == ("search error" if better else "model error")
    for space in (" ", "  ", "\u00a0", "\u202f"):  # the tokenizer reads all of them as one space
        same = [each.text.replace(" ", space) for each in found]
        assert [verdict.kind for verdict in judge(translator, found, same)] == ["same"] * 12
    assert sum(totals(verdicts).values()) == 12


@pytest.mark.parametrize(
    "search",
    [
        Sampling(),
        BeamSearch(n_best=4, utility="chrf"),
        BeamSearch(coverage_penalty=0.2),
        BeamSearch(min_length=4),
    ],
    ids=lambda search: search.label,
)
def test_a_search_for_something_else_than_the_highest_score_makes_no_search_errors(run: Run, search: Search) -> None:
    translator = Translator(run.translator.model, run.translator.tokenizer, search)
    assert judge(translator, run.translator.translate(SOURCES), SOURCES) == [] and totals([]) == {}


def test_pairs_excluded_from_search_errors(run: Run) -> None:
    search = run.translator.search.replace(max_source_length=9, long_source="split")
    translator = Translator(run.translator.model, run.translator.tokenizer, search)
    found = translator.translate(["", "a man", "a dog " * 9])
    cut = replace(found[1], found=replace(found[1].found, tokens=found[1].tokens[:-1]))
    verdicts = judge(translator, [found[0], *ended(found[1:2]), found[2], cut], ["a", "a", "a", "a"])
    first, second, *others = (verdict.kind for verdict in verdicts)
    assert first == "no source" and second in ("search error", "model error", "same") and others == ["too long", "cut"]
    assert verdicts[3] == Verdict("cut") and (totals(verdicts)["cut"], totals(verdicts)["too long"]) == (1, 1)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (GOOD, []),
        (("", "Ein Hund rennt.", ""), []),
        (("A dog runs.", "Ein Hund rennt.", " "), ["empty"]),
        (("A dog  runs.", "Ein Hund rennt.", "A dog runs. "), ["copied"]),
        (("Cafe\u0301 Berlin", "Kaffee Berlin", "Café Berlin"), ["copied"]),
        (("Berlin", "Berlin", "Berlin"), []),
        (("Café", "Cafe\u0301", "Café"), []),
        (("A dog runs.", "Ein Hund rennt.", "Ein Ein Ein Hund"), ["repeating"]),
        (("10000000", "10000000.", "10000000,"), []),
        (("A dog runs.", "Ein Hund rennt.", "Ein Hu"), ["too_short"]),
        (("A dog runs.", "Ein Hund rennt.", "Ein Hund rennt um den Teich am Wald."), ["too_long"]),
        (("A dog.", "Hund", "no no no no no no"), ["repeating", "too_long"]),
    ],
)
def test_each_translation_fault_is_found(texts: tuple[str, str, str], expected: list[str]) -> None:
    assert faults(*texts) == expected


@pytest.mark.parametrize("unit", ["ja", "the cat", "하하", "no,", "abcdefghijklmnopqrstuvwxyz"])
def test_a_text_repeats_if_a_short_part_comes_three_times_in_a_row(unit: str) -> None:
    assert repeats(f"well {unit} {unit} {unit} then")
    assert not repeats(f"well {unit} {unit} then")
    assert not repeats(f"{unit} and {unit} or {unit}")
    assert not repeats("wait ........ - - - - -")


def test_shares_count_each_fault() -> None:
    sources, references, hypotheses = zip(GOOD, ("A dog.", "Hund", ""), ("A dog.", "Hund", "A dog."), strict=True)
    assert shares(sources, references, hypotheses) == pytest.approx(
        dict.fromkeys(FAULTS, 0.0) | {"empty": 1 / 3, "copied": 1 / 3}
    )
