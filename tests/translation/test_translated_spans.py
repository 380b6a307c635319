"""Translations keep the spans of their sources, whichever model and search made them."""

from __future__ import annotations

import copy
import random
import unicodedata
from pathlib import Path

import pytest

from nmt import checkpoint
from nmt.data.encoded import encode
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from nmt.text.protect import Segment, Slot, Spans
from nmt.text.terms import Terms
from nmt.translation.translator import Translator
from tests.tiny_run import Run, make_model, sentences

LEARNED = "nmt.models.positions.learned.Learned"
SPANS = Spans({"braces": r"\{\w+\}", "tags": "</?[a-z]>"})


@pytest.fixture(scope="module")
def translator(run: Run) -> Translator:
    ours = run.translator
    return Translator(ours.model, ours.tokenizer.with_spans(SPANS), ours.search, name="tiny")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Texts with up to four spans, some of them equal."""
    draw, found = random.Random(0), []
    for line in sentences(24, seed=8):
        words = line.split()
        for span in draw.choices(["{name}", "{x}", "<b>", "</b>"], k=draw.randint(0, 4)):
            words.insert(draw.randint(0, len(words)), span)
        found.append(draw.choice([" ", " ", ""]).join(words) if len(words) < 4 else " ".join(words))
    return found


def test_every_span_is_in_the_translation_once(translator: Translator, texts: list[str]) -> None:
    found = translator.translate([*texts, f"a dog{' {x}' * 11}"])
    assert 0 < sum(bool(each.lost) for each in found) < len(texts), "the model drops spans"
    for each in found:
        assert sorted(SPANS.find(each.text)) == sorted(SPANS.find(each.source)) and "｟" not in each.text


def test_slots_of_a_program_are_in_the_translation_once(translator: Translator) -> None:
    tags = Segment(("a ", Slot("<1>"), "red {x}", Slot("</1>"), " dog", Slot("<2/>")))
    (found,) = translator.translate([tags])
    assert sorted(slot.text for slot in found.target.slots) == ["</1>", "<1>", "<2/>", "{x}"]
    (joined,) = translator.translate([Segment((*tags.parts, ". ") * 9)], max_source_length=12)
    assert len(joined.parts) > 8 and len(joined.target.slots) == 36 and joined.source.count("<1>") == 9


def test_a_given_translation_has_the_marks_of_its_source(translator: Translator) -> None:
    source, target = "{a} dog {b} {c}", "{b} red {a} {d}"
    (scored,) = translator.score([source], [target])
    marked = translator.tokenizer.encode_target(["｟1｠ red ｟0｠ {d}"])[0]
    assert scored.tokens == marked and scored.text == target
    assert [piece for piece in scored.pieces if piece in {"{a}", "{b}", "{c}"}] == ["{b}", "{a}"]


def test_training_pairs_have_the_marks_that_translations_have(translator: Translator) -> None:
    pair = SentencePair("{a} dog {b}", "{b} red {a}")
    (encoded,) = encode([pair], translator.tokenizer)
    (source,) = translator.encode([pair.source])
    assert encoded.source == source.ids
    assert encoded.target == translator.target_ids([source], [pair.target])[0]


def test_a_source_that_is_split_is_not_divided_inside_a_span_without_a_mark(translator: Translator) -> None:
    notes = Spans({"notes": r"\{[^{}]+\}"})
    noting = Translator(translator.model, translator.tokenizer.with_spans(notes), translator.search)
    text = " ".join(f"{line} {{Go {number}. Stop, now {number}}}" for number, line in enumerate(sentences(12, seed=2)))
    (found,) = noting.translate([text], max_source_length=20)
    sources = [part.source for part in found.parts]
    assert len(sources) > 8 and [span for each in sources for span in notes.find(each)] == notes.find(text)
    assert all(part.encoded.segment == notes.protect(part.source) for part in found.parts)


def test_a_hint_divides_no_span_and_no_term(translator: Translator) -> None:
    source = "a {na\u00adme} ma\u200bn \ufeff<b>dog</b>"
    for text in (source, Segment((source, Slot("<i\u200b>")))):
        (encoded,) = translator.with_terms(Terms({"man": "Mann"})).encode([text])
        assert encoded.segment.slots[:4] == (Slot("{name}"), Slot("man", "Mann"), Slot("<b>"), Slot("</b>"))
        assert encoded.segment.slots[4:] == (() if isinstance(text, str) else (Slot("<i\u200b>"),))


def test_unicode_forms_and_white_space_do_not_matter_beside_spans(translator: Translator) -> None:
    for text, same in (
        ("SCHLÜSSEL {x}", unicodedata.normalize("NFD", "SCHLÜSSEL {x}")),
        ("Click <b>Save</b>", "Click  <b>Save</b>"),
        ("Click <b>Save</b>", "Click\t<b>Save</b>"),
    ):
        assert translator.encode([text])[0].ids == translator.encode([same])[0].ids
    korean = Spans({"braces": r"\{[^{}]+\}"})
    tokenizer = translator.tokenizer.with_spans(korean)
    apart = SentencePair("a {이름}", unicodedata.normalize("NFD", "b {이름}"))
    assert encode([apart], tokenizer) == encode([SentencePair("a {이름}", "b {이름}")], tokenizer)
    blank = Translator(translator.model, translator.tokenizer.with_spans(Spans({"nbsp": "\u00a0"})), translator.search)
    (scored,) = blank.score(["a\u00a0dog"], ["b\u00a0red"])
    assert scored.text == "b\u00a0red"


def test_a_checkpoint_keeps_the_spans(translator: Translator, run: Run, tmp_path: Path) -> None:
    translator.save(tmp_path / "model.safetensors")
    loaded = checkpoint.load(tmp_path / "model.safetensors").tokenizer
    assert loaded.spans.patterns == SPANS.patterns
    assert loaded.digest() == translator.tokenizer.digest() != run.translator.tokenizer.digest()


def test_a_prefix_keeps_the_spans_of_later_parts(translator: Translator) -> None:
    limited = Translator(translator.model, translator.tokenizer, translator.search, trained_length=16)
    source = f"{' '.join(sentences(2, seed=8))}. Then {{x}} a dog. Then <b> a man."
    (found,) = limited.translate([source], prefixes=["a {x} red <b>"])
    assert len(found.parts) > 1 and found.text.startswith("a {x} red <b>")


def test_a_source_in_capitals_is_read_in_small_letters_and_translated_into_capitals(translator: Translator) -> None:
    capitals, small = translator.translate(["A DOG {x} SEES A MAN", "A dog {x} sees a man"])
    assert capitals.encoded.ids == small.encoded.ids and capitals.tokens == small.tokens
    assert capitals.text.replace("{x}", "") == small.text.replace("{x}", "").upper() and "{x}" in capitals.text
    (found,) = translator.translate(["A DOG SEES A MAN"], prefixes=["EU NATO"])
    assert found.text.startswith("EU NATO")
    (unchanged,) = translator.translate(["a dog sees a man"], prefixes=["EU NATO"])
    assert unchanged.text.startswith("EU NATO")
    (own,) = translator.attention_maps([capitals])
    assert own.source == "A DOG {x} SEES A MAN"


def test_a_prefix_that_is_longer_than_the_positions_of_the_decoder_must_be_shorter(run: Run) -> None:
    config = copy.deepcopy(dict(run.translator.model.config or {}))
    config["decoder"]["positions"] = {"_target_": LEARNED, "_partial_": True, "max_length": 6}
    limited = Translator(make_model(config, run.translator.tokenizer), run.translator.tokenizer, run.translator.search)
    with pytest.raises(UserError, match=r"got 18 tokens, expected at most 5 tokens \(search.max_length"):
        limited.translate(["a dog"], prefixes=["a red bike and a green bike"])
