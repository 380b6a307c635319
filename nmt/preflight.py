"""Builds the components of a run that need no data, and checks the other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from nmt import build
from nmt.checks import contradictions
from nmt.config.settings import TrainConfig
from nmt.data.sources.base import Source
from nmt.errors import ParameterError, UserError, one_line, raise_if_any
from nmt.models.interface import AttentionWeights, CrossLayer
from nmt.models.seq2seq import Seq2Seq
from nmt.models.trial import TrialError, one_thread, shapes_only, try_model
from nmt.search.base import Search
from nmt.system import machine
from nmt.system.run_files import find_checkpoint
from nmt.text.protect import Spans

if TYPE_CHECKING:
    from pytorch_lightning import Callback

    from nmt.data.filters.base import Filter
    from nmt.evaluation.metrics.base import Metric
    from nmt.training.objectives.base import Objective
    from nmt.training.schedules import Schedule

BYTES_PER_WEIGHT = 8  # float32, and its gradient
PLACEHOLDER = "RUN_FOLDER"  # in a recipe that starts from another run


def needs_init(config: TrainConfig) -> bool:
    """Return whether `init` is the placeholder of a recipe, so that the run it starts from is still to be named."""
    return config.init is not None and Path(config.init).name == PLACEHOLDER and not Path(config.init).exists()


def initial_checkpoint(config: TrainConfig) -> Path:
    """Return the checkpoint that the run starts from (`init`). Raises UserError if there is none."""
    assert config.init is not None
    if needs_init(config):
        raise UserError(
            f"init: not given, but {config.name} starts from a trained model, which the first lines of its recipe "
            f"name; add init=FOLDER, the folder of that run"
        )
    return find_checkpoint(config.init, key="init")


@dataclass(frozen=True)
class Components:
    """The components of a run that need no data, built once.

    `more_sources` are the sources of the further training corpora. `callbacks` has them by the names of their nodes.
    """

    source: Source
    more_sources: Mapping[str, Source]
    filters: Mapping[str, Filter]
    objective: Objective
    schedule: Schedule
    search: Search
    spans: Spans
    metrics: Mapping[str, Metric]
    callbacks: Mapping[str, Callback]


def build_components(config: TrainConfig) -> Components:
    """Return the components of a run, after all checks that need no data.

    The optimizer and the model (with a toy vocabulary and without memory for its weights) are also built,
    tried and discarded. Raises UserError for mistakes that only constructors can find, such as a rate out of range or a
    width that the number of heads does not divide. The error lists the problems of all nodes. The random state does not
    change.
    """
    raise_if_any(contradictions(config))
    allow, languages = config.allow, (config.data.source_lang, config.data.target_lang)
    builders: dict[str, Callable[[], Any]] = {
        "source": partial(build.build_source, config.data, allow=allow),
        "more_sources": partial(build.build_more, config.data),
        "filters": partial(build.build_filters, config.filters, languages, allow=allow),
        "model": partial(_tried_model, config),
        "objective": partial(build.build_objective, config.objective, allow=allow),
        "optimizer": partial(_check_optimizer, config),
        "schedule": partial(build.build_schedule, config.scheduler, allow=allow),
        "search": partial(build.build_search, config.search, allow=allow),
        "spans": partial(Spans, config.spans),
        "metrics": partial(_metrics, config),
        "views": partial(build.build_views, config.views, allow=allow),
        "callbacks": lambda: build.build_callbacks(vars(config.callbacks), views=built.get("views", {}), allow=allow),
    }
    built: dict[str, Any] = {}
    problems: list[str] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        for name, builder in builders.items():
            try:
                built[name] = builder()
            except UserError as error:
                problems.extend(error.problems)
    raise_if_any(problems)
    model, weights = built["model"]
    for view in built["views"].values():
        view.check(model)
    components = Components(**{field.name: built[field.name] for field in fields(Components)})
    if components.search.reads_attention:
        build.track_coverage(model)
    _check_objective(config, components.objective, weights)
    return components


def _check_optimizer(config: TrainConfig) -> None:
    """Build the optimizer, and let it make one step with weights whose gradients are 0."""
    vector, matrix = (torch.nn.Parameter(torch.zeros(shape)) for shape in ((1,), (2, 2)))
    for weight in (vector, matrix):
        weight.grad = torch.zeros_like(weight)
    optimizer = build.build_optimizer(config.optimizer, [vector, matrix], matrices=[matrix], allow=config.allow)
    try:
        optimizer.step()
        optimizer.step(lambda: 0.0)  # as Lightning calls it
    except (RuntimeError, TypeError, AssertionError, ArithmeticError) as error:
        raise UserError(
            f"optimizer: {type(optimizer).__name__} cannot make an update here: {one_line(error)}; use another one"
        ) from error
    if not all("lr" in group for group in optimizer.param_groups):
        raise UserError(
            f"optimizer: {type(optimizer).__name__} has a group of weights without lr, which the schedule sets; give "
            "defaults={'lr': ...} to torch's Optimizer"
        )


def _tried_model(config: TrainConfig) -> tuple[Seq2Seq, AttentionWeights]:
    """Return the model, without memory for its weights if possible, and the attention weights of its run on toy data.

    A class of the user's own packages may read a tensor, but without memory tensors have no values. So a model that
    fails without memory is built and tried again with memory, and only the second result counts.
    """
    make = partial(
        build.build_model,
        config.model,
        source_vocab_size=8,
        target_vocab_size=8,
        joint=config.tokenizer.joint,
        allow=config.allow,
    )
    try:
        with shapes_only():
            model = make()
    except Exception:
        if not config.allow:
            raise
        with one_thread():
            model = make()
    _check_memory(model)
    longest = config.data.max_length
    check_lengths(model, config.model, longest, longest, of="data.max_length", otherwise="lower data.max_length")
    try:
        return model, _try(model, config.model)
    except UserError:
        if not config.allow:
            raise
        with one_thread():
            model = make()
        return model, _try(model, config.model)


def _check_memory(model: Seq2Seq) -> None:
    """Raise UserError if the weights and their gradients need more memory than this machine has."""
    count = sum(weights.numel() for weights in model.parameters())
    needed, memory = BYTES_PER_WEIGHT * count, machine.memory_bytes()
    if memory is not None and needed > memory:
        raise UserError(
            f"model: got {count:,} weights, which need at least {needed / 2**30:,.0f} GiB for training, but this "
            f"machine has {memory / 2**30:,.0f} GiB; use fewer layers or smaller widths"
        )


def _check_objective(config: TrainConfig, objective: Objective, weights: AttentionWeights) -> None:
    """Check that the objective can use the training pairs, and the attention weights of the model."""
    name = type(objective).__name__
    if objective.needs_usual_pieces and config.data.subword_sampling is not None:
        raise UserError(
            f"data.subword_sampling: got {config.data.subword_sampling}, but objective {name} "
            "compares translations with the usual pieces; use data.subword_sampling=null, or another objective"
        )
    if objective.needs_links and config.data.more:
        raise UserError(
            f"data.more: got {', '.join(config.data.more)}, but objective {name} learns from "
            "word alignments, which these corpora do not have; leave them out, or use objective=cross_entropy"
        )
    if objective.needs_links and config.spans:
        raise UserError(
            f"spans: got {', '.join(config.spans)}, but objective {name} learns from word alignments, which belong to "
            "the unchanged pairs; use spans=[], or another objective"
        )
    if objective.needs_weights:
        try:
            objective.check(weights)
        except ParameterError as error:
            raise UserError(f"objective.{error.parameter}: {error.problem}") from error
    request = objective.needs_weights
    layers = 0 if weights.cross is None else weights.cross.shape[1]
    if isinstance(request, CrossLayer) and request.number is not None and layers < request.number:
        raise UserError(
            f"objective: {name} reads the cross attention of layer {request.number}, but the decoder has {layers}; use "
            "another layer, or another objective"
        )


def _metrics(config: TrainConfig) -> dict[str, Metric]:
    """Return the metrics, after a check that they include the monitored one."""
    metrics = build.build_metrics(config.scores, target_lang=config.data.target_lang, allow=config.allow)
    build.check_monitor(config.callbacks.monitor, metrics)
    return metrics


def check_lengths(
    model: Seq2Seq, config: Mapping[str, Any], source: int, target: int, *, of: str, otherwise: str
) -> None:
    """Raise UserError if the encoder has fewer positions than `source`, or the decoder than `target`.

    `source` and `target` are numbers of tokens, eos included. `config` is the node of the model. In the message, `of`
    names the source of these numbers, and `otherwise` is the alternative to more positions.
    """
    for side, limit, longest in (
        ("encoder", model.encoder.max_length, source),
        ("decoder", model.decoder.max_length, target),
    ):
        if limit is not None and limit < longest:
            key, _ = _node(config, f"{side}.positions")
            raise UserError(
                f"{key}.max_length: got {limit}, expected at least {longest} for {of}; raise it, or {otherwise}"
            )


def _try(model: Seq2Seq, config: Mapping[str, Any]) -> AttentionWeights:
    """Run the model on toy sentences and return its attention weights.

    Raises UserError that names the node of the part that fails.
    """
    try:
        return try_model(model)
    except TrialError as error:
        key, node = _node(config, error.module)
        name = str(node.get("_target_", "the model")).rpartition(".")[2]
        raise UserError(f"{key}: {name} fails on toy sentences: {error.problem}") from error


def _node(config: Mapping[str, Any], module: str) -> tuple[str, Mapping[str, Any]]:
    """Return a key and a node of `config`: the innermost node that describes the module or a module around it.

    For a module that a setting of the node switches on, the key is that of the setting.
    """
    key, node, switch = "model", config, ""
    for part in module.split("."):
        if not isinstance(node.get(part), Mapping):
            switch = f".{part}" if node.get(part) is True else ""
            break
        key, node = f"{key}.{part}", node[part]
    return key + switch, node
