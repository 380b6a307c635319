"""BLEU as the published tables of Multi30k have it: lowercased, punctuation normalized, Moses tokens."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar

import sacrebleu.metrics.bleu

from nmt.errors import missing_packages
from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric

LANGUAGES = ("cs", "de", "en", "fr")  # of the data set


@dataclass(frozen=True, kw_only=True)
class Multi30kBLEU(SacreBleuMetric):
    """Corpus BLEU of lowercased text with normalized punctuation and Moses tokens, hypotheses and references alike.

    The tables of Multi30k (Elliott et al. 2016) use this score. The values are not comparable with cased BLEU of plain
    text. The package sacremoses makes the tokens. Raises RuntimeError if it is not installed, and ValueError for a
    target language that Multi30k does not have.
    """

    label = "Multi30k BLEU"
    chance: ClassVar[float | None] = 1.0

    in_training: bool = False

    def __post_init__(self) -> None:
        if self.target_lang not in LANGUAGES:
            raise ValueError(f"got data.target_lang={self.target_lang}, expected one of {', '.join(LANGUAGES)}")
        if note := missing_packages("sacremoses", extra="moses"):
            raise RuntimeError(note)

    def scorer(self) -> sacrebleu.metrics.bleu.BLEU:
        return _BLEU(self.target_lang)


class _BLEU(sacrebleu.metrics.bleu.BLEU):
    def __init__(self, language: str) -> None:
        super().__init__(lowercase=True, tokenize="none", force=True)
        self.tokenizer = _Tokenizer(language)
        self.tokenizer_signature = self.tokenizer.signature()


@dataclass(frozen=True)
class _Tokenizer:
    """A tokenizer with the interface that sacreBLEU expects."""

    language: str

    def __call__(self, line: str) -> str:
        return tokenized(line, self.language)

    def signature(self) -> str:
        return f"multi30k-{self.language}-sacremoses-{importlib.metadata.version('sacremoses')}"


@lru_cache(maxsize=2**16)  # references are scored again and again
def tokenized(line: str, language: str) -> str:
    """Return a line in lower case, with normalized punctuation and a space between Moses tokens; & < > are escaped."""
    normalizer, tokenizer = _tools(language)
    return " ".join(tokenizer.tokenize(normalizer.normalize(line.lower()), aggressive_dash_splits=False, escape=True))


@cache
def _tools(language: str) -> tuple[Any, Any]:
    from sacremoses import MosesPunctNormalizer, MosesTokenizer

    return MosesPunctNormalizer(language), MosesTokenizer(language)
