"""A trace as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from nmt.lab.attention.caption import TEXTS, shown
from nmt.lab.attention.terminal import LABEL, fitted, parts
from nmt.lab.trace.trace import Step, Trace

NUMBER = 7  # columns of the terminal: "-12.345"
COLUMNS, ROWS = 8, 12  # of a matrix
INDENT = "   "


def lines(trace: Trace, width: int, *, layer: int | None = None, head: int | None = None) -> Iterator[str]:
    """Yield the lines of the steps of one layer and head (see `Trace.chosen`), for a terminal of `width` columns."""
    layer, head = trace.chosen(layer, head)
    count = len(trace.attention.target_pieces)
    yield f"position {trace.position} of {count}: “{shown(trace.piece)}”, after {' '.join(map(shown, trace.before))}"
    several = trace.layers * trace.heads > 1
    place = f", layer {layer} of {trace.layers}, head {head} of {trace.heads}" if several else ""
    yield f"{TEXTS[trace.kind][0]}{place}, step by step"
    for number, step in enumerate(trace.steps(layer, head), start=1):
        yield ""
        yield "   ".join(filter(None, [f"{number}. {step.name}", step.equation, shape(step)]))
        if step.sentence:
            yield INDENT + step.sentence
        yield from (f"{INDENT}{line}".rstrip() for line in _numbers(step, width - len(INDENT)))


def shape(step: Step) -> str:
    """Return the shape of a step as Python writes it, and how many columns are shown if they are not all."""
    if not step.shape:
        return "one number"
    vectors = not step.columns and step.values.dim() > bool(step.labels)
    cut = vectors and step.shape[-1] > COLUMNS
    return f"{step.shape}, the first {COLUMNS} shown" if cut else str(step.shape)


def decimal(value: float) -> str:
    """Return a number with three decimals, or one if it is large."""
    if value == -torch.inf:
        return "-∞"
    text = f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"
    return "0.000" if text == "-0.000" else text


def _numbers(step: Step, width: int) -> Iterator[str]:
    values = step.values
    if step.labels and values.dim() == 1:
        yield from _across(list(map(shown, step.labels)), values, width)
    elif step.labels:
        yield from _rows(step)
    elif values.dim() == 1:
        yield _row(values[:COLUMNS]) + (" …" * (len(values) > COLUMNS))
    else:
        yield decimal(float(values))


def _across(labels: Sequence[str], values: Tensor, width: int) -> Iterator[str]:
    """Yield the number of each token below its label."""
    from rich.cells import cell_len

    widths = [max(NUMBER, min(cell_len(label), LABEL)) for label in labels]
    for part in parts(widths, width):
        yield "".join(" " + fitted(labels[j], widths[j], right=True) for j in part)
        yield "".join(" " + decimal(float(values[j])).rjust(widths[j]) for j in part)


def _rows(step: Step) -> Iterator[str]:
    """Yield the numbers of each token behind its label."""
    from rich.cells import cell_len

    values = step.values[:, :COLUMNS]
    labels = list(map(shown, step.labels))
    left = min(max(map(cell_len, labels)), LABEL)
    if step.columns:
        yield " " * left + "".join(f" {name:>11}" for name in step.columns)
        for label, row in zip(labels, values.tolist(), strict=True):
            yield fitted(label, left) + "".join(f" {decimal(value):>11}" for value in row)
        return
    for label, row in zip(labels[:ROWS], values, strict=False):
        yield f"{fitted(label, left)} {_row(row)}" + (" …" * (step.values.shape[1] > COLUMNS))
    if len(labels) > ROWS:
        yield f"… and {len(labels) - ROWS} more tokens; out=FOLDER has them all"


def _row(values: Tensor) -> str:
    return " ".join(decimal(value).rjust(NUMBER) for value in values.tolist())
