"""The end of a run: the weights to keep, their scores, and metrics.json."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytorch_lightning as pl
import torch

from nmt.checkpoint import Checkpoint, average, load, save, set_weights
from nmt.data.batches import BatchLoader
from nmt.data.encoded import encode
from nmt.data.progress import PassProgress
from nmt.evaluation.metrics.base import labels
from nmt.evaluation.split import Evaluation, Subject, evaluate, table, write_evaluation
from nmt.system import machine
from nmt.system.atomic import write_atomically
from nmt.system.run_files import METRICS, best_checkpoint, recent_checkpoint, recent_updates
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.module import RunCallback, TranslationModule
from nmt.training.validation import Losses, Monitor, batch_sums, means_of, validation_scores, validation_search

logger = logging.getLogger(__name__)

BEST = "best"
LABELS = {BEST: "best checkpoint so far", "average": "average of the last checkpoints"}


def finish(
    trainer: pl.Trainer, module: TranslationModule, checkpointing: Checkpointing, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Choose the weights, score with them, call the callbacks, write metrics.json and return its content.

    `facts` are entries of metrics.json that are known already.
    """
    recipe, folder, model = module.recipe, module.folder, module.translator.model
    model.to(trainer.strategy.root_device)  # Lightning has moved it to the CPU
    best = load(best_checkpoint(folder))
    logger.info(f"training is finished, and {best_checkpoint(folder)} can be used; scoring takes some more time")
    candidates = _candidates(trainer, module, checkpointing, best)
    kind = _chosen(module.monitor, candidates)
    chosen = candidates[kind]
    set_weights(model, chosen.weights)
    module.translator.update = chosen.update
    scored = _score(module)
    result = {
        **{split: evaluation.scores.to_dict() for split, evaluation in scored.items()},
        "sentences": {split: len(evaluation.references) for split, evaluation in scored.items()},
        **facts,
        "best_update": chosen.update,
        "by_chance": module.monitor.is_chance(chosen.scores["val"]),
        "weights": chosen.scores.get("weights", BEST),  # the best itself may be an average, after a resume
        "candidates": {name: candidate.scores["val"] for name, candidate in candidates.items()},
        "peak_memory_bytes": machine.peak_memory_bytes(),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
    for callback in trainer.callbacks:  # type: ignore[attr-defined]
        if isinstance(callback, RunCallback):
            callback.on_run_end(module, scored)
    # Saved last: a run that is stopped before this and resumed must still compare with the best single weights. The
    # settings may have changed too: a finished run can be resumed with another search.
    if kind != BEST or chosen.config != recipe.plain:
        save(replace(chosen, config=recipe.plain), best_checkpoint(folder))
    final = _final_scores(result)
    for each in trainer.loggers:
        each.log_hyperparams(dict(recipe.plain))
        each.log_metrics(final, trainer.global_step)
        each.finalize("success")
    text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
    write_atomically(folder / METRICS, text.encode())
    for update in recent_updates(folder):  # an extended run averages the weights of its new validations only
        recent_checkpoint(folder, update).unlink(missing_ok=True)
    for label, evaluation in scored.items():
        shown = labels(evaluation.scores.metrics)
        figures = ", ".join(f"{shown[name]} {each.value:.2f}" for name, each in evaluation.scores.items())
        logger.info(table(evaluation) if label in module.corpus else f"{label}: {figures}")
    logger.info(f"run folder: {folder}")
    return result


def _candidates(
    trainer: pl.Trainer, module: TranslationModule, checkpointing: Checkpointing, best: Checkpoint
) -> dict[str, Checkpoint]:
    """Return the checkpoints that may be kept as the best: the best one so far, and the average.

    `best` is the content of best.safetensors. It is already the best of all validations.
    """
    found = {BEST: best}
    if len(checkpointing.recent) >= 2:
        weights = average([recent_checkpoint(module.folder, update) for update in checkpointing.recent])
        set_weights(module.translator.model, weights)
        scores = {"val": _validate(trainer, module), "weights": "average"}
        found["average"] = replace(best, weights=weights, scores=scores, update=trainer.global_step)
    return found


def _chosen(monitor: Monitor, candidates: Mapping[str, Checkpoint]) -> str:
    """Return the name of the best candidate on validation; the best one so far wins a tie."""
    scores = {name: candidate.scores["val"] for name, candidate in candidates.items()}
    name = max(scores, key=lambda each: monitor.quality(scores[each]))
    if len(scores) > 1:
        figures = ", ".join(f"{LABELS[each]} {values[monitor.name]:.2f}" for each, values in scores.items())
        logger.info(f"validation {monitor.label}: {figures}; kept the {LABELS[name]}")
    return name


def _validate(trainer: pl.Trainer, module: TranslationModule) -> dict[str, float]:
    """Return the figures of a validation with the model's current weights, as training computes them."""
    model, translator, losses = module.translator.model.eval(), module.translator, Losses()
    pairs = encode(module.val_pairs, translator.tokenizer, linked=module.objective.needs_links)
    batches = BatchLoader(lambda _: pairs, module.recipe.settings.data.eval_batch_tokens, shuffled=False)
    with torch.inference_mode(), trainer.precision_plugin.val_step_context():
        for batch in batches:
            losses.add(batch_sums(model, module.objective, batch.to(trainer.strategy.root_device)))
    search = validation_search(translator.search)
    sources = [pair.source for pair in module.val_pairs]
    with PassProgress("validating averaged weights", len(sources), unit="sentences") as progress:
        translations = translator.translate(sources, search=search, advance=progress.advance)
    return validation_scores(means_of([losses.totals()]), module.metrics, translations, module.val_pairs)


def _score(module: TranslationModule) -> dict[str, Evaluation]:
    """Decode validation and test with the search of the recipe, and write translations and scores."""
    scored: dict[str, Evaluation] = {}
    if "test" not in module.corpus:
        logger.info("the corpus has no test split: only validation is scored")
    for name, each in module.scored.items():
        translator = module.translator.in_direction(each.languages)
        source, target = each.languages
        for split, pairs in each.splits.items():
            label, data = f"{split}.{name}" if name else split, each.origins[split]
            subject = Subject(split=label, source_lang=source, target_lang=target, data=data, update=translator.update)
            scored[label] = evaluate(translator, pairs, each.metrics, subject, bootstrap=1000)
            logger.info(f"translations of {label}: {write_evaluation(module.folder, scored[label])}")
    return scored


def _final_scores(result: Mapping[str, Any]) -> dict[str, float]:
    """Return the figures of metrics.json for the loggers."""
    scores = {
        f"{split}_{name}": entry["value"] for split in ("val", "test") for name, entry in result.get(split, {}).items()
    }
    facts = {"parameters": result["parameters"], "minutes": result["wall_seconds"] / 60}
    return {f"final/{name}": value for name, value in (scores | facts).items()}
