"""Configs as the shipped YAML files give them, so that a file which lacks a field or has one too many fails here."""

import functools
import logging
from pathlib import Path

import pytest
import yaml

from nmt.config.compose import compose
from nmt.config.schema import read
from nmt.config.settings import DataConfig, TokenizerConfig

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
