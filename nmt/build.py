"""Builds the objects that nodes of the config describe: models, objectives, searches and so on."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn

from nmt.config.nodes import instantiate
from nmt.config.settings import FILES_SOURCE, DataConfig
from nmt.data.sources.base import Overlay, Source, in_direction
from nmt.errors import ParameterError, UserError, did_you_mean, raise_if_any
from nmt.models.seq2seq import CoverageTracker, Seq2Seq
from nmt.search.base import Search

if TYPE_CHECKING:
    from pytorch_lightning import Callback

    from nmt.data.filters.base import Filter
    from nmt.evaluation.metrics.base import Metric
    from nmt.models.interface import Decoder, Encoder
    from nmt.training.objectives.base import Objective
    from nmt.training.schedules import Schedule

MODELS = ("nmt.models",)
CALLBACKS = ("nmt.training.callbacks", "nmt.lab.callbacks")
LIGHTNING_CALLBACKS = ("pytorch_lightning.callbacks",)
LIGHTNING_CALLBACK = "pytorch_lightning.callbacks.callback.Callback"
REPLACED = {  # callbacks of Lightning that do not work here, and the settings that replace them; "" if none does
    f"{LIGHTNING_CALLBACKS[0]}.checkpoint.Checkpoint": "callbacks.checkpointing",
    f"{LIGHTNING_CALLBACKS[0]}.lr_finder.LearningRateFinder": "optimizer.lr",
    f"{LIGHTNING_CALLBACKS[0]}.batch_size_finder.BatchSizeFinder": "data.batch_tokens",
    f"{LIGHTNING_CALLBACKS[0]}.gradient_accumulation_scheduler.GradientAccumulationScheduler": (
        "trainer.accumulate_grad_batches"  # an epoch that is resumed would go on without accumulation
    ),
    f"{LIGHTNING_CALLBACKS[0]}.progress.progress_bar.ProgressBar": "callbacks.progress",
    f"{LIGHTNING_CALLBACKS[0]}.pruning.ModelPruning": "",  # sets a weight only when its module is called
    f"{LIGHTNING_CALLBACKS[0]}.stochastic_weight_avg.StochasticWeightAveraging": "callbacks.checkpointing.average_last",
    f"{LIGHTNING_CALLBACKS[0]}.weight_averaging.WeightAveraging": "callbacks.checkpointing.ema_decay",
}
OBJECTIVES = ("nmt.training.objectives",)
OPTIMIZERS = ("torch.optim", "nmt.training.optimizers")
SCHEDULES = ("nmt.training.schedules",)
SOURCES = ("nmt.data.sources", "nmt.lab.alignment", "nmt.lab.tasks")
FILTERS = ("nmt.data.filters",)
SEARCHES = ("nmt.search",)
METRICS = ("nmt.evaluation.metrics",)
VIEWS = ("nmt.lab.attribution",)
FILES_NODE = {"_target_": FILES_SOURCE}


def build_model(
    config: Mapping[str, Any],
    *,
    source_vocab_size: int,
    target_vocab_size: int,
    joint: bool,
    allow: Sequence[str] = (),
) -> Seq2Seq:
    """Return the model that a plain (resolved) `model` config describes.

    `config` has `encoder` and `decoder` nodes with a `_target_` each, and `tie_embeddings`. `allow` lists the
    user's own packages whose classes the nodes may name. Raises UserError for anything in the config that does not fit.
    """
    if config["tie_embeddings"] == "all" and not joint:
        raise UserError(
            "model.tie_embeddings: got all with tokenizer.joint=false, expected a joint vocabulary, as source and "
            "target share one table; use model.tie_embeddings=target or tokenizer.joint=true"
        )
    build = functools.partial(_side, config, allow=allow)
    encoder = cast("Encoder", build("encoder", ("embedding", "width", "attends"), vocab_size=source_vocab_size))
    needed, width = ("embedding", "output", "attends"), encoder.width
    decoder = cast("Decoder[Any]", build("decoder", needed, vocab_size=target_vocab_size, memory_width=width))
    try:
        model = Seq2Seq(encoder, decoder, tie_embeddings=config["tie_embeddings"])
    except ParameterError as error:
        raise UserError(f"model.{error.parameter}: {error.problem}") from error
    model.config = config
    return model


def _side(
    config: Mapping[str, Any], side: str, needed: Sequence[str], *, allow: Sequence[str], **options: Any
) -> nn.Module:
    """Return the encoder or decoder of a `model` config, after a check that it has the attributes of its contract."""
    module = _built(config[side], f"model.{side}", f"nmt.models.interface.{side.title()}", MODELS, allow, **options)
    for name in needed:
        if not hasattr(module, name):
            raise UserError(
                f"model.{side}: {config[side]['_target_']} has no {name}; its constructor must set it, as "
                f"nmt.models.interface.{side.title()} says"
            )
    return cast(nn.Module, module)


def build_objective(config: Mapping[str, Any], *, allow: Sequence[str] = ()) -> Objective:
    """Return the objective that an `objective` node describes. Raises UserError for a node that does not fit."""
    return cast("Objective", _built(config, "objective", f"{OBJECTIVES[0]}.base.Objective", OBJECTIVES, allow))


def build_optimizer(
    config: Mapping[str, Any], parameters: Iterable[Tensor], *, matrices: Sequence[Tensor], allow: Sequence[str] = ()
) -> torch.optim.Optimizer:
    """Return the optimizer that an `optimizer` node describes. Raises UserError for a node that does not fit.

    `matrices` are those of `parameters` that are matrices of hidden layers. An optimizer gets them if its constructor
    has a parameter of this name.
    """
    rate = config.get("lr")
    if isinstance(rate, int | float) and not 0 <= rate < math.inf:  # PyTorch's message does not name the key
        raise UserError(f"optimizer.lr: got {rate}, expected a finite number of at least 0")
    base = "torch.optim.optimizer.Optimizer"
    offered = {"matrices": matrices}
    optimizer = _built(config, "optimizer", base, OPTIMIZERS, allow, params=list(parameters), offered=offered)
    return cast(torch.optim.Optimizer, optimizer)


def build_schedule(config: Mapping[str, Any], *, allow: Sequence[str] = ()) -> Schedule:
    """Return the schedule that a `scheduler` node describes. Raises UserError for a node that does not fit."""
    return cast("Schedule", _built(config, "scheduler", f"{SCHEDULES[0]}.Schedule", SCHEDULES, allow))


def build_source(data: DataConfig, *, allow: Sequence[str] = ()) -> Source:
    """Return the source that a `data` section describes; nothing is read yet.

    Local files can replace any source: `data.path` or `data.train` replaces all of it, and `data.val` or `data.test`
    alone replaces that split. The keys of the replaced source are checked too. Raises UserError for a section that does
    not fit.
    """
    if data.source_lang == data.target_lang:
        raise UserError(
            f"data.target_lang: got '{data.target_lang}', the same as data.source_lang; expected two languages"
        )
    common = {field.name: getattr(data, field.name) for field in dataclasses.fields(data) if field.name != "source"}

    def files() -> Source:
        return cast(Source, instantiate(FILES_NODE, "data", within=SOURCES, offered=common))

    if data.path is not None or data.train is not None:
        node = {**data.source, "_partial_": True}  # its keys are checked, and nothing is constructed
        instantiate(node, "data", within=SOURCES, allow=allow, offered=common)
        return files()
    source: Source = _built(data.source, "data", f"{SOURCES[0]}.base.Source", SOURCES, allow, offered=common)
    source = in_direction(source, data.source_lang, data.target_lang)
    return source if data.val is None and data.test is None else Overlay(files(), source)


def build_more(data: DataConfig) -> dict[str, Source]:
    """Return the sources of the further training corpora that `data.more` names. Raises UserError for bad entries."""
    languages = {"source_lang": data.source_lang, "target_lang": data.target_lang}
    return {
        name: instantiate(FILES_NODE, f"data.more.{name}", within=SOURCES, offered={**languages, "train": entry.train})
        for name, entry in (data.more or {}).items()
    }


def build_filters(
    nodes: Mapping[str, Any], languages: tuple[str, str], *, allow: Sequence[str] = ()
) -> dict[str, Filter]:
    """Return the filters that the nodes of `filters` describe, by name. A node that is null is left out.

    Raises UserError for nodes that do not fit, and for a filter that cannot be used for texts of these `languages`.
    """
    built = {}
    for name, node in nodes.items():
        if node is not None:
            built[name] = _built(node, f"filters.{name}", f"{FILTERS[0]}.base.Filter", FILTERS, allow)
            if reason := built[name].unavailable_reason(languages):
                raise UserError(f"filters.{name}: it cannot be used: {reason}")
    return built


def build_search(config: Mapping[str, Any], *, allow: Sequence[str] = ()) -> Search:
    """Return the strategy that a `search` node describes.

    Raises UserError for a node that does not fit, for a label that cannot be part of a file's name, and for a setting
    that the files of a run cannot hold.
    """
    search = cast(Search, _built(config, "search", f"{SEARCHES[0]}.base.Search", SEARCHES, allow))
    if "/" in search.label:
        raise UserError(f"search: got the label '{search.label}', which is a part of the names of files; leave out '/'")
    for name, value in search_node(search).items():
        try:
            json.dumps(value)
        except TypeError as error:
            raise UserError(
                f"search.{name}: the files of a run cannot hold a {type(value).__name__}; make it a number, a text, a "
                "list or mapping of these, or a dataclass"
            ) from error
    return search


def override(search: Search, fields: Mapping[str, Any]) -> Search:
    """Return a copy of `search` with new values of some fields. Raises UserError for values that it does not accept."""
    if not isinstance(search, Search):
        raise UserError(
            f"search: got {search!r}, expected an object such as nmt.search.beam.BeamSearch(); settings of the model's "
            "own search are arguments: beam_size=5"
        )
    try:
        return search.replace(**fields) if fields else search
    except ParameterError as error:
        raise UserError(f"search.{error.parameter}: {error.problem}") from error


def track_coverage(model: Seq2Seq) -> CoverageTracker:
    """Return the model for a search that reads the attention. Raises UserError if its decoder has none."""
    try:
        return CoverageTracker(model)
    except ParameterError as error:
        raise UserError(f"search.{error}") from error


def architecture(config: Mapping[str, Any]) -> str:
    """Return the classes of a plain `model` config in few words: "Transformer", "Recurrent, MonotonicLocal, Dot"."""
    attention = config["decoder"].get("attention")
    scores = attention.get("scores") if isinstance(attention, Mapping) else None
    nodes = (config["encoder"], config["decoder"], attention, scores)
    return ", ".join(dict.fromkeys(_short_name(node) for node in nodes if isinstance(node, Mapping)))


def _short_name(node: Mapping[str, Any]) -> str:
    """Return "Transformer" for a TransformerEncoder, and "Bahdanau" for additive attention of an earlier state."""
    name = str(node.get("_target_")).rpartition(".")[2]
    # A query from between two cells (multi30k_bahdanau) counts too. With the current state, Luong's concat is the same.
    if name == "AdditiveAttention" and node.get("query_state", "previous") != "current":
        return "Bahdanau"
    return re.sub("(?<=.)(Encoder|Decoder|Attention)$", "", name)


def search_node(search: Search) -> dict[str, Any]:
    """Return the plain node that describes `search`, as checkpoints and score files hold it."""
    return dict(_node(search))


def _node(value: Any) -> Any:
    if not dataclasses.is_dataclass(value):
        return value
    kind, fields = type(value), (each.name for each in dataclasses.fields(value) if each.init)
    values = {name: _node(getattr(value, name)) for name in fields}
    return {"_target_": f"{kind.__module__}.{kind.__qualname__}", **values}


def build_metrics(nodes: Mapping[str, Any], *, target_lang: str, allow: Sequence[str] = ()) -> dict[str, Metric]:
    """Return the metrics that the nodes of `scores` describe, under their names and in their order.

    Raises UserError for nodes that do not fit, and for a metric named loss or perplexity, which validation computes
    itself. The error lists the problems of all nodes.
    """
    problems: list[str] = []
    metrics: dict[str, Metric] = {}
    if not nodes:
        problems.append("scores: got no metric, expected at least one, as in scores=[bleu]")
    for name, node in nodes.items():
        if name in ("loss", "perplexity"):
            problems.append(f"scores.{name}: validation has a figure of this name already; choose another name")
            continue
        try:
            base = f"{METRICS[0]}.base.Metric"
            metrics[name] = _built(node, f"scores.{name}", base, METRICS, allow, target_lang=target_lang)
        except UserError as error:
            problems.extend(error.problems)
    raise_if_any(problems)
    return metrics


def build_views(nodes: Mapping[str, Any], *, allow: Sequence[str] = ()) -> dict[str, Any]:
    """Return the views beside attention that the nodes of `views` describe, by name.

    Raises UserError for nodes that do not fit, and for settings of a view that is not chosen.
    """
    base, chosen = f"{VIEWS[0]}.base.AttributionView", _complete(nodes)
    for name, node in nodes.items():
        if isinstance(node, Mapping) and name not in chosen:
            raise _not_chosen("views", "views", name, chosen)
    return {name: _built(node, f"views.{name}", base, VIEWS, allow) for name, node in nodes.items()}


def merge_scores(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nodes of the metrics.

    If `given` holds complete nodes (scores=[bleu,ter]), these are the metrics; otherwise they are the run's `own`
    metrics. Single settings in `given` replace those of the nodes. Raises UserError for settings of a metric that is
    not chosen.
    """
    base = _complete(given) or own
    for name, settings in given.items():
        if not isinstance(settings, Mapping):
            raise UserError(
                f"scores.{name}: got {settings}, expected settings of a metric, as in scores.bleu.tokenize=char"
            )
        if name not in base:
            raise _not_chosen("scores", "metrics", name, base)
    return {name: {**node, **given.get(name, {})} for name, node in base.items()}


def _complete(nodes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nodes that name their class; the others are single settings."""
    return {name: node for name, node in nodes.items() if isinstance(node, Mapping) and "_target_" in node}


def _not_chosen(section: str, kind: str, name: str, chosen: Collection[str]) -> UserError:
    """Return the error of single settings of a metric or view that is not among the `chosen`."""
    also = " as well" if chosen else ""
    near = did_you_mean(name, chosen) or f"; choose it{also}, as in {section}=[{','.join([*chosen, name])}]"
    return UserError(f"{section}.{name}: not among the {kind} {', '.join(chosen) or '(none is chosen)'}{near}")


def check_monitor(name: str, metrics: Mapping[str, Metric]) -> None:
    """Raise UserError unless `callbacks.monitor` is "loss" or the name of a metric."""
    if name != "loss" and name not in metrics:
        raise UserError(
            f"callbacks.monitor: got '{name}', expected loss or one of the metrics of scores: {', '.join(metrics)}"
            f"{did_you_mean(name, ['loss', *metrics])}"
        )
    if name != "loss" and metrics[name].higher_is_better is None:
        raise UserError(
            f"callbacks.monitor: got '{name}', but neither a higher nor a lower {metrics[name].label} is better; "
            "choose another metric, or loss"
        )


def build_callbacks(
    config: Mapping[str, Any], *, views: Mapping[str, Any] = MappingProxyType({}), allow: Sequence[str] = ()
) -> dict[str, Callback]:
    """Return the callbacks that the nodes of `callbacks` describe, by name; those of `callbacks.extra` come last.

    A node that is null is left out. A callback with a parameter `views` gets the views of the run. Raises UserError for
    nodes that do not fit; the error lists the problems of all.
    """
    nodes = {name: node for name, node in config.items() if name not in ("monitor", "extra")}
    nodes |= {f"extra.{name}": node for name, node in config["extra"].items()}
    problems: list[str] = []
    callbacks: dict[str, Callback] = {}
    for name, node in nodes.items():
        if node is None:
            continue
        packages = (*CALLBACKS, *LIGHTNING_CALLBACKS) if name.startswith("extra.") else CALLBACKS
        kind = f"{CALLBACKS[0]}.checkpointing.Checkpointing" if name == "checkpointing" else LIGHTNING_CALLBACK
        try:
            callbacks[name] = _built(node, f"callbacks.{name}", kind, packages, allow, offered={"views": views})
            ours = next((key for base, key in REPLACED.items() if base in _bases(callbacks[name])), None)
            if ours is not None:
                remedy = f"use {ours} in its place" if ours else "leave it out"
                raise UserError(f"callbacks.{name}: {node['_target_']} does not work here; {remedy}")
        except UserError as error:
            problems.extend(error.problems)
    raise_if_any(problems)
    return callbacks


def _built(
    node: Mapping[str, Any], path: str, base: str, within: Sequence[str], allow: Sequence[str], **options: Any
) -> Any:
    """Return the object that `node` describes, of a class derived from `base`. Raises UserError for another class.

    `base` is a dotted name, so that this module imports neither Lightning nor packages that import it. `instantiate`
    explains the other arguments.
    """
    value = instantiate(node, path, within=within, allow=allow, **options)
    if node.get("_partial_"):
        raise UserError(f"{path}._partial_: got true, expected no such key; remove it")
    if base not in _bases(value):
        raise UserError(f"{path}._target_: got {node['_target_']}, expected a class derived from {base}")
    return value


def _bases(value: Any) -> set[str]:
    """Return the dotted names of the class of `value` and of all its base classes."""
    return {f"{kind.__module__}.{kind.__qualname__}" for kind in type(value).__mro__}
