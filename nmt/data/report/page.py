"""The data report as one self-contained page, which runs nothing and loads nothing."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from nmt.data.report import tables
from nmt.data.report.figures import DataReport


def page(report: DataReport) -> str:
    """Return the HTML of the report."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template("page.html").render(report=report, tables=tables)
