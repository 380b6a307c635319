"""The settings of a training run with their types and ranges. The YAML files of configs/ hold their values.

`nmt.config.schema` checks composed YAML against the annotations, which `nmt.parameters` explains. A field that is
added later gets a default, so that the checkpoints of earlier runs stay readable.
The open parts (model, objective, optimizer, scheduler, search, the metrics of scores) are `_target_` nodes, which
`nmt.config.instantiate` checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from nmt.parameters import LanguageCode, NonNegativeInt, OtherKeys, PositiveInt, Range

# The names of the classes in nmt.data.defects that are filters
Filter = Literal[
    "identical",
    "duplicate",
    "many_targets",
    "leaked_pair",
    "leaked_source",
    "leaked_target",
    "script",
    "language",
    "encoding",
    "invisible",
    "markup",
    "numbers",
    "addresses",
    "symbols",
    "shifted",
]


@dataclass(kw_only=True)
class MoreConfig:
    """A further training corpus."""

    train: str | list[str]  # one file, or [source, target]
    # How often an epoch has each pair. A fraction is a share of the pairs, chosen anew in each epoch
    weight: Annotated[float, Range(above=0.0, high=1000.0)] = 1.0


@dataclass(kw_only=True)
class DataConfig:
    """The source of the sentence pairs, the filters, and the sizes of batches.

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
    train_alignment: str | None = None  # a file with the word alignments of the training pairs; likewise val_alignment
    val_alignment: str | None = None
    val_size: PositiveInt  # pairs held out of train if there is no validation split
    seed: NonNegativeInt  # of the choice of held-out pairs, and of a source's random choices
    limit: PositiveInt | None  # use only this number of pairs from the start of every split
    overfit: bool = False  # validation and test are the training pairs (debug=overfit)
    both_directions: bool = False  # train on the pairs with their sides swapped as well
    max_length: Annotated[int, Range(low=2, high=1_000_000)]  # pieces of the longer side; others are dropped
    max_ratio: Annotated[float, Range(low=1.0)]  # longer side / shorter side; training pairs above it are dropped
    filters: list[Filter] = field(default_factory=list)  # defects whose training pairs are dropped as well
    # New random pieces in each epoch: alpha of `nmt.data.subwords.UnigramSampler`, or drop of `BpeDropout`; None: off
    subword_sampling: Annotated[float, Range(above=0.0, high=1.0)] | None = None
    batch_tokens: PositiveInt  # most padded tokens on either side of a training batch
    eval_batch_tokens: PositiveInt  # the same for a validation batch


@dataclass(kw_only=True)
class TokenizerConfig:
    """How SentencePiece is trained."""

    type: Literal["unigram", "bpe"]
    # Pieces of each vocabulary, specials included. None: `nmt.data.tokenizer.default_size`
    vocab_size: Annotated[int, Range(low=8, high=1_000_000)] | None
    joint: bool  # one vocabulary for both languages
    character_coverage: Annotated[float, Range(low=0.98, high=1.0)]  # the range of SentencePiece
    max_pairs: PositiveInt = 1_000_000  # most pairs to train on; of a larger corpus, every n-th pair is used


@dataclass(kw_only=True)
class TrainerConfig:
    """Arguments of pytorch_lightning.Trainer, with the same names."""

    max_epochs: PositiveInt | None  # None: no limit, or `nmt.training.meter.default_epochs` if there is no other limit
    max_steps: Annotated[int, Range(low=-1)]
    max_time: str | None  # DD:HH:MM:SS
    accelerator: Literal["auto", "cpu", "gpu", "cuda", "mps", "tpu"]
    devices: Annotated[int, Range(low=1, high=1024)] | Literal["auto", -1] | list[NonNegativeInt]
    strategy: Literal["auto", "ddp"]
    precision: Literal["32-true", "bf16-mixed", "16-mixed"]
    gradient_clip_val: Annotated[float, Range(low=0.0)] | None
    accumulate_grad_batches: PositiveInt
    # A number of batches, or a share of an epoch. If both are None, `nmt.training.callbacks.validations` decides.
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
    """TensorBoard, on or off."""

    tensorboard: bool


@dataclass(kw_only=True)
class TrainConfig:
    """The whole of train.yaml. `model` to `search` and the entries of `scores` are open nodes."""

    name: str
    seed: Annotated[int, Range(low=0, high=2**32 - 1)]
    init: str | None = None  # the checkpoint whose weights the run starts from
    allow: list[str] = field(default_factory=list)  # the user's own packages, whose classes the nodes may name
    data: DataConfig
    tokenizer: TokenizerConfig
    model: dict[str, Any]
    objective: dict[str, Any]
    optimizer: dict[str, Any]
    scheduler: dict[str, Any]
    search: dict[str, Any]
    scores: dict[str, Any]  # a metric of nmt.evaluation.metrics for each name
    trainer: TrainerConfig
    callbacks: CallbacksConfig
    logger: LoggerConfig
