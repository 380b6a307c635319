"""The data report as one self-contained page."""

from __future__ import annotations

from nmt.data.report import tables
from nmt.data.report.figures import DataReport
from nmt.page import render


def page(report: DataReport) -> str:
    """Return the HTML of the report."""
    return render("data_report.html", report=report, tables=tables)
