"""One vector cannot hold a long sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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
    Text,
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
            *(Text("words of the source", "원문의 단어 수"), Text("BLEU", "BLEU"), lines),
            more={"chance": (_chance(first.references, groups[0].indices),)},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        shortest, *_, longest = lines[NO_ATTENTION]
        lost = Text(
            "BLEU lost from the shortest to the longest sentences",
            "가장 짧은 문장보다 가장 긴 문장에서 떨어지는 BLEU",
        )
        of_longest = Text("BLEU of the longest sentences", "가장 긴 문장의 BLEU")
        gained = gained_by_attention({name: line[longest] for name, line in lines.items()}, of_longest)
        (chance,) = more["chance"]
        return (*lost_without_attention(lines, [shortest], [longest], lost, chance), *gained)


class FixedVector(_ByLength):
    """The generated task, which every model learns within the budget but the one without attention."""

    name = "fixed_vector"
    claim = Text(
        "One fixed vector loses long sentences; attention does not (Cho et al. 2014, Bahdanau et al. 2014).",
        "고정 길이 벡터 하나로는 긴 문장을 담지 못하지만, 어텐션을 쓰면 담을 수 있다 (Cho 외 2014, Bahdanau 외 2014).",
    )
    method = Text(
        f"The task `order` with up to {CLAUSES} clauses: BLEU by the words of the source. (On the embedded corpus, the "
        "model without attention does not learn even short sentences within this budget.)",
        f"절이 최대 {CLAUSES}개인 `order` 과제에서 원문의 단어 수에 따른 BLEU를 잰다. (내장 말뭉치에서는 어텐션 없는 "
        "모델이 이 예산 안에서 짧은 문장조차 배우지 못한다.)",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        task = ("data=order", f"data.max_clauses={CLAUSES}", "data.sizes=[20000,300,1000]", ONE_WORD_A_PIECE)
        return {name: (*task, *budget(2000), *model) for name, model in MODELS.items()}


class FixedVectorMulti30k(_ByLength):
    """Captions of photos, written by people."""

    name = "fixed_vector_multi30k"
    claim = Text(
        "One fixed vector loses long sentences also in captions of photos, which people wrote (Multi30k).",
        "사람이 쓴 사진 캡션(Multi30k)에서도 고정 길이 벡터 하나로는 긴 문장을 담지 못한다.",
    )
    method = Text(
        "Multi30k, English to German: BLEU on the 1,000 captions of test 2016 by the words of the source. A model with "
        "few BLEU on short captions has few to lose on long ones.",
        "Multi30k(영어→독일어): test 2016의 캡션 1,000개에서 원문의 단어 수에 따른 BLEU를 잰다. 짧은 캡션에서 BLEU가 "
        "낮은 모델은 긴 캡션에서 잃을 것도 적다.",
    )

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
