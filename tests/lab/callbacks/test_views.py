"""The default callbacks, and the views that the samples draw."""

from __future__ import annotations

from typing import Any

import pytest

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.errors import UserError


def test_the_default_callbacks_are_the_plain_ones_and_those_of_the_laboratory() -> None:
    plain, default = (compose("train", [f"callbacks={name}"])["callbacks"] for name in ("plain", "default"))
    assert {name: default[name] for name in plain} == plain
    assert default.keys() - plain.keys() == {"data_report", "samples", "watch"}


def built(*words: str) -> Any:
    return build_objects(validate(compose("train", words))).callbacks["samples"]


def test_the_samples_get_the_views_of_the_run() -> None:
    found = built("views=[alti,integrated_gradients]", "views.integrated_gradients.tolerance=0.5").views
    assert list(found) == ["alti", "integrated_gradients"] and found["integrated_gradients"].tolerance == 0.5


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["views=alti", "model=rnn"], r"ALTI\+: it looks into the layers of a TransformerEncoder, but"),
        (["views=alti", "callbacks=plain"], "views: got alti, but callbacks.samples, which draws them, is off; use"),
    ],
)
def test_views_that_cannot_be_drawn_are_refused_before_the_training(words: list[str], match: str) -> None:
    with pytest.raises(UserError, match=match):
        built(*words)
