"""Single sentences of an evaluation: the best, the worst, and a random choice."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nmt.attention_map import AttentionMap
from nmt.data.normalization import normalized
from nmt.evaluation.split import Evaluation
from nmt.lab.attention.view import attention_maps
from nmt.lab.attribution.base import Attribution, AttributionView, attributions
from nmt.lab.compare.compare import sentence_scores
from nmt.lab.report.errors import Kind, Verdict, faults
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.system.lines import as_line
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator


@dataclass(frozen=True)
class Example:
    """A sentence with facts about its translation. `number` counts from 1.

    `n_best` are the translations that the search finds, best first; empty if it finds only one. `attention` is None for
    a model without cross attention, for an empty source, and for a source that was split; the last two have no `views`.
    `kind` is None if the search cannot be judged.
    """

    number: int
    reference: str
    translation: Translation
    chrf: float
    kind: Kind | None
    faults: Sequence[str]
    n_best: Sequence[Translation]
    attention: AttentionMap | None
    views: Mapping[str, Attribution]

    @property
    def source(self) -> str:
        """The source as a line."""
        return as_line(self.translation.source)

    @property
    def hypothesis(self) -> str:
        """The translation as it was scored."""
        return normalized(self.translation.text)


def choose(scores: Sequence[float], references: Sequence[str], count: int, seed: int) -> dict[str, list[int]]:
    """Return the places of the `count` best, worst and random sentences; a sentence can be in several lists.

    Among sentences with the same score, the longer reference goes first. The random ones are in corpus order.
    """
    longest = sorted(range(len(scores)), key=lambda place: -len(references[place]))
    drawn = random.Random(seed).sample(range(len(scores)), min(count, len(scores)))
    return {
        "best": sorted(longest, key=lambda place: -scores[place])[:count],
        "worst": sorted(longest, key=lambda place: scores[place])[:count],
        "random": sorted(drawn),
    }


def examples(
    translator: Translator,
    evaluation: Evaluation,
    verdicts: Sequence[Verdict],
    views: Mapping[str, AttributionView],
    *,
    count: int,
    n_best: int,
    seed: int,
) -> dict[str, list[Example]]:
    """Return the best, worst and random sentences with their attention, `views` and at most `n_best` translations.

    The translations come from a second search, for several translations. It goes on longer than a search for one, so
    that in rare cases its best translation is better than the one that was scored.
    """
    scores = sentence_scores(evaluation.hypotheses, evaluation.references)
    chosen = choose(scores, evaluation.references, count, seed)
    places = sorted({place for found in chosen.values() for place in found})
    translations = [evaluation.translations[place] for place in places]
    maps, seen = attention_maps(translator, translations), attributions(views, translator, translations)
    sources = [translation.source for translation in translations]
    lists = translator.hypotheses(sources, search=_for_several(evaluation.search, n_best))
    made: Mapping[int, Example] = {
        place: Example(
            number=place + 1,
            reference=evaluation.references[place],
            translation=translations[index],
            chrf=scores[place],
            kind=verdicts[place].kind if verdicts else None,
            faults=faults(evaluation.sources[place], evaluation.references[place], evaluation.hypotheses[place]),
            n_best=lists[index][:n_best] if len(lists[index]) > 1 and n_best > 1 else [],
            attention=maps[index] if index in maps and maps[index].cross is not None else None,
            views=seen.get(index, {}),
        )
        for index, place in enumerate(places)
    }
    return {name: [made[place] for place in found] for name, found in chosen.items()}


def _for_several(search: Search, n_best: int) -> Search:
    """Return a beam search for one translation as a search for `n_best`, as far as its beam allows."""
    if isinstance(search, BeamSearch) and search.n_best == 1:
        return search.replace(n_best=max(1, min(n_best, search.beam_size)))
    return search
