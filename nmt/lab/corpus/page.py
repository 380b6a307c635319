"""The data report as one self-contained page."""

from __future__ import annotations

from nmt.lab.corpus import tables
from nmt.lab.corpus.figures import DataReport
from nmt.lab.html import render


def page(report: DataReport) -> str:
    """Return the HTML of the report."""
    return render("data_report.html", report=report, tables=tables)
