"""chrF (Popović 2015) and chrF++ (Popović 2017): F-scores of character n-grams; chrF++ adds word n-grams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sacrebleu.metrics.chrf

from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric


@dataclass(frozen=True, kw_only=True)
class ChrF(SacreBleuMetric):
    """Corpus chrF2, cased. `word_order` is the longest word n-gram: 0 is chrF, 2 is chrF++."""

    word_order: Literal[0, 1, 2] = 0

    @property
    def label(self) -> str:
        """The name with a plus for each order of word n-grams."""
        return f"chrF{'+' * self.word_order}"

    @property
    def sacrebleu_arguments(self) -> tuple[str, ...]:
        return "-m", "chrf", *(["--chrf-word-order", str(self.word_order)] if self.word_order else [])

    def scorer(self) -> sacrebleu.metrics.chrf.CHRF:
        return sacrebleu.metrics.chrf.CHRF(word_order=self.word_order)
