"""A trace as a self-contained HTML page that shows one step after another."""

from __future__ import annotations

from typing import Any

from nmt.lab.attention.caption import details, shown
from nmt.lab.html import render
from nmt.lab.trace.trace import Step, Trace, plain
from nmt.page import text

COLUMNS = 8  # of a matrix


def trace_page(trace: Trace, *, layer: int | None = None, head: int | None = None) -> str:
    """Return the HTML of a page that shows one step at a time.

    The page holds the steps of all layers and heads, and a person chooses. `layer` and `head` are the first choice (see
    `Trace.chosen`). It holds only the first components of vectors.
    """
    layer, head = trace.chosen(layer, head)
    layers, heads = range(1, trace.layers + 1), range(1, trace.heads + 1)
    pieces = [shown(piece.label) for piece in trace.attention.target_pieces]
    data = {
        "layers": [[list(map(_plain, trace.steps(each, one))) for one in heads] for each in layers],
        "classes": list(map(trace.classes, layers)),
        "names": list(map(trace.names, layers)),
        "kind": trace.kind,
        "position": trace.position,
        "pieces": pieces,
        "token": shown(trace.piece),
    }
    scripts, origin = ("base.js", "steps.js", "trace.js"), details(trace.attention.origin)
    chosen = {"choice": {"layer": layer, "head": head}, "pieces": pieces, "position": trace.position}
    return render(
        "trace.html", scripts=scripts, steps=text("steps.json"), data=data, trace=trace, details=origin, **chosen
    )


def _plain(step: Step) -> dict[str, Any]:
    """Return the values of a step. The page has the equation and the sentence itself."""
    data = plain(step, columns=COLUMNS) | {"labels": list(map(shown, step.labels)), "rank": step.rank}
    return {name: value for name, value in data.items() if name not in ("equation", "sentence")}
