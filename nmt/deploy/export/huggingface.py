"""Hugging Face transformers (https://github.com/huggingface/transformers).

For positions, its Pegasus adds sines in the first half of the width and cosines in the second; ours alternate. So all
weights that read or write hidden states are put into this order of the width. The heads keep their own order, and what
a norm computes does not depend on the order.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, nn

from nmt.checkpoint import LoadedModel
from nmt.data.batches import pad
from nmt.deploy.export.base import (
    EngineTranslator,
    Exportable,
    Format,
    require_packages,
    require_settings,
    scaled_query,
    stacks,
    table,
    write_tokenizer,
)
from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.sinusoidal import Sinusoidal
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer
from nmt.search.beam import BeamSearch
from nmt.system.atomic import write_atomically
from nmt.text.languages import bcp47
from nmt.text.protect import Segment
from nmt.tokens import BOS, EOS, PAD, UNK
from nmt.translation.base import SearchRequest
from nmt.translation.loading import ManifestFile
from nmt.translation.translation import EncodedSource, ForcedPair

IDS: dict[str, Any] = {"pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS, "decoder_start_token_id": BOS}

EXAMPLE = """
```python
# pip install "transformers>=5" sentencepiece torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

folder = "."  # or the name of this model on the Hub
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForSeq2SeqLM.from_pretrained(folder)
batch = tokenizer([{tagged}], return_tensors="pt", padding=True)
for line in tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True):
    print(line)
```

The weights of the attention need `attn_implementation="eager"` in `from_pretrained` of the model, and
`output_attentions=True` in a call.

The tokenizer takes `>>xx<<` at the start of a line for the code of the language to translate to, which only a model of
several directions has. An empty line gets a translation too: leave it out.
"""


@dataclass(frozen=True, kw_only=True)
class HuggingFace(Format):
    """A folder for `from_pretrained`: Pegasus, a pre-norm Transformer, with Marian's tokenizer for SentencePiece."""

    name: ClassVar[str] = "huggingface"
    library: ClassVar[str] = "transformers"
    example: ClassVar[str] = EXAMPLE
    joint_because: ClassVar[str] = "Pegasus has one size for both sides"

    def require(self, loaded: LoadedModel) -> None:
        require_packages(self.name, "transformers")
        super().require(loaded)
        block = stacks(loaded.model, self.name)[0].block
        held: dict[str, list[Any]] = {"norm_first": [True], "norm": ["layer"], "activation": ["relu", "gelu"]}
        held |= {"qk_norm": [False], "attention_gate": [False], "positions": [Sinusoidal]}
        require_settings(loaded.model, self.name, **held)
        require_settings(loaded.model, self.name, activation=[block.activation], width=[block.width])

    def write(self, model: Exportable, folder: Path) -> None:
        write_tokenizer(model.loaded.tokenizer, folder)
        _pegasus(model.loaded.model, max(model.source_limit, model.target_limit)).save_pretrained(folder)
        (folder / "model.safetensors").chmod(0o644)  # safetensors lets only the owner read it
        for name, settings in _other_files(model).items():
            text = json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
            write_atomically(folder / f"{name}.json", text.encode())

    def open(self, folder: Path, manifest: ManifestFile) -> TransformersTranslator:
        return TransformersTranslator(folder, manifest)


def _pegasus(model: Seq2Seq, rows: int) -> Any:
    """Return the model as one of transformers, whose tables of positions have `rows` rows."""
    from transformers import PegasusConfig, PegasusForConditionalGeneration
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # greedy search has no length penalty, of which it warns
    encoder, decoder = stacks(model, HuggingFace.name)
    block = encoder.block
    config = PegasusConfig(
        **IDS,
        encoder_layers=len(encoder.layers),
        encoder_attention_heads=block.heads,
        encoder_ffn_dim=block.feed_forward,
        decoder_layers=len(decoder.layers),
        decoder_attention_heads=decoder.block.heads,
        decoder_ffn_dim=decoder.block.feed_forward,
        forced_eos_token_id=None,
        vocab_size=model.encoder.embedding.num_embeddings,
        d_model=block.width,
        activation_function=block.activation,
        scale_embedding=True,
        max_position_embeddings=rows,
        dropout=block.residual_dropout,
        attention_dropout=block.attention_dropout,
        activation_dropout=block.feed_forward_dropout,
        tie_word_embeddings=model.encoder.embedding.weight is model.decoder.output.weight,
    )
    found: Any = PegasusForConditionalGeneration(config)
    found.load_state_dict(tensors(model, rows))  # which raises an error if a weight is missing
    return found


def tensors(model: Seq2Seq, rows: int) -> dict[str, Tensor]:
    """Return the weights by their names in Pegasus. A table that several parts share is there under each name."""
    encoder, decoder = stacks(model, HuggingFace.name)
    order = torch.cat((torch.arange(0, encoder.block.width, 2), torch.arange(1, encoder.block.width, 2)))
    found = {
        "final_logits_bias": torch.zeros(1, model.decoder.output.out_features),
        "model.shared.weight": model.encoder.embedding.weight[:, order],  # nothing reads it if the tables differ
        "lm_head.weight": model.decoder.output.weight[:, order],
    }
    for name, stack in (("model.encoder", encoder), ("model.decoder", decoder)):
        found[f"{name}.embed_tokens.weight"] = stack.embedding.weight[:, order]
        found[f"{name}.embed_positions.weight"] = table(stack, rows)[:, order]
        found |= _norm(f"{name}.layer_norm", stack.norm, order)
        layers: Sequence[EncoderLayer | DecoderLayer] = stack.layers
        for number, layer in enumerate(layers):
            found |= _layer(f"{name}.layers.{number}", layer, order)
    return found


def _layer(name: str, layer: EncoderLayer | DecoderLayer, order: Tensor) -> dict[str, Tensor]:
    widen, narrow = cast(nn.Linear, layer.feed_forward[0]), cast(nn.Linear, layer.feed_forward[-1])
    found = {
        **_attention(f"{name}.self_attn", layer.self_attention, order),
        **_norm(f"{name}.self_attn_layer_norm", layer.self_residual.norm, order),
        f"{name}.fc1.weight": widen.weight[:, order],
        f"{name}.fc1.bias": widen.bias,
        f"{name}.fc2.weight": narrow.weight[order],
        f"{name}.fc2.bias": narrow.bias[order],
        **_norm(f"{name}.final_layer_norm", layer.feed_residual.norm, order),
    }
    if isinstance(layer, DecoderLayer):
        found |= _attention(f"{name}.encoder_attn", layer.cross_attention, order)
        found |= _norm(f"{name}.encoder_attn_layer_norm", layer.cross_residual.norm, order)
    return found


def _attention(name: str, attention: MultiHeadAttention, order: Tensor) -> dict[str, Tensor]:
    key_value = (each.chunk(2) for each in (attention.key_value.weight, attention.key_value.bias))
    parts = [scaled_query(attention), *zip(*key_value, strict=True)]
    found = {"out_proj.weight": attention.output.weight[order], "out_proj.bias": attention.output.bias[order]}
    for letter, (weight, bias) in zip("qkv", parts, strict=True):
        found |= {f"{letter}_proj.weight": weight[:, order], f"{letter}_proj.bias": bias}
    return {f"{name}.{key}": value for key, value in found.items()}


def _norm(name: str, norm: nn.Module, order: Tensor) -> dict[str, Tensor]:
    assert isinstance(norm, nn.LayerNorm)
    return {f"{name}.weight": norm.weight[order], f"{name}.bias": norm.bias[order]}


def _other_files(model: Exportable) -> dict[str, dict[str, Any]]:
    """Return the search that the model was compared with, and the settings and the vocabulary of Marian's tokenizer."""
    source, target = model.languages
    pieces = model.loaded.tokenizer.source_vocabulary
    return {
        "generation_config": {
            **IDS,
            "suppress_tokens": [PAD, BOS],
            "num_beams": model.search.beam_size,
            "length_penalty": model.search.length_penalty,
            "early_stopping": False,
            "max_new_tokens": model.target_limit,
        },
        "tokenizer_config": {
            "tokenizer_class": "MarianTokenizer",
            "source_lang": bcp47(source),
            "target_lang": bcp47(target),
            "pad_token": pieces[PAD],
            "unk_token": pieces[UNK],
            "bos_token": pieces[BOS],
            "eos_token": pieces[EOS],
            "split_special_tokens": True,  # otherwise "</s>" that someone wrote in a text would end the source
            "clean_up_tokenization_spaces": False,
            "model_max_length": model.source_limit,
        },
        "vocab": {piece: index for index, piece in enumerate(pieces)},
    }


class TransformersTranslator(EngineTranslator):
    """Translates with the model, tokenizer and search of transformers, for the comparison: no prefixes, no n-best."""

    engine = "transformers"
    device_type = "cpu"

    def __init__(self, folder: Path, manifest: ManifestFile) -> None:
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        super().__init__(folder, manifest)
        local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")  # only for `normalize`
            self._their_tokenizer: Any = AutoTokenizer.from_pretrained(folder, **local)
        self.model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder, **local, use_safetensors=True).eval()

    def encode(self, texts: Sequence[str | Segment]) -> list[EncodedSource]:
        """Return texts as `BaseTranslator.encode` does, with the ids that their tokenizer gives."""
        sources = super().encode(texts)
        tag = "".join(self.tokenizer.source_vocabulary[index] for index in self.tokenizer.tag)
        found = self._their_tokenizer([tag + each.read for each in sources])["input_ids"] if sources else []
        return [replace(source, ids=ids) for source, ids in zip(sources, found, strict=True)]

    def generated(self, requests: Sequence[SearchRequest], beam: BeamSearch, limit: int) -> list[list[list[int]]]:
        settings = {"num_beams": beam.beam_size, "length_penalty": beam.length_penalty, "max_new_tokens": limit}
        rows = self.model.generate(**_inputs([request.source for request in requests]), **settings).tolist()
        return [[row[1 : row.index(EOS) + 1] if EOS in row else row[1:]] for row in rows]

    @torch.inference_mode()
    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        read, targets = [[BOS, *pair.ids[:-1]] for pair in pairs], [pair.ids for pair in pairs]
        logits = self.model(**_inputs([pair.source for pair in pairs]), decoder_input_ids=pad(read)[0]).logits
        chosen = logits.log_softmax(-1).gather(2, pad(targets)[0].unsqueeze(2)).squeeze(2)  # (B, T)
        return [row[: len(ids)] for row, ids in zip(chosen, targets, strict=True)]


def _inputs(sources: Sequence[EncodedSource]) -> dict[str, Tensor]:
    ids, mask = pad([source.ids for source in sources])
    return {"input_ids": ids, "attention_mask": mask.long()}
