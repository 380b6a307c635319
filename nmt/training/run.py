"""One training run, told from top to bottom: from a recipe to a folder with checkpoints, scores and translations."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from torch import nn

from nmt.build import Objects, build, build_model, build_objects, search_node
from nmt.checks import check_lengths
from nmt.config.recipe import Recipe
from nmt.config.settings import TrainConfig, pairs_of
from nmt.data.batches import BatchLoader
from nmt.data.corpus import digest_of, load_corpus, load_more, origin
from nmt.data.encoded import Encoded, encode
from nmt.data.epochs import TrainingPairs, make_training_pairs, texts_of
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.cooccurrence import begin_with_cooccurrence
from nmt.models.layers import Dropout
from nmt.system import machine, process
from nmt.system.atomic import cache_folder
from nmt.system.place import place_of_process
from nmt.system.run_files import last_checkpoint
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.callbacks.resuming import ExactResume, StopOnSignal
from nmt.training.distributed import first_of_node_first, from_first_process, join_processes, leave_processes
from nmt.training.finish import finish
from nmt.training.initial import begin_from, freeze, load_initial
from nmt.training.module import EndOfBatch, TranslationModule
from nmt.training.schedules import Limits
from nmt.training.scored import scored_pairs
from nmt.training.state import begin_folder, check_folder, read_last, stored_tokenizer
from nmt.training.trainer import Validations, check_batches, make_trainer, validates_by_progress
from nmt.translation.loading import directions_of
from nmt.translation.translator import Translator

logger = logging.getLogger(__name__)


def train(
    recipe: Recipe,
    objects: Objects | None = None,
    *,
    resume: bool | None = False,
    begin: Callable[[Path], None] = lambda folder: None,
) -> dict[str, Any]:
    """Train the run of `recipe` in its folder; return the content of metrics.json.

    `objects` come from `build_objects` for the settings, or are None if they have not been built yet. With `resume`,
    the run in the folder continues from its last.ckpt; None lets `check_folder` decide. Nothing is written to the
    folder before the data and the model exist. Then the first process calls `begin` with the folder, so that a program
    can open its log, and writes config.yaml. If several processes train, only the first returns metrics; the others
    return an empty dict. Raises UserError for a mistake that the user can correct, and `Interrupted` after Ctrl-C or
    another signal.
    """
    git_commit = machine.commit(Path(__file__).parent)  # now: the code may change later
    settings, place = recipe.settings, place_of_process()
    process.speed_up(place)
    process.take_own_gpu(place)
    objects = objects or build_objects(settings)
    join_processes()
    recipe = replace(recipe, folder=Path(from_first_process(str(recipe.folder))))  # its name may hold the time
    # When torchrun starts all processes again, because one has failed, the run that they have begun goes on.
    resume = from_first_process(check_folder(recipe, resume=None if place.restarts and not resume else resume))
    resumed = read_last(recipe) if resume else None  # the content of last.ckpt

    options = {"allow": settings.allow, "offered": {"save_dir": str(recipe.folder)}}
    loggers = [build("logger", node, f"logger.extra.{key}", **options) for key, node in settings.logger.extra.items()]
    with first_of_node_first():  # the others find the tokenizer and the encoded pairs in the cache
        pl.seed_everything(settings.seed, verbose=False)
        pairs = pairs_of(settings.data)
        corpora = {name: load_corpus(objects.sources[name], data) for name, data in pairs.items()}
        corpus, more = corpora[""], load_more(objects.more_sources, settings.data)
        check_alignments(settings, objects, corpus)
        digest = digest_of(corpora, more, settings.data, linked=objects.objective.needs_links)
        if resumed is not None and resumed["corpus_sha256"] != digest:
            raise UserError(
                f"resume={recipe.folder}: the training or validation pairs, or their word alignments, are not those "
                f"that this run began with; restore them, or start a new run from its weights: init={recipe.folder}"
            )
        translator = make_translator(recipe, objects, corpora, resumed)
        train_pairs, val_pairs = encode_pairs(settings, objects, corpora, more, translator)
    if settings.embeddings == "cooccurrence" and resumed is None:
        begin_with_cooccurrence(translator.model.encoder.embedding, train_pairs.of_epoch(0))
    limits = Limits.of(settings.trainer).or_default(len(train_pairs))
    monitor = settings.callbacks.monitor
    module = TranslationModule(
        recipe,
        translator,
        corpus,
        more,
        scored=scored_pairs(settings, objects, corpora),
        digest=digest,
        objective=objects.objective,
        schedule=objects.schedule,
        metrics={key: metric for key, metric in objects.metrics.items() if metric.in_training or key == monitor},
        limits=limits,
    )
    checkpointing = objects.callbacks["checkpointing"]
    assert isinstance(checkpointing, Checkpointing)
    stop = StopOnSignal(checkpointing)
    # Checkpointing comes after all others that keep a state, so that last.ckpt holds their states after a validation;
    # `stop` keeps none.
    callbacks = [
        *(EndOfBatch(), module.timer, ExactResume()),
        *(each for each in objects.callbacks.values() if each is not checkpointing),
        *([Validations()] if validates_by_progress(settings.trainer) else []),
        *(checkpointing, stop),
    ]
    first_step = None if resumed is None else resumed["global_step"] + 1
    trainer = make_trainer(recipe, limits, callbacks, loggers, first_step=first_step)
    rank, size, data = place.rank, place.size, settings.data
    batches = BatchLoader(train_pairs.of_epoch, data.batch_tokens, seed=settings.seed, rank=rank, world_size=size)
    check_batches(settings.trainer, batches.total, len(val_pairs), size)
    if resumed is not None:  # before Lightning does, so that other batches are refused before anything is written
        batches.load_state_dict(resumed["loops"]["fit_loop"]["state_dict"]["combined_loader"][0])
    del resumed  # its memory is free before Lightning reads the file
    val_batches = BatchLoader(lambda _: val_pairs[rank::size], data.eval_batch_tokens, shuffled=False)
    if place.rank == 0:
        begin(recipe.folder)
        begin_folder(recipe, new=not resume)
    parameters = sum(p.numel() for p in translator.model.parameters())
    logger.info(f"run folder: {recipe.folder}")
    logger.info(
        f"model: {parameters:,} parameters, vocabulary {translator.tokenizer.target_vocab_size:,}; "
        f"{batches.total:,} batches an epoch{f', {place.size} processes' * place.several}; {limits}"
    )

    with stop:
        if settings.init is not None and not resume:
            trainer.validate(module, val_batches, verbose=False)  # what the updates change is measured from here
        path = last_checkpoint(recipe.folder) if resume else None
        # weights_only is about pickle: all of the state is restored, but no code of the file runs.
        trainer.fit(module, batches, val_batches, ckpt_path=path, weights_only=True)
        if module.validation.update != trainer.global_step:  # the last update is not validated yet
            trainer.validate(module, val_batches, verbose=False)
        counts = module.meter.totals()  # of all processes; the rest is the work of the first one
        leave_processes()
        if place.rank > 0:
            return {}
        facts = {
            "parameters": parameters,
            "target_tokens_per_second": counts.tokens_per_second,
            "epochs": round(counts.epochs, 3),
            "updates": trainer.global_step,
            "wall_seconds": module.timer.time_elapsed(),  # of training and its validations in all sessions
            "seed": settings.seed,
            "name": settings.name,
            "search": search_node(translator.search),
            "versions": machine.versions(),
            "hardware": machine.describe(trainer.strategy.root_device, place.size),
            "commit": git_commit,
        }
        return finish(trainer, module, checkpointing, facts)


# The steps of the story


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
    resumed: Mapping[str, Any] | None = None,
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
