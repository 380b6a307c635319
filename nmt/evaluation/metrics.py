"""Corpus scores by sacreBLEU, each with the signature that makes it comparable.

No number without its signature (Post 2018, arXiv:1804.08771). BLEU is cased, on plain text; chrF is chrF2.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sacrebleu.metrics.base import Metric, Score
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest, Result

from nmt.config.settings import BLEU_TOKENIZERS
from nmt.errors import UserError, did_you_mean

# ISO 639-1, -2 and -3; FLORES and many file names have the latter two.
_CHINESE = ("zh", "zho", "chi", "cmn", "yue", "wuu", "lzh")
_BY_CHARACTER = (
    *("ja", "jpn", "ko", "kor", "th", "tha", "lo", "lao", "km", "khm", "my", "mya", "bur"),
    *("bo", "bod", "tib", "dz", "dzo"),
)


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval by bootstrap resampling (Koehn 2004): mean, plus or minus."""

    mean: float
    half_width: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.half_width:.2f}"


@dataclass(frozen=True)
class Scores:
    """The scores of one corpus. BLEU, chrF and exact match are in percent; the intervals are there when asked for."""

    bleu: float
    chrf: float
    exact_match: float
    bleu_signature: str
    chrf_signature: str
    sentences: int
    bleu_interval: Interval | None = None
    chrf_interval: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: `bleu`, `chrf`, `exact_match`, `signature` (BLEU's), `chrf_signature`, `sentences`.

        With a bootstrap also `bleu_interval` and `chrf_interval`, each a `mean` and a `half_width`.
        """
        plain: dict[str, Any] = {
            "bleu": self.bleu,
            "chrf": self.chrf,
            "exact_match": self.exact_match,
            "signature": self.bleu_signature,
            "chrf_signature": self.chrf_signature,
            "sentences": self.sentences,
        }
        for name, interval in (("bleu_interval", self.bleu_interval), ("chrf_interval", self.chrf_interval)):
            if interval is not None:
                plain[name] = {"mean": interval.mean, "half_width": interval.half_width}
        return plain


@dataclass(frozen=True)
class Comparison:
    """Two systems on the same references: BLEU of each, and the probability of such a difference by chance."""

    baseline: float
    system: float
    p_value: float
    signature: str


def default_tokenizer(language: str) -> str:
    """Return the sacreBLEU tokenizer for a target language ("de", "pt_BR", "zh-TW", "jpn_Jpan").

    Chinese has its own, "zh". Languages that put no spaces between words are counted by character. So is Korean, whose
    words carry their particles and endings: 13a would count one wrong ending as a wrong word. (The usual tokenizer for
    Korean papers, ko-mecab, needs another package and a dictionary; score the written files with it to compare with
    them.) Everything else is "13a", sacreBLEU's default.
    """
    code = language.replace("_", "-").split("-")[0].lower()
    if code in _CHINESE:
        return "zh"
    return "char" if code in _BY_CHARACTER else "13a"


def score(hypotheses: Sequence[str], references: Sequence[str], *, bootstrap: int = 0, tokenize: str = "13a") -> Scores:
    """Return corpus BLEU, chrF2 and the share of hypotheses equal to their reference (white space at the ends aside).

    `bootstrap` > 0 resamples so many times for the intervals (sacreBLEU's fixed seed 12345) and is part of the
    signatures. `tokenize` is one of nmt.config.settings.BLEU_TOKENIZERS; see `default_tokenizer`. The scores equal
    those of the sacrebleu program for the same lines. Raises UserError for an unknown tokenizer and for unequal or no
    counts.
    """
    check_settings(tokenize, bootstrap)
    _check_counts(references, hypotheses=hypotheses)
    # force: sentences that end in " ." are the corpus's business; it is not part of the score or the signature.
    bleu, chrf = _BLEU(tokenize=tokenize, force=True), _CHRF()
    scores = [_corpus_score(metric, hypotheses, references, bootstrap) for metric in (bleu, chrf)]
    equal = sum(h.strip() == r.strip() for h, r in zip(hypotheses, references, strict=True))
    return Scores(
        bleu=float(scores[0].score),
        chrf=float(scores[1].score),
        exact_match=100.0 * equal / len(references),
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
        sentences=len(references),
        bleu_interval=_interval(scores[0]) if bootstrap else None,
        chrf_interval=_interval(scores[1]) if bootstrap else None,
    )


def compare(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[str],
    *,
    samples: int = 10_000,
    tokenize: str = "13a",
) -> Comparison:
    """Return BLEU of both systems and the p-value of their difference, by paired approximate randomization.

    (Riezler and Maxwell 2005.) As `sacrebleu --paired-ar`, but for systems that differ in a few sentences only, whose
    difference that finds significant. Raises UserError for an unknown tokenizer and for unequal or no counts.
    """
    check_settings(tokenize)
    _check_counts(references, baseline=baseline, system=system)
    systems: list[tuple[str, Sequence[str]]] = [("baseline", list(baseline)), ("system", list(system))]
    with _quiet():
        test = PairedTest(
            systems,
            {"BLEU": BLEU(tokenize=tokenize, force=True)},
            [list(references)],
            test_type="ar",
            n_samples=samples,
        )
        signatures, results = test()
    first, second = results["BLEU"]
    assert isinstance(first, Result) and isinstance(second, Result) and second.p_value is not None
    # sacreBLEU counts only differences larger than the real one; those as large belong to it too. Where m sentences
    # differ, one shuffle in 2 ** (m - 1) is the real one again: of no account for many, nearly all for a few.
    differing = sum(ours != theirs for ours, theirs in zip(baseline, system, strict=True))
    equal = first.score == second.score
    p_value = 1.0 if equal else min(1.0, float(second.p_value) + 2.0 ** (1 - differing))
    return Comparison(float(first.score), float(second.score), p_value, str(signatures["BLEU"]))


class _BLEU(BLEU):
    """BLEU in plain floats.

    sacreBLEU 2.6 cannot take the mean of resampled scores where some are exactly 0: a float among NumPy's float32.
    """

    def _compute_score_from_stats(self, stats: Any) -> Any:
        return _plain(super()._compute_score_from_stats(stats))


class _CHRF(CHRF):
    """chrF in plain floats, as above."""

    def _compute_score_from_stats(self, stats: Any) -> Any:
        return _plain(super()._compute_score_from_stats(stats))


def _plain(result: Any) -> Any:
    result.score = float(result.score)
    return result


def _corpus_score(metric: Metric, hypotheses: Sequence[str], references: Sequence[str], bootstrap: int) -> Score:
    with _quiet():
        result: Score = metric.corpus_score(list(hypotheses), [list(references)], n_bootstrap=bootstrap or 1)
    return result


def _interval(result: Score) -> Interval:
    return Interval(float(result._mean), float(result._ci))


def check_settings(tokenize: str, bootstrap: int = 0) -> None:
    """Raise UserError for an unknown tokenizer, and for a count of resamples that makes no interval."""
    if tokenize not in BLEU_TOKENIZERS:
        near = did_you_mean(tokenize, BLEU_TOKENIZERS)
        raise UserError(f"bleu_tokenize: got '{tokenize}', expected one of {', '.join(BLEU_TOKENIZERS)}{near}")
    if bootstrap < 0 or bootstrap == 1:
        raise UserError(f"bootstrap: got {bootstrap}, expected 0 (no interval) or at least 2; 1000 is usual")


def _check_counts(references: Sequence[str], **systems: Sequence[str]) -> None:
    # sacreBLEU itself cuts the longer of the two short, silently.
    for name, lines in systems.items():
        if len(lines) != len(references):
            counts = f"{len(lines)} {name} for {len(references)} references"
            raise UserError(f"scores: got {counts}; expected one for one")
    if not references:
        raise UserError("scores: got no sentences; expected at least one hypothesis with its reference")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sacreBLEU's advice off the terminal: its logger reports every bootstrap and low counts of n-grams."""
    logger = logging.getLogger("sacrebleu")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
