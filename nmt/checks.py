"""Conditions on several settings that need no data. `nmt.training.prepare` checks those that need the corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nmt.config.settings import TrainConfig, pairs_of
from nmt.errors import ParameterError, UserError, did_you_mean
from nmt.models.interface import CrossLayer
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import shown
from nmt.system.place import place_of_process

if TYPE_CHECKING:
    from nmt.evaluation.metrics.base import Metric
    from nmt.training.objectives.base import Objective

MODEL_KEYS = ("encoder", "decoder", "attention", "positions", "tie_embeddings")


def contradictions(config: TrainConfig) -> Iterator[str]:
    """Yield a message for each setting that contradicts another one, or has no effect with it."""
    for key in config.model:
        if key not in MODEL_KEYS:
            yield f"model.{key}: unknown key{did_you_mean(key, MODEL_KEYS, prefix='model.')}"
    separate = not config.tokenizer.joint
    if separate and config.model.get("tie_embeddings") == "all":
        yield "model.tie_embeddings: got all with tokenizer.joint=false; use target or none, or tokenizer.joint=true"
    if separate and (config.data.both_directions or config.data.pairs):
        key = "both_directions: got true" if config.data.both_directions else "pairs: got pairs"
        yield f"data.{key} with tokenizer.joint=false, expected a joint vocabulary; use tokenizer.joint=true"
    seen = set[Collection[str]]()
    for name, data in pairs_of(config.data).items():
        key, languages = f"data.pairs.{name}" if name else "data", (data.source_lang, data.target_lang)
        if data.source_lang == data.target_lang:
            yield f"{key}.target_lang: got '{data.target_lang}', the same as source_lang; expected two languages"
        if (direction := frozenset(languages) if config.data.both_directions else languages) in seen:
            yield f"{key}: the languages {' and '.join(languages)} occur twice; name more files of a pair in data.more"
        seen.add(direction)
    if config.data.temperature > 1 and not config.data.pairs:
        yield f"data.temperature: got {config.data.temperature:g} without data.pairs, which it weighs; leave it out"
    by_language = [key for key in ("train", "val", "test") if isinstance(getattr(config.data, key), list | tuple)]
    for name in (name for name, pair in (config.data.pairs or {}).items() if by_language and pair.path is None):
        yield f"data.pairs.{name}.path: not given, but data.{by_language[0]} has a file for each language; add a folder"
    if config.embeddings == "cooccurrence" and (config.init or config.model.get("tie_embeddings") != "all"):
        yield "embeddings: got cooccurrence, which needs one table for both sides: model.tie_embeddings=all init=null"
    needs_run = config.init_parts or config.init_tokenizer == "new" or config.data.source_lang.endswith("_of_init")
    if config.init is None and needs_run:
        yield "init: got nothing, expected a run folder (for init_parts, a new tokenizer or fine_tune); init=RUN_FOLDER"
    own, joint = config.tokenizer.path, config.tokenizer.joint
    if own is not None and len([own] if isinstance(own, str) else own) != 2 - joint:
        yield (
            f"tokenizer.path: got {shown(own)} with tokenizer.joint={shown(joint)}, expected one file for a joint "
            "vocabulary, else [SOURCE,TARGET]"
        )
    if config.optimizer.get("fused") and config.trainer.precision == "16-mixed":
        yield "optimizer.fused: got true, expected false with trainer.precision=16-mixed; bf16-mixed can have true"
    devices, started = config.trainer.devices, place_of_process().local_size
    if devices not in ("auto", 1, started):
        run = f"torchrun --nproc-per-node={devices} train.py"
        yield f"trainer.devices: got {devices}, but this machine has {started} of the run's processes; use {run}"


def check_monitor(name: str, metrics: Mapping[str, Metric]) -> None:
    """Raise UserError unless `callbacks.monitor` is "loss", or a metric of which a high or a low value is better."""
    if name == "loss":
        return
    if name not in metrics:
        raise UserError(
            f"callbacks.monitor: got '{name}', expected loss or one of the metrics of scores: {', '.join(metrics)}"
            f"{did_you_mean(name, ['loss', *metrics])}"
        )
    if metrics[name].higher_is_better is None:
        raise UserError(
            f"callbacks.monitor: got '{name}', but neither a higher nor a lower {metrics[name].label} is better; "
            "choose another metric, or loss"
        )


def check_objective(config: TrainConfig, objective: Objective, model: Seq2Seq) -> None:
    """Raise UserError if the objective cannot use the training pairs, or the attention weights of the model."""
    name, layers = type(objective).__name__, len(model.decoder.attentions("cross"))
    for key, names in (("data.more", config.data.more), ("data.pairs", config.data.pairs), ("spans", config.spans)):
        if objective.needs_links and names:
            raise UserError(
                f"{key}: got {', '.join(names)}, but objective {name} learns from word alignments, which only the "
                "unchanged pairs of data have; leave them out, or use objective=cross_entropy"
            )
    if objective.needs_weights and not model.decoder.attends:
        raise UserError(
            f"objective: {name} reads attention weights, but the decoder of this model has none; choose another model "
            "or model/attention=bahdanau, or objective=cross_entropy"
        )
    number = objective.needs_weights.number if isinstance(objective.needs_weights, CrossLayer) else None
    if number is not None and 0 < layers < number:
        raise UserError(f"objective.layer: got {number}, but the decoder has {layers}; expected 1 to {layers}, or null")
    try:
        objective.check(model)
    except ParameterError as error:
        raise UserError(f"objective.{error}") from error


def check_lengths(
    model: Seq2Seq, config: Mapping[str, Any], source: int, target: int, *, of: str, otherwise: str
) -> None:
    """Raise UserError if the encoder has fewer positions than `source`, or the decoder than `target`.

    `source` and `target` are numbers of tokens, eos included. `config` is the node of the model. In the message, `of`
    says where these numbers come from, and `otherwise` says what helps instead of more positions.
    """
    for side, part, longest in (("encoder", model.encoder, source), ("decoder", model.decoder, target)):
        if part.max_length is not None and part.max_length < longest:
            raise UserError(
                f"{key_of(config, f'{side}.positions')}.max_length: got {part.max_length}, expected at least {longest} "
                f"for {of}; raise it, or {otherwise}"
            )


def key_of(config: Mapping[str, Any], module: str) -> str:
    """Return the key of the innermost node of a model's `config` that describes a module, or a module around it."""
    key, node = "model", config
    for part in module.split("."):
        if not isinstance(node.get(part), Mapping):
            break
        key, node = f"{key}.{part}", node[part]
    return key
