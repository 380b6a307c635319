"""Reasons to doubt a translation: planted faults are found, and what the source has too is no fault."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from nmt.search.base import LEAST_MEAN, Hypothesis, Unscored
from nmt.text.protect import NO_SPANS, Segment
from nmt.tokens import EOS, Piece
from nmt.translation.doubts import REASONS, Tally
from nmt.translation.translation import EncodedSource, Translation, joined
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences

ENGLISH = "A man in a red shirt rides a bike."
GERMAN = "Ein Mann in einem roten Hemd fährt auf einem Fahrrad."
TOKENIZER: Any = SimpleNamespace(
    spans=NO_SPANS,
    target_pieces=lambda tokens: [Piece(f"a{index}" if index % 2 == 0 else ".") for index in tokens],
)
KOREAN = "빨간 셔츠를 입은 남자가 자전거를 탑니다."


def translation(
    source: list[int], target: list[int], *, text: str = ENGLISH, language: str | None = "en", log_prob: float = -0.3
) -> Translation:
    """Return a translation with these ids, to which eos is added. Even ids are words, and odd ids are points."""
    tokens = [*target, EOS]
    part = EncodedSource(Segment((text,)), [*source, EOS], 0, language)
    return Translation(part, Segment(("b",)), Hypothesis(tokens, [log_prob] * len(tokens), 0.0), TOKENIZER)


def different(count: int, seed: int = 0) -> list[int]:
    """Return even ids that differ."""
    return random.Random(seed).sample(range(10, 1000, 2), count)


@pytest.mark.parametrize(("size", "times"), [(1, 3), (1, 7), (2, 3), (3, 2), (4, 4), (9, 2)])
def test_a_planted_repetition_is_always_found(size: int, times: int) -> None:
    draw = random.Random(size)
    for _ in range(50):
        target = different(draw.randint(size, 30), draw.randint(0, 999))
        place = draw.randint(0, len(target) - size)
        ngram = target[place : place + size]
        faulty = [*target[:place], *ngram * times, *target[place + size :]]
        assert translation(different(len(target), 5), target).doubts == []
        assert translation(different(len(faulty), 5), faulty).doubts == ["repeated"]
        assert translation(faulty, faulty).doubts == [], "the source has it too"


@pytest.mark.parametrize("target", [[*different(8), 11, 11, 11, 11], [10, 10, 20, 22, 20, 22, 30, 32]])
def test_repeated_points_and_a_word_that_stands_twice_are_no_fault(target: list[int]) -> None:
    assert translation(different(10), target).doubts == []


def test_length_is_compared_in_tokens() -> None:
    for here, there in ((1, 8), (10, 26), (26, 10)):
        assert translation(different(here), different(there)).doubts == []
        longer = (here, there + 1) if there > here else (here + 1, there)
        assert translation(*map(different, longer)).doubts == ["length"]


def test_low_probability_and_a_missing_end() -> None:
    sound = translation(different(9), different(9))
    for mean, doubts in ((LEAST_MEAN - 0.01, ["unsure"]), (LEAST_MEAN + 0.01, [])):
        assert replace(sound, found=Hypothesis(sound.tokens, [mean] * 10, 0.0)).doubts == doubts
    assert replace(sound, found=Hypothesis(different(10), [-0.1] * 10, 0.0)).doubts == ["cut"]
    for computed in (False, True):  # an engine computes log P when it is read
        found = Hypothesis(sound.tokens, [-0.5] * 10, 0.0)
        given = replace(sound, found=Unscored(sound.tokens, lambda: found) if computed else found)  # noqa: B023
        assert [replace(given, unsure_below=each).doubts for each in (-0.49, -0.51)] == [["unsure"], []]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (KOREAN, "en", ["script"]),
        ("안녕", "en", ["script"]),
        (ENGLISH, "ko", ["script"]),
        ("LibreOffice", "ko", []),  # a name
        (KOREAN, "ko", []),
        (ENGLISH, "en", []),
        ("Ovo je rečenica na srpskom jeziku.", "sr", []),  # which has two scripts
        ("This is a sentence in English.", "jpn", ["script"]),
        (KOREAN, None, []),
        (KOREAN, "tlh", []),  # no script is known
        ("3,14 + 2", "ko", []),
    ],
)
def test_script(text: str, language: str | None, expected: list[str]) -> None:
    found = translation(different(9), different(9), text=text, language=language).doubts
    assert [doubt for doubt in found if doubt not in ("language", "numbers")] == expected


def test_language() -> None:
    pytest.importorskip("py3langid")
    ids = different(9)
    for text, language, expected in (
        (GERMAN, "en", ["language"]),
        (GERMAN, "de-AT", []),
        (GERMAN[:12], "en", []),  # too short
        (GERMAN, "tlh", []),
    ):
        assert translation(ids, ids, text=text, language=language).doubts == expected


def test_changed_spans_and_numbers() -> None:
    for source, target, *expected in (
        ("See https://a.org/x?y=1.", "Siehe https://a.org/x?y=1."),
        ("See https://a.org/x?y=1.", "Siehe https://a.org/x?y=.", "spans"),
        ("{name} has %s and %(x)d.", "%(x)d und %s hat {name}."),
        ("{name} has %s.", "{name} hat %d.", "spans"),
        ("Open <b>it</b>.", "Öffne <b>es.</b>"),
        ("Open <b>it</b>.", "Öffne <b><b>es</b>.", "spans"),
        ("Open {file}.", "{file}", "spans"),  # without the words
        ("Open {file} now.", "Öffne jetzt. {file}", "spans"),  # behind the full stop
        ("I like it 😀", "Ich mag es. 😀"),
        ("a file in /usr/bin", "/usr/bin에 있는 파일"),
        ("100 % of 1,234.5 on 11/25/2026", "am 25.11.2026 100% von 1.234,5"),
        ("3 dogs, 20000 birds, ٣٤ كتابا", "drei Hunde, 20 000 Vögel, 34 Bücher"),
        ("120,000 won", "12만 원"),
        ("25 dogs", "52 Hunde", "numbers"),
        ("3 dogs", "5 Hunde", "numbers"),
        ("10 dogs", "100 Hunde", "numbers"),
        ("in 2016", "damals", "numbers"),
        ("20 of 20", "20 von 20 20", "numbers"),
        ("from 9:26 AM to 9:26 PM", "von 9:26 bis 21:26"),
        ("until 3 p.m. or 12:30 AM", "bis 15 Uhr oder 00:30"),
        ("12/23/93 and 2035", "23.12.1993 und 2035"),
        ("9:26 PM", "22:26", "numbers"),
        ("12/23/93", "23.12.1994", "numbers"),
        ("15 dogs", "27 Hunde und 3", "numbers"),
        ("9" * 5000, "9" * 5000),
    ):
        found = translation(different(9), different(9), text=source, language=None)
        assert replace(found, target=Segment((target,))).doubts == expected, source


def test_the_places_of_problems_are_named() -> None:
    tally = Tally()
    for number in range(1, 14):
        found = translation(different(9), different(9), text="in {file}", language=None)
        tally.add(found if number != 2 else replace(found, target=Segment(("in {file}",))), f"a.en:{number}")
    tally.add(replace(found, found=replace(found.found, tokens=different(9))), "page.html, 'it, 'too'")
    lines = list(tally.lines("9 tokens"))
    assert "without spans" in lines[0] and lines[0].endswith("; lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4 more")
    assert "(spans)" in lines[1] and lines[1].endswith("; lines 1, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more")
    assert "(cut)" in lines[2] and lines[2].endswith("; 'it, 'too'")


def test_a_split_source_has_the_doubts_of_its_parts() -> None:
    sound, cut = translation(different(9), different(9)), translation(different(9), different(30))
    cut = replace(cut, found=Hypothesis(cut.tokens[:-1], cut.token_log_probs, 0.0))
    whole = joined(sound.encoded, [sound, cut, replace(sound, found=Hypothesis([], [], 0.0))])
    assert whole.doubts == ["length", "cut"] and joined(sound.encoded, [sound, sound]).doubts == []


def test_doubts_do_not_depend_on_the_batch(run: Run) -> None:
    ours = run.translator
    translator = Translator(ours.model, ours.tokenizer, ours.search, languages=("en", "de"))
    texts = [*sentences(12, seed=3), KOREAN, "", "개"]
    together = [each.doubts for each in translator.translate(texts)]
    assert [translator.translate([text])[0].doubts for text in texts] == together
    assert together[texts.index("")] == []
    assert "unknown" in together[-1] and together[texts.index(KOREAN)][0] == "script"
    for doubts in together:
        assert doubts == [doubt for doubt in REASONS if doubt in doubts]
    assert translator.score([KOREAN], ["a dog"])[0].doubts[0] == "script"
