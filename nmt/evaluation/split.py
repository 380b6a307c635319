"""Translates a split, scores the translations, and writes both: at the end of a training run, and in evaluate.py."""

from __future__ import annotations

import json
import logging
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

from nmt.build import search_node
from nmt.config.schema import read_json
from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair
from nmt.data.progress import PassProgress
from nmt.errors import UserError, counted
from nmt.evaluation.metrics.base import Metric, Scores, labels, score
from nmt.search.base import Search
from nmt.system.atomic import write_atomically
from nmt.system.lines import as_line, digest
from nmt.system.run_files import TRANSLATIONS, inside
from nmt.translation.base import BaseTranslator
from nmt.translation.doubts import Tally
from nmt.translation.translation import Translation

logger = logging.getLogger(__name__)
OTHER_FOLDER = "remove it, or name another folder: out=FOLDER"


class _ScoreFile(TypedDict):
    members: NotRequired[list[str]]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The subject of an evaluation: a split, and the checkpoints that translate it.

    `data` names the origin of the sentences as the settings do. `checkpoint` is the name of the checkpoint file without
    its ending, or "ensemble" if there are several. `members` are the files of the checkpoints; they are given for an
    ensemble, and if the user named a folder for the results. `update` is the number of updates of a single checkpoint's
    weights. `own` is True if the data and the length limits are those of the run. Otherwise the file names contain a
    digest.
    """

    split: str
    source_lang: str
    target_lang: str
    data: str
    checkpoint: str = "best"
    members: tuple[str, ...] = ()
    update: int | None = None
    own: bool = True

    def beginning(self, search: Search) -> str:
        """Return the beginning of the file names: split, checkpoint (unless it is the best) and search."""
        return ".".join([self.split, *([] if self.checkpoint == "best" else [self.checkpoint]), search.label])

    def require_own_folder(self, folder: Path, search: Search) -> None:
        """Raise UserError if `folder` has translations by other checkpoints under the same file names."""
        own = re.compile(rf"{re.escape(self.beginning(search))}(\.[0-9a-f]{{8}})?\.scores\.json")  # see `label`
        for path in sorted(filter(lambda path: own.fullmatch(path.name), (folder / TRANSLATIONS).glob("*.json"))):
            members = read_json(path, _ScoreFile, remedy=OTHER_FOLDER).get("members", [])
            if tuple(members) != self.members:
                theirs = ", ".join(members) or "the run of this folder"
                raise UserError(f"out: {path} is of other checkpoints ({theirs}); give another folder")


@dataclass(frozen=True)
class Evaluation:
    """The translations of a split, their references in the same order, and the scores of the corpus.

    `references` and `hypotheses` are the lines that were scored, in Unicode NFC and with single spaces. `seconds` is
    the time that the translation took.
    """

    subject: Subject
    search: Search
    translations: list[Translation]
    references: list[str]
    scores: Scores
    seconds: float

    @property
    def hypotheses(self) -> list[str]:
        """The translations as they are scored."""
        return [normalized(translation.text) for translation in self.translations]

    @property
    def sources(self) -> list[str]:
        """The source sentences as lines."""
        return [as_line(translation.source) for translation in self.translations]

    @property
    def data_sha256(self) -> str:
        """Digest of the languages, sources and references."""
        return digest(self.subject.source_lang, self.subject.target_lang, *self.sources, *self.references)

    @property
    def label(self) -> str:
        """The beginning of the file names, such as `test.beam5.lp1`.

        If data or length limits are not the run's own, eight digits of their digest follow.
        """
        beginning = self.subject.beginning(self.search)
        if self.subject.own:
            return beginning
        return f"{beginning}.{digest(self.data_sha256, *map(str, self.search.limits.values()))[:8]}"

    @property
    def files(self) -> tuple[str, str, str]:
        """The names of the files with the sources, the translations and the references."""
        source, target = self.subject.source_lang, self.subject.target_lang
        return f"{self.label}.src.{source}", f"{self.label}.hyp.{target}", f"{self.label}.ref.{target}"

    @property
    def commands(self) -> dict[str, str]:
        """For each metric of sacreBLEU, the command that scores the files again, in their folder."""
        _, hypothesis, reference = self.files
        arguments = {name: metric.sacrebleu_arguments for name, metric in self.scores.metrics.items()}
        return {
            name: shlex.join(["sacrebleu", reference, "-i", hypothesis, *words])
            for name, words in arguments.items()
            if words is not None
        }


def evaluate(
    translator: BaseTranslator,
    pairs: Sequence[SentencePair],
    metrics: Mapping[str, Metric],
    subject: Subject,
    *,
    bootstrap: int = 0,
) -> Evaluation:
    """Translate every source of `pairs` and score the translations as one corpus against the targets.

    `nmt.evaluation.metrics.base.score` explains `metrics` and `bootstrap`.
    """
    started = time.perf_counter()
    with PassProgress(f"translating {subject.split}", len(pairs), unit="sentences") as progress:
        translations = translator.translate([pair.source for pair in pairs], advance=progress.advance)
    seconds = time.perf_counter() - started
    tally = Tally()
    for number, translation in enumerate(translations, start=1):
        tally.add(translation, str(number))
    for line in tally.lines(translator.source_limit()):
        logger.warning(f"{subject.split}: {line}")
    hypotheses = [normalized(translation.text) for translation in translations]
    references = [pair.target for pair in pairs]
    sources = [translation.source for translation in translations]
    scores = score(metrics, hypotheses, references, sources=sources, bootstrap=bootstrap)
    return Evaluation(subject, translator.search, translations, references, scores, seconds)


def write_evaluation(folder: Path, evaluation: Evaluation) -> Path:
    """Write the lines and the scores into `folder`/translations; return the path of the scores.

    `test.beam5.lp1.src.en`, `.hyp.de` and `.ref.de` hold one sentence in each line. `.scores.json` holds the scores,
    their subject and search, and the sacrebleu commands that compute the same scores from these files.

    The file names begin with `Evaluation.label`, so a repeated evaluation replaces its files. Each file is replaced
    completely or not at all. Raises OSError if the folder cannot be written, UserError if a language cannot be part of
    a file's name.
    """
    facts = {
        **asdict(evaluation.subject),
        "data_sha256": evaluation.data_sha256,
        "search": search_node(evaluation.search),
        "sentences": len(evaluation.references),
        "scores": evaluation.scores.to_dict(),
        "seconds": round(evaluation.seconds, 3),
        "commands": evaluation.commands,
    }
    lines = {
        **dict(zip(evaluation.files, (evaluation.sources, evaluation.hypotheses, evaluation.references), strict=True)),
        f"{evaluation.label}.scores.json": [json.dumps(facts, indent=2, ensure_ascii=False)],
    }
    paths = {inside(folder, TRANSLATIONS, name): content for name, content in lines.items()}
    for path, content in paths.items():
        write_atomically(path, "".join(f"{line}\n" for line in content).encode())
    return path


def table(evaluation: Evaluation) -> str:
    """Return the scores for the terminal, one line for each metric."""
    scores, sentences = evaluation.scores, len(evaluation.references)
    rate = sentences / max(evaluation.seconds, 1e-9)
    shown = labels(scores.metrics)
    width = max(12, *(len(label) + 1 for label in shown.values()))
    rows = [
        f"  {shown[name]:{width}}{each.value:6.2f}  {f'(95%: {each.interval})' if each.interval else '':<24}"
        f"{each.signature or scores.metrics[name].unit}"
        for name, each in scores.items()
    ]
    head = f"{evaluation.subject.split}: {counted(sentences, 'sentence')}, {evaluation.search.label}"
    return "\n".join([f"{head} ({evaluation.seconds:.1f} s, {rate:.0f} sentences/s)", *rows])
