"""Every closed setting, its type and its range: the schema behind configs/*.yaml, which hold the defaults.

Plain dataclasses without imports, so that data, search and training take them as arguments and `nmt.config.schema`
checks composed YAML against them. Open parts (model, optimizer, scheduler) are `_target_` nodes, which
`nmt.config.instantiate` checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# sacreBLEU's tokenizers that need neither a download nor another package.
BLEU_TOKENIZERS = ("13a", "intl", "zh", "char", "none")


def choice(*values: str) -> Any:
    """Declare a field that takes one of `values`."""
    return field(metadata={"choices": values})


def number(low: float | None = None, high: float | None = None, *, above: float | None = None) -> Any:
    """Declare a number of at least `low`, more than `above`, at most `high`."""
    return field(metadata={"low": low, "high": high, "above": above})


@dataclass(kw_only=True)
class DataConfig:
    """Where sentence pairs come from, which are kept, and how they are batched."""

    kind: str = choice("hub", "files", "cldr")
    source_lang: str  # a key of the data: "en"
    target_lang: str
    name: str | None  # hub: the data set's name
    config: str | None  # hub: its configuration
    revision: str | None  # hub: a commit, branch or tag
    path: str | None  # a local folder, in place of the Hub under any kind
    train: Any  # one file or [source, target]; likewise val and test
    val: Any
    test: Any
    val_size: int = number(1)  # pairs held out of train where there is no validation split
    sizes: list[int]  # cldr: pairs in train, val, test
    topics: list[str] | None  # cldr: kinds of expressions; null: all of them
    max_parts: int = number(1)  # cldr: expressions joined in one sentence at most
    seed: int = number(0)  # of hold-out and generation
    limit: int | None = number(1)  # use the first so many pairs of every split
    overfit: bool = False  # validation and test are the training pairs (debug=overfit)
    max_length: int = number(2)  # in pieces, of either side; longer training pairs are dropped
    max_ratio: float = number(1.0)  # between the two lengths in pieces; more lopsided training pairs are dropped
    batch_tokens: int = number(1)  # padded tokens of the longer side in a training batch
    eval_batch_tokens: int = number(1)


@dataclass(kw_only=True)
class TokenizerConfig:
    """How SentencePiece is trained."""

    type: str = choice("unigram", "bpe")
    vocab_size: int = number(8)  # pieces of each vocabulary, specials included
    joint: bool  # one vocabulary for both languages
    character_coverage: float = number(0.98, 1.0)  # SentencePiece takes no less


@dataclass(kw_only=True)
class SearchConfig:
    """How translations are searched for; beam_size 1 is greedy."""

    beam_size: int = number(1, 256)
    length_penalty: float = number(0.0, 100.0)  # see nmt.search.beam
    max_length_factor: float = number(high=1000.0, above=0.0)  # at most factor * source pieces + extra target pieces
    max_length_extra: int = number(0)
    batch_tokens: int = number(1)  # padded source tokens times beams decoded at once


@dataclass(kw_only=True)
class TrainerConfig:
    """What pytorch_lightning.Trainer takes, under its own names."""

    max_epochs: int | None = number(1)
    max_steps: int = number(-1)
    max_time: str | None  # DD:HH:MM:SS
    accelerator: str
    devices: Any
    strategy: str = choice("auto", "ddp")
    precision: str
    gradient_clip_val: float | None = number(0.0)
    accumulate_grad_batches: int = number(1)
    val_check_interval: Any  # None: each epoch; int: batches; float: share of an epoch
    check_val_every_n_epoch: int | None = number(1)
    log_every_n_steps: int = number(1)


@dataclass(kw_only=True)
class CallbacksConfig:
    """What happens beside the updates."""

    early_stopping_patience: int | None = number(1)  # validations without a better BLEU
    average_last: int = number(0)  # checkpoints averaged at the end; 0: none
    save_every_updates: int = number(1)  # last.ckpt, besides after each validation
    sample_sentences: int = number(0)  # validation sentences in TensorBoard each time, in attention/ at the end


@dataclass(kw_only=True)
class LoggerConfig:
    """TensorBoard, on or off."""

    tensorboard: bool


@dataclass(kw_only=True)
class TrainConfig:
    """The whole of train.yaml. `model`, `optimizer` and `scheduler` are open nodes."""

    name: str
    seed: int = number(0, 2**32 - 1)
    resume: str | None
    label_smoothing: float = number(0.0, 0.999)
    bleu_tokenize: str | None = None  # one of BLEU_TOKENIZERS; None: after the target language
    data: DataConfig
    tokenizer: TokenizerConfig
    model: dict[str, Any]
    optimizer: dict[str, Any]
    scheduler: dict[str, Any]
    search: SearchConfig
    trainer: TrainerConfig
    callbacks: CallbacksConfig
    logger: LoggerConfig
