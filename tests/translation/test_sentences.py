"""A text is split into sentences and joined again."""

from __future__ import annotations

import time

import pytest

from nmt.translation.sentences import join, split, split_to_fit


@pytest.mark.parametrize(
    "sentences",
    [
        ["A dog.", "A man!", "Who?", '"Yes."', "He said... and went.", "No (really).", "Ok"],
        ["Kim and J. Smith, z. B. am 3. Mai 1999.", "U.S. law costs 3.14 at example.org. it says."],
        ["Wait?!", "No.", "It goes on…", "Then?"],
        ["나는 간다.", "너는?", "네.", "그래!"],
        ["यह है।", "वह है।"],
        ["هل هذا؟", "نعم."],
        ["彼は言った。", "「はい。」", "そして行った！", "本当？"],  # noqa: RUF001
        ["no end"],
    ],
)
def test_sentences_of_many_scripts(sentences: list[str]) -> None:
    text = join(sentences)
    assert split(text) == sentences
    assert split(f" {text}\n") == sentences


def test_what_joins_sentences() -> None:
    assert join(["A.", "", "B."]) == "A. B." and join([]) == "" and join(["彼。", "A."]) == "彼。A."
    assert split("") == split(" \n") == []


def test_a_sentence_that_is_too_long_is_halved_at_the_best_place() -> None:
    assert split_to_fit("aa. Bb bb, cc cc, dd dd ee, ff.", lambda part: len(part) <= 14) == [
        *("aa.", "Bb bb, cc cc,", "dd dd ee, ff.")
    ]
    assert split_to_fit("one two three four", lambda part: len(part) <= 9) == ["one two", "three", "four"]
    assert split_to_fit("abcdefg", lambda part: len(part) <= 2) == ["a", "bc", "de", "fg"]
    assert split_to_fit("ab", lambda part: False) == ["a", "b"]
    assert split_to_fit("犬。", lambda part: False) == ["犬", "。"]
    assert split_to_fit("ab。", lambda part: len(part) <= 2) == ["a", "b。"]


def test_a_long_line_takes_no_long_time() -> None:
    started = time.perf_counter()
    for unit in (".", "!", "a.", ". ", "'", "?)", " ", "x", "。'", ".  a "):
        parts = split_to_fit(unit * 20_000, lambda part: len(part) <= 100)
        assert "".join("".join(parts).split()) == "".join((unit * 20_000).split())
    assert time.perf_counter() - started < 10
