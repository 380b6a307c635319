"""A comparison as an HTML page, with a chart of scores by length."""

from __future__ import annotations

from nmt.lab.compare.chart import COLORS, chart
from nmt.lab.compare.compare import Comparison
from nmt.lab.compare.table import length_caption, lengths_table, notes, signatures, systems_table, title
from nmt.lab.html import render


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as an HTML page: the tables, a chart of scores by length, and sentences that differ."""
    return render(
        "comparison.html",
        title=title(comparison),
        comparison=comparison,
        systems=systems_table(comparison),
        lengths=lengths_table(comparison),
        caption=length_caption(comparison),
        notes=notes(comparison),
        signatures=signatures(comparison),
        chart=chart(
            [str(group) for group in comparison.lengths],
            {system.name: system.by_length for system in comparison.systems},
        ),
        colors=COLORS,
    )
