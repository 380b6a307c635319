"""A chart of scores over groups of sentences or words, as coordinates for templates/parts.html."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

# Of lines, readable on white and on black: the palette of Okabe and Ito (2008), without yellow and black.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 48, 630, 12, 268  # of a chart, in pixels
MOST_STEPS = 6  # of the scale


def chart(groups: Sequence[str], lines: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """Return the places of lines, dots and labels. Each of the named `lines` has a value for each group, or None.

    The scale includes 0.
    """
    values = [0.0, 1.0, *(value for line in lines.values() for value in line if value is not None)]
    step = _step(max(values) - min(values))
    first, last = math.floor(min(values) / step), math.ceil(round(max(values) / step, 6))  # a score of 100 is rounded
    across = [round(LEFT + (RIGHT - LEFT) * (number + 0.5) / len(groups), 1) for number in range(len(groups))]

    def down(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value / step - first) / (last - first), 1)

    drawn = []
    for number, (name, line) in enumerate(lines.items()):
        dots = [
            {"x": x, "y": down(value), "text": f"{value:.2f}"}
            for x, value in zip(across, line, strict=True)
            if value is not None
        ]
        drawn.append(
            {
                "name": name,
                "color": number % len(COLORS),
                "dashed": number // len(COLORS) % 2 == 1,
                "points": " ".join(f"{dot['x']},{dot['y']}" for dot in dots),
                "dots": dots,
            }
        )
    return {
        **{"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": RIGHT},
        "ticks": [{"y": down(step * number), "text": f"{step * number:g}"} for number in range(first, last + 1)],
        "labels": [{"x": x, "text": group} for x, group in zip(across, groups, strict=True)],
        "lines": drawn,
    }


def _step(span: float) -> float:
    """Return the distance of the marks on a scale: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(span / MOST_STEPS))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= MOST_STEPS)
