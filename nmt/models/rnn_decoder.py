"""The recurrent decoder, with any attention of `nmt.models.attention` or without one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.attention.base import AttentionFactory, AttentionMemory
from nmt.models.interface import AttentionWeights, CrossLayer, Decoder, EncoderOutput, State
from nmt.models.layers import Dropout, TokenEmbedding
from nmt.models.rnn import CellKind, LayerState, LayerStep, RecurrentLayer, RecurrentStack, StackStep
from nmt.parameters import Fraction, Layers, Width

Steps = tuple[LayerStep | None, StackStep]
"""The functions of a step: of the cell before the attention, if the attention is between two, and of the stack."""


@dataclass(frozen=True)
class RecurrentState(State):
    """The state of each layer, the hidden state that is fed back, the memory, and the attention's own state."""

    layers: tuple[LayerState, ...]
    feed: Tensor | None  # (N, readout_width)
    memory: AttentionMemory | None
    attention: State | None


class Bridge(nn.Module):
    """Maps the encoder's final states to the decoder's first states: tanh(W h), with one W for each layer and tensor.

    It extends s_0 = tanh(W_s h_1) of arXiv:1409.0473, appendix A.2.2. Layers are aligned at the top: additional decoder
    layers read the encoder's lowest layer, and additional encoder layers (the lowest) are not read. If an encoder has
    no final states, the bridge reads the mean of its memory.
    """

    def __init__(self, memory_width: int, width: int, *, layers: int, tensors: int) -> None:
        super().__init__()
        self.projections = nn.ModuleList(nn.Linear(memory_width, width) for _ in range(layers * tensors))
        self.layers, self.tensors = layers, tensors

    def forward(self, encoded: EncoderOutput) -> tuple[LayerState, ...]:
        """Return the state of each decoder layer, tensors (B, width)."""
        finals = encoded.final_state  # (B, L, memory_width)
        if finals is None:
            real = encoded.memory_mask.to(encoded.memory.dtype).unsqueeze(-1)
            finals = ((encoded.memory * real).sum(1) / real.sum(1)).unsqueeze(1)
        lowest = finals.shape[1] - self.layers
        states = [
            torch.tanh(projection(finals[:, max(0, lowest + index // self.tensors)]))
            for index, projection in enumerate(self.projections)
        ]
        return tuple(tuple(states[first : first + self.tensors]) for first in range(0, len(states), self.tensors))


class RecurrentDecoder(Decoder[RecurrentState]):
    """LSTM or GRU layers of `width` units, and a readout of `readout_width` units that the logits are computed from.

    y_t is the embedding of the token at step t, s_t the state of the top layer and c_t the context. The equations
    depend on the attention:

    - query_state "previous": s_t = cell([y_t; c_t], s_(t-1)), readout tanh(W [s_t; c_t; y_t]).
      arXiv:1409.0473, appendix A.2.2, with tanh in place of maxout, and the state of section 2.2 and eq. 4.
    - query_state "between": s'_t = cell1(y_t, s_(t-1)) is the query, s_t = cell2(c_t, s'_t), readout
      tanh(W [s_t; c_t; y_t]). The conditional GRU with attention of Nematus (arXiv:1703.04357), here also with LSTM
      cells. The lowest layer has the two cells; the layers above it have one each, which reads its s_t.
    - query_state "current": s_t = cell([y_t; h_(t-1)], s_(t-1)), readout h_t = tanh(W [s_t; c_t]).
      h is the attentional hidden state of arXiv:1508.04025, eq. 5; h_0 is 0. Feeding h to the cell is called input
      feeding (section 3.3). Without input feeding s_t = cell(y_t, s_(t-1)).
    - no attention: s_t = cell(y_t, s_(t-1)), readout tanh(W [s_t; y_t]). The decoder reads the source only through s_0
      (arXiv:1409.3215; in arXiv:1406.1078, every step reads it).

    `attention` makes an attention from `query_width` and `memory_width`, or is None. `input_feeding` None enables input
    feeding if the query is the current state. `embedding_dropout` is applied to y, `layer_dropout` between layers, and
    `readout_dropout` to the readout that is returned, not to the readout that is fed back. Raises ParameterError for
    input feeding without an attention that queries with the current state.
    """

    def __init__(
        self,
        *,
        vocab_size: int,
        memory_width: int,
        embedding_width: Width,
        width: Width,
        readout_width: Width,
        attention: AttentionFactory | None = None,
        cell: CellKind = "gru",
        layers: Layers = 1,
        input_feeding: bool | None = None,
        embedding_dropout: Fraction = 0.0,
        layer_dropout: Fraction = 0.0,
        readout_dropout: Fraction = 0.0,
    ) -> None:
        super().__init__()
        self.attention = None if attention is None else attention(query_width=width, memory_width=memory_width)
        self.attends = self.attention is not None
        self.query_state = None if self.attention is None else self.attention.query_state
        if input_feeding and self.query_state != "current":
            raise ParameterError("input_feeding", "got true, but no attention queries with the current state; use null")
        self.input_feeding = self.query_state == "current" if input_feeding is None else input_feeding
        self.readout_width = readout_width
        context_width = 0 if self.attention is None else self.attention.context_width
        feed_width = context_width if self.query_state == "previous" else readout_width if self.input_feeding else 0

        self.embedding = TokenEmbedding(vocab_size, embedding_width)
        self.first_cell = RecurrentLayer(cell, embedding_width, width) if self.query_state == "between" else None
        input_width = embedding_width if self.first_cell is None else context_width
        self.cells = RecurrentStack(
            cell, input_width, width, layers=layers, feed_width=feed_width, dropout=layer_dropout
        )
        self.bridge = Bridge(memory_width, width, layers=layers, tensors=2 if cell == "lstm" else 1)
        read_width = width + context_width + (0 if self.query_state == "current" else embedding_width)
        self.readout = nn.Linear(read_width, readout_width)
        self.output = nn.Linear(readout_width, vocab_size)
        self.embedding_dropout = Dropout(embedding_dropout)
        self.readout_dropout = Dropout(readout_dropout)

    def attentions(self, kind: str) -> list[nn.Module]:
        return [self.attention] if kind == "cross" and self.attention is not None else []

    def init_state(self, encoded: EncoderOutput) -> RecurrentState:
        layers = self.bridge(encoded)
        feed = layers[0][0].new_zeros(encoded.memory.shape[0], self.readout_width) if self.input_feeding else None
        if self.attention is None:
            return RecurrentState(layers, feed, None, None)
        memory = self.attention.prepare(encoded.memory, encoded.memory_mask)
        return RecurrentState(layers, feed, memory, self.attention.init_state(memory))

    def step(
        self, tokens: Tensor, state: RecurrentState, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None, RecurrentState]:
        embedded = self.embedding_dropout(self.embedding(tokens))
        top, context, weights, state = self._advance(self._project(embedded), state, self._steps())
        hidden = self._read(top, context, embedded)
        if self.input_feeding:
            state = replace(state, feed=hidden)
        cross = weights[:, None, :, None] if need_weights and weights is not None else None  # (N, 1, H, 1, S)
        return self.readout_dropout(hidden), AttentionWeights(cross) if need_weights else None, state

    def forward(
        self, target_in: Tensor, encoded: EncoderOutput, *, need_weights: bool | CrossLayer = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        embedded = self.embedding_dropout(self.embedding(target_in))
        cells_need_attention = self.query_state in ("previous", "between") or self.input_feeding
        run = self._step_by_step if cells_need_attention else self._all_at_once
        hidden, weights = run(embedded, self.init_state(encoded))
        cross = weights[:, None] if need_weights and weights is not None else None  # (B, 1, H, T, S)
        return self.readout_dropout(hidden), AttentionWeights(cross) if need_weights else None

    def _all_at_once(self, embedded: Tensor, state: RecurrentState) -> tuple[Tensor, Tensor | None]:
        """Run the cells over all steps, then the attention: the cells do not need its contexts."""
        tops = self.cells(embedded, state.layers)
        if self.attention is None:
            return self._read(tops, None, embedded), None
        all_contexts, all_weights, attention_state = [], [], state.attention
        for query in tops.chunk(tops.shape[1], dim=1) if self.attention.recurrent else (tops,):
            context, weights, attention_state = self.attention(query, state.memory, attention_state)
            all_contexts.append(context)
            all_weights.append(weights)
        return self._read(tops, torch.cat(all_contexts, dim=1), embedded), torch.cat(all_weights, dim=2)

    def _step_by_step(self, embedded: Tensor, state: RecurrentState) -> tuple[Tensor, Tensor | None]:
        """Run cells and attention in turns. Products that do not need the loop are computed before or after it."""
        steps, tops, all_contexts, all_weights, hidden = self._steps(), [], [], [], []
        for gates in self._project(embedded).unbind(dim=1):
            top, context, weights, state = self._advance(gates, state, steps)
            assert context is not None and weights is not None
            tops.append(top)
            all_contexts.append(context)
            all_weights.append(weights)
            if self.input_feeding:
                hidden.append(self._read(top, context, None))
                state = replace(state, feed=hidden[-1])
        if self.input_feeding:
            readout = torch.stack(hidden, dim=1)
        else:
            states = torch.stack(tops, dim=1)
            readout = self._read(states, torch.stack(all_contexts, dim=1), embedded)
        return readout, torch.stack(all_weights, dim=2)

    def _project(self, embedded: Tensor) -> Tensor:
        """Return the gate pre-activations (..., gates * width) of the cell that reads the embeddings."""
        return (self.cells.lowest if self.first_cell is None else self.first_cell).project(embedded)

    def _steps(self) -> Steps:
        return None if self.first_cell is None else self.first_cell.stepper(), self.cells.stepper()

    def _advance(
        self, gates: Tensor, state: RecurrentState, steps: Steps
    ) -> tuple[Tensor, Tensor | None, Tensor | None, RecurrentState]:
        """Compute a step except its readout. Return top (N, width), context (N, C), weights (N, H, S), next state."""
        first_step, step = steps
        if self.query_state == "previous":
            context, weights, attention_state = self._attend(state.layers[-1][0], state)
            layers = step(gates, context, state.layers)
        elif first_step is not None:
            between = first_step(gates, None, state.layers[0])
            context, weights, attention_state = self._attend(between[0], state)
            layers = step(self.cells.lowest.project(context), None, (between, *state.layers[1:]))
        else:
            layers = step(gates, state.feed, state.layers)
            if self.attention is None:
                return layers[-1][0], None, None, replace(state, layers=layers)
            context, weights, attention_state = self._attend(layers[-1][0], state)
        return layers[-1][0], context, weights, replace(state, layers=layers, attention=attention_state)

    def _attend(self, query: Tensor, state: RecurrentState) -> tuple[Tensor, Tensor, State | None]:
        """Attend with `query` (N, width): the K hypotheses of a sentence are K queries to the same memory.

        Return the context (N, C), the weights (N, H, S) and the next state of the attention.
        """
        assert self.attention is not None and state.memory is not None
        queries = query.view(state.memory.mask.shape[0], -1, query.shape[1])  # (B, K, width)
        context, weights, attention_state = self.attention(queries, state.memory, state.attention)
        return context.flatten(0, 1), weights.transpose(1, 2).flatten(0, 1), attention_state

    def _read(self, top: Tensor, context: Tensor | None, embedded: Tensor | None) -> Tensor:
        """Return the readout; the embedding is a part of it unless the query is the current state."""
        parts = [top, context, None if self.query_state == "current" else embedded]
        return torch.tanh(self.readout(torch.cat([part for part in parts if part is not None], dim=-1)))
