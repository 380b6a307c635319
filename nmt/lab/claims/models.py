"""The small models that the claims compare, as settings of train.py, and the budget that they share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from nmt.build import build_model
from nmt.lab.claims.claim import NO_ATTENTION
from nmt.models.seq2seq import Seq2Seq

RECURRENT = (
    "model=rnn",
    "model.encoder.embedding_width=64",
    "model.encoder.hidden_width=64",
    "model.encoder.embedding_dropout=0.1",
    "model.encoder.memory_dropout=0.1",
    "model.decoder.embedding_width=64",
    "model.decoder.width=128",
    "model.decoder.readout_width=64",
    "model.decoder.embedding_dropout=0.1",
    "model.decoder.readout_dropout=0.1",
)
LEFT_TO_RIGHT = ("model.encoder.bidirectional=false", "model.encoder.hidden_width=128")
WITHOUT_ATTENTION = (*RECURRENT, "model/attention=none")
BAHDANAU = (*RECURRENT, "model/attention=bahdanau", "model.attention.width=64")
LUONG = (*RECURRENT, "model/attention=luong", "model.attention.scale=sqrt")
TRANSFORMER = (
    "model=transformer",
    "model.encoder.layers=2",
    "model.encoder.block.width=64",
    "model.encoder.block.feed_forward=128",
    "model.encoder.embedding_dropout=0.1",
    "model.encoder.block.residual_dropout=0.1",
)
MODELS = {
    NO_ATTENTION: WITHOUT_ATTENTION,
    "Bahdanau": BAHDANAU,
    "Luong": LUONG,
    "Transformer": TRANSFORMER,
}


BATCH_TOKENS = 500
ONE_WORD_A_PIECE = "tokenizer=bpe"  # the generated tasks have few words, and each becomes a piece


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
        "callbacks.monitor=loss",
        "callbacks.early_stopping.patience=null",
        "callbacks.samples=null",
        "callbacks.watch=null",
        "logger=none",
    )


CORPUS = (  # the embedded one
    *("data=cldr", "data.max_parts=2", "data.sizes=[20000,300,1000]", "tokenizer.vocab_size=600"),
    *budget(1000),
)


def untrained(model: Mapping[str, Any], vocabulary: int, seed: int) -> Seq2Seq:
    """Return a model with the random weights of this seed. `model` has its settings, and `vocabulary` is joint."""
    torch.manual_seed(seed)
    return build_model(model, source_vocab_size=vocabulary, target_vocab_size=vocabulary, joint=True)
