"""The table of new ideas for small translation models, from the files of docs/ideas. results.py uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from scripts.result_files import ROOT, SPEEDS, comparisons
from scripts.result_tables import markdown, shown, signed, with_width

IDEAS = ROOT / "docs" / "ideas"
PAIRS = {"multi30k": "English to German", "office_help": "English to Korean"}  # the folder of each pair
LONGER = "baseline_longer"  # the baseline with more updates, for the comparison at equal time
LEVEL = 0.05  # a difference with a p-value below it counts


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
    off = {name for is_better, (name, _, _) in zip(better, rows, strict=True) if not is_better}
    cells = [
        [
            f"`{name}`",
            PAIRS[pair],
            *(with_width(idea["tests"][metric]) for metric in ("bleu", "chrf")),
            shown(p),
            f"{idea['speed']:.2f}",
            signed(idea["equal time"], 1),
            "no" if name in off else "yes",
        ]
        for p, (name, pair, idea) in sorted(zip(corrected, rows, strict=True), key=lambda each: each[1][0])
    ]
    return markdown(["idea", "pair", "BLEU", "chrF", "p", "speed", "BLEU at equal time", "switch on"], cells)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values, corrected for their number.

    If no idea has an effect, at most 5 % of all tables have a corrected p-value below 0.05. The smallest p-value is
    multiplied by their number, the next one by one less, and so on. None becomes smaller than the one before it.
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
    `scores` are those of the baseline and of the longer baseline. The BLEU of other numbers of updates is on the line
    through these two.
    """
    more = updates[0] / speed - updates[0]
    return difference - more * (scores[1] - scores[0]) / (updates[1] - updates[0])


def _compared() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the tests of each idea for each pair, with its speed and its difference at equal time."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for pair in PAIRS:
        (comparison,) = comparisons(IDEAS / pair)
        speeds = yaml.safe_load((IDEAS / pair / SPEEDS).read_text("utf-8"))
        systems = {system["name"]: system for system in comparison["systems"]}
        both = systems["baseline"], systems[LONGER]
        updates = tuple(system["runs"][0]["updates"] for system in both)
        scores = tuple(system["mean"]["bleu"] for system in both)
        found[pair] = {}
        for idea in comparison["techniques"]:
            name, difference = idea["row"], idea["tests"]["bleu"]["difference"]
            equal = at_equal_time(difference, speeds[name], updates, scores)
            found[pair][name] = idea | {"speed": speeds[name], "equal time": equal}
    return found
