"""What a run makes of its recipe and its data before it trains, and what it refuses then."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytorch_lightning as pl
from torch import nn

from nmt.build import Objects, build_model
from nmt.checks import check_lengths
from nmt.config.recipe import Recipe
from nmt.config.settings import TrainConfig, pairs_of
from nmt.data.corpus import digest_of, load_corpus, load_more, origin
from nmt.data.encoded import Encoded, encode
from nmt.data.epochs import TrainingPairs, make_training_pairs, texts_of
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.cooccurrence import begin_with_cooccurrence
from nmt.models.layers import Dropout
from nmt.system.atomic import cache_folder
from nmt.training.initial import begin_from, freeze, load_initial
from nmt.training.state import stored_tokenizer
from nmt.translation.loading import directions_of
from nmt.translation.translator import Translator

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Prepared:
    """The data of a run, and the translator whose model is trained.

    `corpora` has the splits of each pair of languages, the first under "", and `more` the further training corpora.
    `digest` identifies the training and validation pairs. `train` and `val` are the pairs as ids.
    """

    corpora: Mapping[str, Mapping[str, Split]]
    more: Mapping[str, Split]
    digest: str
    translator: Translator
    train: TrainingPairs
    val: list[Encoded]


def prepare(recipe: Recipe, objects: Objects, resumed: Mapping[str, Any] | None = None) -> Prepared:
    """Return the data and the model of a run. `resumed` is the content of the last.ckpt that it continues from.

    Raises UserError for data that do not fit the settings, and for other data than the run began with.
    """
    settings = recipe.settings
    pl.seed_everything(settings.seed, verbose=False)
    pairs = pairs_of(settings.data)
    corpora = {name: load_corpus(objects.sources[name], data) for name, data in pairs.items()}
    more = load_more(objects.more_sources, settings.data)
    check_alignments(settings, objects, corpora[""])
    digest = digest_of(corpora, more, settings.data, linked=objects.objective.needs_links)
    if resumed is not None and resumed["corpus_sha256"] != digest:
        raise UserError(
            f"resume={recipe.folder}: the training or validation pairs, or their word alignments, are not those "
            f"that this run began with; restore them, or start a new run from its weights: init={recipe.folder}"
        )
    translator = make_translator(recipe, objects, corpora, resumed)
    train, val = encode_pairs(settings, objects, corpora, more, translator)
    if settings.embeddings == "cooccurrence" and resumed is None:
        begin_with_cooccurrence(translator.model.encoder.embedding, train.of_epoch(0))
    return Prepared(corpora, more, digest, translator, train, val)


def check_alignments(settings: TrainConfig, objects: Objects, corpus: Mapping[str, Split]) -> None:
    """Raise UserError if the objective reads word alignments that the corpus lacks; log alignments that it ignores."""
    name = type(objects.objective).__name__
    if objects.objective.needs_links and corpus["train"].links is None:
        raise UserError(
            f"objective: {name} learns from word alignments, but the training pairs of "
            f"{origin(objects.sources[''], settings.data)} have none; name a file of links by data.train_alignment="
        )
    for key in ("train_alignment", "val_alignment"):
        if getattr(settings.data, key) is not None and not objects.objective.needs_links:
            logger.info(f"data.{key}: not used in training, because objective {name} reads no word alignments")


def make_translator(
    recipe: Recipe,
    objects: Objects,
    corpora: Mapping[str, Mapping[str, Split]],
    resumed: Mapping[str, Any] | None,
) -> Translator:
    """Return the model with its tokenizer, which is that of a resumed run (last.ckpt), of `init`, or new.

    `corpora` has the splits of each pair of languages. The weights are those of `init` or new, and the parts `freeze`
    are not trained. On resume, `trainer.fit` restores the weights.
    """
    settings, start, data = recipe.settings, None, recipe.settings.data
    directions = directions_of(recipe.plain)
    tags = sorted({target for _, target in directions}) if data.pairs else []
    if settings.init is not None and resumed is None:
        start = load_initial(settings.init, recipe.plain, new_tokenizer=settings.init_tokenizer == "new")
    if resumed is not None:
        tokenizer = stored_tokenizer(resumed)
    elif start is not None and settings.init_tokenizer == "kept":
        tokenizer = start.tokenizer.with_spans(objects.spans)
    else:
        texts, cache = texts_of(data, corpora), cache_folder()
        tokenizer = Tokenizer.train(texts, settings.tokenizer, cache_dir=cache, spans=objects.spans, tags=tags)
    if missing := {*tags} - {*tokenizer.tags}:
        raise UserError(
            f"data.pairs: the vocabulary has no piece >>{min(missing)}<<, which stands before a source that is "
            "translated to this language; use init_tokenizer=new, or a vocabulary with this piece"
        )
    tokenizer = tokenizer.towards(data.target_lang)
    model = build_model(
        settings.model,
        source_vocab_size=tokenizer.source_vocab_size,
        target_vocab_size=tokenizer.target_vocab_size,
        allow=settings.allow,
    )
    if start is not None:
        begin_from(start, model, tokenizer, settings.init_parts, str(settings.init))
    freeze(model, settings.freeze)
    if data.overfit:
        for part in model.modules():  # so that the model can memorize a few pairs
            if isinstance(part, Dropout | nn.Dropout):
                part.p = 0.0
    return Translator(
        model,
        tokenizer,
        objects.search,
        name=settings.name,
        trained_length=data.max_length,
        languages=directions[0],
        directions=directions[1:],
    )


def encode_pairs(
    settings: TrainConfig,
    objects: Objects,
    corpora: Mapping[str, Mapping[str, Split]],
    more: Mapping[str, Split],
    translator: Translator,
) -> tuple[TrainingPairs, list[Encoded]]:
    """Return the training and validation pairs as ids. `corpora` has the splits of each pair of languages.

    Raises UserError if a validation pair is longer than the positions of the model, and if the search refuses a
    validation or test source because of its length.
    """
    tokenizer, linked, corpus = translator.tokenizer, objects.objective.needs_links, corpora[""]
    val = encode(list(corpus["val"]), tokenizer, linked=linked)
    source, target = (max((len(getattr(pair, side)) for pair in val), default=0) for side in ("source", "target"))
    of, otherwise = "the longest sentence of val", "leave that sentence out"
    check_lengths(translator.model, settings.model, source, target, of=of, otherwise=otherwise)
    for split in ("val", "test"):
        for number, pair in enumerate(corpus.get(split, ()), 1):
            translator.check_source(pair.source, f"{split}, sentence {number:,}")
    return make_training_pairs(settings, corpora, more, tokenizer, chosen=objects.filters, linked=linked), val
