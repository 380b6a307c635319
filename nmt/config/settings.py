"""The settings of a training run with their types and ranges. The YAML files of configs/ hold their values.

`validate` checks composed YAML against the annotations, which `nmt.parameters` explains. A field that is added later
gets a default, so that the checkpoints of earlier runs stay readable.
The open parts (model, objective, optimizer, scheduler, search, the metrics of scores) are `_target_` nodes, which
`nmt.config.nodes` checks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from nmt.config.schema import read
from nmt.errors import UserError, printable
from nmt.parameters import Form, LanguageCode, NonNegativeInt, OtherKeys, PositiveInt, Range

# Keys of a data section whose values are files or folders, and those that name a corpus of one's own.
FILES = ("path", "train", "val", "test", "train_alignment", "val_alignment")
MORE = ("more", "more_val")  # they have files in each of their entries
PATHS = (*FILES, "root")
FILES_SOURCE = "nmt.data.sources.files.Files"  # what data.path and data.train put in place of any other source
METRIC_FILE = "file"  # the key of a metric whose value is a file, such as a glossary

# The name of a run is the name of a folder
RunName = Annotated[str, Form(r"\w[\w.+-]{0,199}", "at most 200 letters, digits and _ . + -")]
PackageName = Annotated[str, Form(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", "letters, as in allow=[my_package]")]
Time = Annotated[str, Form(r"(?!0+:00:00:00)\d{1,3}(:\d\d){3}", "the form DD:HH:MM:SS (three minutes: 00:00:03:00)")]


@dataclass(kw_only=True)
class MoreConfig:
    """A further training corpus."""

    train: str | list[str]  # one file, or [source, target]
    # How often an epoch has each pair. A fraction is a share of the pairs, chosen anew in each epoch
    weight: Annotated[float, Range(above=0.0, high=1000.0)] = 1.0


@dataclass(kw_only=True)
class MoreValConfig:
    """Further validation pairs."""

    path: str | None = None  # a folder with a validation split
    val: str | list[str] | None = None  # or one file, or [source, target]


@dataclass(kw_only=True)
class PairConfig:
    """A further pair of languages that one model learns. What is not given is as in `data`."""

    source_lang: LanguageCode | None = None
    target_lang: LanguageCode | None = None
    path: str | None = None  # a folder with the files of this pair
    weight: Annotated[float, Range(above=0.0, high=1000.0)] = 1.0  # as for `MoreConfig`


@dataclass(kw_only=True)
class DataConfig:
    """The source of the sentence pairs, the limits on their lengths, and the sizes of batches.

    The fields other than `source` are common to all sources. `source` collects all other keys of a data section: the
    class of the source (`_target_`) and the settings of that class.
    """

    source: OtherKeys
    source_lang: LanguageCode  # a key of the data: "en"
    target_lang: LanguageCode
    path: str | None  # a local folder that replaces the source
    train: Any  # one file or [source, target], which replaces the source
    val: Any  # the same, but it replaces only this split; likewise test
    test: Any
    more: dict[str, MoreConfig] | None = None  # further training corpora, by names of the user's choice
    more_val: dict[str, MoreValConfig] | None = None  # further validation pairs, which every validation scores too
    pairs: dict[str, PairConfig] | None = None  # further pairs of languages, by names of the user's choice
    temperature: Annotated[float, Range(low=1.0, high=1000.0)] = 1.0  # of the sizes of the pairs: see `epochs.weights`
    train_alignment: str | None = None  # a file with the word alignments of the training pairs; likewise val_alignment
    val_alignment: str | None = None
    val_size: PositiveInt  # pairs held out of train if there is no validation split
    seed: NonNegativeInt  # of the choice of held-out pairs, and of a source's random choices
    strict: bool = False  # a bad row of the data is an error; otherwise a few are left out
    limit: PositiveInt | None  # use only this number of pairs from the start of every split
    overfit: bool = False  # validation and test are the training pairs (debug=overfit)
    both_directions: bool = False  # train on the pairs with their sides swapped as well
    swapped: bool = False  # read the pairs from target to source, then swap them: the opposite direction of a run
    max_length: Annotated[int, Range(low=2, high=1_000_000)]  # pieces of the longer side; others are dropped
    max_ratio: Annotated[float, Range(low=1.0)]  # longer side / shorter side; training pairs above it are dropped
    # New random pieces in each epoch: alpha of `nmt.data.subwords.UnigramSampler`, or drop of `BpeDropout`; None: off
    subword_sampling: Annotated[float, Range(above=0.0, high=1.0)] | None = None
    batch_tokens: PositiveInt  # most padded tokens on either side of a training batch
    eval_batch_tokens: PositiveInt  # the same for a validation batch


@dataclass(kw_only=True)
class TokenizerConfig:
    """How SentencePiece is trained, or the files of models of one's own."""

    type: Literal["unigram", "bpe"]
    # Pieces of each vocabulary, specials included. None: `nmt.data.tokenizer.default_size`
    vocab_size: Annotated[int, Range(low=8, high=1_000_000)] | None
    joint: bool  # one vocabulary for both languages
    character_coverage: Annotated[float, Range(low=0.98, high=1.0)]  # the range of SentencePiece
    max_pairs: PositiveInt = 1_000_000  # most pairs to train on; of a larger corpus, every n-th pair is used
    path: str | list[str] | None = None  # one model, or [source, target]; nothing is trained then


@dataclass(kw_only=True)
class TrainerConfig:
    """Arguments of pytorch_lightning.Trainer, with the same names."""

    max_epochs: PositiveInt | None  # None: no limit, or `nmt.training.schedules.Limits.or_default`
    max_steps: PositiveInt | Literal[-1]  # -1: no limit
    max_time: Time | None
    accelerator: Literal["auto", "cpu", "gpu", "cuda", "mps", "tpu"]
    devices: Annotated[int, Range(low=1, high=1024)] | Literal["auto"]  # one for each process of torchrun or srun
    precision: Literal["32-true", "bf16-mixed", "16-mixed"]
    gradient_clip_val: Annotated[float, Range(low=0.0)] | None
    accumulate_grad_batches: PositiveInt
    # A number of batches, or a share of an epoch. If both are None, `nmt.training.trainer.Validations` decides.
    val_check_interval: PositiveInt | Annotated[float, Range(above=0.0, high=1.0)] | None
    check_val_every_n_epoch: PositiveInt | None
    log_every_n_steps: PositiveInt


@dataclass(kw_only=True)
class CallbacksConfig:
    """The callbacks of training, as nodes, and the metric that they watch. null switches a callback off."""

    monitor: str  # the validation metric that selects the best weights: a name in scores, or loss
    checkpointing: dict[str, Any]
    early_stopping: dict[str, Any] | None
    progress: dict[str, Any] | None
    data_report: dict[str, Any] | None = None  # of the laboratory, likewise samples and watch
    samples: dict[str, Any] | None = None
    watch: dict[str, Any] | None = None
    extra: dict[str, Any]  # nodes of the user's own callbacks, by names of the user's choice


@dataclass(kw_only=True)
class LoggerConfig:
    """TensorBoard, on or off, and further loggers of Lightning."""

    tensorboard: bool
    extra: dict[str, Any] = field(default_factory=dict)  # their nodes, by names of the user's choice


@dataclass(kw_only=True)
class TrainConfig:
    """All settings of train.yaml. `model` to `search` and the entries of `scores` are open nodes."""

    name: RunName
    seed: Annotated[int, Range(low=0, high=2**32 - 1)]
    init: str | None = None  # the checkpoint whose weights the run starts from
    init_tokenizer: Literal["kept", "new"] = "kept"  # that of the checkpoint, or one of `tokenizer` and the new corpus
    init_parts: list[str] = field(default_factory=list)  # the parts of the model to copy; none: the complete model
    freeze: list[str] = field(default_factory=list)  # the parts of the model that are not trained
    embeddings: Literal["random", "cooccurrence"] = "random"  # how they begin: `nmt.models.cooccurrence`
    allow: list[PackageName] = field(default_factory=list)  # the user's own packages, whose classes the nodes may name
    data: DataConfig
    tokenizer: TokenizerConfig
    spans: dict[str, str | None] = field(default_factory=dict)  # regular expressions of `nmt.text.protect`, by names
    filters: dict[str, Any] = field(default_factory=dict)  # nodes of filters of training pairs, by names
    model: dict[str, Any]
    views: dict[str, Any] = field(default_factory=dict)  # nodes of views beside attention, by names
    objective: dict[str, Any]
    optimizer: dict[str, Any]
    scheduler: dict[str, Any]
    search: dict[str, Any]
    scores: dict[str, Any]  # a metric of nmt.evaluation.metrics for each name
    trainer: TrainerConfig
    callbacks: CallbacksConfig
    logger: LoggerConfig


def validate(plain: Mapping[str, Any]) -> TrainConfig:
    """Return the typed settings of a training run. Raises UserError for a key or a value that does not fit."""
    return read(plain, TrainConfig)


# Paths: absolute, so that a run's config and checkpoint can be used from other folders too


def shareable(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config of a run without paths, and without the user's own loggers and callbacks.

    If files of this machine replaced the source of the data, its settings are left out, because nothing was read from
    it. A metric that reads a file is left out, because without this file it would be another metric. If no metric is
    left, there is chrF, because programs need one.
    """
    own = config.get("data", {})
    data = {key: None if key in (*FILES, *MORE) else value for key, value in own.items()}
    if own.get("pairs"):
        data["pairs"] = {name: {**pair, "path": None} for name, pair in own["pairs"].items()}
    if own.get("path") is not None or own.get("train") is not None:
        common = {each.name for each in fields(DataConfig)}
        data = {key: value for key, value in data.items() if key in common} | {"_target_": FILES_SOURCE}
    data.pop("root", None)  # the source then has its default
    name = data.get("name")
    if isinstance(name, str) and os.path.isabs(name):  # a dataset of the Hub in a local folder
        data["name"] = None
    scores = {key: node for key, node in config.get("scores", {}).items() if node.get(METRIC_FILE) is None}
    if config.get("scores") and not scores:
        scores = {"chrf": {"_target_": "nmt.evaluation.metrics.chrf.ChrF"}}
    tokenizer = {**config.get("tokenizer", {}), "path": None}
    plain = {key: {**config[key], "extra": {}} for key in ("logger", "callbacks") if key in config}  # extra: with paths
    return {**config, **plain, "data": data, "scores": scores, "init": None, "tokenizer": tokenizer}


def corpora(config: Mapping[str, Any]) -> str:
    """Return what a model has learned from: the names of its data set and further corpora, but no local paths."""
    data, more = shareable(config)["data"], config.get("data", {}).get("more") or ()
    own = "local files" if data.get("_target_") == FILES_SOURCE else str(data.get("_target_")).rpartition(".")[2]
    begun = ["those of another model"] * bool(config.get("init"))
    return printable(", ".join([str(data.get("name") or own), *more, *begun]))


def settings_of_pair(data: Mapping[str, Any], pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data settings of a further pair, given those of the run and the entry of `data.pairs`."""
    given = {key: value for key, value in pair.items() if value is not None and key != "weight"}
    files = FILES if "path" in given else ()
    return {**data, **dict.fromkeys((*MORE, "pairs", "train_alignment", "val_alignment", *files)), **given}


def pairs_of(data: DataConfig) -> dict[str, DataConfig]:
    """Return the data settings of each pair of languages by its name: first those of the run itself, named ""."""
    further = {
        name: DataConfig(**settings_of_pair(vars(data), vars(pair))) for name, pair in (data.pairs or {}).items()
    }
    return {"": data, **further}


def with_absolute_paths(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain settings of a run with absolute paths in `init`, `data`, `scores` and `tokenizer`."""
    keys = {"data": PATHS, "scores": (METRIC_FILE,), "tokenizer": ("path",)}
    found = {name: absolute_paths(plain[name], keys[name], name) for name in keys if name in plain}
    return {**plain, **found, "init": absolute(plain.get("init"))}


def absolute_paths(section: Any, keys: Sequence[str] = PATHS, where: str = "data") -> Any:
    """Return a section, and those inside it, with an absolute path for each of these keys.

    The `name` of a dataset is a path if a folder of this name exists: the client of the Hub takes a path as well.
    Raises UserError for an empty path; `where` is the section in this message.
    """
    if not isinstance(section, Mapping):
        return section
    if nothing := [key for key in keys if section.get(key) == ""]:
        raise UserError(f"{where}.{nothing[0]}: got nothing, expected a file or folder, or null")
    found = {
        key: absolute(value) if key in keys else absolute_paths(value, keys, f"{where}.{key}")
        for key, value in section.items()
    }
    name = found.get("name")
    return found | {"name": os.path.abspath(name)} if isinstance(name, str) and os.path.isdir(name) else found


def absolute(value: Any) -> Any:
    """Return a path, or each path of a list, as an absolute path. Any other value is not changed."""
    if isinstance(value, str):
        return os.path.abspath(Path(os.path.expanduser(value)))
    return [absolute(item) for item in value] if isinstance(value, Sequence) else value
