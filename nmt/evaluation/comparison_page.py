"""A comparison as an HTML page, with a chart of scores by length."""

from __future__ import annotations

import math
from typing import Any

from nmt.evaluation.compare import Comparison
from nmt.evaluation.comparison_table import length_caption, lengths_table, notes, signatures, systems_table
from nmt.page import render

# Of lines, readable on white and on black: the palette of Okabe and Ito (2008), without yellow and black.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 48, 630, 12, 268  # of a chart, in pixels
MOST_STEPS = 6  # of the scale


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as an HTML page: the tables, a chart of scores by length, and sentences that differ."""
    return render(
        "comparison.html",
        comparison=comparison,
        systems=systems_table(comparison),
        lengths=lengths_table(comparison),
        caption=length_caption(comparison),
        notes=notes(comparison),
        signatures=signatures(comparison),
        chart=_chart(comparison),
        colors=COLORS,
    )


def _chart(comparison: Comparison) -> dict[str, Any]:
    """Return the places of lines, dots and labels in a chart of scores by length. It includes 0."""
    values = [0.0, 1.0, *(value for system in comparison.systems for value in system.by_length)]
    step = _step(max(values) - min(values))
    first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
    places = len(comparison.lengths)
    across = [round(LEFT + (RIGHT - LEFT) * (number + 0.5) / places, 1) for number in range(places)]

    def down(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value / step - first) / (last - first), 1)

    lines = []
    for number, system in enumerate(comparison.systems):
        dots = [
            {"x": x, "y": down(value), "text": f"{value:.2f}"}
            for x, value in zip(across, system.by_length, strict=True)
        ]
        lines.append(
            {
                "name": system.name,
                "color": number % len(COLORS),
                "dashed": number // len(COLORS) % 2 == 1,
                "points": " ".join(f"{dot['x']},{dot['y']}" for dot in dots),
                "dots": dots,
            }
        )
    return {
        **{"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT},
        "ticks": [{"y": down(step * number), "text": f"{step * number:g}"} for number in range(first, last + 1)],
        "labels": [{"x": x, "text": str(group)} for x, group in zip(across, comparison.lengths, strict=True)],
        "lines": lines,
    }


def _step(span: float) -> float:
    """Return the distance of the marks on a scale: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(span / MOST_STEPS))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= MOST_STEPS)
