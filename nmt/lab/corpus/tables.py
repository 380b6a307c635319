"""The data report as rows of text, for the terminal and for the page, as text, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nmt.lab.corpus.report import DataReport, Finding, SplitFigures
from nmt.lab.html import render

Row = tuple[str, list[str]]


def figures(report: DataReport) -> list[Row]:
    """Return the figures that are not about defects, one for each split."""
    splits = list(report.splits.values())
    rows: list[Row] = [("pairs", [f"{split.size:,}" for split in splits])]
    if any(split.pairs < split.size for split in splits):
        rows.append(("pairs looked at (a sample)", [f"{split.pairs:,}" for split in splits]))
    for sides in ([split.source for split in splits], [split.target for split in splits]):
        language = sides[0].language
        rows += [
            (f"{language}: words a sentence", [f"{side.words / side.texts:.1f}" for side in sides]),
            (f"{language}: pieces, median", [f"{side.median:,}" for side in sides]),
            (f"{language}: pieces, 95th percentile", [f"{side.percentile_95:,}" for side in sides]),
            (f"{language}: pieces, longest", [f"{side.longest:,}" for side in sides]),
            (f"{language}: pieces a word", [f"{side.pieces_a_word:.2f}" for side in sides]),
            (f"{language}: unknown pieces", [f"{side.unknown_rate:.2%}" for side in sides]),
        ]
    rows.append(("sources with several targets", [f"{split.several_targets:,}" for split in splits]))
    rows.append(("sources that training has too", [_count(split.seen_sources) for split in splits]))
    rows.append(("pairs that training has too", [_count(split.seen_pairs) for split in splits]))
    return rows


def findings(report: DataReport) -> list[Row]:
    """Return how many pairs of each split have each defect, with their share."""
    splits = report.splits.values()
    return [(name, [_share(split.findings.get(name), split) for split in splits]) for name in report.explanations]


def found(report: DataReport) -> list[tuple[str, str, Finding]]:
    """Return the defects that were found: their name, the split and the finding."""
    return [
        (name, split, figures.findings[name])
        for name in report.explanations
        for split, figures in report.splits.items()
        if name in figures.findings and figures.findings[name].count
    ]


def warnings(report: DataReport) -> list[str]:
    """Return a line on each split with shifted stretches, in which no pair is a translation."""
    return [
        f"{split}: {'; '.join(finding.kinds)}{'; and more' * (finding.count > sum(finding.kinds.values()))}; "
        "compare the texts where this begins, because one of them lacks a line there or has one too many"
        for name, split, finding in found(report)
        if name == "shifted"
    ]


def kinds(finding: Finding) -> str:
    """Return the most frequent kinds of a finding in words: "3 val, exactly; 1 test, nearly"."""
    return "; ".join(f"{count:,} {kind}" for kind, count in finding.kinds.items() if kind)


def text(report: DataReport) -> Iterator[str]:
    """Yield the lines of the report."""
    yield from (f"{split}: {figures.origin}" for split, figures in report.splits.items())
    yield ""
    yield from _table(report.splits, figures(report))
    if report.tokenizer:
        yield report.tokenizer
    yield ""
    yield from _table(report.splits, findings(report), head="pairs with a defect")
    yield from (f"warning: {warning}" for warning in warnings(report))
    yield from (f"not looked for: {name}, which {reason}" for name, reason in report.not_tested.items())
    yield f"training drops: {', '.join(report.dropped)}"
    for name, split, finding in found(report):
        yield ""
        yield f"{name}, {split}: {finding.count:,}. Each {report.explanations[name]}."
        for example in finding.examples:
            yield f"  {example.where}{f' ({example.note})' if example.note else ''}"
            yield f"    {example.source}"
            yield f"    {example.target}"


def short_text(report: DataReport) -> list[str]:
    """Return the lines for the start of a run: lengths, defects of each training corpus, shifts, and held-out pairs."""
    train = report.splits["train"]
    lengths = "; ".join(
        f"{side.language} {side.median}, {side.percentile_95}, {side.longest} pieces, {side.pieces_a_word:.2f} a word, "
        f"{side.unknown_rate:.2%} unknown"
        for side in (train.source, train.target)
    )
    sampled = any(split.pairs != split.size for split in report.training.values())
    compared = "the sample of training" if sampled else "training"
    held_out = [
        f"of the {split.size:,} pairs of {name}, {compared} also has {split.seen_sources:,} sources and "
        f"{split.seen_pairs:,} whole pairs"
        for name, split in report.splits.items()
        if split.seen_sources is not None
    ]
    return [
        f"data report, lengths (median, 95th percentile, longest): {lengths}",
        *(f"data report, {_defects(name, split)}" for name, split in report.training.items()),
        *(f"data report, warning: {warning}" for warning in warnings(report)),
        f"data report, {'; '.join(held_out) or 'held-out pairs were not compared with training'}; "
        "scripts/inspect_data.py shows examples",
    ]


def _defects(name: str, split: SplitFigures) -> str:
    """Return the defects of a training corpus in words: "29,000 training pairs: 3 duplicate"."""
    sample = "" if split.pairs == split.size else f"a sample of {split.pairs:,} of the "
    where = "" if name == "train" else f" of data.{name}"
    counts = [f"{finding.count:,} {kind}" for kind, finding in split.findings.items() if finding.count]
    return f"{sample}{split.size:,} training pairs{where}: {', '.join(counts) or 'no defect found'}"


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _share(finding: Finding | None, split: SplitFigures) -> str:
    if finding is None or not finding.count:
        return "" if finding is None else "0"
    share = finding.count / split.pairs
    return f"{finding.count:,} ({f'{share:.2%}' if share >= 5e-5 else '<0.01%'})"


def _table(splits: Mapping[str, object], rows: list[Row], head: str = "") -> Iterator[str]:
    table = [(head, list(splits)), *rows]
    first = max(len(name) for name, _ in table)
    widths = [max(len(cells[column]) for _, cells in table) for column in range(len(splits))]
    for name, cells in table:
        shown = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield "  ".join([name.ljust(first), *shown]).rstrip()


def page(report: DataReport) -> str:
    """Return the HTML of the report."""
    tables = {"figures": figures, "findings": findings, "found": found, "warnings": warnings, "kinds": kinds}
    return render("data_report.html", report=report, tables=tables)
