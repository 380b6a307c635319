"""Configs as the shipped YAML files give them, so that a file which lacks a field or has one too many fails here."""

from pathlib import Path

import pytest
import yaml

from nmt.config.settings import DataConfig, TokenizerConfig

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def data_config():
    """Return a maker of DataConfig: the shipped file `name` with changes."""

    def make(name="files", /, **changes):
        shipped = yaml.safe_load((CONFIGS / "data" / f"{name}.yaml").read_text("utf-8"))
        return DataConfig(**shipped.get("data", shipped) | changes)

    return make


@pytest.fixture
def tokenizer_config():
    """Return a maker of TokenizerConfig: the shipped file of that type with changes."""

    def make(type="unigram", /, **changes):
        return TokenizerConfig(**yaml.safe_load((CONFIGS / "tokenizer" / f"{type}.yaml").read_text("utf-8")) | changes)

    return make


@pytest.fixture
def heard():
    """Return a list that stands in for `say`: pass `heard.append`."""
    return []
