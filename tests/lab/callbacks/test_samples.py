"""Samples: what they say before a training begins."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from nmt.data.pair import SentencePair
from nmt.lab.attention.fonts import FontBook
from nmt.lab.callbacks.samples import Samples
from tests.lab.attention.test_fonts import DEJAVU


@pytest.mark.parametrize("attends", [True, False])
def test_a_missing_font_is_told_before_training(
    attends: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("nmt.lab.attention.fonts.installed_fonts", lambda: (DEJAVU,))
    monkeypatch.setattr("nmt.lab.attention.fonts._book", FontBook())
    pairs = [SentencePair("a dog", "한 개"), SentencePair("a cat", "ไทย")]
    module: Any = SimpleNamespace(val_pairs=pairs, translator=SimpleNamespace(attends=attends))
    trainer: Any = SimpleNamespace(is_global_zero=True)
    with caplog.at_level(logging.WARNING):
        Samples(sentences=1).on_fit_start(trainer, module)
    told = [record.message for record in caplog.records]
    assert len(told) == attends and all("Hangul (개한)" in line for line in told)
