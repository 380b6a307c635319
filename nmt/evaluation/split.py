"""A split translated and scored, and the files that show it: what training ends with and `evaluate` does."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nmt.atomic import write_atomically
from nmt.build import search_node
from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Interval, Metric, Scores, score
from nmt.lines import as_line, digest
from nmt.search.base import Search
from nmt.translate import Translation, Translator


@dataclass(frozen=True)
class Evaluation:
    """Translations of a split with their references, one for one, and the scores of the whole.

    `references` and `hypotheses` are the lines that were scored, free of line breaks; `seconds` were spent translating.
    """

    translations: list[Translation]
    references: list[str]
    scores: Scores
    search: Search
    seconds: float

    @property
    def hypotheses(self) -> list[str]:
        """The translations as lines."""
        return [as_line(translation.text) for translation in self.translations]

    @property
    def sources(self) -> list[str]:
        """The source sentences as lines."""
        return [as_line(translation.source) for translation in self.translations]


def evaluate(
    translator: Translator, pairs: Sequence[SentencePair], metrics: Mapping[str, Metric], *, bootstrap: int = 0
) -> Evaluation:
    """Translate every source of `pairs` and score the whole against their targets.

    `metrics` and `bootstrap` are those of `nmt.evaluation.metrics.base.score`.
    """
    started = time.perf_counter()
    translations = translator.translate([pair.source for pair in pairs])
    seconds = time.perf_counter() - started
    hypotheses = [as_line(translation.text) for translation in translations]
    references = [as_line(pair.target) for pair in pairs]
    scores = score(metrics, hypotheses, references, bootstrap=bootstrap)
    return Evaluation(translations, references, scores, translator.search, seconds)


@dataclass(frozen=True)
class Written:
    """Where an evaluation was written."""

    source: Path
    hypothesis: Path
    reference: Path
    scores: Path


def write_evaluation(
    folder: Path,
    split: str,
    evaluation: Evaluation,
    *,
    source_lang: str,
    target_lang: str,
    data: str,
    checkpoint: str = "best",
) -> Written:
    """Write the lines and the scores into `folder`/translations; return the paths.

    `test.beam5.lp1.src.en`, `.hyp.de` and `.ref.de` hold a sentence a line; `.scores.json` holds the `scores`,
    the `data` they are of, and the sacrebleu `commands` that give the same scores from these files. The names tell
    the split and the search, and the checkpoint unless it is the best one; so evaluating again replaces what it
    repeats, each file whole or not at all. The names are those of the sentences that a split was first evaluated on,
    a run's own, and of its limits of length; others (`data.path=` of another corpus) get a digest.
    Raises OSError where the folder cannot be written.
    """
    search = evaluation.search
    parts = [split, *([] if checkpoint == "best" else [checkpoint])]
    stem = ".".join([*parts, search.label])
    folder = folder / "translations"
    sentences = digest(source_lang, target_lang, *evaluation.sources, *evaluation.references)
    identity, own = _identity(sentences, search_node(search)), _own(folder, split)
    if own and identity not in own:
        stem = f"{stem}.{identity[:8]}"
    written = Written(
        source=folder / f"{stem}.src.{source_lang}",
        hypothesis=folder / f"{stem}.hyp.{target_lang}",
        reference=folder / f"{stem}.ref.{target_lang}",
        scores=folder / f"{stem}.scores.json",
    )
    facts = {
        "split": split,
        "checkpoint": checkpoint,
        "data": data,
        "data_sha256": sentences,
        "source_lang": source_lang,
        "target_lang": target_lang,
        "search": search_node(search),
        "sentences": len(evaluation.references),
        "scores": evaluation.scores.to_dict(),
        "seconds": round(evaluation.seconds, 3),
        "commands": sacrebleu_commands(written, evaluation.scores.metrics),
    }
    write_atomically(written.source, _lines(evaluation.sources))
    write_atomically(written.hypothesis, _lines(evaluation.hypotheses))
    write_atomically(written.reference, _lines(evaluation.references))
    write_atomically(written.scores, _lines([json.dumps(facts, indent=2, ensure_ascii=False)]))
    return written


def _identity(data_sha256: str, search: Mapping[str, Any]) -> str:
    """Return the digest of what decides an evaluation and is not in the names of its files."""
    return digest(data_sha256, str(float(search["max_length_factor"])), str(search["max_length_extra"]))


def _own(folder: Path, split: str) -> set[str]:
    """Return what files of `split` without a digest in their names are of."""
    own = set()
    for path in folder.glob(f"{split}.*.scores.json"):
        try:
            facts = json.loads(path.read_text("utf-8"))
            data, identity = facts["data_sha256"], _identity(facts["data_sha256"], facts["search"])
        except (OSError, ValueError, LookupError, TypeError):
            continue  # not one of ours
        if not {data[:8], identity[:8]} & set(path.name.split(".")):  # the former in what older versions wrote
            own.add(identity)
    return own


def sacrebleu_commands(written: Written, metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return the command that scores the written files, for each metric of sacreBLEU's; to be run in their folder."""
    files = written.reference.name, "-i", written.hypothesis.name
    arguments = {name: metric.sacrebleu_arguments for name, metric in metrics.items()}
    return {name: shlex.join(["sacrebleu", *files, *words]) for name, words in arguments.items() if words is not None}


def table(split: str, evaluation: Evaluation) -> str:
    """Return the scores as a few lines for the terminal."""
    scores, sentences = evaluation.scores, len(evaluation.references)
    rate = sentences / max(evaluation.seconds, 1e-9)
    rows = [
        _row(metric.label, scores[name].value, scores[name].interval, scores[name].signature or metric.unit)
        for name, metric in scores.metrics.items()
    ]
    head = f"{split}: {sentences:,} sentences, {evaluation.search.label}"
    return "\n".join([f"{head} ({evaluation.seconds:.1f} s, {rate:.0f} sentences/s)", *rows])


def _row(name: str, value: float, interval: Interval | None, note: str) -> str:
    between = "" if interval is None else f"95 %: {interval}"
    return f"  {name:<12}{value:6.2f}  {between:<22}{note}"


def _lines(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
