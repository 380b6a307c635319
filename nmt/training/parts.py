"""Makes the parts of a run from its recipe: corpus, tokenizer, model, data."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from nmt.build import (
    build_metrics,
    build_model,
    build_more,
    build_objective,
    build_schedule,
    build_search,
    build_source,
    monitored_metric,
)
from nmt.checkpoint import Checkpoint, load, misfit, set_weights
from nmt.config.recipe import Recipe
from nmt.config.resumed import NOTHING, changes
from nmt.config.settings import DataConfig, TrainConfig
from nmt.data.cache import cache_folder
from nmt.data.corpus import WeightedSplit, load_corpus, load_more, origin
from nmt.data.datamodule import TranslationData
from nmt.data.encoded import Encoded, EncodedCorpus
from nmt.data.encoding import encode, encode_corpus
from nmt.data.filters import make_filters
from nmt.data.pair import SentencePair, Split
from nmt.data.resampling import SubwordSampling
from nmt.data.sources.base import Source
from nmt.data.tokenizer import Tokenizer
from nmt.data.training_pairs import Part, TrainingPairs
from nmt.errors import UserError, counted
from nmt.evaluation.metrics.base import Metric
from nmt.models.layers import Dropout
from nmt.parameters import shown
from nmt.preflight import check_lengths
from nmt.system import machine
from nmt.system.lines import digest
from nmt.system.run_files import find_checkpoint
from nmt.training.meter import Limits
from nmt.training.monitor import Monitor
from nmt.training.objectives.base import Objective
from nmt.training.schedules import Schedule
from nmt.training.state import restoring, stored_tokenizer
from nmt.translation.loading import languages_of
from nmt.translation.translator import Translator

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Parts:
    """The parts of a run, as they are before training.

    `more` are the further training corpora. `digest` identifies the training and validation pairs. `commit` is that of
    the source code when the run was started, and `started` is that time, in seconds of time.monotonic.
    """

    recipe: Recipe
    source: Source
    corpus: Mapping[str, Split]
    more: Mapping[str, Split]
    val_pairs: Sequence[SentencePair]
    translator: Translator
    data: TranslationData
    objective: Objective
    schedule: Schedule
    limits: Limits
    metrics: Mapping[str, Metric]
    monitor: Monitor
    digest: str
    commit: str | None
    started: float

    @property
    def metrics_in_training(self) -> dict[str, Metric]:
        """The metrics that every validation computes; the monitored one is always among them."""
        return {key: metric for key, metric in self.metrics.items() if metric.in_training or key == self.monitor.name}

    @property
    def allow(self) -> Sequence[str]:
        """The user's own packages whose classes the config may name."""
        return self.recipe.settings.allow

    @property
    def parameters(self) -> int:
        """The number of trained weights; a shared weight counts once."""
        return sum(p.numel() for p in self.translator.model.parameters())


def build_parts(recipe: Recipe, last: Mapping[str, Any] | None = None) -> Parts:
    """Return the parts of a run. For a resumed run, `last` is the content of its last.ckpt.

    Seeds the random generators, reads or generates the corpus, trains or restores the tokenizer, and makes the model.
    Raises UserError for data or settings that do not fit, and if the corpus of a resumed run has changed.
    """
    started, commit = time.monotonic(), machine.commit(Path(__file__).parent)  # now: the code may change later
    settings, plain = recipe.settings, recipe.plain
    pl.seed_everything(settings.seed, verbose=False)
    metrics = build_metrics(settings.scores, target_lang=settings.data.target_lang, allow=settings.allow)
    objective = build_objective(plain["objective"], allow=settings.allow)
    source = build_source(settings.data, allow=settings.allow)
    corpus = load_corpus(source, settings.data)
    val_pairs, linked = list(corpus["val"]), objective.needs_links
    if linked and corpus["train"].links is None:
        raise UserError(
            f"objective: {type(objective).__name__} learns from word alignments, but the training pairs of "
            f"{origin(source, settings.data)} have none; name a file of links by data.train_alignment="
        )
    if linked and settings.data.more:
        raise UserError(
            f"data.more: got {', '.join(settings.data.more)}, but objective {type(objective).__name__} learns from "
            "word alignments, which these corpora do not have; leave them out, or use objective=cross_entropy"
        )
    more = load_more(build_more(settings.data), settings.data)
    corpus_digest = _digest(corpus, more, settings.data, linked=linked)
    if last is not None and last["corpus_sha256"] != corpus_digest:
        raise UserError(
            f"resume={recipe.folder}: the training or validation pairs"
            + " or their alignments" * linked
            + " are not those that this run began with; restore them, or start a new run"
        )
    translator = _translator(recipe, corpus, last)
    val = encode(val_pairs, translator.tokenizer, linked=linked)
    _check_lengths(recipe, translator, val, corpus.get("test", ()))
    train = _training_pairs(settings, corpus, more, translator.tokenizer, linked=linked)
    return Parts(
        recipe=recipe,
        source=source,
        corpus=corpus,
        more={name: each.split for name, each in more.items()},
        val_pairs=val_pairs,
        translator=translator,
        data=TranslationData(train, val, settings.data, seed=settings.seed),
        objective=objective,
        schedule=build_schedule(plain["scheduler"], allow=settings.allow),
        limits=Limits.of(settings.trainer).or_default(len(train)),
        metrics=metrics,
        monitor=Monitor(settings.callbacks.monitor, monitored_metric(settings.callbacks.monitor, metrics)),
        digest=corpus_digest,
        commit=commit,
        started=started,
    )


def _digest(corpus: Mapping[str, Split], more: Mapping[str, WeightedSplit], data: DataConfig, *, linked: bool) -> str:
    """Return what identifies the training and validation pairs, and if `linked` their alignments."""
    splits = corpus["train"], corpus["val"]
    links = [split.links or "" for split in splits if linked]
    added = [f"{each.split.digest} {each.weight}" for each in more.values()]
    return digest(*(split.digest for split in splits), *links, *added, *["both directions"] * data.both_directions)


def _training_pairs(
    settings: TrainConfig,
    corpus: Mapping[str, Split],
    more: Mapping[str, WeightedSplit],
    tokenizer: Tokenizer,
    *,
    linked: bool,
) -> TrainingPairs:
    """Return the encoded training pairs. Raises UserError if the filters drop all pairs of a corpus."""
    data = settings.data

    def encoded(split: Split) -> EncodedCorpus:
        filters = make_filters(data, {**corpus, "train": split})
        return encode_corpus(split, tokenizer, filters, folder=cache_folder(), linked=linked)

    parts = [Part(encoded(corpus["train"]))]
    for name, each in more.items():
        try:
            parts.append(Part(encoded(each.split), each.weight))
            if not len(parts[-1]):
                raise UserError(
                    f"got weight {each.weight} for {counted(len(parts[-1].corpus), 'pair')}, expected a "
                    "weight with which an epoch has at least one of them"
                )
        except UserError as error:
            raise UserError(f"data.more.{name}: {error}") from error
    sampling = _sampling(settings, tokenizer)
    train = TrainingPairs(parts, both_directions=data.both_directions, sampling=sampling, seed=settings.seed)
    if more or data.both_directions:
        logger.info(f"training pairs: {len(train):,} in an epoch")
    return train


def _translator(recipe: Recipe, corpus: Mapping[str, Split], last: Mapping[str, Any] | None) -> Translator:
    settings = recipe.settings
    start = None if last is not None or settings.init is None else _initial(settings.init, recipe.plain)
    if last is not None:
        with restoring(recipe.folder):
            tokenizer = stored_tokenizer(last)
    elif start is not None:
        tokenizer = start.tokenizer
    else:
        tokenizer = Tokenizer.train(corpus["train"], settings.tokenizer, cache_dir=cache_folder())
    model = build_model(
        recipe.plain["model"],
        source_vocab_size=tokenizer.source_vocab_size,
        target_vocab_size=tokenizer.target_vocab_size,
        joint=tokenizer.joint,
        allow=settings.allow,
    )
    if start is not None:
        if problem := misfit(start.weights, model):
            raise UserError(
                f"init={settings.init}: its weights do not fit this model ({problem}); set model as in the config.yaml "
                "of that run"
            )
        set_weights(model, start.weights)
    if settings.data.overfit:
        _disable_dropout(model)
    search = build_search(settings.search, allow=settings.allow)
    return Translator(model, tokenizer, search, name=settings.name, trained_length=settings.data.max_length)


def _initial(path: str, plain: Mapping[str, Any]) -> Checkpoint:
    """Return the content of the checkpoint that a new run starts from.

    Raises UserError if it cannot be read, and if its tokenizer or its model has other settings than the run. The run
    uses both as they are, and its settings have to tell the truth. Dropout may differ.
    """
    file = find_checkpoint(path, key="init")
    start = load(file)
    config = start.config
    logger.info(f"init: the weights of {file}, update {start.update:,}, and its tokenizer")
    own_languages, languages = languages_of(config), languages_of(plain)
    if own_languages and languages and own_languages != languages and not start.tokenizer.joint:
        raise UserError(
            f"init={path}: it translates {' to '.join(own_languages)} with a vocabulary for each language; got "
            f"{' to '.join(languages)}, "
            "expected the same languages, or a model with a joint vocabulary"
        )
    differing = _differing(config.get("tokenizer", plain["tokenizer"]), plain["tokenizer"])
    if differing:
        own = " ".join(f"tokenizer.{key}={shown(before)}" for key, (before, _) in differing.items())
        raise UserError(f"init={path}: the run uses its tokenizer, which has other settings; add {own}")
    others: dict[str, str] = {}  # a setting is often repeated, as in encoder and decoder: the first is the user's
    for key, (before, now) in _differing(config["model"], plain["model"]).items():
        text = f"is {shown(now)}, but the checkpoint was trained with {shown(before)}"
        if key.endswith(("dropout", "stochastic_depth")):
            logger.info(f"init: model.{key} {text}")
        else:
            others.setdefault(f"{key.rpartition('.')[2]} {text}", f"model.{key} {text}")
    if others:
        problem = "; ".join(others.values())
        raise UserError(f"init={path}: its weights are of another model: {problem}; set it as in that run")
    return start


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the settings that both have with different values. What an older checkpoint lacks had its default."""
    return {key: pair for key, pair in changes(before, now).items() if NOTHING not in pair}


def _sampling(settings: TrainConfig, tokenizer: Tokenizer) -> SubwordSampling | None:
    strength, max_length = settings.data.subword_sampling, settings.data.max_length
    return None if strength is None else SubwordSampling(tokenizer, settings.tokenizer.type, strength, max_length)


def _check_lengths(
    recipe: Recipe, translator: Translator, val: Sequence[Encoded], test: Iterable[SentencePair]
) -> None:
    """Raise UserError if a validation pair or a test source is longer than the positions of the model."""
    model = translator.model
    if model.encoder.max_length is None and model.decoder.max_length is None:
        return
    test_sources = translator.tokenizer.encode_source([pair.source for pair in test])
    for split, sources, targets in (
        ("val", [pair.source for pair in val], [pair.target for pair in val]),
        ("test", test_sources, []),
    ):
        source, target = (max(map(len, side), default=0) for side in (sources, targets))
        of = f"the longest sentence of {split}"
        check_lengths(model, recipe.plain["model"], source, target, of=of, otherwise="leave that sentence out")


def _disable_dropout(model: torch.nn.Module) -> None:
    """Switch every dropout off, so that the model can memorize a few pairs."""
    for module in model.modules():
        if isinstance(module, Dropout):
            module.p = 0.0
