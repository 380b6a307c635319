"""The end of a run: the weights to keep, their scores, and metrics.json."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nmt.build import search_node
from nmt.checkpoint import Checkpoint, average, load, save, set_weights, weights_of
from nmt.data.batches import BatchLoader
from nmt.data.corpus import origin
from nmt.data.progress import PassProgress
from nmt.evaluation.split import Evaluation, Subject, evaluate, table, write_evaluation
from nmt.system import machine
from nmt.system.atomic import write_atomically
from nmt.system.run_files import METRICS, best_checkpoint, recent_checkpoint, recent_updates
from nmt.training.fit import Fitted
from nmt.training.parts import Parts
from nmt.training.validation import Losses, Monitor, batch_losses, validation_scores, validation_search

logger = logging.getLogger(__name__)

# The sections of the config in TensorBoard's tab HPARAMS
HPARAMS = ("model", "objective", "optimizer", "scheduler", "search", "tokenizer", "data", "trainer")
BEST = "best"
LABELS = {BEST: "best single checkpoint", "average": "average of the last checkpoints", "ema": "moving average"}


def finish(parts: Parts, fitted: Fitted) -> dict[str, Any]:
    """Choose the weights, score with them, call the callbacks, write metrics.json and return its content."""
    folder = parts.recipe.folder
    parts.translator.model.to(fitted.device)  # Lightning has moved it to the CPU
    best = load(best_checkpoint(folder))
    logger.info(f"training is finished, and {best_checkpoint(folder)} can be used; scoring takes some more time")
    candidates = _candidates(parts, fitted, best)
    kind = _chosen(parts.monitor, candidates)
    chosen = candidates[kind]
    current = chosen.config == parts.recipe.plain  # a resumed run may have other settings, as of the search
    set_weights(parts.translator.model, chosen.weights)
    parts.translator.update = chosen.update
    scored = _score(parts)
    metrics = _metrics(parts, fitted, scored, chosen) | {
        "weights": chosen.scores.get("weights", BEST),  # the best itself may be an average, after a resume
        "candidates": {name: candidate.scores["val"] for name, candidate in candidates.items()},
    }
    for callback in fitted.callbacks:
        callback.on_run_end(parts, scored)
    # Saved last: a run that is stopped before this and resumed must still compare with the best single weights.
    if kind != BEST or not current:
        save(replace(chosen, config=parts.recipe.plain), best_checkpoint(folder))
    if parts.recipe.settings.logger.tensorboard:
        write_hparams(folder, parts.recipe.plain, metrics)
    text = json.dumps(metrics, indent=2, ensure_ascii=False) + "\n"
    write_atomically(folder / METRICS, text.encode())
    for update in recent_updates(folder):  # an extended run averages the weights of its new validations only
        recent_checkpoint(folder, update).unlink(missing_ok=True)
    for evaluation in scored.values():
        logger.info(table(evaluation))
    if not fitted.warmed_up and fitted.highest_factor < 0.9:
        logger.warning(
            f"the learning rate reached {metrics['highest_learning_rate']:.2g}, {fitted.highest_factor:.0%} of its "
            f"peak {fitted.peak_rate:g}, because training ended during the warm-up; train longer, or set "
            f"scheduler.warmup_updates={max(1, fitted.updates // 7)}"
        )
    logger.info(f"run folder: {folder}")
    return metrics


def _candidates(parts: Parts, fitted: Fitted, best: Checkpoint) -> dict[str, Checkpoint]:
    """Return the checkpoints that may be kept as the best: the best single one, the average, the moving average.

    `best` is the content of the best checkpoint so far. The last weights were also candidates for it.
    """
    folder, found = parts.recipe.folder, {BEST: best}
    others: dict[str, Mapping[str, Tensor]] = {}
    if len(fitted.recent) >= 2:
        others["average"] = average([recent_checkpoint(folder, update) for update in fitted.recent])
    if fitted.ema is not None:
        with_buffers = {**weights_of(parts.translator.model), **fitted.ema}
        others["ema"] = {name: value.to("cpu", copy=True) for name, value in with_buffers.items()}
    for name, weights in others.items():
        set_weights(parts.translator.model, weights)
        scores = {"val": _validate(parts, fitted), "weights": name}
        found[name] = replace(best, weights=weights, scores=scores, update=fitted.updates)
    return found


def _chosen(monitor: Monitor, candidates: Mapping[str, Checkpoint]) -> str:
    """Return the name of the best candidate on validation; the best single checkpoint wins a tie."""
    scores = {name: candidate.scores["val"] for name, candidate in candidates.items()}
    name = max(scores, key=lambda each: monitor.quality(scores[each]))
    if len(scores) > 1:
        label = {each: _label(each, candidate.scores) for each, candidate in candidates.items()}
        figures = ", ".join(f"{label[each]} {values[monitor.name]:.2f}" for each, values in scores.items())
        why = monitor.why(*scores.values())
        logger.info(f"validation {monitor.label}: {figures}; {why}kept the {label[name]}")
    return name


def _label(name: str, scores: Mapping[str, Any]) -> str:
    """Return the description of a candidate. In an extended run, the best may be the average of the first end."""
    weights = scores.get("weights", name)
    return LABELS[weights] if weights == name else f"earlier {LABELS[weights]}"


def _validate(parts: Parts, fitted: Fitted) -> dict[str, float]:
    """Return the figures of a validation with the model's current weights, as training computes them."""
    model, val_pairs, losses = parts.translator.model.eval(), parts.val_pairs, Losses()
    batches = BatchLoader(lambda _: parts.data.val_pairs, parts.recipe.settings.data.eval_batch_tokens, shuffled=False)
    with torch.inference_mode(), fitted.precision.val_step_context():
        for batch in batches:
            losses += batch_losses(model, parts.objective, batch.to(fitted.device))
    search = validation_search(parts.translator.search)
    sources = [pair.source for pair in val_pairs]
    with PassProgress("validating averaged weights", len(sources), unit="sentences") as progress:
        translations = parts.translator.translate(sources, search=search, advance=progress.advance)
    return validation_scores(losses, parts.metrics_in_training, translations, val_pairs)


def _score(parts: Parts) -> dict[str, Evaluation]:
    """Decode validation and test with the search of the recipe, and write translations and scores."""
    scored: dict[str, Evaluation] = {}
    data = parts.recipe.settings.data
    for split in ("val", "test"):
        if split not in parts.corpus:
            logger.info("the corpus has no test split: only validation is scored")
            continue
        subject = Subject(
            split=split,
            source_lang=data.source_lang,
            target_lang=data.target_lang,
            data=origin(parts.source, data, split),
            update=parts.translator.update,
        )
        pairs = list(parts.corpus[split])
        scored[split] = evaluate(parts.translator, pairs, parts.metrics, subject, bootstrap=1000)
        written = write_evaluation(parts.recipe.folder, scored[split])
        logger.info(f"translations of {split}: {written}")
    return scored


def _metrics(parts: Parts, fitted: Fitted, scored: Mapping[str, Evaluation], best: Checkpoint) -> dict[str, Any]:
    """Return the content of metrics.json; `best` is the chosen checkpoint.

    `wall_seconds` is the time of training and its validations in all sessions. `total_seconds` adds the preparation
    and the end of this session.
    """
    settings, counts = parts.recipe.settings, fitted.counts
    return {
        **{split: evaluation.scores.to_dict() for split, evaluation in scored.items()},
        "sentences": {split: len(evaluation.references) for split, evaluation in scored.items()},
        "parameters": parts.parameters,
        "target_tokens_per_second": counts.tokens_per_second,
        "padding_share": counts.padding_share,
        "peak_memory_bytes": machine.peak_memory_bytes(),
        "epochs": round(counts.epochs, 3),
        "updates": fitted.updates,
        "best_update": best.update,
        "peak_learning_rate": fitted.peak_rate,
        "highest_learning_rate": fitted.peak_rate * fitted.highest_factor,
        "wall_seconds": fitted.seconds,
        "total_seconds": fitted.seconds + time.monotonic() - parts.started - fitted.session_seconds,
        "seed": settings.seed,
        "name": settings.name,
        "search": search_node(parts.translator.search),
        "versions": machine.versions(),
        "hardware": machine.describe(fitted.device, fitted.processes),
        "commit": parts.commit,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }


def write_hparams(folder: Path, config: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    """Write the settings of a run and its final scores for TensorBoard's tab HPARAMS, which compares runs.

    `config` is the resolved config and `metrics` the content of metrics.json. The scores get names such as
    `final/test_bleu`. The tab has a column for each setting and each score, and shows the settings that differ. If the
    disk fails, this is logged.
    """
    from torch.utils.tensorboard.summary import hparams

    from nmt.training.events import Events

    settings = {"name": config["name"], "seed": config["seed"]}
    for group in HPARAMS:
        settings |= _flat_settings(config[group], group)
    for copy in [key for key in settings if key.replace("model.decoder.", "model.", 1) in settings.keys() - {key}]:
        del settings[copy]  # such as model.decoder.attention, which is ${model.attention}
    # The first of these summaries would fix the columns of the tab for all runs. Without it, every run adds columns.
    _, start, end = hparams(settings, {})  # type: ignore[no-untyped-call]
    with Events(folder, required=False) as writer:
        writer.file_writer.add_summary(start)
        writer.file_writer.add_summary(end)
        for name, value in _final_scores(metrics):
            writer.add_scalar(f"final/{name}", value, metrics["best_update"])


def _final_scores(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for split in ("val", "test"):
        for name, entry in metrics.get(split, {}).items():
            yield f"{split}_{name}", entry["value"]
    yield "parameters", metrics["parameters"]
    yield "minutes", metrics["wall_seconds"] / 60


def _flat_settings(node: Any, key: str) -> dict[str, Any]:
    """Return the values below `node` under their dotted keys; a node with a class has the class's name as its value."""
    if not isinstance(node, Mapping):
        return {key: node if isinstance(node, bool | int | float | str) else str(node)}
    flat: dict[str, Any] = {}
    for name, value in node.items():
        if name == "_target_":
            flat[key] = value.rpartition(".")[2]
        elif name != "_partial_":
            flat |= _flat_settings(value, f"{key}.{name}")
    return flat
