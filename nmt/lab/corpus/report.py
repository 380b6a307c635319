"""The figures of a data report, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    and `not_tested` the reason for each defect that was not looked for. `tokenizer` names the tokenizer that divides
    the texts if it is not that of the settings; otherwise it is empty.
    """

    splits: Mapping[str, SplitFigures]
    explanations: Mapping[str, str]
    dropped: Sequence[str]
    not_tested: Mapping[str, str]
    tokenizer: str = ""

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
