"""Builds the objects that nodes of the config describe, one by one, or together all those of a run that need no data.

All functions that build something raise UserError for a node that does not fit.
"""

from __future__ import annotations

import dataclasses
import pkgutil
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from nmt.checks import check_lengths, check_monitor, check_objective, contradictions, key_of
from nmt.config.nodes import TARGET, instantiate
from nmt.config.settings import FILES_SOURCE, DataConfig, TrainConfig, pairs_of
from nmt.data.sources.base import Overlay, Source, Swapped, in_direction
from nmt.errors import ParameterError, UserError, did_you_mean
from nmt.models.layers import shapes_only
from nmt.models.seq2seq import CoverageTracker, Seq2Seq
from nmt.models.trial import try_model
from nmt.search.base import Search
from nmt.system.process import one_thread
from nmt.text.protect import Spans

if TYPE_CHECKING:
    from pytorch_lightning import Callback

    from nmt.data.filters import Filter
    from nmt.evaluation.metrics.base import Metric
    from nmt.training.objectives.base import Objective
    from nmt.training.schedules import Schedule

MODELS = ("nmt.models",)
SOURCES = ("nmt.data.sources", "nmt.lab.alignment", "nmt.lab.tasks")
CALLBACKS = ("nmt.training.callbacks", "nmt.lab.callbacks")
FILES_NODE = {TARGET: FILES_SOURCE}
# For each kind of object, the packages whose classes a node may name, and the base class. The base class is
# imported when the first object of its kind is built, because translation must start without Lightning and the
# laboratory.
KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "encoder": (MODELS, "nmt.models.interface.Encoder"),
    "decoder": (MODELS, "nmt.models.interface.Decoder"),
    "objective": (("nmt.training.objectives",), "nmt.training.objectives.base.Objective"),
    "optimizer": (("torch.optim", "nmt.training.optimizers"), "torch.optim.Optimizer"),
    "scheduler": (("nmt.training.schedules",), "nmt.training.schedules.Schedule"),
    "source": (SOURCES, "nmt.data.sources.base.Source"),
    "filter": (("nmt.data.filters",), "nmt.data.filters.Filter"),
    "search": (("nmt.search",), "nmt.search.base.Search"),
    "metric": (("nmt.evaluation.metrics",), "nmt.evaluation.metrics.base.Metric"),
    "format": (("nmt.deploy.export",), "nmt.deploy.export.base.Format"),
    "translator": (("nmt.deploy.export",), "nmt.translation.base.BaseTranslator"),
    "view": (("nmt.lab.attribution",), "nmt.lab.attribution.base.AttributionView"),
    "checkpointing": (CALLBACKS, "nmt.training.callbacks.checkpointing.Checkpointing"),
    "callback": (CALLBACKS, "pytorch_lightning.Callback"),
    "logger": (("pytorch_lightning.loggers",), "pytorch_lightning.loggers.Logger"),
    "extra": ((*CALLBACKS, "pytorch_lightning.callbacks"), "pytorch_lightning.Callback"),
}


def build(kind: str, node: Any, path: str | None = None, **options: Any) -> Any:
    """Return the object that `node` describes. `kind` is a key of `KINDS`.

    `path` is the key of the node in messages, by default `kind`. `options` are other arguments of `instantiate`. Raises
    UserError for a node that does not fit its class, and for a class of another kind.
    """
    (packages, base), path = KINDS[kind], path or kind
    value = instantiate(node, path, within=packages, **options)
    if not isinstance(value, pkgutil.resolve_name(base)):
        raise UserError(f"{path}.{TARGET}: got {node[TARGET]}, expected a class derived from {base}")
    return value


def build_model(
    config: Mapping[str, Any], *, source_vocab_size: int, target_vocab_size: int, allow: Sequence[str] = ()
) -> Seq2Seq:
    """Return the model that a plain (resolved) `model` config describes.

    `config` has `encoder` and `decoder` nodes with a `_target_` each, and `tie_embeddings`. `allow` lists the
    user's own packages whose classes the nodes may name.
    """
    encoder = build("encoder", config.get("encoder"), "model.encoder", allow=allow, vocab_size=source_vocab_size)
    for name in ("width", "embedding"):
        if not hasattr(encoder, name):
            raise UserError(f"model.encoder: its constructor must set {name}; see nmt/models/interface.py")
    sizes = {"vocab_size": target_vocab_size, "memory_width": encoder.width}
    decoder = build("decoder", config.get("decoder"), "model.decoder", allow=allow, **sizes)
    try:
        model = Seq2Seq(encoder, decoder, tie_embeddings=config.get("tie_embeddings", ""))
    except ParameterError as error:
        raise UserError(f"model.{error}") from error
    model.config = config
    return model


def build_optimizer(
    config: Mapping[str, Any], parameters: Iterable[Tensor], *, matrices: Sequence[Tensor], allow: Sequence[str] = ()
) -> torch.optim.Optimizer:
    """Return the optimizer that an `optimizer` node describes.

    `matrices` are those of `parameters` that are matrices of hidden layers. An optimizer gets them if its constructor
    has a parameter of this name.
    """
    offered = {"matrices": matrices}
    optimizer: torch.optim.Optimizer = build("optimizer", config, allow=allow, params=list(parameters), offered=offered)
    return optimizer


def build_source(data: DataConfig, *, allow: Sequence[str] = ()) -> Source:
    """Return the source that a `data` section describes; nothing is read yet.

    Local files can replace any source: `data.path` or `data.train` replaces all of it, and `data.val` or `data.test`
    alone replaces that split. The keys of the replaced source are checked too.
    """
    if data.swapped:
        forward = dataclasses.replace(data, source_lang=data.target_lang, target_lang=data.source_lang, swapped=False)
        return Swapped(build_source(forward, allow=allow))
    common = {field.name: getattr(data, field.name) for field in dataclasses.fields(data) if field.name != "source"}
    common["strict"] |= (data.train_alignment or data.val_alignment) is not None  # line N belongs to pair N
    if data.path is not None or data.train is not None:
        node = {**data.source, "_partial_": True}  # its keys are checked, and nothing is constructed
        instantiate(node, "data", within=SOURCES, allow=allow, offered=common)
        files: Source = build("source", FILES_NODE, "data", offered=common)
        return files
    source = in_direction(
        build("source", data.source, "data", allow=allow, offered=common), data.source_lang, data.target_lang
    )
    if data.val is None and data.test is None:
        return source
    return Overlay(build("source", FILES_NODE, "data", offered=common), source)


def build_more(data: DataConfig, key: str) -> dict[str, Source]:
    """Return the sources of the further training corpora or validation pairs, which the settings `key` name."""
    common = {"source_lang": data.source_lang, "target_lang": data.target_lang, "strict": data.strict}
    return {
        name: build("source", FILES_NODE, f"data.{key}.{name}", offered={**common, **vars(entry)})
        for name, entry in (getattr(data, key) or {}).items()
    }


def build_filters(
    nodes: Mapping[str, Any], languages: tuple[str, str], *, allow: Sequence[str] = ()
) -> dict[str, Filter]:
    """Return the filters that the nodes of `filters` describe, by name. A node that is null is left out.

    Raises UserError also for a filter that cannot be used for texts of these `languages`.
    """
    chosen = {name: node for name, node in nodes.items() if node is not None}
    built = {name: build("filter", node, f"filters.{name}", allow=allow) for name, node in chosen.items()}
    for name, each in built.items():
        if reason := each.unavailable_reason(languages):
            raise UserError(f"filters.{name}: it cannot be used: {reason}")
    return built


def build_search(node: Mapping[str, Any], *, allow: Sequence[str] = ()) -> Search:
    """Return the strategy that a `search` node describes."""
    search: Search = build("search", node, allow=allow)
    return search


def override(search: Search, fields: Mapping[str, Any]) -> Search:
    """Return a copy of `search` with new values of some fields. Raises UserError for values that it does not accept."""
    if not isinstance(search, Search):
        raise UserError(f"search: got {search!r}, expected an object such as nmt.search.beam.BeamSearch()")
    try:
        return search.replace(**fields)
    except ParameterError as error:
        raise UserError(f"search.{error}") from error


def search_node(search: Any) -> dict[str, Any]:
    """Return the plain node that describes `search`, or a part of one, as checkpoints and score files hold it."""
    values = {each.name: getattr(search, each.name) for each in dataclasses.fields(search) if each.init}
    plain = {name: search_node(each) if dataclasses.is_dataclass(each) else each for name, each in values.items()}
    return {TARGET: f"{type(search).__module__}.{type(search).__qualname__}", **plain}


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


def build_metrics(nodes: Mapping[str, Any], *, target_lang: str, allow: Sequence[str] = ()) -> dict[str, Metric]:
    """Return the metrics that the nodes of `scores` describe, under their names and in their order.

    Raises UserError also for a metric named loss or perplexity, which validation computes itself.
    """
    if not nodes:
        raise UserError("scores: got no metric, expected at least one, as in scores=[bleu]")
    if taken := {"loss", "perplexity"} & nodes.keys():
        raise UserError(f"scores.{min(taken)}: validation has a figure of this name already; choose another name")
    options = {"allow": allow, "target_lang": target_lang}
    return {name: build("metric", node, f"scores.{name}", **options) for name, node in nodes.items()}


def merge_scores(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nodes of the metrics.

    If `given` holds complete nodes (scores=[bleu,ter]), these are the metrics; otherwise they are the run's `own`
    metrics. Single settings in `given` replace those of the nodes. Raises UserError for settings of a metric that is
    not chosen.
    """
    base = {name: node for name, node in given.items() if isinstance(node, Mapping) and TARGET in node} or own
    for name, settings in given.items():
        if name not in base or not isinstance(settings, Mapping):
            raise UserError(
                f"scores.{name}: got {settings}, expected settings of one of the metrics {', '.join(base)}, as in "
                f"scores.bleu.tokenize=char{did_you_mean(name, base)}"
            )
    return {name: {**node, **given.get(name, {})} for name, node in base.items()}


def build_views(nodes: Mapping[str, Any], *, allow: Sequence[str] = ()) -> dict[str, Any]:
    """Return the views beside attention that the nodes of `views` describe, by name."""
    return {name: build("view", node, f"views.{name}", allow=allow) for name, node in nodes.items()}


def build_callbacks(
    config: Mapping[str, Any], *, views: Mapping[str, Any] = MappingProxyType({}), allow: Sequence[str] = ()
) -> dict[str, Callback]:
    """Return the callbacks that the nodes of `callbacks` describe, by name; those of `callbacks.extra` come last.

    A node that is null is left out. A callback with a parameter `views` gets the views of the run.
    """
    nodes = {name: node for name, node in config.items() if name not in ("monitor", "extra")}
    extra = {f"extra.{name}": node for name, node in config["extra"].items()}
    kinds = {"checkpointing": "checkpointing", **dict.fromkeys(extra, "extra")}
    options = {"allow": allow, "offered": {"views": views}}
    return {
        name: build(kinds.get(name, "callback"), node, f"callbacks.{name}", **options)
        for name, node in (nodes | extra).items()
        if node is not None
    }


@dataclass(frozen=True)
class Objects:
    """The objects of a run that need no data.

    `sources` are those of the pairs of languages, `more_sources` and `more_val` those of the further training and
    validation pairs. `callbacks` have the names of their nodes.
    """

    sources: Mapping[str, Source]
    more_sources: Mapping[str, Source]
    more_val: Mapping[str, Source]
    filters: Mapping[str, Filter]
    objective: Objective
    schedule: Schedule
    search: Search
    spans: Spans
    metrics: Mapping[str, Metric]
    callbacks: Mapping[str, Callback]


def build_objects(config: TrainConfig) -> Objects:
    """Return the objects of a run, after all checks that need no data.

    Raises UserError for the first mistake that settings, constructors or the trial of the model show. The random state
    does not change.
    """
    if problem := next(contradictions(config), None):
        raise UserError(problem)
    allow, pairs = config.allow, pairs_of(config.data)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        model = _toy_model(config)
        build_optimizer(config.optimizer, [torch.nn.Parameter(torch.zeros(2, 2))], matrices=[], allow=allow)
        views = build_views(config.views, allow=allow)
        for data in pairs.values():
            filters = build_filters(config.filters, (data.source_lang, data.target_lang), allow=allow)
        objects = Objects(
            sources={name: build_source(data, allow=allow) for name, data in pairs.items()},
            more_sources=build_more(config.data, "more"),
            more_val=build_more(config.data, "more_val"),
            filters=filters,
            objective=build("objective", config.objective, allow=allow),
            schedule=build("scheduler", config.scheduler, allow=allow),
            search=build_search(config.search, allow=allow),
            spans=Spans(config.spans),
            metrics=build_metrics(config.scores, target_lang=config.data.target_lang, allow=allow),
            callbacks=build_callbacks(vars(config.callbacks), views=views, allow=allow),
        )
    check_monitor(config.callbacks.monitor, objects.metrics)
    check_objective(config, objects.objective, model)
    for view in views.values():
        view.check(model)
    if objects.search.reads_attention:
        CoverageTracker(model)  # raises UserError for a decoder without attention
    return objects


def _toy_model(config: TrainConfig) -> Seq2Seq:
    """Return the model with a toy vocabulary, after a check of its lengths.

    Its weights have shapes, but no memory. With `allow`, classes of the user's own packages may read values. Then the
    weights have memory, and `try_model` checks the model.
    """
    with one_thread() if config.allow else shapes_only():
        model = build_model(config.model, source_vocab_size=8, target_vocab_size=8, allow=config.allow)
        longest = config.data.max_length
        check_lengths(model, config.model, longest, longest, of="data.max_length", otherwise="lower data.max_length")
        if config.allow:
            try:
                try_model(model)
            except ParameterError as error:
                where = key_of(config.model, error.parameter)
                raise UserError(f"{where}: it fails on toy sentences: {error.problem}") from error
    return model
