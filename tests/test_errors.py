"""Guesses are made only where they are near, and texts show what they hold."""

from __future__ import annotations

import pytest

from nmt.errors import UserError, counted, did_you_mean, printable, raise_if_any


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("modle", "model"),
        ("trnsformer", "transformer"),
        ("sed", "seed"),
        ("tre", "ter"),
        ("chff", "chrf"),
        ("epochs", "max_epochs"),
        ("beam", "beam_size"),
    ],
)
def test_did_you_mean_suggests_a_near_word(word: str, known: str) -> None:
    assert did_you_mean(word, ["unlike", known]) == f"; did you mean '{known}'?"
    assert did_you_mean(word, [known], prefix="a.") == f"; did you mean 'a.{known}'?"


def test_did_you_mean_ignores_far_words_and_first_parts_of_several() -> None:
    for word, known in (("kr", "skr"), ("max_parts", "max_ratio"), ("batch_size", "beam_size"), ("kind", "train")):
        assert did_you_mean(word, [known]) == ""
    assert did_you_mean("max", ["max_length", "max_ratio"]) == ""


def test_one_thing_is_singular() -> None:
    assert [counted(number, "pair") for number in (0, 1, 2, 1000)] == ["0 pairs", "1 pair", "2 pairs", "1,000 pairs"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\tb\r\nc\x85\x9b\x7f\x00", "a\\tb\\r\\nc\\x85\\x9b\\x7f\\x00"),
        ("\u202egpj.exe\u2066\u2028\ud800", "\\u202egpj.exe\\u2066\\u2028\\ud800"),
    ],
)
def test_terminal_escapes_are_shown_as_text(text: str, shown: str) -> None:
    assert printable(text) == shown == printable(shown)
    assert shown.encode()


@pytest.mark.parametrize(
    "text",
    [
        "어텐션, 어텐션",
        "e\u0301",
        "👩\u200d👩\u200d👧 ✌\ufe0f 🏴\U000e0067\U000e007f",
        "\u0645\u06cc\u200c\u062e",
        "5\u202fkm\u3000a\u00adb C:\\new",
    ],
)
def test_what_belongs_to_a_text_stays(text: str) -> None:
    assert printable(text) == text


def test_a_mistake_quotes_nothing_that_a_terminal_would_obey() -> None:
    error = UserError("name: got '\x1b[2J\u202e': first line\n  second line")
    assert str(error) == r"name: got '\x1b[2J\u202e': first line second line"


def test_several_problems_are_one_line() -> None:
    raise_if_any([])
    with pytest.raises(UserError, match=r"^seed: got -1; name: got a/b$"):
        raise_if_any(["seed: got -1", "name: got a/b"])
