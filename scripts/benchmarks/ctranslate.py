"""The Transformer in CTranslate2, an inference engine in C++: the yardstick of the translation benchmark.

https://github.com/OpenNMT/CTranslate2; the package is the extra `ctranslate2`. Vocabularies hold ids as texts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any, cast

import ctranslate2
import torch
from ctranslate2.specs import TransformerSpec
from ctranslate2.specs.common_spec import Activation
from torch import nn

from nmt.errors import UserError
from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.sinusoidal import Sinusoidal
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer, Residual, TransformerDecoder, TransformerEncoder
from nmt.tokens import BOS, EOS, PAD, UNK
from nmt.translation.translator import Translator

SPECIAL = {PAD: "<pad>", UNK: "<unk>", BOS: "<s>", EOS: "</s>"}
ACTIVATIONS = {nn.ReLU: Activation.RELU, nn.GELU: Activation.GELU}


class Engine:
    """Translates with the model, tokenizer and limits of `translator`, but searches in CTranslate2 in float32.

    It uses as many threads as torch. Raises UserError for a model that `convert` does not accept.
    """

    def __init__(self, translator: Translator) -> None:
        self.tokenizer, self.search = translator.tokenizer, translator.search
        tokenizer = self.tokenizer
        longest = self.search.max_source_length
        spec = convert(translator.model, max(longest, self.search.target_limit(longest)))
        spec.register_source_vocabulary(_names(range(tokenizer.source_vocab_size)))
        spec.register_target_vocabulary(_names(range(tokenizer.target_vocab_size)))
        self.ids = {name: index for index, name in enumerate(_names(range(tokenizer.target_vocab_size)))}
        spec.validate()
        with tempfile.TemporaryDirectory() as folder:
            spec.save(folder)
            self.engine = ctranslate2.Translator(
                folder, compute_type="float32", inter_threads=1, intra_threads=torch.get_num_threads()
            )

    def translate(self, sentences: Sequence[str], *, beam_size: int) -> list[str]:
        """Return the translations. Batches have as many source tokens as those of `Translator.translate`."""
        sources = self.tokenizer.encode_source(sentences)
        results = self.engine.translate_batch(
            [_names(ids) for ids in sources],
            beam_size=beam_size,
            length_penalty=1.0,
            max_decoding_length=self.search.target_limit(max(map(len, sources))),
            max_batch_size=self.search.batch_tokens // beam_size,
            batch_type="tokens",
        )
        return [self.tokenizer.decode_target([self.ids[name] for name in each.hypotheses[0]]) for each in results]


def _names(ids: Sequence[int]) -> list[str]:
    return [SPECIAL.get(index) or str(index) for index in ids]


def convert(model: Seq2Seq, positions: int) -> TransformerSpec:
    """Return the specification of `model`, for at most `positions` tokens.

    Raises UserError for a model that is not a Transformer with sinusoidal positions, layer norm, scaled scores and no
    `qk_norm`.
    """
    encoder, decoder = model.encoder, model.decoder
    if not (isinstance(encoder, TransformerEncoder) and isinstance(decoder, TransformerDecoder)):
        raise UserError("ckpt: the comparison with CTranslate2 needs a Transformer encoder and decoder")
    layers = [cast(EncoderLayer, layer) for layer in encoder.layers]
    decoder_layers = [cast(DecoderLayer, layer) for layer in decoder.layers]
    first = layers[0]
    all_layers: list[EncoderLayer | DecoderLayer] = [*layers, *decoder_layers]
    attentions = [each for each in model.modules() if isinstance(each, MultiHeadAttention)]
    residuals = [each for each in model.modules() if isinstance(each, Residual)]
    heads, norm_first = first.self_attention.heads, first.self_residual.norm_first
    activation = type(first.feed_forward[1])
    if not (
        all(type(stack.positions) is Sinusoidal for stack in (encoder, decoder))
        and all(isinstance(each.norm, nn.LayerNorm) and each.norm_first == norm_first for each in residuals)
        and all(isinstance(each.query_norm, nn.Identity) and each.heads == heads for each in attentions)
        and all(each.scale == (encoder.width // heads) ** -0.5 for each in attentions)
        and all(type(each.feed_forward[1]) is activation for each in all_layers)
        and activation in ACTIVATIONS
    ):
        raise UserError(
            "ckpt: the comparison with CTranslate2 needs a Transformer with model/positions=sinusoidal, norm=layer, "
            "scale_scores=true and qk_norm=false, and with equal heads, activation and norm_first in all its layers"
        )
    spec = TransformerSpec.from_config(
        (len(layers), len(decoder_layers)),
        heads,
        pre_norm=norm_first,
        activation=ACTIVATIONS[activation],
    )
    table = encoder.positions.embed(torch.zeros(1, positions, encoder.width))[0]
    for stack, to, embeddings in (
        (encoder, spec.encoder, spec.encoder.embeddings[0]),
        (decoder, spec.decoder, spec.decoder.embeddings),
    ):
        embeddings.weight = _array(stack.embedding.weight)
        to.position_encodings.encodings = _array(table)
        if isinstance(stack.norm, nn.LayerNorm):
            _norm(to.layer_norm, stack.norm)
    _linear(spec.decoder.projection, decoder.output)
    for layer, to in zip(layers, spec.encoder.layer, strict=True):
        _self_attention(to.self_attention, layer.self_attention, layer.self_residual)
        _feed_forward(to.ffn, layer)
    for decoder_layer, to in zip(decoder_layers, spec.decoder.layer, strict=True):
        _self_attention(to.self_attention, decoder_layer.self_attention, decoder_layer.self_residual)
        cross = decoder_layer.cross_attention
        for each, linear in zip(to.attention.linear, (cross.query, cross.key_value, cross.output), strict=True):
            _linear(each, linear)
        _norm(to.attention.layer_norm, decoder_layer.cross_residual.norm)
        _feed_forward(to.ffn, decoder_layer)
    return spec


def _self_attention(spec: Any, attention: MultiHeadAttention, residual: Residual) -> None:
    """CTranslate2 projects to queries, keys and values with one matrix."""
    spec.linear[0].weight = _array(torch.cat((attention.query.weight, attention.key_value.weight)))
    spec.linear[0].bias = _array(torch.cat((attention.query.bias, attention.key_value.bias)))
    _linear(spec.linear[1], attention.output)
    _norm(spec.layer_norm, residual.norm)


def _feed_forward(spec: Any, layer: EncoderLayer | DecoderLayer) -> None:
    _linear(spec.linear_0, layer.feed_forward[0])
    _linear(spec.linear_1, layer.feed_forward[-1])
    _norm(spec.layer_norm, layer.feed_residual.norm)


def _linear(spec: Any, linear: nn.Module) -> None:
    spec.weight = _array(linear.weight)
    if linear.bias is not None:
        spec.bias = _array(linear.bias)


def _norm(spec: Any, norm: nn.Module) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _array(weight: Any) -> Any:
    return weight.detach().cpu().float().numpy()
