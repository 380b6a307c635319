"""The small models that the claims compare, as settings of train.py, and the budget that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from nmt.build import build_model
from nmt.lab.claims.claim import NO_ATTENTION
from nmt.models.seq2seq import Seq2Seq

LEFT_TO_RIGHT = ("model.encoder.bidirectional=false", "model.encoder.hidden_width=128")
BATCH_TOKENS = 500


def recurrent(dropout: float) -> tuple[str, ...]:
    """Return the settings of a recurrent model with this dropout; its attention is missing."""
    return (
        "model=rnn",
        "model.encoder.embedding_width=64",
        "model.encoder.hidden_width=64",
        f"model.encoder.embedding_dropout={dropout}",
        f"model.encoder.memory_dropout={dropout}",
        "model.decoder.embedding_width=64",
        "model.decoder.width=128",
        "model.decoder.readout_width=64",
        f"model.decoder.embedding_dropout={dropout}",
        f"model.decoder.readout_dropout={dropout}",
    )


def transformer(dropout: float) -> tuple[str, ...]:
    """Return the settings of a Transformer with this dropout."""
    return (
        "model=transformer",
        "model.encoder.layers=2",
        "model.encoder.block.width=64",
        "model.encoder.block.feed_forward=128",
        f"model.encoder.embedding_dropout={dropout}",
        f"model.encoder.block.residual_dropout={dropout}",
    )


def models(dropout: float) -> dict[str, tuple[str, ...]]:
    """Return the settings of the models that the claims compare."""
    return {
        NO_ATTENTION: (*recurrent(dropout), "model/attention=none"),
        "Bahdanau": (*recurrent(dropout), "model/attention=bahdanau", "model.attention.width=64"),
        "Luong": (*recurrent(dropout), "model/attention=luong", "model.attention.scale=sqrt"),
        "Transformer": transformer(dropout),
    }


def exact(model: Sequence[str]) -> tuple[str, ...]:
    """Return the settings of a model for the generated tasks, which have few words and one right answer.

    bpe makes each word a piece. The vocabulary also has pieces that never occur; with a table of embeddings for each
    side, such pieces make learning much slower.
    """
    return ("tokenizer=bpe", "model.tie_embeddings=all", "callbacks.checkpointing.average_last=0", *model)


LANGUAGE = models(0.1)  # of the embedded corpus
EXACT = {name: exact(model) for name, model in models(0).items()}  # of the generated tasks


def budget(updates: int) -> tuple[str, ...]:
    """Return the settings that all runs of a claim share: the same updates, batches, learning rate and search."""
    return (
        f"trainer.max_steps={updates}",
        f"data.batch_tokens={BATCH_TOKENS}",
        "optimizer.lr=0.003",
        "scheduler.warmup_updates=100",
        "objective.label_smoothing=0",
        "search=greedy",
        "scores=[bleu]",
        "callbacks=plain",
        "callbacks.monitor=loss",
        "callbacks.early_stopping.patience=null",
        "logger=none",
    )


AGREEMENT = ("data=agreement", "data.max_distance=2", "data.sizes=[20000,300,1000]", *budget(1000))
COPY = ("data=copy", "data.max_words=10", "data.sizes=[40000,300,1500]")
NEGATION = ("data=negation", "data.max_distance=2", "data.sizes=[20000,300,1000]", *budget(1000))
ORDER = ("data=order", "data.max_clauses=2", "data.sizes=[20000,300,1000]", *budget(1500))
WORDS = 4  # the largest number of words in the task `slots`
SLOTS = ("data=slots", f"data.max_words={WORDS}", "data.sizes=[20000,300,2000]", *budget(2400))
CORPUS = (  # the embedded one
    *("data=cldr", "data.max_parts=2", "data.sizes=[20000,300,1000]", "tokenizer.vocab_size=600"),
    *budget(1000),
)


def untrained(model: Mapping[str, Any], vocabulary: int, seed: int) -> Seq2Seq:
    """Return a model with the random weights of this seed. `model` has its settings, and `vocabulary` is joint."""
    torch.manual_seed(seed)
    return build_model(model, source_vocab_size=vocabulary, target_vocab_size=vocabulary)
