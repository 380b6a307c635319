"""A model that predicts a given translation, token by token, from the tokens' vectors, and what its layers compute.

Legend: S source tokens, T target tokens, N copies of the sentence. A decoder reads T tokens as well: `<s>` and all
target tokens except the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer, TransformerDecoder, TransformerEncoder
from nmt.tokens import BOS, Piece

TOKENS = 4096  # of all copies in one forward pass


@dataclass(frozen=True, eq=False)
class Prediction:
    """A `model` with the ids of one `source` (S,) and of its translation `target` (T,), eos included.

    `source_pieces` are the source tokens as pictures show them.
    """

    model: Seq2Seq
    source: Tensor
    target: Tensor
    source_pieces: Sequence[Piece]

    @cached_property
    def read(self) -> Tensor:
        """The tokens (T,) that the decoder reads."""
        return torch.cat((self.target.new_tensor([BOS]), self.target[:-1]))

    @cached_property
    def vectors(self) -> tuple[Tensor, Tensor]:
        """The embeddings (S, source width) of the source and (T, target width) of the tokens that the decoder reads."""
        with torch.no_grad():
            return self.model.encoder.embedding(self.source), self.model.decoder.embedding(self.read)

    def copies(self, count: int) -> Iterator[Tensor]:
        """Yield the numbers 0 to `count` - 1 in parts: as many copies of the sentence as one forward pass takes."""
        most = max(1, TOKENS // (len(self.source) + len(self.target)))
        yield from torch.split(torch.arange(count, device=self.source.device), most)

    def attend(self) -> tuple[Tensor, AttentionWeights]:
        """Return the hidden states (1, T, width) of the unchanged sentence, and its attention weights."""
        hidden, weights = self.model(*self._batch(1), need_weights=True)
        return hidden, weights

    def hidden(self, source: Tensor, read: Tensor) -> Tensor:
        """Return the hidden states (N, T, width) of N copies of the sentence.

        `source` (N, S, source width) and `read` (N, T, target width) take the place of the embeddings.
        """
        encoder, decoder = self.model.encoder, self.model.decoder
        with _replaced(encoder.embedding, source), _replaced(decoder.embedding, read):
            hidden, _ = self.model(*self._batch(len(source)))
        return hidden  # type: ignore[no-any-return]

    def log_probs(self, hidden: Tensor, target: Tensor) -> Tensor:
        """Return log P (...) of the ids `target` (...) that the hidden states (..., width) predict."""
        logits: Tensor = self.model.decoder.output(hidden)
        return logits.log_softmax(-1).gather(-1, target.unsqueeze(-1)).squeeze(-1)

    def _batch(self, copies: int) -> tuple[Tensor, Tensor, Tensor]:
        source = self.source.expand(copies, -1)
        return source, torch.ones_like(source, dtype=torch.bool), self.read.expand(copies, -1)


@contextmanager
def _replaced(embedding: nn.Module, vectors: Tensor) -> Iterator[None]:
    """Let `embedding` return `vectors` (N, length, width) in the block."""

    def replace(module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        if output.shape != vectors.shape:
            raise UserError(
                f"views: the model embeds {tuple(output.shape)} at once, expected all tokens of a side, "
                f"{tuple(vectors.shape)}; use a view that reads no embeddings"
            )
        return vectors

    with embedding.register_forward_hook(replace):
        yield


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a module in a forward pass: its arguments and its result."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any


Calls = dict[nn.Module, Call]


def record(prediction: Prediction, layers: Iterable[nn.Module]) -> Calls:
    """Return the calls of `layers` and of the modules in them in a forward pass that computes attention weights."""
    calls: Calls = {}

    def keep(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        calls[module] = Call(args, kwargs, output)

    with ExitStack() as hooks, torch.no_grad():
        for module in (module for layer in layers for module in layer.modules()):
            hooks.enter_context(module.register_forward_hook(keep, with_kwargs=True))
        prediction.attend()
    return calls


def encoder_layers(model: Seq2Seq) -> Sequence[EncoderLayer]:
    """Return the layers of a Transformer's encoder."""
    return cast(TransformerEncoder, model.encoder).layers


def decoder_layers(model: Seq2Seq) -> Sequence[DecoderLayer]:
    """Return the layers of a Transformer's decoder."""
    return cast(TransformerDecoder, model.decoder).layers
