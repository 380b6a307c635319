"""The data report: its figures as plain values, as rows of text, as text, and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tabulate import tabulate

from nmt.data.pair import SentencePair
from nmt.lab.html import render

Row = tuple[str, list[str]]

SHOWN_CHARACTERS = 160
MORE = "more."  # the beginning of the names of further training corpora (data.more)


@dataclass(frozen=True, kw_only=True)
class Example:
    """A pair with a defect. `where` is "line 7", or "pair 7" if the pair is not from a file. Texts are shortened."""

    where: str
    note: str
    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The number of pairs of a split with a defect, by the description of the defect, and the first of these pairs."""

    count: int
    kinds: Mapping[str, int]
    examples: Sequence[Example]


@dataclass(frozen=True, kw_only=True)
class Side:
    """One language of a split.

    Lengths are in pieces with eos: median, 95th percentile and longest, and the number of texts between each length of
    `histogram` and the one before. `unknown_pieces` counts pieces that stand for characters without a piece.
    """

    language: str
    words: int
    characters: int
    pieces: int
    unknown_pieces: int
    median: int
    percentile_95: int
    longest: int
    histogram: Mapping[int, int]

    @property
    def texts(self) -> int:
        """The number of texts."""
        return sum(self.histogram.values())

    @property
    def pieces_a_word(self) -> float:
        """The pieces without eos, divided by the words between white space."""
        return self.pieces / max(1, self.words)

    @property
    def unknown_rate(self) -> float:
        """The share of unknown pieces, from 0 to 1."""
        return self.unknown_pieces / max(1, self.pieces)


@dataclass(frozen=True, kw_only=True)
class SplitFigures:
    """The figures of one split; `pairs` of its `size` pairs were examined.

    `seen_sources` and `seen_pairs` count the held-out sources and pairs that training has, exactly or nearly; None in
    training corpora, and with data.overfit. `several_targets` counts the different sources that have more than one
    target.
    """

    origin: str
    size: int
    pairs: int
    source: Side
    target: Side
    several_targets: int
    findings: Mapping[str, Finding]
    seen_sources: int | None = None
    seen_pairs: int | None = None


@dataclass(frozen=True, kw_only=True)
class DataReport:
    """The figures of all splits.

    `explanations` has the meaning of each finding, `dropped` the names of the findings whose pairs training leaves out,
    and `not_tested` the reason for each defect that was not looked for.
    """

    splits: Mapping[str, SplitFigures]
    explanations: Mapping[str, str]
    dropped: Sequence[str]
    not_tested: Mapping[str, str]

    @property
    def training(self) -> dict[str, SplitFigures]:
        """The figures of the training corpora: train, and those of data.more as "more.NAME"."""
        return {name: split for name, split in self.splits.items() if name == "train" or name.startswith(MORE)}


def visible(text: str) -> str:
    """Return the start of `text` on one line, with an escape for every character that cannot be seen."""
    shown = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text[: SHOWN_CHARACTERS + 1]
    )
    return shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[:SHOWN_CHARACTERS]}…"


def place_of(index: int, pair: SentencePair) -> str:
    """Return the place of the pair with this index: "line 7", or "pair 7" if it is not from a file."""
    return f"pair {index + 1:,}" if pair.line is None else f"line {pair.line:,}"


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


def _table(splits: Mapping[str, object], rows: list[Row], head: str = "") -> list[str]:
    align = ["left", *["right"] * len(splits)]
    cells = [[name, *row] for name, row in rows]
    shown = tabulate(cells, [head, *splits], tablefmt="plain", colalign=align, disable_numparse=True)
    return [line.rstrip() for line in str(shown).split("\n")]


def page(report: DataReport) -> str:
    """Return the HTML of the report."""
    tables = {"figures": figures, "findings": findings, "found": found, "warnings": warnings, "kinds": kinds}
    return render("data_report.html", report=report, tables=tables)
