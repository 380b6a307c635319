"""Makes the parts of a run from its recipe: corpus, tokenizer, model, data."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from torch import nn

from nmt.build import build_model
from nmt.config.recipe import Recipe
from nmt.data.corpus import digest_of, load_corpus, load_more, origin
from nmt.data.datamodule import TranslationData
from nmt.data.encoded import Encoded, encode
from nmt.data.epochs import make_training_pairs
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric
from nmt.models.layers import Dropout
from nmt.preflight import Components, check_lengths
from nmt.system import machine
from nmt.system.cache import cache_folder
from nmt.training.limits import Limits
from nmt.training.state import restoring, stored_tokenizer
from nmt.training.validation import Monitor
from nmt.training.warm_start import load_initial, set_initial_weights
from nmt.translation.translator import Translator

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Parts(Components):
    """The components of a run, and the parts that need its data.

    `corpus` and `more` hold all sentence pairs, and `digest` identifies those of training and validation. `commit` is
    the commit of the source code when the run was started, and `started` the time of the start, in seconds of
    time.monotonic.
    """

    recipe: Recipe
    corpus: Mapping[str, Split]
    more: Mapping[str, Split]
    val_pairs: Sequence[SentencePair]
    translator: Translator
    data: TranslationData
    limits: Limits
    digest: str
    commit: str | None
    started: float

    @property
    def monitor(self) -> Monitor:
        """The figure that decides which weights are the best."""
        name = self.recipe.settings.callbacks.monitor
        return Monitor(name, self.metrics.get(name))

    @property
    def metrics_in_training(self) -> dict[str, Metric]:
        """The metrics that every validation computes; the monitored metric is always included."""
        return {key: metric for key, metric in self.metrics.items() if metric.in_training or key == self.monitor.name}

    @property
    def parameters(self) -> int:
        """The number of weights, trained or frozen; a shared weight counts once."""
        return sum(p.numel() for p in self.translator.model.parameters())


def build_parts(recipe: Recipe, components: Components, last: Mapping[str, Any] | None = None) -> Parts:
    """Return the parts of a run. For a resumed run, `last` is the content of its last.ckpt.

    Seeds the random generators, reads or generates the corpus, trains or restores the tokenizer, and makes the model.
    Raises UserError for data or settings that do not fit, and if the corpus of a resumed run has changed.
    """
    started, commit = time.monotonic(), machine.commit(Path(__file__).parent)  # now: the code may change later
    settings, linked = recipe.settings, components.objective.needs_links
    pl.seed_everything(settings.seed, verbose=False)
    corpus = load_corpus(components.source, settings.data)
    more = load_more(components.more_sources, settings.data)
    if linked and corpus["train"].links is None:
        raise UserError(
            f"objective: {type(components.objective).__name__} learns from word alignments, but the training pairs of "
            f"{origin(components.source, settings.data)} have none; name a file of links by data.train_alignment="
        )
    named = [key for key in ("train_alignment", "val_alignment") if getattr(settings.data, key) is not None]
    if named and not linked:
        name = type(components.objective).__name__
        keys = " and data.".join(named)
        logger.info(f"data.{keys}: not used in training, because objective {name} reads no word alignments")
    digest = digest_of(corpus, more, settings.data, linked=linked)
    if last is not None and last["corpus_sha256"] != digest:
        raise UserError(
            f"resume={recipe.folder}: the training or validation pairs"
            + " or their alignments" * linked
            + " are not those that this run began with; restore them, or start a new run"
        )
    translator = _translator(recipe, components, corpus, last)
    val_pairs = list(corpus["val"])
    val = encode(val_pairs, translator.tokenizer, linked=linked)
    _check_lengths(recipe, translator, val, corpus.get("test", ()))
    train = make_training_pairs(settings, corpus, more, translator.tokenizer, chosen=components.filters, linked=linked)
    return Parts(
        **vars(components),
        recipe=recipe,
        corpus=corpus,
        more=more,
        val_pairs=val_pairs,
        translator=translator,
        data=TranslationData(train, val, settings.data, seed=settings.seed),
        limits=Limits.of(settings.trainer).or_default(len(train)),
        digest=digest,
        commit=commit,
        started=started,
    )


def _translator(
    recipe: Recipe, components: Components, corpus: Mapping[str, Split], last: Mapping[str, Any] | None
) -> Translator:
    """Return the model with its tokenizer: from a resumed run, from `init`, or new."""
    settings, start = recipe.settings, None
    if last is not None:
        with restoring(recipe.folder):
            tokenizer = stored_tokenizer(last)
    elif settings.init is not None:
        start = load_initial(settings.init, recipe.plain)
        tokenizer = start.tokenizer.with_spans(components.spans)
    else:
        tokenizer = Tokenizer.train(
            corpus["train"], settings.tokenizer, cache_dir=cache_folder(), spans=components.spans
        )
    model = build_model(
        settings.model,
        source_vocab_size=tokenizer.source_vocab_size,
        target_vocab_size=tokenizer.target_vocab_size,
        joint=tokenizer.joint,
        allow=settings.allow,
    )
    if start is not None:
        set_initial_weights(model, start, str(settings.init))
    if settings.data.overfit:
        _disable_dropout(model)
    search, longest = components.search, settings.data.max_length
    return Translator(model, tokenizer, search, name=settings.name, trained_length=longest)


def _check_lengths(
    recipe: Recipe, translator: Translator, val: Sequence[Encoded], test: Iterable[SentencePair]
) -> None:
    """Raise UserError if a validation pair or a test source is longer than the positions of the model."""
    model = translator.model
    if model.encoder.max_length is None and model.decoder.max_length is None:
        return
    test_sources = [part.ids[0] for part in translator.encode([pair.source for pair in test])]
    for split, sources, targets in (
        ("val", [pair.source for pair in val], [pair.target for pair in val]),
        ("test", test_sources, []),
    ):
        source, target = (max(map(len, side), default=0) for side in (sources, targets))
        of = f"the longest sentence of {split}"
        check_lengths(model, recipe.settings.model, source, target, of=of, otherwise="leave that sentence out")


def _disable_dropout(model: nn.Module) -> None:
    """Switch every dropout off, so that the model can memorize a few pairs; also in torch's own modules."""
    for module in model.modules():
        if isinstance(module, Dropout | nn.modules.dropout._DropoutNd):
            module.p = 0.0
        elif isinstance(module, nn.RNNBase | nn.MultiheadAttention):  # their dropout is a number, not a module
            module.dropout = 0.0
