"""Value zeroing (Mohebbi et al. 2023, "Quantifying Context Mixing in Transformers", arXiv:2301.12971)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Calls, Prediction, decoder_layers, encoder_layers, record
from nmt.models.multihead import MultiHeadAttention
from nmt.models.transformer import TransformerDecoder, TransformerEncoder

ROUNDING = 1e-12  # a smaller distance comes from products of another shape


class ValueZeroing(AttributionView):
    """How much the output of a layer of the decoder turns when the value of one token is zero in all heads.

    The score is the cosine distance between the outputs of the complete layer (attention, residuals, norms and
    feed-forward) with the value and without it (eq. 2). Each layer gets its usual input. The values of cross attention
    and of self-attention are zeroed, one at a time.
    """

    title = "Value zeroing"
    question = "How much does the output of a decoder layer change its direction without the value of one token?"
    needs = (TransformerDecoder,)

    def scores(self, prediction: Prediction) -> Scores:
        return _scores(prediction, decoder_layers(prediction.model), "cross_attention", "self_attention")


class EncoderValueZeroing(AttributionView):
    """The same for the layers of the encoder, as in the paper: how the output at each source token changes."""

    title = "Value zeroing in the encoder"
    question = "How much does a layer's output at a source token change its direction without the value of another?"
    columns = "encoder"
    needs = (TransformerEncoder,)

    def scores(self, prediction: Prediction) -> Scores:
        return _scores(prediction, encoder_layers(prediction.model), "self_attention")


def _scores(prediction: Prediction, layers: Sequence[nn.Module], *attentions: str) -> Scores:
    with torch.no_grad():
        calls = record(prediction, layers)
        found = [distances(prediction, layer, calls, [getattr(layer, name) for name in attentions]) for layer in layers]
    return Scores(torch.stack(found).unsqueeze(1))


def distances(
    prediction: Prediction, layer: nn.Module, calls: Calls, attentions: Sequence[MultiHeadAttention]
) -> Tensor:
    """Return the cosine distance (R, C) between a layer's outputs with all values and without that of one token.

    The columns are the tokens that the `attentions` of the layer read, one attention after the other.
    """
    call, columns = calls[layer], []
    usual = call.output[0].double()
    for attention in attentions:
        for tokens in prediction.copies(calls[attention].args[1].shape[1]):
            with zeroed_values(attention, tokens):
                output = layer(*(_copies(value, len(tokens)) for value in call.args), **call.kwargs)[0]
            columns.append(1 - nn.functional.cosine_similarity(output.double(), usual, dim=-1).T)
    found = torch.cat(columns, dim=1)
    return found.where(found > ROUNDING, 0)


@contextmanager
def zeroed_values(attention: MultiHeadAttention, tokens: Tensor) -> Iterator[None]:
    """Let copy c of a batch have zeros as the value of token `tokens[c]` in the block."""

    def zero(module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        keys, values = output.chunk(2, dim=-1)
        own = tokens.unsqueeze(1) == torch.arange(values.shape[1], device=values.device)
        return torch.cat((keys, values.masked_fill(own.unsqueeze(-1), 0)), dim=-1)

    with attention.key_value.register_forward_hook(zero):
        yield


def _copies(value: Any, count: int) -> Any:
    """Return `count` copies of a tensor (1, ...); other arguments are shared."""
    return value.expand(count, *value.shape[1:]) if isinstance(value, Tensor) else value
