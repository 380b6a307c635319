"""Hugging Face transformers (https://github.com/huggingface/transformers).

Its classes add sines in the first half of the width and cosines in the second; ours alternate. So the width is put into
their order in all weights that read or write hidden states. The heads keep theirs. Norms do not care for the order.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import safetensors.torch
import torch
from torch import Tensor, nn

from nmt.checkpoint import LoadedModel
from nmt.data.batches import pad
from nmt.deploy.export.base import (
    EngineTranslator,
    Exportable,
    Format,
    require_packages,
    within_limits,
    write_tokenizer,
)
from nmt.deploy.export.transformer import Stack, raise_if_unsupported, scaled_query, stacks, table
from nmt.errors import UserError, raise_if_any
from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.learned import Learned
from nmt.models.positions.sinusoidal import Rotary, Sinusoidal
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import DecoderLayer, EncoderLayer
from nmt.search.base import Hypothesis, Search
from nmt.system.atomic import write_atomically
from nmt.tokens import BOS, EOS, PAD, UNK
from nmt.translation.base import SearchRequest
from nmt.translation.exported import ManifestFile
from nmt.translation.source import ForcedPair

IDS = {"pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS, "decoder_start_token_id": BOS}
OTHERS = "use format=ctranslate2"


@dataclass(frozen=True, kw_only=True)
class HuggingFace(Format):
    """A folder for `from_pretrained`: Pegasus for a pre-norm Transformer, Marian for a post-norm one.

    The tokenizer is Marian's, which reads our two SentencePiece models as they are.
    """

    name: ClassVar[str] = "huggingface"
    weights: ClassVar[str] = "model.safetensors"
    library: ClassVar[str] = "transformers"

    def require(self, loaded: LoadedModel) -> None:
        """Raise UserError for a model that neither Pegasus nor Marian computes, and if transformers is missing."""
        require_packages(self.name, "transformers")
        encoder, decoder = stacks(loaded.model, self.name)
        for side, stack in (("encoder", encoder), ("decoder", decoder)):
            raise_if_unsupported(side, _problems(stack), self.name)
        raise_if_unsupported("decoder", _differences(encoder, decoder), self.name)
        if encoder.block.norm_first and not loaded.tokenizer.joint:
            raise UserError(
                "ckpt: format=huggingface holds a pre-norm model with a joint vocabulary only, because Pegasus has one "
                f"size for both sides; train with tokenizer.joint=true or norm_first=false, or {OTHERS}"
            )

    def write(self, model: Exportable, folder: Path) -> None:
        network, rows = model.loaded.model, max(model.source_limit, model.target_limit)
        write_tokenizer(model.loaded.tokenizer, folder)
        content = safetensors.torch.save(tensors(network, rows), metadata={"format": "pt"})
        write_atomically(folder / self.weights, content)
        for name, settings in {"config": _config(network, rows), **_other_files(model)}.items():
            text = json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
            write_atomically(folder / f"{name}.json", text.encode())

    def open(self, folder: Path, manifest: ManifestFile) -> TransformersTranslator:
        return TransformersTranslator(folder, manifest)

    def example(self, model: Exportable) -> str:
        return EXAMPLE.format(sample=json.dumps(model.sample, ensure_ascii=False))


EXAMPLE = """
```python
# pip install "transformers>=5" sentencepiece torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

folder = "."  # or the name of this model on the Hub
tokenizer = AutoTokenizer.from_pretrained(folder)
model = AutoModelForSeq2SeqLM.from_pretrained(folder)
batch = tokenizer([{sample}], return_tensors="pt", padding=True)
for line in tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True):
    print(line)
```

The tokenizer takes `>>xx<<` at the start of a line for the code of a language, which this model does not have. An empty
line gets a translation too: leave it out.
"""


def _problems(stack: Stack) -> Iterator[str]:
    """Yield what neither Pegasus nor Marian computes, and what to use instead."""
    block, positions = stack.block, type(stack.positions)
    if block.norm != "layer":
        yield f"norm={block.norm}; {OTHERS}"
    if block.activation in ("geglu", "swiglu"):
        yield f"activation={block.activation}; {OTHERS}"
    for setting in ("qk_norm", "attention_gate"):
        if getattr(block, setting):
            yield f"{setting}; train with {setting}=false"
    if positions is not Sinusoidal:
        others = OTHERS if positions in (Learned, Rotary) else "train with model/positions=sinusoidal"
        yield f"the positions {positions.__name__}; {others}"


def _differences(encoder: Stack, decoder: Stack) -> Iterator[str]:
    """Yield in what the stacks differ that both classes set once."""
    for setting in ("norm_first", "activation", "width"):
        here, there = getattr(decoder.block, setting), getattr(encoder.block, setting)
        if here != there:
            yield f"{setting}={here}, and the encoder {setting}={there}; {OTHERS}"


def tensors(model: Seq2Seq, rows: int) -> dict[str, Tensor]:
    """Return the weights under the names of Pegasus and Marian, which are the same.

    The tables of positions have `rows` rows. A table that both sides and the output layer share is there once.
    """
    encoder, decoder = stacks(model, HuggingFace.name)
    order = torch.cat((torch.arange(0, encoder.block.width, 2), torch.arange(1, encoder.block.width, 2)))
    found = {**_embeddings(model, order), "final_logits_bias": torch.zeros(1, model.decoder.output.out_features)}
    for name, stack in (("model.encoder", encoder), ("model.decoder", decoder)):
        found[f"{name}.embed_positions.weight"] = table(stack, rows)[:, order]
        if stack.block.norm_first:
            found |= _norm(f"{name}.layer_norm", stack.norm, order)
    for number, layer in enumerate(encoder.layers):
        found |= _layer(f"model.encoder.layers.{number}", layer, order)
    for number, decoder_layer in enumerate(decoder.layers):
        name = f"model.decoder.layers.{number}"
        found |= _layer(name, decoder_layer, order)
        found |= _attention(f"{name}.encoder_attn", decoder_layer.cross_attention, order)
        found |= _norm(f"{name}.encoder_attn_layer_norm", decoder_layer.cross_residual.norm, order)
    return {name: value.detach().float().contiguous() for name, value in found.items()}


def _embeddings(model: Seq2Seq, order: Tensor) -> dict[str, Tensor]:
    """Return the tables that differ. The row of PAD stays, because it is a column of the output layer too."""
    source, target, output = (
        each.weight[:, order] for each in (model.encoder.embedding, model.decoder.embedding, model.decoder.output)
    )
    tied_target, tied_source = _ties(model)
    if tied_target and tied_source:
        return {"model.shared.weight": target}
    found = {"model.encoder.embed_tokens.weight": source, "model.decoder.embed_tokens.weight": target}
    found["lm_head.weight"] = output  # also where it is the decoder's: transformers 5.0 does not know that of Marian
    if stacks(model, HuggingFace.name)[0].block.norm_first:  # Pegasus has this table, though it reads the other two
        found["model.shared.weight"] = source.clone()
    return found


def _ties(model: Seq2Seq) -> tuple[bool, bool]:
    """Return whether the decoder's table is the output layer's, and whether it is the encoder's."""
    target = model.decoder.embedding.weight
    return target is model.decoder.output.weight, target is model.encoder.embedding.weight


def _layer(name: str, layer: EncoderLayer | DecoderLayer, order: Tensor) -> dict[str, Tensor]:
    """Return the self-attention and the feed-forward network of a layer."""
    widen, narrow = cast(nn.Linear, layer.feed_forward[0]), cast(nn.Linear, layer.feed_forward[-1])
    return {
        **_attention(f"{name}.self_attn", layer.self_attention, order),
        **_norm(f"{name}.self_attn_layer_norm", layer.self_residual.norm, order),
        f"{name}.fc1.weight": widen.weight[:, order],
        f"{name}.fc1.bias": widen.bias,
        f"{name}.fc2.weight": narrow.weight[order],
        f"{name}.fc2.bias": narrow.bias[order],
        **_norm(f"{name}.final_layer_norm", layer.feed_residual.norm, order),
    }


def _attention(name: str, attention: MultiHeadAttention, order: Tensor) -> dict[str, Tensor]:
    weights, biases = zip(
        scaled_query(attention),
        *zip(attention.key_value.weight.chunk(2), attention.key_value.bias.chunk(2), strict=True),
        strict=True,
    )
    found = {"out_proj.weight": attention.output.weight[order], "out_proj.bias": attention.output.bias[order]}
    for letter, weight, bias in zip("qkv", weights, biases, strict=True):
        found |= {f"{letter}_proj.weight": weight[:, order], f"{letter}_proj.bias": bias}
    return {f"{name}.{key}": value for key, value in found.items()}


def _norm(name: str, norm: nn.Module, order: Tensor) -> dict[str, Tensor]:
    assert isinstance(norm, nn.LayerNorm)
    return {f"{name}.weight": norm.weight[order], f"{name}.bias": norm.bias[order]}


def _config(model: Seq2Seq, rows: int) -> dict[str, Any]:
    """Return `config.json`. What it does not name has the right default in both classes."""
    encoder, decoder = stacks(model, HuggingFace.name)
    tied_target, tied_source = _ties(model)
    block = encoder.block
    kind, name = ("pegasus", "PegasusForConditionalGeneration") if block.norm_first else ("marian", "MarianMTModel")
    two_tables = {  # which Marian has and Pegasus has not
        "share_encoder_decoder_embeddings": tied_source and tied_target,
        "decoder_vocab_size": model.decoder.embedding.num_embeddings,
    }
    return {
        "architectures": [name],
        "model_type": kind,
        "dtype": "float32",
        **IDS,
        "forced_eos_token_id": None,
        "vocab_size": model.encoder.embedding.num_embeddings,
        "d_model": block.width,
        **{
            f"{side}_{key}": value
            for side, stack in (("encoder", encoder), ("decoder", decoder))
            for key, value in (
                ("layers", len(stack.layers)),
                ("attention_heads", stack.block.heads),
                ("ffn_dim", stack.block.feed_forward),
            )
        },
        "activation_function": block.activation,
        "scale_embedding": True,
        "max_position_embeddings": rows,
        "dropout": block.residual_dropout,
        "attention_dropout": block.attention_dropout,
        "activation_dropout": block.feed_forward_dropout,
        "tie_word_embeddings": tied_target and (tied_source or not block.norm_first),
        **({} if block.norm_first else two_tables),
    }


def _other_files(model: Exportable) -> dict[str, dict[str, Any]]:
    """Return the search that the model was compared with, and the settings and vocabularies of Marian's tokenizer."""
    tokenizer, (source, target) = model.loaded.tokenizer, model.languages
    pieces = tokenizer.source_vocabulary
    files: dict[str, dict[str, Any]] = {
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
            "source_lang": source,
            "target_lang": target,
            "separate_vocabs": not tokenizer.joint,
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
    if not tokenizer.joint:
        files["target_vocab"] = {piece: index for index, piece in enumerate(tokenizer.target_vocabulary)}
    return files


class TransformersTranslator(EngineTranslator):
    """Translates in transformers, on the processor, for the comparison: their model, their tokenizer, their search.

    It has no prefixes and no n-best lists. Raises UserError for a folder that transformers does not load whole.
    """

    engine = "transformers"

    def __init__(self, folder: Path, manifest: ManifestFile) -> None:
        super().__init__(folder, manifest)
        self.model, self._their_tokenizer = load(folder)

    @property
    def device_type(self) -> str:
        return "cpu"

    def source_ids(self, read: Sequence[str]) -> list[list[list[int]]]:
        """Return for each text, with all its marks, the ids that their tokenizer gives."""
        found = self._their_tokenizer(list(read), verbose=False)["input_ids"] if read else []
        return [[ids] for ids in found]

    def search_batch(self, requests: Sequence[SearchRequest], search: Search) -> list[list[Hypothesis]]:
        return within_limits(requests, lambda some, limit: self._search(some, search, limit))

    @torch.inference_mode()
    def _search(self, requests: Sequence[SearchRequest], search: Search, limit: int) -> list[list[Hypothesis]]:
        beam, sources = self.check_search(search), [request.source.ids[0] for request in requests]
        rows = self.model.generate(
            **_inputs(sources),
            do_sample=False,
            num_beams=beam.beam_size,
            length_penalty=beam.length_penalty if beam.beam_size > 1 else 1.0,  # it warns of what has no effect
            early_stopping=False,
            min_new_tokens=max(0, beam.min_length - 1),  # without eos
            no_repeat_ngram_size=beam.no_repeat_ngram_size,
            max_new_tokens=limit,
            suppress_tokens=[PAD, BOS],
        )
        tokens = [row[1 : row.index(EOS) + 1] if EOS in row else row[1:] for row in rows.tolist()]
        log_probs = [values.tolist() for values in self._log_probs(sources, tokens)]
        return [[Hypothesis(*each, beam.normalized(each[1]))] for each in zip(tokens, log_probs, strict=True)]

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        return self._log_probs([pair.source.ids[0] for pair in pairs], [pair.ids for pair in pairs])

    @torch.inference_mode()
    def _log_probs(self, sources: Sequence[list[int]], targets: Sequence[list[int]]) -> list[Tensor]:
        read = pad([[BOS, *ids[:-1]] for ids in targets])[0]
        logits = self.model(**_inputs(sources), decoder_input_ids=read).logits  # (B, T, V)
        chosen = logits.log_softmax(-1).gather(2, pad(targets)[0].unsqueeze(2)).squeeze(2)
        return [row[: len(ids)] for row, ids in zip(chosen, targets, strict=True)]


def _inputs(sources: Sequence[list[int]]) -> dict[str, Tensor]:
    ids, mask = pad(sources)
    return {"input_ids": ids, "attention_mask": mask.long()}


def load(folder: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer, without a program that the folder may hold or name.

    Raises UserError unless the file has each weight of the model: transformers would draw a missing one at random.
    """
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")  # only for `normalize`
        tokenizer = AutoTokenizer.from_pretrained(folder, **local)
    model, found = AutoModelForSeq2SeqLM.from_pretrained(
        folder, **local, use_safetensors=True, output_loading_info=True
    )
    problems = [f"{kind} {', '.join(sorted(map(str, names)))}" for kind, names in found.items() if names]
    raise_if_any([f"check: transformers has {problem}" for problem in problems])
    return model.eval(), tokenizer
