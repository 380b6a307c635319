"""Configs as the shipped YAML files give them, so that a file which lacks a field or has one too many fails here."""

import functools
import logging
from pathlib import Path

import pytest
import yaml

from nmt.config.compose import compose
from nmt.config.schema import read
from nmt.config.settings import DataConfig, TokenizerConfig
from nmt.data.encoded import encode_corpus
from nmt.data.pair import Split
from tests.data.number_texts import KEEP_ALL, Numbers

CONFIGS = Path(__file__).parents[2] / "configs"


@functools.cache
def shipped(name):
    return compose("train", [f"data={name}"])["data"]


@pytest.fixture
def data_config():
    """Return a maker of DataConfig: the shipped option `name` with changes."""

    def make(name="files", /, **changes):
        return read(shipped(name) | changes, DataConfig, "data")

    return make


@pytest.fixture(scope="session")
def tokenizer_config():
    """Return a maker of TokenizerConfig: the shipped file of that type with changes."""

    def make(type="unigram", /, **changes):
        return TokenizerConfig(**yaml.safe_load((CONFIGS / "tokenizer" / f"{type}.yaml").read_text("utf-8")) | changes)

    return make


@pytest.fixture
def heard():
    """Return a list that grows with the messages that the package logs."""
    messages = []

    class Listener(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())

    listener, logger = Listener(), logging.getLogger("nmt")
    level = logger.level
    logger.addHandler(listener)
    logger.setLevel(logging.INFO)
    yield messages
    logger.setLevel(level)
    logger.removeHandler(listener)


@pytest.fixture
def encode_pairs(tmp_path):
    """Return a maker of encoded corpora in tmp_path / "cache"."""

    def encode_pairs(
        pairs, tokenizer=None, filters=KEEP_ALL, *, text_digest="text", links=None, folder=tmp_path / "cache"
    ):
        split = Split(pairs, 10_000, text_digest, links)
        return encode_corpus(split, tokenizer or Numbers(), filters, folder=folder, linked=links is not None)

    return encode_pairs


@pytest.fixture
def cache_files(tmp_path):
    """Return a function that lists the cache's files."""
    return lambda: sorted((tmp_path / "cache").iterdir())
