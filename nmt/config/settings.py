"""The settings of a training run with their types and ranges. The YAML files of configs/ hold their values.

Whole numbers, texts and lists are annotated as `nmt.config.typed` reads them, and `nmt.config.schema` checks composed
YAML against them. A field that is added later gets a default, so that the checkpoints of earlier runs stay readable.
The open parts (model, objective, optimizer, scheduler, search, the metrics of scores) are `_target_` nodes, which
`nmt.config.instantiate` checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from nmt.config.typed import NonNegativeInt, OtherKeys, PositiveInt, Range


@dataclass(kw_only=True)
class DataConfig:
    """Where sentence pairs come from, which are kept, and how they are batched.

    These settings are common to all sources. A data section also names the class of its source (`_target_`) and has the
    settings of that class beside the common ones; both are collected in `source`.
    """

    source: OtherKeys
    source_lang: str  # a key of the data: "en"
    target_lang: str
    path: str | None  # a local folder, in place of the source
    train: Any  # one file or [source, target], in place of the source; likewise val and test
    val: Any
    test: Any
    val_size: PositiveInt  # pairs held out of train where there is no validation split
    seed: NonNegativeInt  # of hold-out and generation
    limit: PositiveInt | None  # use the first so many pairs of every split
    overfit: bool = False  # validation and test are the training pairs (debug=overfit)
    max_length: Annotated[int, Range(low=2)]  # in pieces, of either side; longer training pairs are dropped
    max_ratio: Annotated[float, Range(low=1.0)]  # of the two lengths in pieces; training pairs above it are dropped
    batch_tokens: PositiveInt  # padded tokens of the longer side in a training batch
    eval_batch_tokens: PositiveInt


@dataclass(kw_only=True)
class TokenizerConfig:
    """How SentencePiece is trained."""

    type: Literal["unigram", "bpe"]
    vocab_size: Annotated[int, Range(low=8)]  # pieces of each vocabulary, specials included
    joint: bool  # one vocabulary for both languages
    character_coverage: Annotated[float, Range(low=0.98, high=1.0)]  # SentencePiece takes no less
    max_pairs: PositiveInt = 1_000_000  # of a larger corpus, every n-th pair is used


@dataclass(kw_only=True)
class TrainerConfig:
    """What pytorch_lightning.Trainer takes, under its own names."""

    max_epochs: PositiveInt | None
    max_steps: Annotated[int, Range(low=-1)]
    max_time: str | None  # DD:HH:MM:SS
    accelerator: Literal["auto", "cpu", "gpu", "cuda", "mps", "tpu"]
    devices: PositiveInt | Literal["auto", -1] | list[NonNegativeInt]
    strategy: Literal["auto", "ddp"]
    precision: Literal["32-true", "bf16-mixed", "16-mixed"]
    gradient_clip_val: Annotated[float, Range(low=0.0)] | None
    accumulate_grad_batches: PositiveInt
    # A number of batches, or a share of an epoch. None: once in each epoch.
    val_check_interval: PositiveInt | Annotated[float, Range(above=0.0, high=1.0)] | None
    check_val_every_n_epoch: PositiveInt | None
    log_every_n_steps: PositiveInt


@dataclass(kw_only=True)
class CallbacksConfig:
    """What happens besides the updates. Every entry but `monitor` is a node; null switches a callback off."""

    monitor: str  # the figure of validation that decides which weights are the best: a metric of scores, or loss
    checkpointing: dict[str, Any]
    early_stopping: dict[str, Any] | None
    samples: dict[str, Any] | None
    progress: dict[str, Any] | None
    extra: dict[str, Any]  # nodes of callbacks of one's own, under names of one's own


@dataclass(kw_only=True)
class LoggerConfig:
    """TensorBoard, on or off."""

    tensorboard: bool


@dataclass(kw_only=True)
class TrainConfig:
    """The whole of train.yaml. `model` to `search` and the entries of `scores` are open nodes."""

    name: str
    seed: Annotated[int, Range(low=0, high=2**32 - 1)]
    resume: str | None
    allow: list[str] = field(default_factory=list)  # packages of the user's own whose classes the nodes may name
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
