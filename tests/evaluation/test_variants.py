"""Variants of a test set: each pair in its place, changed as the name says, and the same in every run."""

from __future__ import annotations

import typing

import pytest

from nmt.cli.evaluate import SplitConfig
from nmt.data.pair import SentencePair
from nmt.evaluation.variants import AROUND, KINDS, SINGLE, variant_of
from nmt.spans import MARK, Spans
from tests.test_spans import COMMON
from tests.tiny_run import Run, sentences

WORDS = sentences(10, seed=2)
PAIRS = [
    *(SentencePair(f"{line}.", f"{line[::-1]}.") for line in sentences(40, seed=9)),
    *(SentencePair("", "x"), SentencePair("저장 {name}", "{name} save")),
]


def test_the_program_offers_every_variant() -> None:
    annotation = typing.get_type_hints(SplitConfig)["variant"]
    assert {*typing.get_args(typing.get_args(annotation)[0])} == {*KINDS}


@pytest.mark.parametrize("name", KINDS)
def test_pairs_keep_their_places_and_variants_repeat(name: str, run: Run) -> None:
    found = variant_of(PAIRS, name, run.translator.tokenizer)
    assert found == variant_of(PAIRS, name, run.translator.tokenizer) and len(found) == len(PAIRS)
    changed = [one != two for one, two in zip(PAIRS, found, strict=True)]
    assert sum(changed) > 5
    assert found[-2] == PAIRS[-2], "an empty side"


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("pairs", [[], [SentencePair("", "")], [SentencePair("", "x"), SentencePair("x", "")]])
def test_pairs_with_an_empty_side_stay(name: str, pairs: list[SentencePair], run: Run) -> None:
    changed = variant_of(pairs, name, run.translator.tokenizer)
    assert [(not pair.source, not pair.target) for pair in changed] == [(not p.source, not p.target) for p in pairs]


def test_sources_are_changed_as_the_names_say(run: Run) -> None:
    found = {name: variant_of(PAIRS, name, run.translator.tokenizer) for name in KINDS}
    for number, pair in enumerate(PAIRS[:-2]):
        upper, title, nostop, typo = (found[name][number] for name in [*KINDS][:4])
        assert (upper.source, upper.target) == (pair.source.upper(), pair.target.upper())
        assert title.source.lower() == pair.source.lower() and title.target == typo.target == pair.target
        dots = [side.endswith("..") for side in (pair.source, pair.target)]
        assert (nostop.source, nostop.target) == tuple(
            side if any(dots) else side.removesuffix(".") for side in (pair.source, pair.target)
        )
        assert len(typo.source.split()) == len(pair.source.split())


@pytest.mark.parametrize("name", [name for name in KINDS if name != "aug-spans"])
def test_the_spans_of_a_pair_stay(name: str, run: Run) -> None:
    tokenizer = run.translator.tokenizer.with_spans(COMMON)
    span = "https://www.example.com/docs?id=3"
    pairs = [SentencePair(f"See {span} for {{name}} {text}.", f"{{name}} {text[::-1]} {span}.") for text in WORDS]
    found = variant_of(pairs, name, tokenizer)
    assert found != pairs
    for one, two in zip(pairs, found, strict=True):
        assert COMMON.find(two.source) == COMMON.find(one.source) == [span, "{name}"]
        assert COMMON.find(two.target) == COMMON.find(one.target) == ["{name}", span]


def test_spans_that_a_pair_has_stay_beside_new_ones(run: Run) -> None:
    tokenizer = run.translator.tokenizer.with_spans(COMMON)
    pairs = [SentencePair(f"{text} <b>{text}</b> {{name}}", f"{{name}} <b>{text[::-1]}</b> {text}") for text in WORDS]
    found = variant_of(pairs, "aug-spans", tokenizer)
    assert sum(one != two for one, two in zip(pairs, found, strict=True)) > 1
    for pair in found:
        for side in (pair.source, pair.target):
            assert "{name}" in side and side.count("<b>") == side.count("</b>") >= 1 and not MARK.search(side)


def test_both_sides_have_the_same_spans(run: Run) -> None:
    pairs = variant_of(PAIRS, "aug-spans", run.translator.tokenizer)
    spans = [[sorted(COMMON.find(side)) for side in (pair.source, pair.target)] for pair in pairs]
    assert all(source == target for source, target in spans)
    glued = [SentencePair(pair.source, pair.target.replace(" ", "")) for pair in PAIRS]
    for pair in variant_of(glued, "aug-spans", run.translator.tokenizer):
        assert sorted(COMMON.find(pair.source)) == sorted(COMMON.find(pair.target)), pair
    known = {*SINGLE, *(tag for both in AROUND for tag in both), "{name}"}
    assert {span for source, _ in spans for span in source} <= known
    assert not any(MARK.search(pair.source + pair.target) for pair in pairs)
    around = [pair for pair in pairs if any(opening in pair.source for opening, _ in AROUND)]
    assert around
    for pair in around:
        for opening, closing in AROUND:
            for side in (pair.source, pair.target):
                assert side.count(opening) == side.count(closing)
                assert side.find(opening) <= side.find(closing)


def test_the_spans_of_variants_are_spans() -> None:
    assert all(COMMON.find(span) == [span] for span in SINGLE)
    assert all(Spans(COMMON.patterns).find(f"{one}word{two}") == [one, two] for one, two in AROUND)
