"""Translators put the terms of a glossary into what a model reads, wherever they read a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt import checkpoint
from nmt.spans import Spans
from nmt.terms import NO_TERMS, Terms
from nmt.translation.ensemble import Ensemble
from nmt.translation.loading import knows_terms, load_translator
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences

TERMS = Terms({"dog": "Hund", "red": "rot", "the bike": "das Rad"})
SPANS = Spans({"braces": r"\{\w+\}"})


@pytest.fixture(scope="module")
def translator(run: Run) -> Translator:
    ours = run.translator
    return Translator(ours.model, ours.tokenizer.with_spans(SPANS), ours.search, name="tiny", knows_terms=True)


def test_a_source_with_terms_is_read_as_the_same_text_with_their_translations(translator: Translator) -> None:
    texts = [f"{line} {{x}} dog" for line in sentences(20, seed=3)]
    with_terms = translator.with_terms(TERMS)
    for text, part in zip(texts, with_terms.encode(texts), strict=True):
        inserted = TERMS.insert(text.replace("{x}", "｟0｠"))
        assert part.text == text and part.ids == (translator.tokenizer.encode_source([inserted])[0],)
        assert part.ids != translator.encode([text])[0].ids
    found = with_terms.translate(texts)
    assert [each.source for each in found] == texts and all(each.text.count("{x}") == 1 for each in found)
    assert [with_terms.translate([text])[0].tokens for text in texts] == [each.tokens for each in found]
    assert with_terms.translate(["a man"])[0].tokens == translator.translate(["a man"])[0].tokens
    assert translator.terms is NO_TERMS, "the translator itself stays as it is"


def test_scores_and_attention_are_of_the_source_with_terms(translator: Translator) -> None:
    with_terms = translator.with_terms(TERMS)
    (found,) = with_terms.translate(["a red dog"], beam_size=1)
    (scored,) = with_terms.score_pairs(with_terms.encode_pairs(["a red dog"], [found.text]))
    if scored.tokens == found.tokens:
        assert scored.token_log_probs == pytest.approx(found.token_log_probs, abs=1e-4)
    (drawn,) = with_terms.attention_maps([found])
    assert "Hund" in "".join(piece.label for piece in drawn.source_pieces)


def test_capitals_and_terms_of_a_source_are_both_marked(translator: Translator) -> None:
    (part,) = translator.with_terms(TERMS).encode(["A RED {x} DOG READS"])
    expected = TERMS.insert("｟12｠A red ｟0｠ dog reads")
    assert part.ids == (translator.tokenizer.encode_source([expected])[0],) and "Hund" in expected


def test_a_source_that_is_split_has_the_terms_of_its_parts(translator: Translator) -> None:
    text = " ".join(f"{line} dog." for line in sentences(20, seed=2))
    (found,) = translator.with_terms(TERMS).translate([text], max_source_length=60)
    assert len(found.parts) > 5
    for part in found.parts:
        assert part.source_part.ids == translator.with_terms(TERMS).encode([part.source])[0].ids


def test_a_model_that_has_not_learned_terms_ignores_them(run: Run, translator: Translator) -> None:
    assert run.translator.with_terms(TERMS) is run.translator
    members = [translator, Translator(translator.model, translator.tokenizer, translator.search)]
    assert not Ensemble(members).knows_terms and Ensemble(members[:1]).knows_terms


def test_a_checkpoint_says_whether_its_model_has_learned_terms(translator: Translator, tmp_path: Path) -> None:
    translator.save(tmp_path / "model.safetensors")
    assert load_translator(tmp_path / "model.safetensors").knows_terms
    assert not knows_terms(checkpoint.load(tmp_path / "model.safetensors").config | {"augment": {}})
    for node, known in (({"rate": 0.1}, True), ({"rate": 0}, False), (None, False)):
        assert knows_terms({"augment": {"terms": node}}) is known
