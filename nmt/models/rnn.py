"""Recurrent layers, over a complete sequence or step by step, and the recurrent encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, cast

import torch
from torch import Tensor, nn

from nmt.models.interface import Encoder, EncoderOutput
from nmt.models.layers import Dropout, TokenEmbedding
from nmt.parameters import Fraction, Layers, Width

CellKind = Literal["lstm", "gru"]
CELLS: dict[str, type[nn.LSTM] | type[nn.GRU]] = {"lstm": nn.LSTM, "gru": nn.GRU}

LayerState = tuple[Tensor, ...]
"""The state of a layer: (hidden,) for a GRU, (hidden, cell) for an LSTM; each (N, width)."""

LayerStep = Callable[[Tensor, Tensor | None, LayerState], LayerState]
"""Maps gate pre-activations of the known input (N, gates * width), the optional fed-back vector (N, feed_width) and the
state to the next state."""

StackStep = Callable[[Tensor, Tensor | None, tuple[LayerState, ...]], tuple[LayerState, ...]]
"""A `LayerStep` for a stack of layers: both inputs enter the lowest layer."""


class RecurrentLayer(nn.Module):
    """One LSTM (Hochreiter & Schmidhuber 1997, with forget gates) or GRU layer (arXiv:1406.1078), left to right.

    The input has two parts. The first, `input_width` wide, is known for all positions in advance. The second,
    `feed_width` wide, is a vector that an earlier step computes (a context, an earlier output). Without a second part,
    `forward` runs torch's kernel over a complete sequence. `project` and `stepper` compute the same step by step, with
    the same weights.
    """

    def __init__(self, cell: CellKind, input_width: int, width: int, *, feed_width: int = 0) -> None:
        super().__init__()
        self.rnn = CELLS[cell](input_width + feed_width, width, batch_first=True)
        self.input_width = input_width
        self.feed_width = feed_width
        self.width = width
        self.is_lstm = cell == "lstm"
        input_weight, hidden_weight, input_bias, hidden_bias = self.rnn.all_weights[0]
        gates = 4 if self.is_lstm else 3
        for gate in input_weight.chunk(gates):
            nn.init.xavier_uniform_(gate)
        for gate in hidden_weight.chunk(gates):
            nn.init.orthogonal_(gate)
        nn.init.zeros_(input_bias)
        nn.init.zeros_(hidden_bias)
        if self.is_lstm:  # a forget gate that is open at first (Jozefowicz et al. 2015)
            nn.init.ones_(input_bias[self.width : 2 * self.width])

    def forward(self, inputs: Tensor, state: LayerState | None = None) -> tuple[Tensor, LayerState]:
        """Return hidden states (B, T, width) for `inputs` (B, T, input_width), and the state after the last."""
        assert self.feed_width == 0, "a fed-back vector needs a step-by-step run"
        dtype = self.rnn.all_weights[0][0].dtype
        before = None if state is None else tuple(part.unsqueeze(0).to(dtype) for part in state)
        # Under autocast cuDNN's kernels always compute in float16, in which summed gradients overflow.
        with torch.autocast(inputs.device.type, enabled=False):
            outputs, after = self.rnn(inputs.to(dtype), before if before is None or self.is_lstm else before[0])
        return outputs, tuple(part.squeeze(0) for part in (after if self.is_lstm else (after,)))

    def project(self, inputs: Tensor) -> Tensor:
        """Return the gate pre-activations (..., gates * width) of `inputs` (..., input_width), bias included."""
        weight, _, bias, _ = self.rnn.all_weights[0]
        with torch.autocast(inputs.device.type, enabled=False):  # as in `forward` and in every step
            return nn.functional.linear(inputs.to(weight.dtype), weight[:, : self.input_width], bias)

    def stepper(self) -> LayerStep:
        """Return the function that computes one step.

        It holds views of the weights, so that backward joins the gradients of the views once and not in every step.
        """
        input_weight, hidden_weight, _, bias = self.rnn.all_weights[0]
        by_feed, by_hidden = input_weight[:, self.input_width :].t(), hidden_weight.t()

        def step(gates: Tensor, feed: Tensor | None, state: LayerState) -> LayerState:
            state = tuple(part.to(bias.dtype) for part in state)
            with torch.autocast(gates.device.type, enabled=False):
                if feed is not None:
                    gates = torch.addmm(gates, feed.to(bias.dtype), by_feed)
                recurrent = torch.addmm(bias, state[0], by_hidden)
                return _lstm(gates + recurrent, state[1]) if self.is_lstm else _gru(gates, recurrent, state[0])

        return step


def _lstm(gates: Tensor, cell: Tensor) -> LayerState:
    input_gate, forget_gate, candidate, output_gate = gates.chunk(4, dim=1)
    cell = torch.sigmoid(forget_gate) * cell + torch.sigmoid(input_gate) * torch.tanh(candidate)
    return torch.sigmoid(output_gate) * torch.tanh(cell), cell


def _gru(gates: Tensor, recurrent: Tensor, hidden: Tensor) -> LayerState:
    """Return the next state. As in torch, the reset gate scales the recurrent product (arXiv:1406.1078, version 1)."""
    width = hidden.shape[1]
    reset, update = torch.sigmoid(gates[:, : 2 * width] + recurrent[:, : 2 * width]).chunk(2, dim=1)
    candidate = torch.tanh(torch.addcmul(gates[:, 2 * width :], reset, recurrent[:, 2 * width :]))
    return (torch.lerp(candidate, hidden, update),)


class RecurrentStack(nn.Module):
    """Recurrent layers of one width with dropout between them. Only the lowest layer takes a fed-back vector."""

    def __init__(
        self, cell: CellKind, input_width: int, width: int, *, layers: int, feed_width: int = 0, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.lowest = RecurrentLayer(cell, input_width, width, feed_width=feed_width)
        self.upper = nn.ModuleList(RecurrentLayer(cell, width, width) for _ in range(layers - 1))
        self.dropout = Dropout(dropout)

    def forward(self, inputs: Tensor, states: tuple[LayerState, ...]) -> Tensor:
        """Return the top layer's hidden states (B, T, width) for `inputs` (B, T, input_width)."""
        outputs: Tensor = self.lowest(inputs, states[0])[0]
        for layer, state in zip(self.upper, states[1:], strict=True):
            outputs = layer(self.dropout(outputs), state)[0]
        return outputs

    def stepper(self) -> StackStep:
        """Return the function that computes one step; see `RecurrentLayer.stepper`."""
        upper = cast(Iterable[RecurrentLayer], self.upper)
        lowest_step, upper_steps = self.lowest.stepper(), [(layer.project, layer.stepper()) for layer in upper]

        def step(gates: Tensor, feed: Tensor | None, states: tuple[LayerState, ...]) -> tuple[LayerState, ...]:
            after = [lowest_step(gates, feed, states[0])]
            for (project, layer_step), state in zip(upper_steps, states[1:], strict=True):
                after.append(layer_step(project(self.dropout(after[-1][0])), None, state))
            return tuple(after)

        return step


class RecurrentEncoder(Encoder):
    """Embeddings and LSTM or GRU layers that read the source in one or both directions (arXiv:1409.0473, section 3.2).

    `hidden_width` is the number of units of each direction; with `bidirectional`, the memory is twice as wide.
    `embedding_dropout` is applied to embeddings, `layer_dropout` between layers, `memory_dropout` to the memory.
    `memory_norm` applies layer normalization to each vector of the memory (arXiv:1607.06450, section 3), before
    `memory_dropout`; the final states are not changed.
    Padding comes after the sentence and has no influence: a sentence has the same memory alone and in any batch.
    """

    def __init__(
        self,
        *,
        vocab_size: int,
        embedding_width: Width,
        hidden_width: Width,
        cell: CellKind = "gru",
        layers: Layers = 1,
        bidirectional: bool = True,
        memory_norm: bool = False,
        embedding_dropout: Fraction = 0.0,
        layer_dropout: Fraction = 0.0,
        memory_dropout: Fraction = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocab_size, embedding_width)
        self.width = hidden_width * (2 if bidirectional else 1)
        self.bidirectional = bidirectional
        widths = [embedding_width] + [self.width] * (layers - 1)
        self.forwards = nn.ModuleList(RecurrentLayer(cell, width, hidden_width) for width in widths)
        self.backwards = nn.ModuleList(
            RecurrentLayer(cell, width, hidden_width) for width in (widths if bidirectional else [])
        )
        self.embedding_dropout = Dropout(embedding_dropout)
        self.layer_dropout = Dropout(layer_dropout)
        self.memory_norm = nn.LayerNorm(self.width) if memory_norm else nn.Identity()
        self.memory_dropout = Dropout(memory_dropout)

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        lengths = source_mask.sum(dim=1)
        reversal = _reversal(lengths, source.shape[1])
        rows = torch.arange(lengths.shape[0], device=source.device)
        states, finals = self.embedding_dropout(self.embedding(source)), []
        for index, layer in enumerate(self.forwards):
            inputs = self.layer_dropout(states) if index else states
            states, _ = layer(inputs)
            final = states[rows, lengths - 1]
            if self.bidirectional:
                backward = _take(self.backwards[index](_take(inputs, reversal))[0], reversal)
                states, final = torch.cat((states, backward), dim=2), torch.cat((final, backward[:, 0]), dim=1)
            finals.append(final)
        memory = self.memory_dropout(self.memory_norm(states))
        return EncoderOutput(memory, source_mask, torch.stack(finals, dim=1))


def _reversal(lengths: Tensor, longest: int) -> Tensor:
    """Return flat indices (B * S,) that reverse each sentence and leave its padding after it."""
    positions = torch.arange(longest, device=lengths.device).unsqueeze(0)
    reversed_positions = lengths.unsqueeze(1) - 1 - positions
    starts = torch.arange(lengths.shape[0], device=lengths.device).unsqueeze(1) * longest
    return (torch.where(reversed_positions >= 0, reversed_positions, positions) + starts).view(-1)


def _take(states: Tensor, indices: Tensor) -> Tensor:
    """Return `states` (B, S, D) at flat indices (B * S,); an embedding look-up has the cheapest gradient."""
    return nn.functional.embedding(indices, states.reshape(-1, states.shape[2])).view(states.shape)
