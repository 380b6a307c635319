"""Heads take roles, and few of them matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap
from nmt.evaluation.metrics.bleu import BLEU
from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, Text, corpus_of, minus, named
from nmt.lab.claims.distance import CoreferenceDistance
from nmt.lab.claims.models import CORPUS, TRANSFORMER, untrained
from nmt.lab.compare.runs import FinishedRun
from nmt.lab.heads.heads import count_pieces
from nmt.lab.heads.importance import importance
from nmt.lab.heads.roles import ROLES, roles
from nmt.lab.tasks.coreference import ANIMALS, OF_ANIMALS, PLACES
from nmt.translation.loading import load_translator
from nmt.translation.translator import Translator

SENTENCES = 200
SYSTEM = "Transformer"
KOREAN = {"previous": "앞 토큰", "same": "자기 자신", "next": "다음 토큰", "rare": "드문 토큰", "end": "문장 끝"}


class HeadRoles(Claim):
    """The share of rows in which an encoder head looks at a certain token, before and after training."""

    name = "head_roles"
    claim = Text(
        "Training gives attention heads roles: one looks at the previous token, another at a rare one "
        "(Voita et al. 2019).",
        "학습을 거치면 어텐션 헤드는 저마다 역할을 맡는다. 어떤 헤드는 앞 토큰을 보고, 어떤 헤드는 드문 토큰을 본다 "
        "(Voita 외 2019).",
    )
    method = Text(
        f"The Transformer of the embedded corpus, {SENTENCES} test sentences: the largest share of rows, over all "
        "heads of the encoder, whose highest weight is on that token; after training and before it.",
        f"내장 말뭉치로 학습한 트랜스포머와 테스트 문장 {SENTENCES}개를 쓴다. 인코더의 헤드마다, 정해진 토큰(앞 "
        "토큰 등)의 가중치가 가장 큰 행의 비율을 구한다. 모든 헤드 가운데 가장 큰 비율을 학습 전과 학습 후에 각각 "
        "구하여 비교한다.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {SYSTEM: (*CORPUS, *TRANSFORMER)}

    def measure(self, runs: Runs) -> Curves:
        training = corpus_of(runs[SYSTEM][0], ("train",))["train"]
        lines = {"before training": _no_shares(), "after training": _no_shares()}
        for run in runs[SYSTEM]:
            trained = load_translator(run.folder, device="cpu")
            counts = count_pieces(training, trained.tokenizer)["source"]
            for line, translator in zip(lines.values(), (_untrained(trained, run), trained), strict=True):
                shares = roles(_maps(translator, run), "encoder_self", counts)
                for role in ROLES:
                    line[role].append(100 * float(shares[role].max()))
        return Curves(
            Text("token", "토큰"),
            Text("rows of the best head in %", "가장 뚜렷한 헤드의 행 비율 (%)"),
            {name: {role: tuple(values) for role, values in line.items()} for name, line in lines.items()},
            joined=False,
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        before, after = lines.values()
        return tuple(
            Contrast(
                Text(
                    f"best head, looks at the {role} token: after training minus before",
                    f"가장 뚜렷한 헤드가 {KOREAN[role]}을 보는 비율: 학습 후 - 학습 전",
                ),
                minus(after[role], before[role]),
            )
            for role in ROLES
        )


class HeadImportance(Claim):
    """The BLEU that a model loses without one of its heads."""

    name = "head_importance"
    claim = Text(
        "Few heads matter: most can be removed without a loss (Michel et al. 2019).",
        "중요한 헤드는 몇 개뿐이며, 대부분은 없애도 성능이 떨어지지 않는다 (Michel 외 2019).",
    )
    method = Text(
        f"The same models: BLEU on {SENTENCES} test sentences without each of the heads of encoder and decoder, one at "
        "a time. A head matters if the model loses more than 1 BLEU without it.",
        f"같은 모델에서 인코더와 디코더의 헤드를 한 번에 하나씩 빼고 테스트 문장 {SENTENCES}개의 BLEU를 잰다. BLEU가 "
        "1점 넘게 떨어지면 중요한 헤드로 본다.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {SYSTEM: (*CORPUS, *TRANSFORMER)}

    def measure(self, runs: Runs) -> Curves:
        lost = [_lost_without_each(run) for run in runs[SYSTEM]]
        ranks = {rank: tuple(each[rank - 1] for each in lost) for rank in range(1, len(lost[0]) + 1)}
        return Curves(
            Text("heads, the most important first", "헤드 (중요한 순서)"),
            Text("BLEU lost without the head", "헤드를 뺐을 때 떨어지는 BLEU"),
            named({SYSTEM: ranks}),
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        lost = zip(*lines[SYSTEM].values(), strict=True)  # of each run, by head
        idle = tuple(100 * fmean(loss <= 1 for loss in each) for each in lost)
        text = Text("share of the heads that do not matter, minus half of them", "중요하지 않은 헤드의 비율 - 50%")
        return (Contrast(text, tuple(share - 50 for share in idle)),)


class CoreferenceHead(Claim):
    """Where the encoder's heads look from "it"."""

    name = "coreference_head"
    claim = Text(
        'In self-attention, "it" looks at the noun it stands for (the picture of many tutorials).',
        "셀프 어텐션에서 it은 자신이 가리키는 명사를 본다 (많은 튜토리얼에 나오는 그림).",
    )
    method = Text(
        'The Transformers of the claim on coreference: the weight from "it" to the noun that is meant minus the weight '
        "to the other noun, and the same from the step that translates the noun. The head is chosen on one half of "
        "the test sentences and measured on the other.",
        "상호참조(coreference) 주장의 트랜스포머를 쓴다. it의 행에서, it이 가리키는 명사의 가중치에서 다른 명사의 "
        "가중치를 뺀다. 그 명사를 번역하는 단계에서도 같은 차이를 구한다. 헤드는 테스트 문장의 절반에서 고르고, 측정은 "
        "나머지 절반에서 한다.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {SYSTEM: CoreferenceDistance().systems()[SYSTEM]}

    def measure(self, runs: Runs) -> Curves:
        lines = {
            "encoder, from it": tuple(_preference(run, cross=False) for run in runs[SYSTEM]),
            "decoder, from the noun": tuple(_preference(run, cross=True) for run in runs[SYSTEM]),
        }
        return Curves(
            Text("attention", "어텐션"),
            Text("difference of the weights in %", "가중치의 차이 (%)"),
            {"best head": lines},
            joined=False,
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        korean = ("인코더, it에서", "디코더, 명사에서")
        (places,) = lines.values()
        return tuple(
            Contrast(
                Text(
                    f"{name}: weight (in %) of the noun that is meant minus that of the other",
                    f"{other}: 가리키는 명사의 가중치(%) - 다른 명사의 가중치(%)",
                ),
                values,
            )
            for (name, values), other in zip(places.items(), korean, strict=True)
        )


def _no_shares() -> dict[str, list[float]]:
    return {role: [] for role in ROLES}


def _untrained(trained: Translator, run: FinishedRun) -> Translator:
    """Return a translator with a model as it was before training: the same settings, random weights."""
    model = untrained(run.config["model"], trained.tokenizer.source_vocab_size, run.seed)
    return Translator(model, trained.tokenizer, trained.search)


def _maps(translator: Translator, run: FinishedRun) -> list[AttentionMap]:
    """Return the maps of the first test sentences with their references."""
    test = run.test_set
    return translator.attention_maps(translator.score(test.sources[:SENTENCES], test.references[:SENTENCES]))


def _lost_without_each(run: FinishedRun) -> list[float]:
    """Return the BLEU lost without each head, the largest first."""
    translator = load_translator(run.folder, device="cpu")
    sources, references = run.test_set.sources[:SENTENCES], run.test_set.references[:SENTENCES]
    whole = run.hypotheses[:SENTENCES]
    score = BLEU().score(whole, references).value
    found = importance(translator, translator.model, sources, references, whole, BLEU())
    return sorted((score - each.score for each in found.values()), reverse=True)


@dataclass(frozen=True)
class _Nouns:
    """The places of the words of a coreference source: the noun that is meant, the other, and "it"."""

    meant: int
    other: int
    it: int

    @classmethod
    def of(cls, source: str) -> _Nouns:
        words = source.split()
        animal = next(place for place, word in enumerate(words) if word in ANIMALS)
        street = next(place for place, word in enumerate(words) if word in PLACES)
        meant, other = (animal, street) if words[-1] in OF_ANIMALS else (street, animal)
        return cls(meant, other, words.index("it"))


def _preference(run: FinishedRun, *, cross: bool) -> float:
    """Return the difference of the weights in %, of the head that is best on the other half of the sentences."""
    translator = load_translator(run.folder, device="cpu")
    halves = torch.stack([_difference(each, cross=cross) for each in _maps(translator, run)]).chunk(2)
    chosen, measured = (half.mean(0).flatten() for half in halves)
    return 100 * float(measured[chosen.argmax()])


def _difference(pieces: AttentionMap, *, cross: bool) -> Tensor:
    """Return the weight of the noun that is meant minus that of the other, for each layer and head (L, H)."""
    words, nouns = pieces.words(), _Nouns.of(pieces.source)
    weights, row = (words.cross, 1) if cross else (words.encoder_self, nouns.it)  # the target is "the animal was ..."
    assert weights is not None
    return weights[:, :, row, nouns.meant] - weights[:, :, row, nouns.other]
