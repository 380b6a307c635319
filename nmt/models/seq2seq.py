"""An encoder and a decoder as one model, and the same model with a state that tracks the attention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError, UserError
from nmt.models.interface import AttentionWeights, CrossLayer, Decoder, Encoder, State
from nmt.parameters import value_problem

Tying = Literal["none", "target", "all"]


class Seq2Seq(nn.Module):
    """An encoder and a decoder; any encoder works with any decoder.

    `tie_embeddings` is "none"; "target", which shares the decoder's input table with the output layer; or "all", which
    shares the encoder's table too (arXiv:1706.03762, section 3.4) and needs a joint vocabulary. Raises ParameterError
    for tables of different shapes.

    `config` is the plain config that `nmt.build.build_model` made the model from, or None.
    """

    config: Mapping[str, Any] | None = None

    def __init__(self, encoder: Encoder, decoder: Decoder[Any], *, tie_embeddings: Tying = "none") -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        if problem := value_problem(tie_embeddings, Tying):
            raise ParameterError("tie_embeddings", problem)
        source, target, output = encoder.embedding.weight, decoder.embedding.weight, decoder.output.weight
        tied = {"none": [], "target": [target, output], "all": [target, output, source]}[tie_embeddings]
        if len(shapes := {tuple(each.shape) for each in tied}) > 1:
            raise ParameterError(
                "tie_embeddings",
                f"got '{tie_embeddings}' with tables of the shapes {', '.join(map(str, sorted(shapes)))}, expected one "
                "shape; make the widths equal, with 'all' the vocabularies too, or use 'none'",
            )
        if tie_embeddings != "none":
            decoder.output.weight = target
        if tie_embeddings == "all":
            encoder.embedding.weight = target

    def forward(
        self, source: Tensor, source_mask: Tensor, target_in: Tensor, *, need_weights: bool | CrossLayer = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return hidden states (B, T, D) for `target_in` (B, T), and the weights as `Decoder.forward` does."""
        encoded = self.encoder(source, source_mask, need_weights=need_weights is True)
        hidden, weights = self.decoder(target_in, encoded, need_weights=need_weights)
        if not need_weights:
            return hidden, None
        encoder_self = encoded.attention.encoder_self if encoded.attention else None
        weights = weights or AttentionWeights()
        return hidden, AttentionWeights(weights.cross, weights.decoder_self, encoder_self)

    def hidden_matrices(self) -> list[nn.Parameter]:
        """Return the weight matrices of all layers but embeddings and the output layer.

        A matrix with one row or one column is a vector, and is left out.
        """
        tables = (module.weight for module in self.modules() if isinstance(module, nn.Embedding))
        outer = set(map(id, (*tables, *self.decoder.output.parameters())))
        return [each for each in self.parameters() if each.dim() == 2 and min(each.shape) > 1 and id(each) not in outer]

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        """Return the decoder's state before the first token, with one hypothesis for each sentence."""
        state: State = self.decoder.init_state(self.encoder(source, source_mask))
        return state

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one token for each hypothesis, `tokens` (N,). Return log-probabilities (N, V) and the next state.

        The log-probabilities are float32. A search strategy is called with this method as its step function.
        """
        hidden, _, state = self.decoder.step(tokens, state)
        return torch.log_softmax(self.decoder.output(hidden).float(), dim=-1), state


@dataclass(frozen=True)
class TrackedState(State):
    """The decoder's state `inner`, and `coverage` (N, S): the attention that each source token has received so far.

    One step adds the attention of the decoder's last token: the mean over layers and heads. Padding counts 1.
    """

    inner: State
    coverage: Tensor


class CoverageTracker:
    """Starts and steps as `model` does, with a `TrackedState`. Raises UserError for a decoder without attention."""

    def __init__(self, model: Seq2Seq) -> None:
        if not model.decoder.attends:
            raise UserError("search.coverage_penalty: the decoder of this model has no attention; use 0")
        self.model = model

    def start(self, source: Tensor, source_mask: Tensor) -> TrackedState:
        return TrackedState(self.model.start(source, source_mask), (~source_mask).float())

    def step(self, tokens: Tensor, state: TrackedState) -> tuple[Tensor, TrackedState]:
        hidden, weights, inner = self.model.decoder.step(tokens, state.inner, need_weights=True)
        assert weights is not None and weights.cross is not None
        attention = weights.cross.float().mean((1, 2)).squeeze(1)  # (N, L, H, 1, S) -> (N, S)
        log_probs = torch.log_softmax(self.model.decoder.output(hidden).float(), dim=-1)
        return log_probs, TrackedState(inner, state.coverage + attention)


@contextmanager
def evaluating(models: Sequence[nn.Module]) -> Iterator[None]:
    """Run the block with the models in evaluation mode, then restore the mode of every module."""
    training = [module for model in models for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True
