"""The pairs that a run translates and scores: its own, further validation pairs, and further directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nmt.build import build_metrics
from nmt.config.settings import METRIC_FILE, TrainConfig, pairs_of
from nmt.data.corpus import load_more_val, origin
from nmt.data.pair import SentencePair, Split
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric

if TYPE_CHECKING:
    from nmt.build import Objects


@dataclass(frozen=True)
class ScoredPairs:
    """The pairs of val and test in one direction, the metrics of their target language, and where they come from."""

    languages: tuple[str, str]
    splits: Mapping[str, Sequence[SentencePair]]
    metrics: Mapping[str, Metric]
    origins: Mapping[str, str]


def scored_pairs(
    settings: TrainConfig, objects: Objects, corpora: Mapping[str, Mapping[str, Split]]
) -> dict[str, ScoredPairs]:
    """Return the run's own pairs under "", `data.more_val` by their names, and further directions as "en-fr".

    `corpora` has the splits of each pair of languages. Without `data.pairs`, there is no further direction.
    """
    found = dict[str, ScoredPairs]()
    for name, data in pairs_of(settings.data).items():
        splits = {split: list(pairs) for split, pairs in corpora[name].items() if split != "train"}
        origins = {split: origin(objects.sources[name], data, split) for split in splits}
        languages = data.source_lang, data.target_lang
        for _ in range(1 + (settings.data.both_directions and bool(settings.data.pairs))):
            # A file of a metric, such as a glossary, is of the run's own languages.
            nodes = {key: node for key, node in settings.scores.items() if not found or node.get(METRIC_FILE) is None}
            metrics = build_metrics(nodes, target_lang=languages[1], allow=settings.allow)
            found["-".join(languages) if found else ""] = ScoredPairs(languages, splits, metrics, origins)
            splits = {split: [pair.swapped() for pair in pairs] for split, pairs in splits.items()}
            languages = languages[::-1]
    for name, pairs in load_more_val(objects.more_val, settings.data).items():
        if name in found or "/" in name:
            raise UserError(f"data.more_val.{name}: this is the name of a direction, or a path; choose another one")
        origins = {"val": objects.more_val[name].origin("val")}
        found[name] = ScoredPairs(found[""].languages, {"val": pairs}, objects.metrics, origins)
    return found
