"""From settings to models, optimizers and schedules: the one module that knows config and models both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from nmt.config.instantiate import instantiate
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq


def build_model(config: Mapping[str, Any], *, source_vocab_size: int, target_vocab_size: int, joint: bool) -> Seq2Seq:
    """Return the model that a plain (resolved) `model` config describes.

    `config` has `encoder` and `decoder` nodes with a `_target_` each, and `tie_embeddings`.
    Raises UserError for anything in it that does not fit.
    """
    if config["tie_embeddings"] == "all" and not joint:
        raise UserError(
            "model.tie_embeddings=all shares one table between source and target, which needs a joint vocabulary; "
            "got tokenizer.joint=false; use model.tie_embeddings=target or tokenizer.joint=true"
        )
    encoder = instantiate(config["encoder"], "model.encoder", vocab_size=source_vocab_size)
    decoder = instantiate(config["decoder"], "model.decoder", vocab_size=target_vocab_size, memory_width=encoder.width)
    return Seq2Seq(encoder, decoder, tie_embeddings=config["tie_embeddings"])


def check_nodes(config: TrainConfig) -> None:
    """Build the model (with a toy vocabulary), the optimizer and the schedule, and throw them away.

    Raises UserError, with the problems of all three, for what only their constructors know: sizes that do not
    divide, rates out of range. Leaves the random state as it was.
    """

    def model() -> None:
        # No memory and no time however wide it is, and no thread of torch's is started before training sets its mode.
        with torch.device("meta"):
            build_model(config.model, source_vocab_size=8, target_vocab_size=8, joint=config.tokenizer.joint)

    def optimizer() -> None:
        instantiate(config.optimizer, "optimizer", params=[torch.nn.Parameter(torch.zeros(1))])

    def scheduler() -> None:
        instantiate(config.scheduler, "scheduler")

    problems = []
    with torch.random.fork_rng(devices=[]):
        for build in (model, optimizer, scheduler):
            try:
                build()
            except UserError as error:
                problems.append(str(error))
    if problems:
        raise UserError("; ".join(problems))
