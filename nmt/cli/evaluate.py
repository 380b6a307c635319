"""The program that scores a checkpoint on a split: `scripts/evaluate.py`, `nmt-evaluate`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nmt.cli import program
from nmt.cli.arguments import overrides, take_config_dir, wants_help
from nmt.cli.log import messages_on
from nmt.config.typed import NonNegativeInt
from nmt.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from nmt.search.base import Search

HELP = """\
Score a trained model: translate a split, compare with the references, and write both into the run's folder.

  python scripts/evaluate.py ckpt=RUN_FOLDER_OR_FILE [key=value ...]      (installed: nmt-evaluate)

  ckpt=PATH                  a run folder (its best checkpoint) or a checkpoint file
  split=test                 train, val or test
  data.path=FOLDER           other data than the run's own; any data.KEY=... replaces that one setting
  search.beam_size=5         search.KEY=... replaces one setting of the checkpoint's search
  search.length_penalty=1.0  the score of a hypothesis is log P / ((5 + length) / 6) ** length_penalty
  search=sampling            another search instead of the checkpoint's: beam, greedy or sampling, with its own
                             settings: search=sampling search.temperature=0.7 search.seed=2
  allow=[my_package]         packages of your own whose classes the checkpoint, search or scores may name
  --config-dir FOLDER        YAML files of your own, as FOLDER/search/mine.yaml for search=mine
  device=auto                auto, cpu, cuda, cuda:1 ...
  bootstrap=1000             resamples for the 95 % confidence intervals; 0: none
  scores=[bleu,chrf,ter]     other metrics of configs/scores than the run's own
  scores.bleu.tokenize=char  any scores.NAME.KEY=... replaces that one setting of a metric
  out=FOLDER                 where to write; by default the run's folder

It prints the scores with their sacreBLEU signatures, and writes, in FOLDER/translations,
test.beam5.lp1.{src,hyp,ref}.LANG with one sentence in each line and test.beam5.lp1.scores.json. The names also have
the checkpoint unless it is the best one, and a digest with any data.KEY= or other limits of length than the run's own.

  python scripts/evaluate.py ckpt=outputs/transformer/2026-01-31_12-00-00
  python scripts/evaluate.py ckpt=best.ckpt data.path=my_corpus split=val search.beam_size=1
"""


@dataclass(kw_only=True)
class EvaluateConfig:
    """The whole of evaluate.yaml."""

    ckpt: str
    split: Literal["train", "val", "test"]
    data: dict[str, Any]
    search: dict[str, Any]
    allow: list[str]
    device: str
    bootstrap: NonNegativeInt
    scores: dict[str, Any]
    out: str | None


def run(argv: list[str]) -> None:
    """Evaluate as the command line says. Raises UserError for a mistake in it."""
    if wants_help(argv):
        print(HELP, end="")
        return
    from nmt.config.compose import compose
    from nmt.config.folder import also_in
    from nmt.config.schema import read

    for word in argv:
        if word.startswith("data="):
            raise UserError(f"{word}: the data is the run's own; replace single settings of it, as in data.path=")
    own, words = take_config_dir(argv)
    with also_in(own):
        config = read(compose("evaluate", overrides(words, open_keys=("data", "search", "scores"))), EvaluateConfig)
    evaluate(config)


def evaluate(config: EvaluateConfig) -> None:
    """Translate, score, write and print."""
    from nmt import process
    from nmt.build import build_metrics, build_search, build_source
    from nmt.checkpoint import load_model
    from nmt.config.schema import read
    from nmt.config.settings import DataConfig
    from nmt.data.corpus import load_corpus, origin
    from nmt.evaluation import split as evaluation
    from nmt.evaluation.metrics.base import check_bootstrap
    from nmt.translate import make_translator, resolve_device

    process.speed_up()
    check_bootstrap(config.bootstrap)
    loaded = load_model(config.ckpt, resolve_device(config.device), config.allow)
    translator = make_translator(loaded, config.search, allow=config.allow)
    if "data" not in loaded.config:
        raise UserError(f"{loaded.path}: saved from Python without data settings; score it with nmt.evaluation there")
    data = read(merge_data(loaded.config["data"], config.data), DataConfig, "data")
    trained = loaded.config["data"]["source_lang"], loaded.config["data"]["target_lang"]
    if (data.target_lang, data.source_lang) == trained:
        raise UserError(f"data.source_lang: {loaded.path} translates {trained[0]} to {trained[1]}, not the other way")
    nodes = merge_scores(loaded.config["scores"], config.scores)
    metrics = build_metrics(nodes, target_lang=data.target_lang, allow=config.allow)
    source = build_source(data, allow=config.allow)
    with messages_on(sys.stderr):
        pairs = list(load_corpus(source, data, (config.split,))[config.split])
    _say(f"translating {len(pairs):,} sentences, {data.source_lang} to {data.target_lang} ...")
    own_search = build_search(loaded.config["search"], allow=config.allow)
    subject = evaluation.Subject(
        split=config.split,
        source_lang=data.source_lang,
        target_lang=data.target_lang,
        data=origin(source, data, config.split),
        checkpoint=loaded.path.stem,
        own=not config.data and same_limits(translator.search, own_search),
    )
    found = evaluation.evaluate(translator, pairs, metrics, subject, bootstrap=config.bootstrap)
    print(evaluation.table(found))
    folder = run_folder(loaded.path) if config.out is None else Path(os.path.expanduser(config.out))
    written = evaluation.write_evaluation(folder, found)
    print(f"written to {written.scores.parent}; there, the same scores come from")
    for command in written.commands.values():
        print(f"  {command}")


def merge_data(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checkpoint's data settings with those given laid over them.

    A given `path` stands for the whole corpus, so the run's own files, which would go before it, are dropped.
    """
    files = dict.fromkeys(("train", "val", "test")) if given.get("path") is not None else {}
    return {**own, **files, **given}


def merge_scores(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nodes of the metrics: those given as a whole, or the run's own with the given settings laid over them.

    Raises UserError for settings of a metric that is not among them.
    """
    chosen = {name: node for name, node in given.items() if isinstance(node, Mapping) and "_target_" in node}
    base = chosen or own
    for name, settings in given.items():
        if not isinstance(settings, Mapping):
            raise UserError(
                f"scores.{name}: got {settings}, expected settings of a metric, as in scores.bleu.tokenize=char"
            )
        if name not in base:
            near = did_you_mean(name, base) or "; choose it as well, as in scores=[bleu,ter]"
            raise UserError(f"scores.{name}: not among the metrics {', '.join(base)}{near}")
    return {name: {**node, **given.get(name, {})} for name, node in base.items()}


def same_limits(one: Search, other: Search) -> bool:
    """Tell whether two searches limit the length of translations in the same way."""
    return one.max_length_factor == other.max_length_factor and one.max_length_extra == other.max_length_extra


def run_folder(checkpoint: Path) -> Path:
    """Return the folder of the run that a checkpoint belongs to; for a lone file the folder it lies in."""
    folder = checkpoint.resolve().parent
    return folder.parent if folder.name == "checkpoints" else folder


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Run on this process' command line."""
    program.main(run)
