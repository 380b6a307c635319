"""The content of a checkpoint with a tiny Transformer, and how a file is refused."""

from dataclasses import replace

import pytest

from nmt import checkpoint
from nmt.checkpoint import Checkpoint
from nmt.errors import UserError

BLOCK = {"_target_": "nmt.models.transformer.TransformerBlock", "width": 8, "heads": 2, "feed_forward": 8}


SIZES = {"layers": 1, "block": BLOCK}


CONFIG = {
    "model": {
        "tie_embeddings": "all",
        "encoder": {"_target_": "nmt.models.transformer.TransformerEncoder", **SIZES},
        "decoder": {"_target_": "nmt.models.transformer.TransformerDecoder", **SIZES},
    },
    "search": {"_target_": "nmt.search.beam.BeamSearch"},
    "name": "tiny",
}


def with_model(**nodes):
    return {**CONFIG, "model": {**CONFIG["model"], **nodes}}


def content(parts, **changes):
    tokenizer, model = parts
    found = Checkpoint(checkpoint.weights_of(model), CONFIG, tokenizer, {"val": {"bleu": 1.5}}, 7)
    return replace(found, **changes)


def refused(path, match, load=checkpoint.load_model):
    with pytest.raises(UserError, match=match) as error:
        load(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)
