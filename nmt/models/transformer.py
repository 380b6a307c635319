"""The Transformer's encoder and decoder (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.checks import require_dropout, require_positive
from nmt.models.dropout import Dropout
from nmt.models.interface import AttentionWeights, Decoder, Encoder, EncoderOutput, State, per_sentence, stack_layers
from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.functions import sinusoids

NORMS = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}
ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU}
POSITIONS = ("sinusoidal", "rotary", "none")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """What every layer of a stack is told; see configs/model/transformer.yaml."""

    width: int
    heads: int
    feed_forward: int
    activation: str
    norm: str
    norm_first: bool
    positions: str
    scale_scores: bool
    residual_dropout: float
    attention_dropout: float
    feed_forward_dropout: float

    def __post_init__(self) -> None:
        for key, known in (("norm", NORMS), ("activation", ACTIVATIONS), ("positions", POSITIONS)):
            if getattr(self, key) not in known:
                raise ParameterError(key, f"got '{getattr(self, key)}', expected one of {', '.join(known)}")
        require_positive(width=self.width, heads=self.heads, feed_forward=self.feed_forward)
        require_dropout(
            residual_dropout=self.residual_dropout,
            attention_dropout=self.attention_dropout,
            feed_forward_dropout=self.feed_forward_dropout,
        )

    def attention(self, *, memory_width: int | None = None, over_self: bool = True) -> MultiHeadAttention:
        """Return a new attention; only self-attention has positions to rotate."""
        return MultiHeadAttention(
            self.width,
            self.heads,
            memory_width=memory_width,
            dropout=self.attention_dropout,
            scale_scores=self.scale_scores,
            rotary=over_self and self.positions == "rotary",
        )


class Residual(nn.Module):
    """The connection around a sublayer f: x + f(norm(x)) when the norm is first, else norm(x + f(x)) as in the paper.

    Pre-norm is arXiv:2002.04745; dropout is applied to f's output (arXiv:1706.03762, section 5.4).
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = NORMS[config.norm](config.width)
        self.dropout = Dropout(config.residual_dropout)
        self.norm_first = config.norm_first

    def enter(self, x: Tensor) -> Tensor:
        """Return what the sublayer reads."""
        return self.norm(x) if self.norm_first else x

    def leave(self, x: Tensor, out: Tensor) -> Tensor:
        """Return x joined with the sublayer's output."""
        x = x + self.dropout(out)
        return x if self.norm_first else self.norm(x)


class FeedForward(nn.Sequential):
    """Two linear maps with an activation between them (section 3.3)."""

    def __init__(self, config: TransformerConfig) -> None:
        widen = nn.Linear(config.width, config.feed_forward)
        narrow = nn.Linear(config.feed_forward, config.width)
        super().__init__(widen, ACTIVATIONS[config.activation](), Dropout(config.feed_forward_dropout), narrow)
        for projection in (widen, narrow):
            nn.init.xavier_uniform_(projection.weight)
            nn.init.zeros_(projection.bias)


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each in a residual."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = config.attention()
        self.self_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_residual = Residual(config)

    def forward(self, x: Tensor, mask: Tensor, *, need_weights: bool) -> tuple[Tensor, Tensor | None]:
        read = self.self_residual.enter(x)
        out, weights = self.self_attention(read, read, mask, need_weights=need_weights)
        x = self.self_residual.leave(x, out)
        return self.feed_residual.leave(x, self.feed_forward(self.feed_residual.enter(x))), weights


@dataclass(frozen=True)
class LayerCache(State):
    """A layer's projected keys and values: its own prefix a hypothesis, the memory a sentence; all (., H, ., D / H)."""

    keys: Tensor
    values: Tensor
    memory_keys: Tensor = per_sentence()
    memory_values: Tensor = per_sentence()

    def append(self, keys: Tensor, values: Tensor) -> LayerCache:
        """Return the cache with one more position."""
        return LayerCache(
            torch.cat((self.keys, keys), dim=2),
            torch.cat((self.values, values), dim=2),
            self.memory_keys,
            self.memory_values,
        )


@dataclass(frozen=True)
class TransformerState(State):
    """One cache a layer, and the memory's mask (B, S)."""

    layers: tuple[LayerCache, ...]
    memory_mask: Tensor = per_sentence()


class DecoderLayer(nn.Module):
    """Causal self-attention, attention over the memory, and feed-forward, each in a residual."""

    def __init__(self, config: TransformerConfig, memory_width: int) -> None:
        super().__init__()
        self.self_attention = config.attention()
        self.self_residual = Residual(config)
        self.cross_attention = config.attention(memory_width=memory_width, over_self=False)
        self.cross_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_residual = Residual(config)

    def forward(
        self, x: Tensor, memory: Tensor, memory_mask: Tensor, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        # Padding stands after the real targets, so the causal mask alone hides it from them.
        read = self.self_residual.enter(x)
        out, self_weights = self.self_attention(read, read, causal=True, need_weights=need_weights)
        x = self.self_residual.leave(x, out)
        keys, values = self.cross_attention.project(memory)
        x, cross_weights = self._read_memory(x, keys, values, memory_mask, need_weights)
        return x, self_weights, cross_weights

    def step(
        self, x: Tensor, cache: LayerCache, memory_mask: Tensor, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None, Tensor | None, LayerCache]:
        """One position (N, 1, D) a hypothesis; returns also the weights (N, H, 1, .) and the longer cache."""
        position = cache.keys.shape[2]
        read = self.self_residual.enter(x)
        cache = cache.append(*self.self_attention.project(read, position))
        out, self_weights = self.self_attention.attend(
            read, cache.keys, cache.values, start=position, need_weights=need_weights
        )
        x = self.self_residual.leave(x, out)
        # A sentence's beams ask its one memory side by side: (N, 1, D) -> (B, K, D).
        beams = x.view(memory_mask.shape[0], -1, x.shape[-1])
        beams, cross_weights = self._read_memory(
            beams, cache.memory_keys, cache.memory_values, memory_mask, need_weights
        )
        if cross_weights is not None:
            cross_weights = cross_weights.transpose(1, 2).flatten(0, 1).unsqueeze(2)  # (B, H, K, S) -> (N, H, 1, S)
        return beams.reshape(x.shape), self_weights, cross_weights, cache

    def _read_memory(
        self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        read = self.cross_residual.enter(x)
        out, weights = self.cross_attention.attend(read, keys, values, mask, need_weights=need_weights)
        x = self.cross_residual.leave(x, out)
        return self.feed_residual.leave(x, self.feed_forward(self.feed_residual.enter(x))), weights


class Embedding(nn.Module):
    """Tokens to vectors scaled by the root of the width (section 3.4), plus sinusoids where positions are those."""

    def __init__(self, vocab_size: int, config: TransformerConfig, dropout: float) -> None:
        super().__init__()
        self.table = nn.Embedding(vocab_size, config.width)
        nn.init.normal_(self.table.weight, std=config.width**-0.5)
        self.sinusoidal = config.positions == "sinusoidal"
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor, start: int = 0) -> Tensor:
        """Return (B, T, D) for `tokens` (B, T), whose first position is `start`."""
        x = self.table(tokens) * self.table.embedding_dim**0.5
        if self.sinusoidal:
            x = x + sinusoids(start, tokens.shape[1], x.shape[-1], x)
        out: Tensor = self.dropout(x)
        return out


class TransformerEncoder(Encoder):
    """A stack of encoder layers; with the norm first, one more norm closes the stack."""

    attends = True

    def __init__(
        self,
        *,
        vocab_size: int,
        layers: int,
        width: int,
        heads: int,
        feed_forward: int,
        activation: str = "relu",
        norm: str = "layer",
        norm_first: bool = True,
        positions: str = "sinusoidal",
        scale_scores: bool = True,
        embedding_dropout: float = 0.0,
        residual_dropout: float = 0.0,
        attention_dropout: float = 0.0,
        feed_forward_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        require_positive(layers=layers)
        require_dropout(embedding_dropout=embedding_dropout)
        config = TransformerConfig(
            width=width,
            heads=heads,
            feed_forward=feed_forward,
            activation=activation,
            norm=norm,
            norm_first=norm_first,
            positions=positions,
            scale_scores=scale_scores,
            residual_dropout=residual_dropout,
            attention_dropout=attention_dropout,
            feed_forward_dropout=feed_forward_dropout,
        )
        self.width = width
        self.embed = Embedding(vocab_size, config, embedding_dropout)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(layers))
        self.norm = NORMS[norm](width) if norm_first else nn.Identity()

    @property
    def embedding(self) -> nn.Embedding:  # type: ignore[override]
        """The table of source embeddings."""
        return self.embed.table

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        x = self.embed(source)
        all_weights = []
        for layer in self.layers:
            x, weights = layer(x, source_mask, need_weights=need_weights)
            all_weights.append(weights)
        attention = AttentionWeights(encoder_self=stack_layers(all_weights)) if need_weights else None
        return EncoderOutput(self.norm(x), source_mask, attention=attention)


class TransformerDecoder(Decoder):
    """A stack of decoder layers over any encoder's memory; with the norm first, one more norm closes the stack."""

    attends = True

    def __init__(
        self,
        *,
        vocab_size: int,
        memory_width: int,
        layers: int,
        width: int,
        heads: int,
        feed_forward: int,
        activation: str = "relu",
        norm: str = "layer",
        norm_first: bool = True,
        positions: str = "sinusoidal",
        scale_scores: bool = True,
        embedding_dropout: float = 0.0,
        residual_dropout: float = 0.0,
        attention_dropout: float = 0.0,
        feed_forward_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        require_positive(layers=layers)
        require_dropout(embedding_dropout=embedding_dropout)
        config = TransformerConfig(
            width=width,
            heads=heads,
            feed_forward=feed_forward,
            activation=activation,
            norm=norm,
            norm_first=norm_first,
            positions=positions,
            scale_scores=scale_scores,
            residual_dropout=residual_dropout,
            attention_dropout=attention_dropout,
            feed_forward_dropout=feed_forward_dropout,
        )
        self.embed = Embedding(vocab_size, config, embedding_dropout)
        self.layers = nn.ModuleList(DecoderLayer(config, memory_width) for _ in range(layers))
        self.norm = NORMS[norm](width) if norm_first else nn.Identity()
        self.output = nn.Linear(width, vocab_size, bias=False)
        nn.init.normal_(self.output.weight, std=width**-0.5)

    @property
    def embedding(self) -> nn.Embedding:  # type: ignore[override]
        """The table of target embeddings."""
        return self.embed.table

    def forward(
        self, target_in: Tensor, encoded: EncoderOutput, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        x = self.embed(target_in)
        cross, own = [], []
        for layer in self.layers:
            x, self_weights, cross_weights = layer(x, encoded.memory, encoded.memory_mask, need_weights=need_weights)
            own.append(self_weights)
            cross.append(cross_weights)
        weights = AttentionWeights(stack_layers(cross), stack_layers(own)) if need_weights else None
        return self.norm(x), weights

    def _layers(self) -> Iterator[DecoderLayer]:
        return (cast(DecoderLayer, layer) for layer in self.layers)

    def init_state(self, encoded: EncoderOutput) -> TransformerState:
        caches = []
        for layer in self._layers():
            keys, values = layer.cross_attention.project(encoded.memory)
            empty = keys[:, :, :0]
            caches.append(LayerCache(empty, empty, keys, values))
        return TransformerState(tuple(caches), encoded.memory_mask)

    def step(
        self, tokens: Tensor, state: Any, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None, TransformerState]:
        x = self.embed(tokens[:, None], start=state.layers[0].keys.shape[2])  # (N, 1, D)
        caches, cross, own = [], [], []
        for layer, cache in zip(self._layers(), state.layers, strict=True):
            x, self_weights, cross_weights, cache = layer.step(x, cache, state.memory_mask, need_weights=need_weights)
            caches.append(cache)
            own.append(self_weights)
            cross.append(cross_weights)
        weights = AttentionWeights(stack_layers(cross), stack_layers(own)) if need_weights else None
        return self.norm(x)[:, 0], weights, TransformerState(tuple(caches), state.memory_mask)
