"""CTranslate2, an engine in C++ for Transformers (https://github.com/OpenNMT/CTranslate2)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import numpy as np
import torch
from torch import Tensor, nn

from nmt.build import build_model
from nmt.checkpoint import LoadedModel
from nmt.data.tokenizer import Tokenizer
from nmt.deploy.export.base import (
    EngineTranslator,
    Exportable,
    Format,
    Stack,
    require_packages,
    require_settings,
    scaled_query,
    stacks,
    table,
    write,
    write_tokenizer,
)
from nmt.deploy.export.check import exportable_search
from nmt.errors import UserError
from nmt.models.layers import GatedLinearUnit, shapes_only
from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.learned import Learned
from nmt.models.positions.sinusoidal import Rotary, Sinusoidal
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer, Residual
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, EOS, PAD, UNK
from nmt.translation.base import SearchRequest
from nmt.translation.loading import REMEDY, WEIGHTS, ManifestFile, resolve_device
from nmt.translation.translation import EncodedSource, ForcedPair

Quantization = Literal["float32", "float16", "bfloat16", "int16", "int8"]
RMS_EPSILON = torch.finfo(torch.float32).eps  # what nn.RMSNorm uses by default
SCORED = 512  # tokens that are scored at once: with more, the table of all probabilities makes it slower
SEARCHED = 512  # source tokens that a thread of the processor searches at once
USUAL_LENGTH = 15  # tokens of a translation, as in our examples

EXAMPLE = """
```python
# pip install ctranslate2 sentencepiece
import ctranslate2
import sentencepiece

source, target = (sentencepiece.SentencePieceProcessor(model_file=name) for name in ("source.spm", "target.spm"))
translator = ctranslate2.Translator(".")
lines = [{sample}]
results = translator.translate_batch(
    {encode},
    beam_size={model.search.beam_size},
    length_penalty={model.search.length_penalty},
    patience=2,
    min_decoding_length=0,
    max_decoding_length={model.target_limit},
    suppress_sequences=[["<pad>"], ["<s>"]],
)
for result in results:
    print(target.decode(result.hypotheses[0]))
```
"""


@dataclass(frozen=True, kw_only=True)
class CTranslate2(Format):
    """A folder for `ctranslate2.Translator`. `quantization` is the type of the weights in the file."""

    name: ClassVar[str] = "ctranslate2"
    library: ClassVar[str] = "ctranslate2"
    example: ClassVar[str] = EXAMPLE
    quantization: Quantization = "float32"

    def require(self, loaded: LoadedModel) -> None:
        require_packages(self.name, "ctranslate2")
        super().require(loaded)
        # With qk_norm, CTranslate2's cross attention normalizes before it splits the heads, so its numbers are wrong.
        positions = [Sinusoidal, Learned, Rotary]
        require_settings(loaded.model, self.name, qk_norm=[False], attention_gate=[False], positions=positions)

    def write(self, model: Exportable, folder: Path) -> None:
        tokenizer = model.loaded.tokenizer
        write_tokenizer(tokenizer, folder)
        spec = specification(model)
        spec.register_source_vocabulary(list(tokenizer.source_vocabulary))
        spec.register_target_vocabulary(list(tokenizer.target_vocabulary))
        for key, value in engine_settings(tokenizer, model.loaded.model).items():
            setattr(spec.config, key, value)
        spec.validate()
        spec.optimize(quantization=self.quantization)
        spec.save(str(folder))

    def open(self, folder: Path, manifest: ManifestFile) -> CTranslate2Translator:
        return CTranslate2Translator(folder, manifest, quantization=self.quantization)


def engine_settings(tokenizer: Tokenizer, model: Seq2Seq) -> dict[str, Any]:
    """Return the content of config.json, which CTranslate2 reads."""
    from ctranslate2.specs.transformer_spec import TransformerConfig

    pieces = tokenizer.target_vocabulary
    tokens = {"bos_token": pieces[BOS], "eos_token": pieces[EOS], "unk_token": pieces[UNK]}
    epsilon = RMS_EPSILON if stacks(model, CTranslate2.name)[0].block.norm == "rms" else None
    config = TransformerConfig(epsilon, **tokens, decoder_start_token=pieces[BOS], add_source_eos=True)
    return dict(config.to_dict())


def specification(exportable: Exportable) -> Any:
    """Return the specification of a Transformer, with copies of its weights: quantization changes them in place.

    Its tables of positions have as many rows as the limits of source and target, in tokens.
    """
    from ctranslate2.specs import TransformerSpec
    from ctranslate2.specs.transformer_spec import TransformerDecoderSpec, TransformerEncoderSpec

    model = exportable.loaded.model
    encoder, decoder = stacks(model, CTranslate2.name)
    spec = TransformerSpec(
        TransformerEncoderSpec(len(encoder.layers), encoder.block.heads, **_settings(encoder)),
        TransformerDecoderSpec(len(decoder.layers), decoder.block.heads, **_settings(decoder)),
    )
    _stack(spec.encoder, spec.encoder.embeddings[0], encoder, exportable.source_limit)
    _stack(spec.decoder, spec.decoder.embeddings, decoder, exportable.target_limit)
    _linear(spec.decoder.projection, model.decoder.output)
    layers = chain[EncoderLayer | DecoderLayer](encoder.layers, decoder.layers)
    for layer, to in zip(layers, chain(spec.encoder.layer, spec.decoder.layer), strict=True):
        _attention(to.self_attention, layer.self_attention, layer.self_residual)
        if isinstance(layer, DecoderLayer):
            _attention(to.attention, layer.cross_attention, layer.cross_residual)
        _feed_forward(to.ffn, layer)
    return spec


def _settings(stack: Stack) -> dict[str, Any]:
    from ctranslate2.specs.common_spec import Activation

    block = stack.block
    relu, gelu, swish = Activation.RELU, Activation.GELU, Activation.SWISH
    return {
        "pre_norm": block.norm_first,
        "activation": {"relu": relu, "gelu": gelu, "geglu": gelu, "swiglu": swish}[block.activation],
        "ffn_glu": block.activation in ("geglu", "swiglu"),
        "rms_norm": block.norm == "rms",
        "rotary_dim": 0 if type(stack.positions) is Rotary else None,
        "rotary_interleave": True,
    }


def _stack(spec: Any, embeddings: Any, stack: Stack, count: int) -> None:
    embeddings.weight = _array(stack.embedding.weight)
    if type(stack.positions) is not Rotary:
        # To score a translation that was cut, the engine adds an eos, which needs one more row.
        spec.position_encodings.encodings = _array(nn.functional.pad(table(stack, count), (0, 0, 0, 1)))
    if stack.block.norm_first:
        _norm(spec.layer_norm, stack.norm)


def _attention(spec: Any, attention: MultiHeadAttention, residual: Residual) -> None:
    """In self-attention, CTranslate2 projects to queries, keys and values with one matrix."""
    weight, bias = scaled_query(attention)
    if len(spec.linear) == 2:
        weight, bias = torch.cat((weight, attention.key_value.weight)), torch.cat((bias, attention.key_value.bias))
    else:
        _linear(spec.linear[1], attention.key_value)
    spec.linear[0].weight, spec.linear[0].bias = _array(weight), _array(bias)
    _linear(spec.linear[-1], attention.output)
    _norm(spec.layer_norm, residual.norm)


def _feed_forward(spec: Any, layer: EncoderLayer | DecoderLayer) -> None:
    """With a gated linear unit, CTranslate2 has a matrix for the gate and another for the values."""
    widen = cast(nn.Linear, layer.feed_forward[0])
    gated = isinstance(layer.feed_forward[1], GatedLinearUnit)
    parts = (spec.linear_0, spec.linear_0_noact) if gated else (spec.linear_0,)
    for part, weight, bias in zip(parts, *(each.chunk(len(parts)) for each in (widen.weight, widen.bias)), strict=True):
        part.weight, part.bias = _array(weight), _array(bias)
    _linear(spec.linear_1, layer.feed_forward[-1])
    _norm(spec.layer_norm, layer.feed_residual.norm)


def _linear(spec: Any, linear: nn.Module) -> None:
    spec.weight = _array(linear.weight)
    if linear.bias is not None:
        spec.bias = _array(linear.bias)


def _norm(spec: Any, norm: nn.Module) -> None:
    spec.gamma = _array(norm.weight)
    if isinstance(norm, nn.LayerNorm):
        spec.beta = _array(norm.bias)


def _array(weight: Any) -> np.ndarray[Any, Any]:
    return np.array(weight.detach().float().numpy())


class CTranslate2Translator(EngineTranslator):
    """Translates in CTranslate2 with the weights and the tokenizers of a folder.

    The engine gets its settings and vocabularies anew, because those of a stranger's folder could say anything. It
    computes in the type `quantization` of the weights if the device has it, otherwise in float32. On the processor,
    it has as many threads as torch, and each of them translates sentences of its own, because the products of a
    decoding step are too small to be divided. Raises UserError if the package is missing or the files are damaged.
    """

    engine = "CTranslate2"

    def __init__(
        self,
        folder: Path,
        manifest: ManifestFile,
        *,
        quantization: Quantization,
        device: str = "cpu",
        search: Search | None = None,
    ) -> None:
        require_packages("ctranslate2", "ctranslate2")
        import ctranslate2

        super().__init__(folder, manifest, search)
        self._source_pieces, self._target_pieces = self.tokenizer.source_vocabulary, self.tokenizer.target_vocabulary
        self._ids = {piece: index for index, piece in enumerate(self._target_pieces)}
        pieces = {"source": self._source_pieces, "target": self._target_pieces}
        with shapes_only():
            sizes: dict[str, Any] = {f"{side}_vocab_size": len(pieces[side]) for side in pieces}
            model = build_model(manifest["config"]["model"], **sizes)
        contents: dict[str, Any] = {f"{side}_vocabulary": pieces[side] for side in pieces}
        contents["config"] = engine_settings(self.tokenizer, model)
        files = {f"{name}.json": json.dumps(content).encode() for name, content in contents.items()}
        place = resolve_device(device)
        threads, supported = torch.get_num_threads(), ctranslate2.get_supported_compute_types(place.type)
        try:
            self.translator = ctranslate2.Translator(
                str(folder),
                files={**files, WEIGHTS: (folder / WEIGHTS).read_bytes()},
                device=place.type,
                device_index=place.index or 0,
                compute_type=quantization if quantization in supported else "float32",
                inter_threads=threads if place.type == "cpu" else 1,
                intra_threads=1,
            )
        except (RuntimeError, ValueError) as error:
            raise UserError(f"{folder / WEIGHTS}: CTranslate2 cannot load it ({error}); {REMEDY}") from error
        torch.set_num_threads(threads)  # CTranslate2 has changed it to its intra_threads

    @property
    def device_type(self) -> str:
        return str(self.translator.device)

    @contextmanager
    def computing(self, search: Search) -> Iterator[int]:
        """On a CPU, a second worker makes the texts of a batch while the engine searches another one."""
        yield 2 if self.device_type == "cpu" else 1

    def generated(self, requests: Sequence[SearchRequest], beam: BeamSearch, limit: int) -> list[list[list[int]]]:
        results = self.translator.translate_batch(
            [self._source(request.source) for request in requests],
            target_prefix=[[self._target_pieces[index] for index in request.prefix] or None for request in requests],
            max_batch_size=SEARCHED if self.device_type == "cpu" else 0,
            batch_type="tokens",
            beam_size=beam.beam_size,
            num_hypotheses=beam.n_best,
            length_penalty=beam.length_penalty,
            patience=2,  # with 1, a search may end before its best hypothesis
            min_decoding_length=min(max(0, beam.min_length - 1), limit),  # without eos
            no_repeat_ngram_size=beam.no_repeat_ngram_size,
            max_decoding_length=limit,
            max_input_length=0,
            suppress_sequences=[[self._target_pieces[PAD]], [self._target_pieces[BOS]]],
            return_end_token=True,
        )
        return [[[self._ids[name] for name in names] for names in result.hypotheses] for result in results]

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        results = self.translator.score_batch(
            [self._source(pair.source) for pair in pairs],
            [[self._target_pieces[index] for index in pair.ids if index != EOS] for pair in pairs],  # which it adds
            max_input_length=0,
            max_batch_size=SCORED,
            batch_type="tokens",
        )
        return [torch.tensor(each.log_probs[: len(pair.ids)]) for each, pair in zip(results, pairs, strict=True)]

    def _source(self, source: EncodedSource) -> list[str]:
        """Return the pieces of a source without eos, which CTranslate2 adds."""
        return [self._source_pieces[index] for index in source.ids[:-1]]


class ConvertedRun(CTranslate2Translator):
    """Translates with a run in CTranslate2, to which it is converted when it is loaded; its files are not kept.

    The penalty of the formula of Wu et al. 2016 becomes the power of the length that grows as fast at `USUAL_LENGTH`.
    Raises UserError for a model and for a search that the engine does not have.
    """

    def __init__(self, loaded: LoadedModel, *, device: str, search: Search) -> None:
        form = CTranslate2()
        form.require(loaded)
        loaded.model.cpu()  # numpy reads the weights
        if isinstance(search, BeamSearch) and search.normalization == "gnmt":
            penalty = exportable_search(search, USUAL_LENGTH).length_penalty
            search = search.replace(normalization="power", length_penalty=penalty)
        beam = self.check_search(search)
        with tempfile.TemporaryDirectory() as folder:
            manifest = write(form, Exportable(loaded, beam, ""), Path(folder))
            super().__init__(Path(folder), manifest, quantization=form.quantization, device=device)
