"""A trace as a self-contained HTML page that shows one step after another."""

from __future__ import annotations

from typing import Any

from nmt.lab.attention.caption import TEXTS, details, legend, shown
from nmt.lab.html import render
from nmt.lab.trace.trace import Step, Trace, plain

COLUMNS = 8  # of a matrix


def trace_page(trace: Trace, *, layer: int | None = None, head: int | None = None) -> str:
    """Return the HTML of a page that shows one step at a time.

    The page holds the steps of all layers and heads, and a person chooses. `layer` and `head` are the first choice (see
    `Trace.chosen`). It holds only the first components of vectors.
    """
    layer, head = trace.chosen(layer, head)
    pieces = [shown(piece.label) for piece in trace.attention.target_pieces]
    data = {
        "choice": {"layer": layer, "head": head},
        "layers": [
            [[_plain(step) for step in trace.steps(each, one)] for one in range(1, trace.heads + 1)]
            for each in range(1, trace.layers + 1)
        ],
        "position": trace.position,
        "pieces": pieces,
        "token": shown(trace.piece),
    }
    labels = {*pieces, *map(shown, trace.before), *map(shown, trace.attention.axes(trace.kind)[1])}
    return render(
        "trace.html",
        scripts=("trace.js",),
        data=data,
        trace=trace,
        title=TEXTS[trace.kind][0],
        details=details(trace.attention.origin),
        legend=legend(labels),
    )


def _plain(step: Step) -> dict[str, Any]:
    return plain(step, columns=COLUMNS) | {"labels": list(map(shown, step.labels))}
