"""Whether everything that a run's settings describe can be built, before data are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch

from nmt import build
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.models.positions.base import Positions
from nmt.models.seq2seq import Seq2Seq
from nmt.models.trial import TrialError, try_model


def check_nodes(config: TrainConfig) -> None:
    """Build everything that nodes describe (the model with a toy vocabulary), and keep nothing.

    Raises UserError, with the problems of all of them, for what only their constructors know: sizes that do not
    divide, rates out of range. Leaves the random state as it was.
    """
    allow = config.allow
    checks: list[Callable[[], Any]] = [
        partial(build.build_source, config.data, allow=allow),
        partial(_check_model, config),
        partial(build.build_objective, config.objective, allow=allow),
        partial(build.build_optimizer, config.optimizer, [torch.nn.Parameter(torch.zeros(1))], allow=allow),
        partial(build.build_schedule, config.scheduler, allow=allow),
        partial(build.build_search, config.search, allow=allow),
        partial(_check_scores, config),
        partial(build.build_callbacks, vars(config.callbacks), allow=allow),
    ]
    problems = []
    with torch.random.fork_rng(devices=[]):
        for check in checks:
            try:
                check()
            except UserError as error:
                problems.append(str(error))
    if problems:
        raise UserError("; ".join(problems))


def _check_model(config: TrainConfig) -> None:
    """Build the model and run it on two toy sentences."""
    # No memory and no time however wide it is, and no thread of torch's is started before training sets its mode.
    with torch.device("meta"):
        model = build.build_model(
            config.model,
            source_vocab_size=8,
            target_vocab_size=8,
            joint=config.tokenizer.joint,
            allow=config.allow,
        )
    _check_positions(model, config.model, config.data.max_length)
    _try(model, config.model)


def _check_scores(config: TrainConfig) -> None:
    """Build the metrics and find the monitored one among them."""
    metrics = build.build_metrics(config.scores, target_lang=config.data.target_lang, allow=config.allow)
    build.monitored_metric(config.callbacks.monitor, metrics)


def _check_positions(model: Seq2Seq, config: Mapping[str, Any], longest: int) -> None:
    """Refuse positions that end before the longest training sentence of `longest` tokens does."""
    for side in (model.encoder, model.decoder):
        positions = getattr(side, "positions", None)
        if isinstance(positions, Positions) and positions.max_length is not None and positions.max_length < longest:
            key = _node(config, "encoder.positions" if side is model.encoder else "decoder.positions")
            raise UserError(
                f"{key}.max_length: got {positions.max_length}, expected at least data.max_length={longest}; "
                f"raise it, or lower data.max_length"
            )


def _try(model: Seq2Seq, config: Mapping[str, Any]) -> None:
    """Run the model on two toy sentences. Raises UserError that names the node of the part that fails."""
    try:
        try_model(model)
    except TrialError as error:
        where = _node(config, error.module)
        raise UserError(f"{where}: {_class(config, where)} fails on two toy sentences: {error.problem}") from error


def _node(config: Mapping[str, Any], module: str) -> str:
    """Return the key of the innermost node of `config` that describes a module of the model or a module around it."""
    key, node = "model", config
    for part in module.split("."):
        if not isinstance(node.get(part), Mapping):
            break
        key, node = f"{key}.{part}", node[part]
    return build.node_origins(config).get(key, key)


def _class(config: Mapping[str, Any], key: str) -> str:
    """Return the name of the class that the node at `key` describes."""
    node: Any = {"model": config}
    for part in key.split("."):
        node = node[part]
    return str(node.get("_target_", "the model")).rpartition(".")[2]
