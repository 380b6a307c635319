"""One vector cannot hold a long sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from nmt.errors import UserError
from nmt.evaluation.metrics.bleu import BLEU
from nmt.lab.claims.claim import (
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    gained_by_attention,
    lost_without_attention,
)
from nmt.lab.claims.models import MODELS, ONE_WORD_A_PIECE, budget
from nmt.lab.compare.lengths import length_groups

CLAUSES = 4


class _ByLength(Claim):
    """BLEU by the length of the source, without attention and with it."""

    def measure(self, runs: Runs) -> Curves:
        first = runs[NO_ATTENTION][0].test_set
        groups = length_groups(first.sources, first.source_lang)
        lines = {
            name: {
                str(group): tuple(_bleu(run.hypotheses, run.test_set.references, group.indices) for run in each)
                for group in groups
            }
            for name, each in runs.items()
        }
        return Curves(
            *(self.text("words"), self.text("bleu"), lines),
            more={"chance": (_chance(first.references, groups[0].indices),)},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        shortest, *_, longest = lines[NO_ATTENTION]
        lost, of_longest = self.text("bleu_lost"), self.text("bleu_of_longest")
        gained = gained_by_attention({name: line[longest] for name, line in lines.items()}, of_longest)
        (chance,) = more["chance"]
        return (*lost_without_attention(lines, [shortest], [longest], lost, chance), *gained)


class FixedVector(_ByLength):
    """The generated task, which every model learns within the budget but the one without attention."""

    name = "fixed_vector"
    numbers: ClassVar[Mapping[str, object]] = {"clauses": CLAUSES}

    def systems(self) -> Mapping[str, Sequence[str]]:
        task = ("data=order", f"data.max_clauses={CLAUSES}", "data.sizes=[20000,300,1000]", ONE_WORD_A_PIECE)
        return {name: (*task, *budget(2000), *model) for name, model in MODELS.items()}


class FixedVectorMulti30k(_ByLength):
    """Captions of photos, written by people."""

    name = "fixed_vector_multi30k"

    def missing(self) -> str | None:
        if self.multi30k is None:
            return "a folder with Multi30k: multi30k=FOLDER"
        if not Path(self.multi30k).is_dir():
            raise UserError(f"multi30k: {self.multi30k} is not a folder; expected one with train, val and test files")
        return None

    def systems(self) -> Mapping[str, Sequence[str]]:
        corpus = ("data=multi30k", f"data.path={self.multi30k}", "tokenizer.vocab_size=4000")
        return {name: (*corpus, *budget(4000), *model) for name, model in MODELS.items()}


def _bleu(hypotheses: Sequence[str], references: Sequence[str], sentences: Sequence[int]) -> float:
    score = BLEU().score([hypotheses[number] for number in sentences], [references[number] for number in sentences])
    return score.value


def _chance(references: Sequence[str], sentences: Sequence[int]) -> float:
    """Return the BLEU of translations that belong to other sentences: each has the reference of the next one."""
    own = [references[number] for number in sentences]
    return _bleu([*own[1:], own[0]], own, range(len(own)))
