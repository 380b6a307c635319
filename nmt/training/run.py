"""One training run, told from top to bottom: from a recipe to a folder with checkpoints, scores and translations."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from nmt.build import Objects, build, search_node
from nmt.config.recipe import Recipe
from nmt.data.batches import BatchLoader
from nmt.system import machine, process
from nmt.system.place import place_of_process
from nmt.system.run_files import last_checkpoint
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.callbacks.resuming import ExactResume, StopOnSignal
from nmt.training.distributed import first_of_node_first, from_first_process, join_processes, leave_processes
from nmt.training.finish import finish
from nmt.training.module import EndOfBatch, TranslationModule
from nmt.training.prepare import prepare
from nmt.training.schedules import Limits
from nmt.training.scored import scored_pairs
from nmt.training.state import begin_folder, check_folder, read_last
from nmt.training.trainer import Validations, check_batches, make_trainer, validates_by_progress

logger = logging.getLogger(__name__)


def train(
    recipe: Recipe,
    objects: Objects,
    *,
    resume: bool | None = False,
    begin: Callable[[Path], None] = lambda folder: None,
) -> dict[str, Any]:
    """Train the run of `recipe` in its folder; return the content of metrics.json.

    `objects` come from `build_objects` for the settings. With `resume`, the run in the folder continues from its
    last.ckpt; None lets `check_folder` decide. Nothing is written to the folder before the data and the model exist.
    Then the first process calls `begin` with the folder, so that a program can open its log, and writes config.yaml. If
    several processes train, only the first returns metrics; the others return an empty dict. Raises UserError for a
    mistake that the user can correct, and `Interrupted` after Ctrl-C or another signal.
    """
    git_commit = machine.commit(Path(__file__).parent)  # now: the code may change later
    settings, place = recipe.settings, place_of_process()
    process.speed_up(place)
    process.take_own_gpu(place)
    join_processes()
    recipe = replace(recipe, folder=Path(from_first_process(str(recipe.folder))))  # its name may hold the time
    # When torchrun starts all processes again, because one has failed, the run that they have begun goes on.
    resume = from_first_process(check_folder(recipe, resume=None if place.restarts and not resume else resume))
    resumed = read_last(recipe) if resume else None  # the content of last.ckpt

    options = {"allow": settings.allow, "offered": {"save_dir": str(recipe.folder)}}
    loggers = [build("logger", node, f"logger.extra.{key}", **options) for key, node in settings.logger.extra.items()]
    with first_of_node_first():  # the others find the tokenizer and the encoded pairs in the cache
        prepared = prepare(recipe, objects, resumed)
    translator, val_pairs = prepared.translator, prepared.val
    limits = Limits.of(settings.trainer).or_default(len(prepared.train))
    monitor = settings.callbacks.monitor
    module = TranslationModule(
        recipe,
        prepared,
        scored=scored_pairs(settings, objects, prepared.corpora),
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
    batches = BatchLoader(prepared.train.of_epoch, data.batch_tokens, seed=settings.seed, rank=rank, world_size=size)
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
