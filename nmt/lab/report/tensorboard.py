"""The figures of a report as TensorBoard events."""

from __future__ import annotations

import glob
from pathlib import Path

from nmt.lab.report.figures import Report, scalars


def write_events(folder: Path, report: Report) -> None:
    """Write the figures of a report as events in the run's `folder`, at the number of updates of the weights.

    A name is `report/`, the beginning of the file names (`Evaluation.label`), and that of the figure:
    `report/test.beam5.lp1/bleu`. A repeated report replaces its events. Raises OSError if they cannot be written.
    """
    from nmt.system.events import Events

    label = report.evaluation.label
    suffix = f".report.{label}"
    for old in folder.glob(f"events.out.tfevents.*{glob.escape(suffix)}"):
        old.unlink()
    with Events(folder, suffix) as writer:
        for name, value in scalars(report):
            writer.add_scalar(f"report/{label}/{name}".replace(" ", "_"), value, report.update)
