"""The weights that a run begins with: parts of another model, another vocabulary, and weights that are not trained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from nmt.build import build_model
from nmt.checkpoint import Checkpoint, weights_of
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.tokens import WORD_MARK
from nmt.training.initial import begin_from, freeze, select
from tests.integration.small_training import SMALL_TRANSFORMER

LINES = [
    "the old house stands near the river",
    "an old man reads a book in the house",
    "a river runs near the old town",
]
MORE = ["the new houses of the town", "a reader of new books stands there", "the man ran to the rivers"]


def tokenizer_of(lines: Sequence[str], size: int) -> Tokenizer:
    split = Split.of([SentencePair(line, line) for line in lines])
    words = ["tokenizer=bpe", f"tokenizer.vocab_size={size}", "data=cldr"]
    return Tokenizer.train(split, validate(compose("train", words)).tokenizer, cache_dir=None)


def model_of(tokenizer: Tokenizer, *words: str) -> Seq2Seq:
    config: dict[str, Any] = compose("train", [*SMALL_TRANSFORMER, *words])["model"]
    sizes = {"source_vocab_size": tokenizer.source_vocab_size, "target_vocab_size": tokenizer.target_vocab_size}
    return build_model(config, **sizes).eval()


def start_of(model: Seq2Seq, tokenizer: Tokenizer) -> Checkpoint:
    return Checkpoint(weights_of(model), {"model": model.config}, tokenizer, {}, 7)


@pytest.fixture(scope="module")
def old() -> Tokenizer:
    return tokenizer_of(LINES, 330)


@pytest.fixture(scope="module")
def new() -> Tokenizer:
    return tokenizer_of([*LINES, *MORE], 350)


@pytest.mark.parametrize("ties", ["all", "target", "none"])
def test_equal_pieces_keep_what_the_model_computes_of_them(old: Tokenizer, new: Tokenizer, ties: str) -> None:
    before, after = (model_of(each, f"model.tie_embeddings={ties}") for each in (old, new))
    begin_from(start_of(before, old), after, new, [], "path")
    kept = [piece for piece in new.source_vocabulary if piece in {*old.source_vocabulary}]
    assert 300 < len(kept) < len(new.source_vocabulary)

    def logits(model: Seq2Seq, tokenizer: Tokenizer) -> torch.Tensor:
        places = [tokenizer.source_vocabulary.index(piece) for piece in kept]
        tokens = torch.tensor([places[-8:], places[-16:-8]])
        with torch.no_grad():
            hidden, _ = model(tokens, tokens > 0, tokens)
            return model.decoder.output(hidden)[..., places]

    torch.testing.assert_close(logits(after, new), logits(before, old), atol=1e-5, rtol=0)


def test_a_new_piece_begins_as_the_mean_of_the_pieces_that_spell_it(old: Tokenizer, new: Tokenizer) -> None:
    before, after = model_of(old), model_of(new)
    begin_from(start_of(before, old), after, new, [], "path")
    added = [piece for piece in new.source_vocabulary if piece not in {*old.source_vocabulary}]
    assert any(piece[0] == WORD_MARK for piece in added) and any(piece[0] != WORD_MARK for piece in added)
    for piece in added:
        row = after.encoder.embedding.weight[new.source_vocabulary.index(piece)]
        spelled, rest = list[str](), piece
        while rest:  # the longest first, which BPE does for these words too
            known = [each for each in old.source_vocabulary if rest.startswith(each)]
            spelled.append(max(known, key=len, default=f"<0x{ord(rest[0]):02X}>"))
            rest = rest[len(spelled[-1]) if known else 1 :]
        ids = [old.source_vocabulary.index(each) for each in spelled]
        torch.testing.assert_close(row, before.encoder.embedding.weight[ids].mean(0), msg=f"{piece}: {spelled}")


def test_parts_of_a_model_go_into_a_deeper_one(old: Tokenizer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    before, after = model_of(old), model_of(old, "model.encoder.layers=2", "model.decoder.layers=2")
    untouched = {name: value.clone() for name, value in weights_of(after).items()}
    begin_from(start_of(before, old), after, old, ["encoder"], "path")
    for name, value in weights_of(after).items():
        copied = name.startswith("encoder.") and not name.startswith("encoder.layers.1.")
        assert torch.equal(value, weights_of(before)[name] if copied else untouched[name]), name
    assert "the others begin new; not there, or in another shape: encoder.layers.1." in caplog.text
    with pytest.raises(UserError, match=r"do not fit this model .*init_parts=\[encoder\]"):
        begin_from(start_of(before, old), after, old, [], "path")


def test_frozen_parts_are_not_trained(old: Tokenizer) -> None:
    model = model_of(old)
    freeze(model, ["embeddings", "encoder.layers.0.self_attention", "*.bias"])
    left = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert left and not any(name.endswith("bias") or "encoder.layers.0.self_attention" in name for name in left)
    assert not model.encoder.embedding.weight.requires_grad and not model.decoder.output.weight.requires_grad
    with pytest.raises(UserError, match=r"freeze: got \[encoder,decoder\], which is the complete model"):
        freeze(model, ["encoder", "decoder"])
    message = r"^freeze: got 'encodr', expected embeddings, a module .*; did you mean 'encoder'\?$"
    with pytest.raises(UserError, match=message):
        select(["encodr"], dict(model.named_parameters()), model, key="freeze")
