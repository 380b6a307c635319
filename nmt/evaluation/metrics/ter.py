"""Translation edit rate (Snover et al. 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import sacrebleu.metrics.ter

from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric

_FLAGS = ("case_sensitive", "normalized", "no_punct", "asian_support")


@dataclass(frozen=True, kw_only=True)
class TER(SacreBleuMetric):
    """Edits (insertions, deletions, substitutions, shifts of words) in percent of the references' words.

    `normalized` separates punctuation from words. With it, `asian_support` splits Chinese, Japanese and Korean text
    into characters. TER is slow, so by default it is not computed during training.
    """

    label = "TER"
    unit: ClassVar[str] = "edits per 100 words"
    higher_is_better: ClassVar[bool] = False

    in_training: bool = False
    case_sensitive: bool = False
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False

    @property
    def sacrebleu_arguments(self) -> tuple[str, ...]:
        flags = [f"--ter-{name.replace('_', '-')}" for name in _FLAGS if getattr(self, name)]
        return "-m", "ter", *flags

    def scorer(self) -> sacrebleu.metrics.ter.TER:
        return sacrebleu.metrics.ter.TER(**{name: getattr(self, name) for name in _FLAGS})
