"""The program that scores a checkpoint on a split: `scripts/evaluate.py`, `nmt-evaluate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nmt.cli import program
from nmt.cli.arguments import read_config, wants_help
from nmt.cli.log import messages_on
from nmt.cli.output import say, tell
from nmt.errors import UserError, counted
from nmt.parameters import NonNegativeInt

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.config.settings import DataConfig
    from nmt.data.pair import SentencePair, Split
    from nmt.evaluation.metrics.base import Metric
    from nmt.evaluation.split import Evaluation, Subject
    from nmt.search.base import Search
    from nmt.translation.base import BaseTranslator

OPEN_KEYS = ("data", "search", "scores")

HELP = """\
Score a trained model: translate a split, compare with the references, and write both to the run's folder.

  python scripts/evaluate.py ckpt=RUN_FOLDER_OR_FILE [key=value ...]      (installed: nmt-evaluate)

  ckpt=PATH                  a run folder (its best checkpoint) or a checkpoint file
  ckpt=[PATH,PATH]           an ensemble: the mean of the models' probabilities decides; data, search and metrics are
                             those of the first, and out= is needed
  split=test                 train, val or test
  data.path=FOLDER           evaluate on these files; any data.KEY=... replaces one data setting of the run
  search.beam_size=5         search.KEY=... replaces one setting of the checkpoint's search
  search.length_penalty=1.0  the score of a hypothesis is log P / ((5 + length) / 6) ** length_penalty
  search.min_length=5        rules for beam and sampling: also search.no_repeat_ngram_size=3 (no trigram twice) and
                             search.repetition_penalty=1.2 (tokens used before are less probable)
  search=sampling            another search instead of the checkpoint's: beam, greedy, diverse, sampling or mbr, with
                             its own settings: search=sampling search.temperature=0.7 search.seed=2
  allow=[my_package]         your packages whose classes the checkpoint, search or scores may name
  --config-dir FOLDER        add your YAML files: FOLDER/search/mine.yaml allows search=mine
  device=auto                auto, cpu, cuda, cuda:1 ...
  bootstrap=1000             number of resamples for the 95% confidence intervals; 0: no intervals
  scores=[bleu,chrf,ter]     metrics from configs/scores; default: those of the run
  scores.bleu.tokenize=char  scores.NAME.KEY=... replaces one setting of a metric
  out=FOLDER                 output folder; default: the run's folder

The program prints the scores with their sacreBLEU signatures. It writes these files to FOLDER/translations:
test.beam5.lp1.{src,hyp,ref}.LANG, with one sentence on each line, .errors.tsv and .scores.json. errors.tsv says of each
translation whether the model scores the reference higher, so that the search has missed it (search error), or lower
(model error). It also says why a translation is not compared: no source, a text that is too long, or cut at the limit
of its length. There is no file for sampling, minimum Bayes risk, a coverage penalty and rules, because these do not
look for the highest score of the model. The file names include the checkpoint's name unless it is best, or "ensemble".
They include a digest if data settings or length limits were changed. Scores by other metrics stay in the file as long
as the translations are the same.

  python scripts/evaluate.py ckpt=outputs/transformer/2026-01-31_12-00-00
  python scripts/evaluate.py ckpt=best.safetensors data.path=my_corpus split=val search.beam_size=1
"""


@dataclass(kw_only=True)
class EvaluateConfig:
    """The settings of evaluate.yaml."""

    ckpt: str | list[str]
    split: Literal["train", "val", "test"]
    data: dict[str, Any]
    search: dict[str, Any]
    allow: list[str]
    device: str
    bootstrap: NonNegativeInt
    scores: dict[str, Any]
    out: str | None


@dataclass(frozen=True)
class Chosen:
    """What the settings name: a model, the sentences that it translates, and `folder`, where the files are written."""

    loaded: LoadedModel
    translator: BaseTranslator
    pairs: Sequence[SentencePair]
    metrics: Mapping[str, Metric]
    subject: Subject
    folder: Path


def run(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them."""
    if wants_help(argv):
        print(HELP, end="")
        return
    config = read_config("evaluate", argv, EvaluateConfig, open_keys=OPEN_KEYS)
    evaluate(choose(config), bootstrap=config.bootstrap)


def choose(config: EvaluateConfig) -> Chosen:
    """Load what the settings name.

    Raises UserError for what cannot be loaded or does not fit together, OSError if the results cannot be written.
    """
    from nmt.build import build_metrics, build_search, build_source, merge_scores
    from nmt.data.corpus import load_corpus, origin
    from nmt.evaluation.metrics.base import check_bootstrap
    from nmt.evaluation.split import Subject
    from nmt.system import process
    from nmt.system.atomic import require_writable
    from nmt.system.run_files import run_of
    from nmt.translation.loading import load_models, make_translator, resolve_device

    process.speed_up()
    check_bootstrap(config.bootstrap)
    models = load_models(config.ckpt, resolve_device(config.device), config.allow)
    loaded, ensemble = models[0], len(models) > 1
    if ensemble and config.out is None:
        raise UserError("out: not given, but an ensemble has no folder of its own; give one for its files: out=FOLDER")
    translator = make_translator(models, config.search, allow=config.allow)
    if "source_lang" not in loaded.config.get("data", {}):
        raise UserError(f"{loaded.path}: saved from Python without data settings; score it with nmt.evaluation")
    data, own = data_of(loaded, config.data), data_of(loaded, {})
    trained = own.source_lang, own.target_lang
    if (data.target_lang, data.source_lang) == trained:
        raise UserError(f"data.source_lang: {loaded.path} translates {trained[0]} to {trained[1]}, not the other way")
    if (data.source_lang, data.target_lang) != trained:
        tell(
            f"warning: {loaded.path} translates {trained[0]} to {trained[1]}, but these data are {data.source_lang} to "
            f"{data.target_lang}"
        )
    nodes = merge_scores(loaded.config.get("scores", {}), config.scores)
    metrics = build_metrics(nodes, target_lang=data.target_lang, allow=config.allow)
    source = build_source(data, allow=config.allow)
    with messages_on(sys.stderr):
        pairs = list(load_corpus(source, data, (config.split,))[config.split])
    trained_search = build_search(loaded.config["search"], allow=config.allow)
    folder = run_of(loaded.path) if config.out is None else Path(os.path.expanduser(config.out))
    elsewhere = ensemble or folder.resolve() != run_of(loaded.path).resolve()
    subject = Subject(
        split=config.split,
        source_lang=data.source_lang,
        target_lang=data.target_lang,
        data=origin(source, data, config.split),
        checkpoint="ensemble" if ensemble else loaded.path.stem,
        members=tuple(str(each.path.resolve()) for each in models) if elsewhere else (),
        own=not config.data and same_limits(translator.search, trained_search),
    )
    if elsewhere:
        subject.require_own_folder(folder, translator.search)
    require_writable(folder)
    return Chosen(loaded, translator, pairs, metrics, subject, folder)


def data_of(loaded: LoadedModel, given: Mapping[str, Any]) -> DataConfig:
    """Return the data settings of a checkpoint, with the `given` ones in their place.

    Raises UserError for settings that cannot be used, and names the checkpoint if none were given.
    """
    from nmt.config.paths import absolute_paths
    from nmt.config.schema import read
    from nmt.config.settings import DataConfig

    try:
        return read(absolute_paths(merge_data(loaded.config["data"], given)), DataConfig, "data")
    except UserError as error:
        if given:
            raise
        raise UserError(f"{loaded.path}: {error}") from error


@dataclass(frozen=True)
class Training:
    """Corpora of training pairs, and where they come from in the words of the settings."""

    corpora: list[Split]
    origin: str


def training_of(chosen: Chosen, given: Mapping[str, Any], allow: Sequence[str]) -> Training | None:
    """Return the corpora that the checkpoint was trained on (also `data.more`), before any pairs were dropped.

    If they cannot be read, the training pairs of the `given` data settings take their place, as in a copy of the corpus
    under data.path; if there are none either, the result is None. A warning says so.
    """
    from nmt.build import build_more, build_source
    from nmt.data.corpus import load_corpus, load_more, origin

    def read(data: DataConfig) -> Training:
        source = build_source(data, allow=allow)
        corpora = [load_corpus(source, data, ("train",))["train"]]
        corpora += [each.split for each in load_more(build_more(data), data).values()]
        return Training(corpora, origin(source, data))

    with messages_on(sys.stderr):
        try:
            return read(data_of(chosen.loaded, {}))
        except UserError as error:
            reason = f"warning: the training pairs of this model cannot be read ({_problem(error)})"
        try:
            found = read(replace(data_of(chosen.loaded, given), limit=None, more=None))
        except UserError as error:
            also = f", nor other ones ({_problem(error)})" if given else ""
            tell(f"{reason}{also}; rare words are left out")
            return None
    tell(f"{reason}; words are counted in those of {found.origin}")
    return found


def _problem(error: UserError) -> str:
    """Return what is wrong, without the advice behind it."""
    return str(error).partition("; ")[0]


def evaluate(chosen: Chosen, *, bootstrap: int) -> Evaluation:
    """Translate the split, print the scores, write translations and scores to files, and return them."""
    from nmt.evaluation import split as evaluation

    subject = chosen.subject
    tell(f"translating {counted(len(chosen.pairs), 'sentence')}, {subject.source_lang} to {subject.target_lang} ...")
    with messages_on(sys.stderr):
        found = evaluation.evaluate(chosen.translator, chosen.pairs, chosen.metrics, subject, bootstrap=bootstrap)
    say(evaluation.table(found))
    written = evaluation.write_evaluation(chosen.folder, found)
    say(f"written to {written.scores.parent}; these commands print the same scores there:")
    for command in written.commands.values():
        say(f"  {command}")
    return found


def merge_data(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checkpoint's data settings `own`, with the `given` settings in their place.

    A given `path` replaces the whole corpus. The files that the run named for single splits would take precedence over
    it, so they are set to None. So are the word alignments of pairs that are replaced.
    """
    from nmt.config.settings import DataConfig

    files = dict.fromkeys(("train", "val", "test")) if given.get("path") is not None else {}
    of_source = [key for key in given if key not in DataConfig.__dataclass_fields__]  # as `name` of the Hub
    replaced = [split for split in ("train", "val") if files or of_source or split in given]
    links = {key: None for split in replaced if (key := f"{split}_alignment") in own}
    return {**own, **files, **links, **given}


def same_limits(one: Search, other: Search) -> bool:
    """Return whether two searches have the same length limits."""
    limits = ("max_length_factor", "max_length_extra", "long_source", "max_source_length")
    return all(getattr(one, name) == getattr(other, name) for name in limits)


def main() -> None:
    """Run the program with the arguments of this process."""
    program.main(run)
