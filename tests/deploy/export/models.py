"""Tiny models for tests of formats, as a program loads them from a checkpoint."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nmt import checkpoint
from nmt.checkpoint import LoadedModel
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.deploy.export.base import Exportable, Format, write
from nmt.search.beam import BeamSearch
from nmt.system.run_files import best_checkpoint
from nmt.text.protect import Spans
from nmt.text.terms import NO_TERMS, Terms
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import make_translator
from nmt.translation.translation import Translation
from nmt.translation.translator import ModelTranslator
from tests.tiny_run import Run, make_model, sentences

SEARCH = BeamSearch(normalization="power", length_penalty=0.6, max_length_factor=1.0, max_length_extra=6)
TEXTS = [*sentences(20, seed=5), "A  naïve café\u0301 ☃", "two red dogs, two blue dogs."]


def transformer(
    run: Run,
    positions: str | dict[str, Any] | None = None,
    sides: str = "encoder decoder",
    ties: str = "none",
    tokenizer: Tokenizer | None = None,
    **block: Any,
) -> LoadedModel:
    """Return a Transformer with these settings in the blocks of these sides, and the tokenizer of `run` or this one."""
    assert run.translator.model.config is not None
    config: Any = {**copy.deepcopy(dict(run.translator.model.config)), "tie_embeddings": ties}
    for side in sides.split():
        config[side]["block"].update(block)
    for side in ("encoder", "decoder") if positions else ():
        node = {"_target_": positions} if isinstance(positions, str) else positions
        config[side]["positions"] = {**(node or {}), "_partial_": True}
    return loaded(run, config, tokenizer)


def two_vocabularies() -> Tokenizer:
    """Return a tokenizer with a larger vocabulary for the target than for the source."""
    pairs = Split.of([SentencePair(line, line[::-1].upper()) for line in sentences(60, seed=60)])
    settings = TokenizerConfig(type="bpe", vocab_size=330, joint=False, character_coverage=1.0)
    one, two = (Tokenizer.train(pairs, replace(settings, vocab_size=size), cache_dir=None) for size in (330, 340))
    return Tokenizer(one.source_model, two.target_model)


def loaded(run: Run, config: Any, tokenizer: Tokenizer | None = None) -> LoadedModel:
    """Return a model of this config with the tokenizer of `run` or this one. No weight is at its initial value."""
    tokenizer = tokenizer or run.translator.tokenizer
    plain = {**checkpoint.load(best_checkpoint(run.folder)).config, "model": config}
    model = make_model(config, tokenizer).eval()
    with torch.no_grad():
        for norm in (each for each in model.modules() if isinstance(each, torch.nn.LayerNorm | torch.nn.RMSNorm)):
            norm.weight.add_(1.0)
            if isinstance(norm, torch.nn.LayerNorm):  # a large bias of the last norm would decide every token
                norm.bias.mul_(0.2)
    return LoadedModel(model, tokenizer, plain, {"val": {"bleu": 1.5}}, 7, run.folder)


def exported(format: Format, model: LoadedModel, folder: Path) -> tuple[ModelTranslator, BaseTranslator]:
    """Write a model, and return its translator and that of the written files. Both have the same search."""
    format.require(model)
    exportable = Exportable(model, SEARCH, TEXTS[0])
    folder.mkdir()
    manifest = write(format, exportable, folder)
    return make_translator([model], SEARCH), format.open(folder, manifest)


def largest_difference(ours: BaseTranslator, theirs: BaseTranslator) -> float:
    """Return the largest difference of the log-probabilities of the tokens of given translations."""
    targets = [text[::-1] for text in TEXTS]
    scored = zip(ours.score(TEXTS, targets), theirs.score(TEXTS, targets), strict=True)
    pairs = [pair for a, b in scored for pair in zip(a.token_log_probs, b.token_log_probs, strict=True)]
    return float(np.max([abs(a - b) for a, b in pairs]))  # NaN if there is one


def same(pair: Sequence[BaseTranslator], texts: Sequence[str], **fields: Any) -> list[Translation]:
    """Return the translations of a written model, and assert that their tokens are those of its checkpoint."""
    ours, theirs = (each.translate(texts, **fields) for each in pair)
    assert [each.tokens for each in ours] == [each.tokens for each in theirs], fields
    return theirs


def check_spans(format: Format, run: Run, folder: Path) -> None:
    """Assert that a written model keeps spans and reads terms, and translates both as its checkpoint does."""
    spans = Spans({"braces": r"\{\w\}"})
    model = transformer(run, tokenizer=run.translator.tokenizer.with_spans(spans))
    model = replace(model, config={**model.config, "spans": spans.patterns})
    texts = [f"{{b}} {text} {{a}}" for text in TEXTS]
    terms = Terms({"dog": "Hund", "man": "Mann"})
    translators = [translator.with_terms(terms) for translator in exported(format, model, folder)]
    found = same(translators, texts, beam_size=1)
    assert all(sorted(spans.find(each.text)) == ["{a}", "{b}"] for each in found)
    ids = [[part.ids for part in translator.encode(texts)] for translator in translators]
    plain = translators[1].with_terms(NO_TERMS).encode(texts)
    assert ids[0] == ids[1] != [part.ids for part in plain]
