"""Samples: what they say before a training begins, their table in TensorBoard, and the views that they draw."""

from __future__ import annotations

import html
import logging
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pytorch_lightning.loggers import TensorBoardLogger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugin_util import markdown_to_safe_html

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from nmt.lab.callbacks.samples import Samples
from nmt.training.validation import Validation
from tests.lab.attention.test_fonts import DEJAVU


@pytest.mark.parametrize("attends", [True, False])
def test_a_missing_font_is_told_before_training(
    attends: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("nmt.lab.attention.fonts.installed_fonts", lambda: (DEJAVU,))
    monkeypatch.setattr("nmt.lab.attention.fonts._told", set())
    pairs = [SentencePair("a dog", "한 개"), SentencePair("a cat", "ไทย")]
    module: Any = SimpleNamespace(val_pairs=pairs, translator=SimpleNamespace(attends=attends))
    trainer: Any = SimpleNamespace(is_global_zero=True)
    with caplog.at_level(logging.WARNING):
        Samples(sentences=1).on_fit_start(trainer, module)
    told = [record.message for record in caplog.records]
    assert len(told) == attends and all("Hangul (개한)" in line for line in told)


def test_tensorboard_shows_marks_as_they_are(tmp_path: Path) -> None:
    texts = [
        "C:\\|x",
        "PDF \\| x",
        "__init__ and *args, **kw",
        "<b>OK</b> or &lt;Enter&gt;.<br/>",
        "`a|b` [c](http://d)",
        "개_한 \u0915\u094d",
    ]
    translations: Any = [SimpleNamespace(text=text, tokens=[]) for text in texts]
    module: Any = SimpleNamespace(
        scored={"": SimpleNamespace(splits={"val": [SentencePair(text, "Ein Hund.") for text in texts]})},
        validation=Validation(1, {}, {"": translations}),
        translator=SimpleNamespace(attends=False),
    )
    logger = TensorBoardLogger(tmp_path, name="", version="")
    samples = Samples(sentences=len(texts))
    trainer: Any = SimpleNamespace(logger=logger, callbacks=[samples], is_global_zero=True, global_step=1)
    samples.on_validation_end(trainer, module)
    logger.experiment.close()
    (event,) = EventAccumulator(str(tmp_path)).Reload().Tensors("translations/text_summary")
    cells = re.findall("<td>(.*?)</td>", markdown_to_safe_html(event.tensor_proto.string_val[0]), re.DOTALL)
    assert [html.unescape(cell) for cell in cells] == [cell for text in texts for cell in (text, "Ein Hund.", text)]


def test_the_default_callbacks_are_the_plain_ones_and_those_of_the_laboratory() -> None:
    plain, default = (compose("train", [f"callbacks={name}"])["callbacks"] for name in ("plain", "default"))
    assert {name: default[name] for name in plain} == plain
    assert default.keys() - plain.keys() == {"data_report", "samples", "watch"}


def built(*words: str) -> Any:
    return build_objects(validate(compose("train", words))).callbacks["samples"]


def test_the_samples_get_the_views_of_the_run() -> None:
    found = built("views=[alti,integrated_gradients]", "views.integrated_gradients.tolerance=0.5").views
    assert list(found) == ["alti", "integrated_gradients"] and found["integrated_gradients"].tolerance == 0.5


def test_views_that_cannot_be_drawn_are_refused_before_the_training() -> None:
    with pytest.raises(UserError, match=r"ALTI\+: it looks into the layers of a TransformerEncoder, but"):
        built("views=alti", "model=rnn")
