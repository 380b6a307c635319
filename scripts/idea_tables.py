"""The table of new ideas for small translation models, from the files of docs/ideas. results.py uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scripts.result_files import ROOT, comparisons
from scripts.result_tables import markdown, shown, signed, with_width

IDEAS = ROOT / "docs" / "ideas"
PAIRS = {"multi30k": "English to German", "office_help": "English to Korean"}  # the folder of each pair
LONGER = "baseline_longer"  # the baseline with more updates, for the comparison at equal time
LEVEL = 0.05


def ideas_table() -> str:
    """Return a Markdown table with a row for each idea and pair, and whether a user should switch the idea on.

    The p-values of BLEU are corrected for the number of rows (Holm 1979).
    """
    rows = [(name, pair, idea) for pair, found in _compared().items() for name, idea in found.items()]
    corrected = holm([idea["tests"]["bleu"]["p"] for _, _, idea in rows])
    better = [
        p < LEVEL and idea["tests"]["bleu"]["difference"] > 0 and idea["equal time"] >= 0
        for p, (_, _, idea) in zip(corrected, rows, strict=True)
    ]
    on = {name for name, _, _ in rows if all(it for it, row in zip(better, rows, strict=True) if row[0] == name)}
    cells = [
        [
            f"`{name}`",
            PAIRS[pair],
            *(with_width(idea["tests"][metric]) for metric in ("bleu", "chrf")),
            shown(p),
            f"{idea['speed']:.2f}",
            signed(idea["equal time"], 1),
            "yes" if name in on else "no",
        ]
        for p, (name, pair, idea) in sorted(zip(corrected, rows, strict=True), key=lambda each: each[1][0])
    ]
    return markdown(["idea", "pair", "BLEU", "chrF", "p", "speed", "BLEU at equal time", "switch on"], cells)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values, corrected for their number: no true hypothesis of all is rejected in 95 % of the cases.

    The smallest is multiplied by the number of all, each following one by one less; none is below the one before.
    """
    order = sorted(range(len(p_values)), key=lambda number: p_values[number])
    corrected, least = [0.0] * len(p_values), 0.0
    for place, number in enumerate(order):
        least = max(least, min(1.0, p_values[number] * (len(p_values) - place)))
        corrected[number] = least
    return corrected


def at_equal_time(difference: float, speed: float, updates: tuple[int, int], scores: tuple[float, float]) -> float:
    """Return the difference in BLEU from a baseline that has trained as long as the idea.

    `difference` is the one at equal updates, and `speed` that of the idea as a share of the baseline's. `updates` and
    `scores` are those of the baseline and of the longer baseline; between and beyond them, BLEU is taken as a line.
    """
    more = updates[0] / speed - updates[0]
    return difference - more * (scores[1] - scores[0]) / (updates[1] - updates[0])


def _compared() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the tests of each idea for each pair, with its speed and its difference at equal time."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for pair in PAIRS:
        (comparison,) = comparisons(IDEAS / pair)
        systems = {system["name"]: system for system in comparison["systems"]}
        both = systems["baseline"], systems[LONGER]
        updates = tuple(system["runs"][0]["updates"] for system in both)
        scores = tuple(system["mean"]["bleu"] for system in both)
        found[pair] = {
            idea["row"]: idea
            | {"equal time": at_equal_time(idea["tests"]["bleu"]["difference"], idea["speed"], updates, scores)}
            for idea in comparison["techniques"]
        }
    return found
