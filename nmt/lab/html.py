"""Pages and their charts. An HTML page is one file: it needs no network, and it can run no script but its own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from nmt import page
from nmt.errors import printable

# Of lines, readable on white and on black: the palette of Okabe and Ito (2008), without yellow and black.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 48, 630, 12, 268  # of a chart, in pixels
MOST_STEPS = 6  # of the scale
TEMPLATES = Path(__file__).resolve().parent / "templates"


def render(template: str, *, scripts: Sequence[str] = (), **values: Any) -> str:
    """Return the page made from a file of nmt/lab/templates. Texts are escaped: markup in them is shown and not used,
    and characters that change the order or the lines of a text are escaped as by `nmt.errors.printable`.

    `scripts` are files that the page runs: the last one is beside the template, the others are in nmt/page. The page
    tells the browser their digest, and the browser refuses any other script.
    """
    parts = [page.text(*scripts[:-1]), *((TEMPLATES / name).read_text("utf-8") for name in scripts[-1:])]
    script = '"use strict";\n' + "".join(parts) if scripts else ""
    style = page.text("style.css", *(["maps.css"] if scripts else []))
    shared = {"style": style, "words": page.text("words.json"), "maps": page.text("maps.html")}
    shared |= {"script": script, "digest": page.digest(script)}
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(["html"]),
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.policies["json.dumps_function"] = lambda value, **options: json.dumps(_shown(value), **options)
    return environment.get_template(template).render(shared=shared, **values)


def _shown(value: Any) -> Any:
    """Return a value of a page with its texts escaped, in JSON also the texts inside lists and mappings."""
    if type(value) is str:  # and not Markup, which is a part of the page
        return printable(value)
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    return list(map(_shown, value)) if isinstance(value, list | tuple) else value


def chart(groups: Sequence[str], lines: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """Return a chart as coordinates for templates/parts.html: the places of lines, dots and labels.

    Each of the named `lines` has a value for each group, or None. The scale includes 0.
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
