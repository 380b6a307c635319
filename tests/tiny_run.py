"""A run's folder with a tiny untrained checkpoint in it, for tests of what is done with one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from nmt import checkpoint
from nmt.build import build_model, search_node
from nmt.checkpoint import Checkpoint
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.system.run_files import best_checkpoint
from nmt.tokens import EOS
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

SCORES = {
    "bleu": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": None},
    "exact_match": {"_target_": "nmt.evaluation.metrics.exact_match.ExactMatch"},
}
WORDS = ("a man woman dog two red blue shirt rides sees the bike in snow, and reads.").split()  # noqa: SIM905


def sentences(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 12))) for _ in range(count)]


def stack(kind: str) -> dict[str, Any]:
    """Return the node of a tiny encoder or decoder; `kind` is "Encoder" or "Decoder"."""
    module = "nmt.models.transformer"
    block = {"width": 16, "heads": 2, "feed_forward": 32, "residual_dropout": 0.3}
    return {
        "_target_": f"{module}.Transformer{kind}",
        "layers": 2,
        "embedding_dropout": 0.3,
        "block": {"_target_": f"{module}.TransformerBlock", **block},
    }


@dataclass(frozen=True)
class Run:
    """A run's folder with a checkpoint in it, and its data beside it."""

    folder: Path
    data: Path
    translator: Translator


def make_run(root: Path) -> Run:
    """Return a run of an untrained Transformer, made in `root`."""
    data, folder = root / "corpus", root / "a run (1), it's ours"
    data.mkdir()
    for split, count in (("train", 60), ("test", 12)):
        lines = sentences(count, seed=count)
        (data / f"{split}.en").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        (data / f"{split}.de").write_text("".join(f"{line[::-1]}\n" for line in lines), encoding="utf-8")
    settings = TokenizerConfig(type="bpe", vocab_size=346, joint=True, character_coverage=1.0)
    pairs = [SentencePair(line, line[::-1]) for line in sentences(60, seed=60)]
    tokenizer = Tokenizer.train(Split.of(pairs), settings, cache_dir=None)
    model_config = {"tie_embeddings": "all", "encoder": stack("Encoder"), "decoder": stack("Decoder")}
    search = BeamSearch(beam_size=3, max_length_factor=1.0, max_length_extra=4, batch_tokens=200)
    plain = {"name": "tiny", "model": model_config, "search": search_node(search), "scores": SCORES}
    plain["data"] = data_config(data)
    model = make_model(model_config, tokenizer)
    checkpoint.save(Checkpoint(checkpoint.weights_of(model), plain, tokenizer, {}, 7), best_checkpoint(folder))
    return Run(folder, data, Translator(model, tokenizer, search, name="tiny", update=7))


def recurrent() -> dict[str, Any]:
    """Return the config of a tiny recurrent model with attention."""
    sizes = {"layers": 1, "embedding_width": 16}
    attention = {"_target_": "nmt.models.attention.additive.AdditiveAttention", "_partial_": True, "width": 8}
    return {
        "tie_embeddings": "none",
        "encoder": {"_target_": "nmt.models.rnn.RecurrentEncoder", "hidden_width": 8, **sizes},
        "decoder": {
            **{"_target_": "nmt.models.rnn_decoder.RecurrentDecoder", "width": 16, "readout_width": 16},
            **{"attention": attention, **sizes},
        },
    }


def save_other(run: Run, path: Path, tokenizer: Tokenizer | None = None, **data: Any) -> Path:
    """Save a tiny recurrent model beside `run`, with its tokenizer and data unless others are given."""
    plain = checkpoint.load(best_checkpoint(run.folder)).config
    plain = {**plain, "name": "other", "model": recurrent(), "data": {**plain["data"], **data}}
    tokenizer = tokenizer or run.translator.tokenizer
    weights = checkpoint.weights_of(make_model(plain["model"], tokenizer))
    checkpoint.save(Checkpoint(weights, plain, tokenizer, {}, 3), path)
    return path


def with_spans(run: Run, path: Path) -> Path:
    """Save the model of `run` as one that was trained with spans."""
    loaded = checkpoint.load(best_checkpoint(run.folder))
    config = {**loaded.config, "spans": {"braces": r"\{\w\}"}}
    weights = checkpoint.weights_of(run.translator.model)
    checkpoint.save(Checkpoint(weights, config, loaded.tokenizer, {}, 7), path)
    return path


def make_model(config: dict[str, Any], tokenizer: Tokenizer) -> Seq2Seq:
    sizes = {"source_vocab_size": tokenizer.source_vocab_size, "target_vocab_size": tokenizer.target_vocab_size}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        model = build_model(config, **sizes)
        for weights in model.parameters():  # peaked distributions, so that rounding decides nothing
            torch.nn.init.normal_(weights, std=0.35)
    return model


def data_config(path: Path) -> dict[str, Any]:
    return {
        **{"_target_": "nmt.data.sources.files.Files", "source_lang": "en", "target_lang": "de"},
        **{"path": str(path), "train": None, "val": None, "test": None, "val_size": 10, "seed": 0, "limit": None},
        **{"max_length": 128, "max_ratio": 4.0, "batch_tokens": 500, "eval_batch_tokens": 500},
    }


def ended(translations: Sequence[Translation]) -> list[Translation]:
    """Let each translation end at its last piece: the model of the tests is hardly trained and ends few of them."""
    found = [Hypothesis([*each.tokens[:-1], EOS], each.token_log_probs, each.score) for each in translations]
    return [replace(each, found=new) if each.tokens else each for each, new in zip(translations, found, strict=True)]
