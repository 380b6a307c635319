"""Which training pairs are dropped, and why: limits on lengths, and the defects that `data.filters` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nmt.config.settings import DataConfig
from nmt.data.defects.base import CorpusContext, Defect, sample
from nmt.data.defects.corpus import Duplicate, LeakedPair, LeakedSource, LeakedTarget, ManyTargets
from nmt.data.defects.marks import Addresses, Markup, Symbols
from nmt.data.defects.numbers import Numbers
from nmt.data.defects.shift import Shifted
from nmt.data.defects.texts import Encoding, Identical, Invisible, Language, Script
from nmt.data.pair import SentencePair, Split
from nmt.errors import UserError

KINDS: tuple[type[Defect], ...] = (
    *(Identical, Duplicate, ManyTargets, LeakedPair, LeakedSource, LeakedTarget),
    *(Script, Language, Encoding, Invisible, Markup, Numbers, Addresses, Symbols, Shifted),
)
FILTERS: Mapping[str, type[Defect]] = {kind.name: kind for kind in KINDS}
DEFECTS = FILTERS


@dataclass(frozen=True)
class Filters:
    """Limits on the lengths of a training pair, in pieces with eos, and defects that a kept pair does not have.

    `max_length` limits the longer side. `max_ratio` limits the longer length divided by the shorter one.
    """

    max_length: int
    max_ratio: float
    defects: Sequence[Defect] = ()

    def found(self, first: int, pairs: Sequence[SentencePair]) -> list[str]:
        """Return for each pair the name of its first defect, or "". `first` is the index of the first pair."""
        return [
            next((defect.name for defect in self.defects if defect.find(index, pair)), "")
            for index, pair in enumerate(pairs, first)
        ]

    def reasons(self, source_lengths: NDArray[np.int32], target_lengths: NDArray[np.int32]) -> NDArray[np.str_]:
        """Return for each pair which limit drops it: "empty", "too long", "of unequal length", or "" for none."""
        shorter, longer = np.minimum(source_lengths, target_lengths), np.maximum(source_lengths, target_lengths)
        empty = shorter < 2  # the only id of an empty text is eos
        conditions = [empty, longer > self.max_length, longer > self.max_ratio * shorter]
        return np.select(conditions, ["empty", "too long", "of unequal length"], "")

    def limits(self) -> dict[str, str]:
        """Return the meaning of each reason, in words that complete the sentence "The pair ..."."""
        return {
            "empty": "has no text on one side or both",
            "too long": f"has a side of more than {self.max_length} pieces (data.max_length)",
            "of unequal length": f"has a side more than {self.max_ratio:g} times as long as the other (data.max_ratio)",
        }

    def identity(self) -> dict[str, Any]:
        """Return plain values that decide, together with the texts of the split, which pairs are dropped."""
        limits = {"max_length": self.max_length, "max_ratio": self.max_ratio}
        return {**limits, "defects": [defect.identity() for defect in self.defects]} if self.defects else limits

    def settings(self) -> str:
        """Return the settings in one line, for messages."""
        names = ",".join(defect.name for defect in self.defects)
        limits = f"data.max_length={self.max_length} pieces, data.max_ratio={self.max_ratio}"
        return f"{limits}, data.filters=[{names}]" if names else limits


def check_filters(config: DataConfig) -> None:
    """Raise UserError for a filter that cannot be used here, because a package is missing or for these languages."""
    languages = config.source_lang, config.target_lang
    for name in config.filters:
        if reason := FILTERS[name].unavailable_reason(languages):
            raise UserError(f"data.filters: got {name}, but it cannot be used: {reason}")


def make_filters(config: DataConfig, corpus: Mapping[str, Split]) -> Filters:
    """Return the filters for the training split of `corpus`. Raises UserError as `check_filters` does."""
    check_filters(config)
    context = corpus_context(config, corpus, "train")
    return Filters(config.max_length, config.max_ratio, [FILTERS[name](context) for name in config.filters])


def corpus_context(
    config: DataConfig, corpus: Mapping[str, Split], split: str, *, stride: int | None = None
) -> CorpusContext:
    """Return the context of the defects in `split`. If `stride` is given, only one block in `stride` is read.

    With `data.overfit`, nothing is held out of train.
    """
    others = {} if split != "train" or config.overfit else {key: corpus[key] for key in corpus if key != "train"}
    pairs = corpus[split] if stride is None else sample(corpus[split], stride)
    return CorpusContext((config.source_lang, config.target_lang), pairs, others, stride or 1)
