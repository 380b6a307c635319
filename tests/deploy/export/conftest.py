"""The run whose tokenizer and settings the exported models have."""

from __future__ import annotations

import pytest

from tests.tiny_run import Run, make_run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("export"))
