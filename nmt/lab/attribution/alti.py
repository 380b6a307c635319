"""ALTI+ (Ferrando et al. 2022, arXiv:2205.11631), with the contributions of ALTI (arXiv:2203.04212) in each layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.lab.attribution.base import TINY, AttributionView, Scores
from nmt.lab.attribution.prediction import Call, Calls, Prediction, decoder_layers, encoder_layers, record
from nmt.models.multihead import MultiHeadAttention
from nmt.models.transformer import DecoderLayer, EncoderLayer, Residual, TransformerDecoder, TransformerEncoder


class ALTI(AttributionView):
    """The share of each source token and of each token of the prefix in what the decoder knows of a target token.

    The output y of an attention and its residual is a sum of vectors, one for each token. The contribution of a vector
    is how much nearer y it is than zero: max(0, |y| - |y - vector|), in the L1 norm. The residual of cross attention is
    what the decoder has read so far. The contributions in the layers of encoder and decoder are multiplied. The
    feed-forward sublayers are left out, as they mix no tokens. Row t of layer l is what target token t came from after
    the first l layers of the decoder.
    """

    title = "ALTI+"
    question = "How much of each token is in the state that the token is predicted from?"
    needs = (TransformerEncoder, TransformerDecoder)
    rolls = True

    def scores(self, prediction: Prediction) -> Scores:
        encoder, decoder = encoder_layers(prediction.model), decoder_layers(prediction.model)
        if other := [each for each in (*encoder, *decoder) if type(each) not in (EncoderLayer, DecoderLayer)]:
            name = type(other[0]).__name__
            raise UserError(f"{self.title}: it does not know the residual connections of a {name}; use views=occlusion")
        source, target = len(prediction.source), len(prediction.target)
        with torch.no_grad():
            calls = record(prediction, [*encoder, *decoder])
            like = prediction.vectors[0]
            encoded = like.new_ones(source).diag()
            for layer in encoder:
                encoded = encoder_shares(layer, calls) @ encoded
            rolled = like.new_ones(source + target).diag()[source:]  # (T, S + T)
            found = []
            for each in decoder:
                shares = decoder_shares(each, calls)
                from_source = nn.functional.pad(shares[:, :source] @ encoded, (0, target))
                rolled = shares[:, source:] @ rolled + from_source
                found.append(rolled)
        return Scores(torch.stack(found).unsqueeze(1))


def encoder_shares(layer: EncoderLayer, calls: Calls) -> Tensor:
    """Return the share (S, S) of each source position in each position after a layer."""
    return _self_shares(layer.self_attention, layer.self_residual, calls[layer].args[0][0], calls)


def decoder_shares(layer: DecoderLayer, calls: Calls) -> Tensor:
    """Return the share (T, S + T) of each position of the memory and of each token read after a layer."""
    x = calls[layer].args[0]
    prefix = _self_shares(layer.self_attention, layer.self_residual, x[0], calls)
    x = layer.self_residual.after(x, calls[layer.self_attention].output[0])[0]
    call = calls[layer.cross_attention]
    vectors = torch.cat((transformed(layer.cross_attention, call), x.unsqueeze(1)), dim=1)  # (T, S + 1, D)
    found = contributions(vectors, x + call.output[0][0], layer.cross_residual)
    shares = row_shares(found, torch.full((len(x),), vectors.shape[1] - 1, device=x.device))
    return torch.cat((shares[:, :-1], shares[:, -1:] * prefix), dim=1)


def _self_shares(attention: MultiHeadAttention, residual: Residual, x: Tensor, calls: Calls) -> Tensor:
    """Return the shares (T, T) in self-attention over `x` (T, D), whose residual belongs to the own token."""
    own = torch.eye(len(x), device=x.device).unsqueeze(-1) * x  # (T, T, D): row t has x_t at its own place
    vectors = transformed(attention, calls[attention]) + own
    found = contributions(vectors, x + calls[attention].output[0][0], residual)
    return row_shares(found, torch.arange(len(x), device=x.device))


def transformed(attention: MultiHeadAttention, call: Call) -> Tensor:
    """Return the vector (T, S, D) that each token adds to the output of an attention for each query.

    The vectors sum to the output without the bias of its last projection. The weights and the gate count as fixed.
    """
    weights = call.output[1][0]  # (H, T, S)
    values = attention.project(call.args[1])[1][0]  # (H, S, D / H)
    contexts = torch.einsum("hts,hsd->tshd", weights, values).flatten(2)  # (T, S, D), with one token each
    return attention.gated(contexts, call.args[0][0].unsqueeze(1)) @ attention.output.weight.T


def contributions(vectors: Tensor, total: Tensor, residual: Residual) -> Tensor:
    """Return how much nearer `total` (T, D) each of the `vectors` (T, C, D) is than zero: (T, C), at least 0.

    With post-norm, both are taken after the norm, which is linear once its scale is that of `total`.
    """
    if not residual.norm_first:
        vectors, total = linear_norm(residual.norm, vectors, total.unsqueeze(1)), residual.norm(total)
    size = total.abs().sum(-1, keepdim=True)
    distance = (total.unsqueeze(1) - vectors).abs().sum(-1)
    return (size - distance).clamp(min=0)


def linear_norm(norm: nn.Module, vectors: Tensor, total: Tensor) -> Tensor:
    """Return `vectors` (..., D) after a norm, without its bias, with the scale that it has for `total` (..., D)."""
    if isinstance(norm, nn.LayerNorm):
        scale = (total.var(-1, correction=0, keepdim=True) + norm.eps).rsqrt()
        return (vectors - vectors.mean(-1, keepdim=True)) * scale * norm.weight
    assert isinstance(norm, nn.RMSNorm)
    eps = torch.finfo(total.dtype).eps if norm.eps is None else norm.eps
    scale = (total.square().mean(-1, keepdim=True) + eps).rsqrt()
    return vectors * scale * norm.weight


def row_shares(contributions: Tensor, own: Tensor) -> Tensor:
    """Return `contributions` (R, C) as shares of each row. If a row is zero, its column `own` (R,) gets everything."""
    sums = contributions.sum(-1, keepdim=True)
    shares = contributions / sums.clamp(min=TINY)
    return shares.where(sums > TINY, nn.functional.one_hot(own, contributions.shape[1]).to(shares.dtype))
