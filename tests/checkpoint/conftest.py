"""The parts of a tiny checkpoint, and its file."""

import random

import pytest
import torch

from nmt import checkpoint
from nmt.build import build_model
from nmt.config.settings import TokenizerConfig
from nmt.data.pair import SentencePair, Split
from nmt.data.tokenizer import Tokenizer
from tests.checkpoint.tiny import CONFIG, content


@pytest.fixture(scope="module")
def parts():
    draw = random.Random(0)
    words = ["a", "man", "rides", "red", "bike", "ein", "Mann", "fährt", "rot", "Rad"]
    pairs = [SentencePair(" ".join(draw.choices(words, k=5)), " ".join(draw.choices(words, k=5))) for _ in range(60)]
    config = TokenizerConfig(type="bpe", vocab_size=310, joint=True, character_coverage=1.0)
    tokenizer = Tokenizer.train(Split.of(pairs), config, cache_dir=None)
    size = tokenizer.source_vocab_size
    torch.manual_seed(0)
    return tokenizer, build_model(CONFIG["model"], source_vocab_size=size, target_vocab_size=size)


@pytest.fixture
def saved(parts, tmp_path):
    path = tmp_path / "run" / "checkpoints" / "best.safetensors"
    checkpoint.save(content(parts), path)
    return path
