"""The attention maps of a validation are made once for all callbacks that look at them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.errors import UserError
from nmt.lab.callbacks.samples import Samples
from nmt.lab.callbacks.watch import Watch
from tests.tiny_run import Run


def test_the_default_callbacks_are_the_plain_ones_and_those_of_the_laboratory() -> None:
    plain, default = (compose("train", [f"callbacks={name}"])["callbacks"] for name in ("plain", "default"))
    assert {name: default[name] for name in plain} == plain
    assert default.keys() - plain.keys() == {"data_report", "samples", "watch"}


def built(*words: str) -> Any:
    return build_objects(validate(compose("train", words))).callbacks["samples"]


def test_the_samples_get_the_views_of_the_run() -> None:
    found = built("views=[alti,integrated_gradients]", "views.integrated_gradients.tolerance=0.5").views
    assert list(found) == ["alti", "integrated_gradients"] and found["integrated_gradients"].tolerance == 0.5
    assert built().views == {}


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["views=alti", "model=rnn"], r"ALTI\+: it looks into the layers of a TransformerEncoder, but"),
        (["views=content_attention", "model=rnn", "model/attention=none"], "has no attention to the source"),
        (["views=alti", "callbacks=plain"], "views: got alti, but callbacks.samples, which draws them, is off; use"),
        (["views=integrated_gradients", "views.integrated_gradients.tolerance=0"], "tolerance: got 0, expected"),
        (["+callbacks.samples.views={}"], "callbacks.samples.views: the program sets this parameter"),
    ],
)
def test_views_that_cannot_be_drawn_are_refused_before_the_training(words: list[str], match: str) -> None:
    with pytest.raises(UserError, match=match):
        built(*words)


def test_all_callbacks_share_the_maps_of_a_validation(run: Run, monkeypatch) -> None:
    made: list[int] = []
    translations = [run.translator.translate(["a dog"])[0]] * 4

    def maps(translator: Any, translations: Any) -> dict[int, int]:
        made.append(len(translations))
        return dict(enumerate(range(len(translations))))

    monkeypatch.setattr("nmt.lab.callbacks.maps.attention_maps", maps)
    samples, watch = Samples(sentences=1), Watch(sentences=3)
    trainer: Any = SimpleNamespace(callbacks=[samples, watch])
    module: Any = SimpleNamespace(translator=run.translator, validation=SimpleNamespace(translations=translations))
    for _ in range(2):
        for callback in (samples, watch):
            callback.on_validation_start(trainer, module)
        assert list(samples.maps(trainer, module)) == [0] and list(watch.maps(trainer, module)) == [0, 1, 2]
    assert made == [3, 3]
