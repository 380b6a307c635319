"""The second search: which translations it replaces, and that it changes nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nmt import load_translator
from nmt.search.beam import BeamSearch
from nmt.search.constraints import SECOND_NGRAM_SIZE
from nmt.search.sampling import Sampling
from nmt.translation.doubts import is_faulty
from nmt.translation.translator import Translator

SEARCHES = [
    BeamSearch(beam_size=2, n_best=2),
    BeamSearch(beam_size=1, max_length_factor=1.0, max_length_extra=4),
    BeamSearch(beam_size=1, no_repeat_ngram_size=6),
    Sampling(samples=2, temperature=0.2),
]
WORDS = ["three", "hours", "ago", "at", "10", "o'clock", "in", "May", "and", "minutes", "to", "twenty", "2", "dogs"]


@pytest.fixture(scope="module")
def translator() -> Translator:
    """A model of examples/, which was trained for such words, but not for their order."""
    root = Path(__file__).resolve().parents[2]
    return load_translator(root / "examples" / "transformer", device="cpu", search=SEARCHES[0])


@pytest.fixture(scope="module")
def texts() -> list[str]:
    draw = random.Random(1)
    return ["", *(" ".join(draw.choices(WORDS, k=draw.randint(3, 25))) for _ in range(40))]


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.label)
def test_a_faulty_translation_is_replaced_by_one_without_fault(
    translator: Translator, texts: list[str], search: BeamSearch | Sampling
) -> None:
    first, second, both = (
        translator.hypotheses(texts, search=search.replace(**fields))
        for fields in ({}, {"no_repeat_ngram_size": SECOND_NGRAM_SIZE}, {"retry": True})
    )
    mended = [is_faulty(one[0]) and not is_faulty(other[0]) for one, other in zip(first, second, strict=True)]
    assert any(mended) and not all(mended)
    for one, other, found, new in zip(first, second, both, mended, strict=True):
        assert [each.tokens for each in found] == [each.tokens for each in (other if new else one)]
        assert {each.retried for each in found} == {new} and not any(each.retried for each in one)
        assert "repeated" not in found[0].doubts or not new


def test_a_sentence_gets_the_same_alone_and_in_any_batch(translator: Translator, texts: list[str]) -> None:
    search = SEARCHES[0].replace(retry=True)
    together = translator.translate(texts, search=search)
    assert 0 < sum(each.retried for each in together) < len(texts)
    for some in (texts[::-1], texts[:7], texts[4:5]):
        again = translator.translate(some, search=search)
        assert [each.tokens for each in again] == [together[texts.index(text)].tokens for text in some]
        assert [each.retried for each in again] == [together[texts.index(text)].retried for text in some]


def test_a_split_source_is_retried_if_a_part_is(translator: Translator, texts: list[str]) -> None:
    whole = " ".join(f"{text}." for text in texts[1:])
    (found,) = translator.translate([whole], search=SEARCHES[1].replace(retry=True, max_source_length=40))
    assert found.retried and {part.retried for part in found.parts} == {True, False}


def test_a_search_that_is_as_strict_has_no_second_one() -> None:
    assert BeamSearch().second_search is None
    assert BeamSearch(retry=True, no_repeat_ngram_size=SECOND_NGRAM_SIZE).second_search is None
    second = BeamSearch(retry=True).second_search
    assert second == BeamSearch(retry=True, no_repeat_ngram_size=SECOND_NGRAM_SIZE)
