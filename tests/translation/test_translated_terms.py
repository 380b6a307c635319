"""Translators put the terms of a glossary into what a model reads, wherever they read a source."""

from __future__ import annotations

import pytest

from nmt.text.protect import Spans
from nmt.text.terms import NO_TERMS, Terms
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences

TERMS = Terms({"dog": "Hund", "red": "rot", "the bike": "das Rad"})
SPANS = Spans({"braces": r"\{\w+\}"})


@pytest.fixture(scope="module")
def translator(run: Run) -> Translator:
    ours = run.translator
    return Translator(ours.model, ours.tokenizer.with_spans(SPANS), ours.search, name="tiny")


def test_a_source_with_terms_is_read_with_marks_that_become_their_translations(translator: Translator) -> None:
    texts = [f"{line} {{x}} dog" for line in sentences(20, seed=3)]
    with_terms = translator.with_terms(TERMS)
    for text, part in zip(texts, with_terms.encode(texts), strict=True):
        assert part.text == text and "dog" not in part.read and "Hund" in part.translations.values()
        assert part.ids == translator.tokenizer.encode_source([part.read])[0]
        assert part.ids != translator.encode([text])[0].ids
    found = with_terms.translate(texts)
    assert [each.source for each in found] == texts and all(each.text.count("{x}") == 1 for each in found)
    assert all(each.text.count("Hund") == text.count("dog") for each, text in zip(found, texts, strict=True))
    assert [with_terms.translate([text])[0].tokens for text in texts] == [each.tokens for each in found]
    assert with_terms.translate(["a man"])[0].tokens == translator.translate(["a man"])[0].tokens
    assert translator.terms is NO_TERMS, "the translator itself stays as it is"


def test_scores_and_attention_are_of_the_source_with_terms(translator: Translator) -> None:
    with_terms = translator.with_terms(TERMS)
    (found,) = with_terms.translate(["a red dog"], beam_size=1)
    (scored,) = with_terms.score_pairs(with_terms.encode_pairs(["a red dog"], [found.text]))
    (drawn,) = with_terms.attention_maps([scored])
    assert {"dog", "red"} <= {piece.label for piece in drawn.source_pieces}
    assert {"Hund", "rot"} <= {piece.label for piece in drawn.target_pieces}


def test_a_source_in_capitals_has_terms_too(translator: Translator) -> None:
    (part,) = translator.with_terms(TERMS).encode(["A RED {x} DOG READS"])
    expected = "A ｟0｠ ｟1｠ ｟2｠ reads"
    assert part.ids == translator.tokenizer.encode_source([expected])[0]
    assert part.translations == {"｟0｠": "rot", "｟1｠": "{x}", "｟2｠": "Hund"}


def test_a_source_that_is_split_has_the_terms_of_its_parts(translator: Translator) -> None:
    text = " ".join(f"{line} dog." for line in sentences(20, seed=2))
    (found,) = translator.with_terms(TERMS).translate([text], max_source_length=60)
    assert len(found.parts) > 5
    for part in found.parts:
        assert part.encoded.ids == translator.with_terms(TERMS).encode([part.source])[0].ids


def test_a_model_without_spans_ignores_terms(run: Run) -> None:
    texts = sentences(5, seed=4)
    assert run.translator.with_terms(TERMS).encode(texts) == run.translator.encode(texts)
