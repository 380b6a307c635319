"""The layers of a Transformer, and what goes in and out of their modules in a forward pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.lab.attribution.base import TINY, AttributionView
from nmt.lab.attribution.prediction import Prediction
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer, TransformerDecoder, TransformerEncoder


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a module in a forward pass: its arguments and its result."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any


Calls = dict[nn.Module, Call]


def encoder_layers(model: Seq2Seq, view: AttributionView) -> Sequence[EncoderLayer]:
    """Return the layers of a Transformer's encoder. Raises UserError for another encoder."""
    if not isinstance(model.encoder, TransformerEncoder):
        raise _no_layers(model.encoder, view)
    return cast(Sequence[EncoderLayer], model.encoder.layers)


def decoder_layers(model: Seq2Seq, view: AttributionView) -> Sequence[DecoderLayer]:
    """Return the layers of a Transformer's decoder. Raises UserError for another decoder."""
    if not isinstance(model.decoder, TransformerDecoder):
        raise _no_layers(model.decoder, view)
    return cast(Sequence[DecoderLayer], model.decoder.layers)


def _no_layers(side: nn.Module, view: AttributionView) -> UserError:
    return UserError(
        f"{view.title}: it looks into the layers of a Transformer, but this model has a {type(side).__name__}; use "
        "views=occlusion or views=integrated_gradients"
    )


def record(prediction: Prediction, layers: Iterable[nn.Module]) -> Calls:
    """Return the calls of `layers` and of the modules in them in a forward pass that computes attention weights."""
    calls: Calls = {}

    def keep(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        calls[module] = Call(args, kwargs, output)

    with ExitStack() as hooks, torch.no_grad():
        for module in (module for layer in layers for module in layer.modules()):
            hooks.callback(module.register_forward_hook(keep, with_kwargs=True).remove)
        prediction.attend()
    return calls


def row_shares(contributions: Tensor, own: Tensor) -> Tensor:
    """Return `contributions` (R, C) as shares of each row. If a row is zero, its column `own` (R,) gets everything."""
    sums = contributions.sum(-1, keepdim=True)
    shares = contributions / sums.clamp(min=TINY)
    return shares.where(sums > TINY, nn.functional.one_hot(own, contributions.shape[1]).to(shares.dtype))
