"""The Transformer's encoder and decoder (Vaswani et al. 2017, arXiv:1706.03762)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, cast

import torch
from torch import Tensor, nn

from nmt.models.interface import (
    AttentionWeights,
    CrossLayer,
    Decoder,
    Encoder,
    EncoderOutput,
    State,
    per_sentence,
    stack_layers,
)
from nmt.models.layers import Dropout, GatedLinearUnit, TokenEmbedding
from nmt.models.multihead import MultiHeadAttention, require_division
from nmt.models.positions.base import Positions, PositionsFactory
from nmt.models.positions.sinusoidal import Sinusoidal
from nmt.parameters import Fraction, Heads, Layers, Range, Width

NORMS = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}
ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "swiglu": lambda: GatedLinearUnit(nn.SiLU()),
    "geglu": lambda: GatedLinearUnit(nn.GELU()),
}


@dataclass(frozen=True, kw_only=True)
class TransformerBlock:
    """The parameters that all layers of a stack share; see configs/model/encoder/transformer.yaml.

    `norm_first` puts the norm before each sublayer (pre-norm) instead of after it as in the paper. `scale_scores`
    divides attention scores by the root of the head width. `qk_norm` normalizes the queries and keys of each head, and
    `attention_gate` multiplies their contexts by a gate; see `MultiHeadAttention`. `feed_forward` is the width of the
    hidden layer with every activation; "swiglu" and "geglu" have one matrix more than the others.
    Raises ParameterError if `heads` does not divide `width`.
    """

    width: Width
    heads: Heads
    feed_forward: Width
    activation: Literal["relu", "gelu", "swiglu", "geglu"] = "relu"
    norm: Literal["layer", "rms"] = "layer"
    norm_first: bool = True
    scale_scores: bool = True
    qk_norm: bool = False
    attention_gate: bool = False
    residual_dropout: Fraction = 0.0
    attention_dropout: Fraction = 0.0
    feed_forward_dropout: Fraction = 0.0
    stochastic_depth: Annotated[float, Range(low=0, high=0)] = 0.0  # of earlier versions, whose checkpoints have it

    def __post_init__(self) -> None:
        require_division(self.width, self.heads)

    def attention(self, *, memory_width: int | None = None) -> MultiHeadAttention:
        """Return a new attention over the layer's own input, or over a memory of `memory_width`."""
        return MultiHeadAttention(
            self.width,
            self.heads,
            memory_width=memory_width,
            dropout=self.attention_dropout,
            scale_scores=self.scale_scores,
            qk_norm=self.qk_norm,
            gate=self.attention_gate,
        )

    def final_norm(self) -> nn.Module:
        """Return the module after the last layer: a norm for pre-norm, otherwise the identity."""
        return NORMS[self.norm](self.width) if self.norm_first else nn.Identity()


class Residual(nn.Module):
    """The connection around a sublayer f: x + f(norm(x)) for pre-norm, or norm(x + f(x)) as in the paper.

    Pre-norm is analysed in arXiv:2002.04745. Dropout is applied to f's output (arXiv:1706.03762, section 5.4).
    """

    def __init__(self, block: TransformerBlock) -> None:
        super().__init__()
        self.norm = NORMS[block.norm](block.width)
        self.dropout = Dropout(block.residual_dropout)
        self.norm_first = block.norm_first

    def before(self, x: Tensor) -> Tensor:
        """Return the input of the sublayer."""
        return self.norm(x) if self.norm_first else x

    def after(self, x: Tensor, out: Tensor) -> Tensor:
        """Return the output of the connection from its input x and the output `out` of the sublayer."""
        x = x + (self.dropout(out) if self.training else out)  # without the call, a decoding step is faster
        return x if self.norm_first else self.norm(x)


class FeedForward(nn.Sequential):
    """Two linear maps with an activation between them (section 3.3).

    With a gated linear unit, there are two maps before it (arXiv:2002.05202, eq. 6): the rows of the first linear layer
    are those of the gate, then those of the values. So a network with 2/3 of the hidden width has as many weights.
    """

    def __init__(self, block: TransformerBlock) -> None:
        activation = ACTIVATIONS[block.activation]()
        maps = 2 if isinstance(activation, GatedLinearUnit) else 1
        widen = nn.Linear(block.width, maps * block.feed_forward)
        narrow = nn.Linear(block.feed_forward, block.width)
        super().__init__(widen, activation, Dropout(block.feed_forward_dropout), narrow)
        for weight in (*widen.weight.chunk(maps), narrow.weight):
            nn.init.xavier_uniform_(weight)
        for projection in (widen, narrow):
            nn.init.zeros_(projection.bias)


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each in a residual."""

    def __init__(self, block: TransformerBlock) -> None:
        super().__init__()
        self.self_attention = block.attention()
        self.self_residual = Residual(block)
        self.feed_forward = FeedForward(block)
        self.feed_residual = Residual(block)

    def forward(
        self, x: Tensor, mask: Tensor, positions: Positions, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        inputs = self.self_residual.before(x)
        out, weights = self.self_attention(inputs, inputs, mask, positions=positions, need_weights=need_weights)
        x = self.self_residual.after(x, out)
        return self.feed_residual.after(x, self.feed_forward(self.feed_residual.before(x))), weights


@dataclass(frozen=True)
class LayerCache(State):
    """The projected keys and values of a layer.

    `prefix` (N, H, T, 2 D / H) has those of each hypothesis side by side. `memory_keys` (B, H, D / H, S) and
    `memory_values` (B, H, S, D / H) have those of each sentence.
    """

    prefix: Tensor
    memory_keys: Tensor = per_sentence()
    memory_values: Tensor = per_sentence()


@dataclass(frozen=True)
class TransformerState(State):
    """The cache of each layer, and the bias (B, S) of the memory: 0, or -inf at padding."""

    layers: tuple[LayerCache, ...]
    memory_bias: Tensor = per_sentence()


class DecoderLayer(nn.Module):
    """Causal self-attention, attention over the memory, and feed-forward, each in a residual."""

    def __init__(self, block: TransformerBlock, memory_width: int) -> None:
        super().__init__()
        self.self_attention = block.attention()
        self.self_residual = Residual(block)
        self.cross_attention = block.attention(memory_width=memory_width)
        self.cross_residual = Residual(block)
        self.feed_forward = FeedForward(block)
        self.feed_residual = Residual(block)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        memory_mask: Tensor,
        positions: Positions,
        *,
        need_self: bool = False,
        need_cross: bool = False,
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Return all positions (B, T, D), and the requested weights (B, H, T, .)."""
        # Padding comes after the real tokens, so the causal mask alone hides it from them.
        inputs = self.self_residual.before(x)
        out, self_weights = self.self_attention(
            inputs, inputs, positions=positions, causal=True, need_weights=need_self
        )
        x = self.self_residual.after(x, out)
        inputs = self.cross_residual.before(x)
        out, cross_weights = self.cross_attention(inputs, memory, memory_mask, need_weights=need_cross)
        x = self.cross_residual.after(x, out)
        return self._fed_forward(x), self_weights, cross_weights

    def step(
        self, x: Tensor, cache: LayerCache, memory_bias: Tensor, positions: Positions, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None, Tensor | None, LayerCache]:
        """Return one position (N, D), the weights (N, H, 1, .) and the longer cache."""
        inputs = self.self_residual.before(x)
        entry = self.self_attention.entry(inputs, positions, cache.prefix.shape[2])
        cache = LayerCache(torch.cat((cache.prefix, entry), dim=2), cache.memory_keys, cache.memory_values)
        out, self_weights = self.self_attention.read_prefix(inputs, cache.prefix, positions, need_weights=need_weights)
        x = self.self_residual.after(x, out)
        inputs = self.cross_residual.before(x)
        out, cross_weights = self.cross_attention.read_memory(
            inputs, cache.memory_keys, cache.memory_values, memory_bias, need_weights=need_weights
        )
        x = self.cross_residual.after(x, out)
        return self._fed_forward(x), self_weights, cross_weights, cache

    def _fed_forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.feed_residual.after(x, self.feed_forward(self.feed_residual.before(x)))
        return out


class Embedding(nn.Module):
    """Maps tokens to vectors times the square root of the width (section 3.4); adds positions, applies dropout."""

    def __init__(self, vocab_size: int, width: int, dropout: float) -> None:
        super().__init__()
        self.table = TokenEmbedding(vocab_size, width)
        self.dropout = Dropout(dropout)

    def forward(self, tokens: Tensor, positions: Positions, start: int = 0) -> Tensor:
        """Return (B, T, D) for `tokens` (B, T), whose first position is `start`."""
        x = self.table(tokens) * self.table.embedding_dim**0.5
        out: Tensor = self.dropout(positions.embed(x, start))
        return out


class TransformerEncoder(Encoder):
    """A stack of encoder layers. With pre-norm, one more norm follows the last layer.

    `positions` makes the positions of the whole stack.
    """

    attends = True
    layers: Sequence[EncoderLayer]

    def __init__(
        self,
        *,
        vocab_size: int,
        layers: Layers,
        block: TransformerBlock,
        positions: PositionsFactory = Sinusoidal,
        embedding_dropout: Fraction = 0.0,
    ) -> None:
        super().__init__()
        self.block = block
        self.width = block.width
        self.embed = Embedding(vocab_size, block.width, embedding_dropout)
        self.positions = positions(width=block.width, heads=block.heads)
        self.max_length = self.positions.max_length
        self.layers = cast(Sequence[EncoderLayer], nn.ModuleList(EncoderLayer(block) for _ in range(layers)))
        self.norm = block.final_norm()

    @property
    def embedding(self) -> nn.Embedding:  # type: ignore[override]
        """The table of source embeddings."""
        return self.embed.table

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        x = self.embed(source, self.positions)
        all_weights = []
        for layer in self.layers:
            x, weights = layer(x, source_mask, self.positions, need_weights=need_weights)
            all_weights.append(weights)
        attention = AttentionWeights(encoder_self=stack_layers(all_weights)) if need_weights else None
        return EncoderOutput(self.norm(x), source_mask, attention=attention)


class TransformerDecoder(Decoder[TransformerState]):
    """A stack of decoder layers over any encoder's memory. With pre-norm, one more norm follows the last layer.

    `memory_width` is the last dimension of that memory; `positions` makes the positions of the whole stack.
    """

    attends = True
    layers: Sequence[DecoderLayer]

    def __init__(
        self,
        *,
        vocab_size: int,
        memory_width: int,
        layers: Layers,
        block: TransformerBlock,
        positions: PositionsFactory = Sinusoidal,
        embedding_dropout: Fraction = 0.0,
    ) -> None:
        super().__init__()
        self.block = block
        self.embed = Embedding(vocab_size, block.width, embedding_dropout)
        self.positions = positions(width=block.width, heads=block.heads)
        self.max_length = self.positions.max_length
        self.layers = cast(
            Sequence[DecoderLayer], nn.ModuleList(DecoderLayer(block, memory_width) for _ in range(layers))
        )
        self.norm = block.final_norm()
        self.output = nn.Linear(block.width, vocab_size, bias=False)
        nn.init.normal_(self.output.weight, std=block.width**-0.5)

    @property
    def embedding(self) -> nn.Embedding:  # type: ignore[override]
        """The table of target embeddings."""
        return self.embed.table

    def forward(
        self, target_in: Tensor, encoded: EncoderOutput, *, need_weights: bool | CrossLayer = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        x = self.embed(target_in, self.positions)
        every = need_weights is True
        only = need_weights.index(len(self.layers)) if isinstance(need_weights, CrossLayer) else None
        all_cross, all_self = [], []
        for number, layer in enumerate(self.layers):
            x, self_weights, cross_weights = layer(
                *(x, encoded.memory, encoded.memory_mask, self.positions),
                need_self=every,
                need_cross=every or number == only,
            )
            all_self.append(self_weights)
            all_cross.append(cross_weights)
        if not need_weights:
            return self.norm(x), None
        return self.norm(x), AttentionWeights(stack_layers(all_cross), stack_layers(all_self) if every else None)

    def attentions(self, kind: str) -> list[nn.Module]:
        return [layer.cross_attention if kind == "cross" else layer.self_attention for layer in self.layers]

    def init_state(self, encoded: EncoderOutput) -> TransformerState:
        caches = []
        for layer in self.layers:
            keys, values = layer.cross_attention.memory(encoded.memory)
            empty = keys.new_empty(*keys.shape[:2], 0, 2 * keys.shape[2])
            caches.append(LayerCache(empty, keys, values))
        bias = torch.zeros_like(encoded.memory_mask, dtype=encoded.memory.dtype)
        return TransformerState(tuple(caches), bias.masked_fill(~encoded.memory_mask, -torch.inf))

    def step(
        self, tokens: Tensor, state: TransformerState, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None, TransformerState]:
        x = self.embed(tokens[:, None], self.positions, start=state.layers[0].prefix.shape[2])[:, 0]  # (N, D)
        heads = state.layers[0].prefix.shape[1]
        bias = state.memory_bias.repeat_interleave(heads, 0).unsqueeze(1)  # (B * H, 1, S)
        caches, all_cross, all_self = [], [], []
        for layer, cache in zip(self.layers, state.layers, strict=True):
            x, self_weights, cross_weights, cache = layer.step(
                x, cache, bias, self.positions, need_weights=need_weights
            )
            caches.append(cache)
            all_self.append(self_weights)
            all_cross.append(cross_weights)
        weights = AttentionWeights(stack_layers(all_cross), stack_layers(all_self)) if need_weights else None
        return self.norm(x), weights, TransformerState(tuple(caches), state.memory_bias)
