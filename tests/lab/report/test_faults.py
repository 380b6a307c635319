"""Faults of translations."""

from __future__ import annotations

import pytest

from nmt.lab.report.errors import FAULTS, faults, repeats, shares

GOOD = ("A dog runs.", "Ein Hund rennt.", "Ein Hund läuft.")


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
