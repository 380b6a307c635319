"""Score a trained model: translate a split, compare with the references, and write both to the run's folder.

  python scripts/evaluate.py ckpt=RUN_FOLDER_OR_FILE [key=value ...]      (installed: nmt-evaluate)

{settings}

The program prints the scores with their sacreBLEU signatures. It writes these files to FOLDER/translations:
test.beam5.lp1.{src,hyp,ref}.LANG, with one sentence on each line, and .scores.json. The file names include the name of
the checkpoint unless that is best, or "ensemble". They include a digest if data settings or length limits were changed.
A repeated evaluation replaces its files.

  python scripts/evaluate.py ckpt=outputs/transformer/2026-01-31_12-00-00
  python scripts/evaluate.py ckpt=best.safetensors data.path=my_corpus split=val search.beam_size=1
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from nmt.cli.arguments import OpenMapping, PathText, SearchSettings, configured
from nmt.cli.output import messages_on, print_stderr
from nmt.config.schema import read
from nmt.config.settings import DataConfig, absolute_paths, settings_of_pair
from nmt.data.corpus import load_corpus, origin
from nmt.data.sources.base import SPLITS
from nmt.errors import UserError
from nmt.parameters import Range
from nmt.system.atomic import require_writable
from nmt.system.run_files import run_of

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.data.pair import SentencePair
    from nmt.evaluation.metrics.base import Metric
    from nmt.evaluation.split import Evaluation, Subject
    from nmt.translation.base import BaseTranslator
    from nmt.translation.loading import ExportedModel

Resamples = Literal[0] | Annotated[int, Range(low=2, high=1_000_000)]  # one resample gives no interval


@dataclass(kw_only=True)
class SplitConfig(SearchSettings):
    """The settings of the programs that translate a split and score it: _evaluate.yaml and `ckpt`."""

    ckpt: PathText | list[PathText]
    split: Literal["train", "val", "test"]
    data: OpenMapping
    scores: OpenMapping
    out: PathText | None
    terms: PathText | None = None  # of evaluate.yaml alone


@dataclass(frozen=True)
class Inputs:
    """A model, the sentences that it translates, and `folder`, where the files are written."""

    loaded: LoadedModel | ExportedModel
    translator: BaseTranslator
    pairs: Sequence[SentencePair]
    metrics: Mapping[str, Metric]
    subject: Subject
    folder: Path


@dataclass(kw_only=True)
class EvaluateConfig(SplitConfig):
    """The settings of evaluate.yaml."""

    bootstrap: Resamples

    def contradictions(self) -> Iterator[str]:
        if isinstance(self.ckpt, list) and len(self.ckpt) > 1 and self.out is None:
            yield "out: not given, but an ensemble has no folder of its own; give one for its files: out=FOLDER"
        given = self.scores.get("terms")
        if self.terms is not None and isinstance(given, Mapping) and given.get("file") is not None:
            yield "scores.terms.file: terms= names the glossary already; leave one of them out"


@configured(EvaluateConfig)
def main(config: EvaluateConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    evaluate(load_inputs(config), bootstrap=config.bootstrap)


def load_inputs(config: SplitConfig) -> Inputs:
    """Load the model and the sentences that the settings name.

    With a glossary (`terms`), there is a metric for it, and the names of the result files have a digest of it. Raises
    UserError if the files cannot be loaded or do not fit together, OSError if the results cannot be written.
    """
    from nmt.build import build_metrics, build_search, build_source, merge_scores
    from nmt.evaluation.split import Subject
    from nmt.translation.loading import ExportedModel, directions_of, require_data_settings

    translator, models = config.load()
    loaded, ensemble = models[0], len(models) > 1
    require_data_settings(loaded.config, loaded.path, "score it with nmt.evaluation")
    if (config.source_lang or config.target_lang) and {"source_lang", "target_lang"} & {*config.data}:
        raise UserError("data.target_lang: source_lang= and target_lang= choose the direction; leave out one of them")
    data = data_of(loaded, config.data, translator.languages)
    check_direction(models, data)
    known, languages = directions_of(loaded.config), (data.source_lang, data.target_lang)
    if languages in known or languages[1] in translator.tokenizer.tags:
        translator = translator.in_direction(languages)
    nodes = merge_scores(loaded.config.get("scores", {}), config.scores)
    split: str = f"{config.split}.{'-'.join(languages)}" if languages in known[1:] else config.split
    if config.terms is not None:
        patterns = translator.tokenizer.spans.patterns
        node = {"_target_": "nmt.evaluation.metrics.spans.TermAccuracy", "file": config.terms, "patterns": patterns}
        nodes, split = {**nodes, "terms": node}, f"{split}.terms-{translator.terms.digest}"
    metrics = build_metrics(nodes, target_lang=data.target_lang, allow=config.allow)
    source = build_source(data, allow=config.allow)
    with messages_on(sys.stderr):
        pairs = list(load_corpus(source, data, (config.split,))[config.split])
    trained_search = build_search(loaded.config["search"], allow=config.allow)
    folder = run_of(loaded.path) if config.out is None else Path(config.out)
    elsewhere = ensemble or folder.resolve() != run_of(loaded.path).resolve()
    subject = Subject(
        split=split,
        source_lang=data.source_lang,
        target_lang=data.target_lang,
        data=origin(source, data, config.split),
        checkpoint="ensemble" if ensemble else "best" if isinstance(loaded, ExportedModel) else loaded.path.stem,
        members=tuple(str(each.path.resolve()) for each in models) if elsewhere else (),
        update=None if ensemble or isinstance(loaded, ExportedModel) else loaded.update,
        own=not config.data and translator.search.limits == trained_search.limits,
    )
    if elsewhere:
        subject.require_own_folder(folder, translator.search)
    try:
        require_writable(folder)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror}); write elsewhere: out=FOLDER") from error
    return Inputs(loaded, translator, pairs, metrics, subject, folder)


def check_direction(models: Sequence[LoadedModel | ExportedModel], data: DataConfig) -> None:
    """Raise UserError for data in a direction that a model was not trained in, and warn of other languages."""
    from nmt.translation.loading import directions_of

    given = data.source_lang, data.target_lang
    for model in models:
        trained = directions_of(model.config) or [given]
        said = f"{model.path} translates {' and '.join(' to '.join(each) for each in trained)}"
        if given[::-1] in trained and given not in trained:
            raise UserError(f"data.source_lang: {said}, not the other way")
        if given not in trained:
            print_stderr(f"warning: {said}, but these data are {given[0]} to {given[1]}")


def data_of(
    loaded: LoadedModel | ExportedModel, given: Mapping[str, Any], languages: tuple[str, str] | None = None
) -> DataConfig:
    """Return the data settings of a checkpoint in the direction `languages`, with the `given` ones in their place.

    Raises UserError for settings that cannot be used, and names the checkpoint if none were given.
    """
    own, codes = loaded.config["data"], ("source_lang", "target_lang")
    given = {**dict(zip(codes, languages or (), strict=False)), **given}
    wanted = tuple({**own, **given}.get(code) for code in codes)
    pairs = [own, *(settings_of_pair(own, pair) for pair in (own.get("pairs") or {}).values())]
    for each in (wanted, wanted[::-1]):  # a pair that was trained in this direction comes first
        if found := [pair for pair in pairs if tuple(pair.get(code) for code in codes) == each]:
            own = found[0]
            break
    try:
        return read(absolute_paths(merge_data(own, given)), DataConfig, "data")
    except UserError as error:
        if given:
            raise
        raise UserError(f"{loaded.path}: {error}") from error


def evaluate(inputs: Inputs, *, bootstrap: int) -> Evaluation:
    """Translate the split, print the scores, write translations and scores to files, and return them."""
    from nmt.evaluation import split

    with messages_on(sys.stderr):
        found = split.evaluate(inputs.translator, inputs.pairs, inputs.metrics, inputs.subject, bootstrap=bootstrap)
    print(split.table(found))
    folder = split.write_evaluation(inputs.folder, found).parent
    print(f"written to {folder}{'; these commands print the same scores there:' if found.commands else ''}")
    for command in found.commands.values():
        print(f"  {command}")
    return found


def merge_data(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checkpoint's data settings `own`, with the `given` settings in their place.

    A given `path` replaces the complete corpus, and so does a setting of the source, such as `name` of the Hub. The
    path and the files that the run named would take precedence over it, so they are set to None. So are the word
    alignments of pairs that are replaced. For the opposite direction, the pairs are those of the run, swapped.
    """
    of_source = [key for key in given if key not in DataConfig.__dataclass_fields__]
    unset = dict.fromkeys(("path", "train", "val", "test")) if given.get("path") is not None or of_source else {}
    replaced = [split for split in ("train", "val") if unset or split in given]
    links = {key: None for split in replaced if (key := f"{split}_alignment") in own}
    languages = [own.get("source_lang"), own.get("target_lang")]
    back = [{**own, **given}.get(key) for key in ("target_lang", "source_lang")]
    files = {key: value[::-1] for key, value in given.items() if key in SPLITS and isinstance(value, list | tuple)}
    turned = {"swapped": True, **files} if back == languages != back[::-1] else {}
    return {**own, **unset, **links, **given, **turned}
