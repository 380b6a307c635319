"""Watch: its figures of a validation, and its advice."""

from __future__ import annotations

import copy
import logging
import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.bleu import BLEU
from nmt.lab.attention.measures import scalars
from nmt.lab.callbacks.watch import MANY, SATURATED, Watch
from nmt.search.base import Hypothesis
from nmt.text.protect import Segment
from nmt.tokens import EOS
from nmt.training.validation import Validation
from nmt.translation.translation import EncodedSource, Translation
from tests.tiny_run import Run

WORDS = ["red", "green", "blue", "white", "black", "brown", "grey", "pink", "gold", "lime"]
PAIRS = [SentencePair(f"source {word}", f"the {word} dog runs to a {word} house {word}") for word in WORDS]
RIGHT = [pair.target for pair in PAIRS]


class Runs:
    """The parts of a training that the callback reads, one validation after another."""

    def __init__(self, translator: Any = None) -> None:
        self.figures: dict[str, float] = {}
        self.callback = Watch()
        self.translator = translator or SimpleNamespace(attends=False)

    def validate(
        self, texts: list[str], *, val: float = 1.0, train: float = 1.0, share: float = 0.9, update: int = 2000
    ) -> None:
        ids, sources = [5, 6, EOS], [Segment((pair.source,)) for pair in PAIRS]
        self.translations = [
            Translation(EncodedSource(source, ids), Segment((text,)), Hypothesis(ids, [0.0] * 3, 0.0), self.translator)
            for source, text in zip(sources, texts, strict=True)
        ]
        scores = {"loss": val, "perplexity": math.exp(val), "bleu": BLEU().score(texts, RIGHT).value}
        view: Any = SimpleNamespace(
            val_pairs=PAIRS,
            metrics={"bleu": BLEU()},
            validation=Validation(update, scores, {"": self.translations}),
            meter=SimpleNamespace(train_loss=train, train_nll=train),
            progress=lambda: share,
            translator=self.translator,
        )
        logger = SimpleNamespace(log_metrics=lambda metrics, step: self.figures.update(metrics))
        trainer: Any = SimpleNamespace(
            is_global_zero=True, loggers=[logger], global_step=update, callbacks=[self.callback]
        )
        self.callback.on_validation_end(trainer, view)


@pytest.fixture
def runs() -> Runs:
    return Runs()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    lines = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    caplog.clear()
    return lines


def test_watch_is_silent_on_good_translations(runs: Runs, caplog: pytest.LogCaptureFixture) -> None:
    runs.validate(RIGHT, val=1.5, train=1.0)
    assert told(caplog) == []
    assert runs.figures["watch/nll_gap"] == pytest.approx(0.5) and "watch/sharp_attention" not in runs.figures
    assert runs.figures["watch/empty"] == runs.figures["watch/copied"] == runs.figures["watch/repeating"] == 0
    assert runs.figures["watch/shuffled_bleu"] < 60


def test_a_decoder_that_ignores_its_source_is_told_once_and_not_at_the_beginning(
    runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    same = [RIGHT[0]] * len(PAIRS)
    runs.validate(same, share=0.1)
    runs.validate(same, update=999)  # attention begins to look at the source after some hundred updates
    assert told(caplog) == []
    runs.validate(same)
    (line,) = told(caplog)
    assert line.startswith("watch: update 2,000: the translations fit other sources") and "(BLEU " in line
    assert runs.figures["watch/shuffled_bleu"] == pytest.approx(BLEU().score(same, RIGHT).value)
    runs.validate(same)
    assert told(caplog) == []


@pytest.mark.parametrize(
    ("wrong", "name", "words"),
    [
        ("", "empty", "are empty; train longer"),
        ("source red", "copied", "are copies of the source; check"),
        ("a dog dog dog runs to the house now", "repeating", "repeat themselves; train"),
    ],
)
def test_faults_of_many_translations(
    runs: Runs, caplog: pytest.LogCaptureFixture, wrong: str, name: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MANY, name, 0.1)  # one sentence of ten is not yet many
    runs.validate([wrong, *RIGHT[1:]])
    assert runs.figures[f"watch/{name}"] == 0.1 and told(caplog) == []
    monkeypatch.setitem(MANY, name, 0.05)
    runs.validate([wrong, *RIGHT[1:]])
    (line,) = told(caplog)
    assert f"10% of the translations {words}" in line


def test_watch_reports_overfitting(runs: Runs, caplog: pytest.LogCaptureFixture) -> None:
    runs.validate(RIGHT, val=2.0, train=2.0)
    runs.validate(RIGHT, val=2.05, train=1.5)
    runs.validate(RIGHT, val=2.2, train=2.1)  # both rise: the training is disturbed, and nothing is learnt by heart
    assert told(caplog) == []
    runs.validate(RIGHT, val=2.2, train=1.4)
    (line,) = told(caplog)
    assert "(validation loss 2.200 after 2.000, training loss 1.400 after 2.000), so" in line and "by heart" in line


def test_rows_of_attention_that_are_sharp(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    translator = copy.deepcopy(run.translator)
    runs = Runs(translator)
    runs.validate(RIGHT)
    assert runs.figures["watch/sharp_attention"] < SATURATED and told(caplog) == []
    with torch.no_grad():
        for parameter in translator.model.decoder.parameters():
            parameter.mul_(100.0)
    runs.validate(RIGHT)
    (line,) = told(caplog)
    assert "% of the rows of attention give nearly all of their weight to one token" in line
    maps = translator.attention_maps(runs.translations)
    heads = {name: value for name, value in runs.figures.items() if name.startswith("heads/")}
    assert heads == {f"heads/{name}": value for name, value in scalars(maps).items()} and len(heads) == 3 * 7 * 2 * 2
    weights = [found.cross for found in maps]
    peaks = [float(row.max()) for cross in weights if cross is not None for row in cross.flatten(0, 2)]
    assert runs.figures["watch/sharp_attention"] == pytest.approx(sum(peak > 0.99 for peak in peaks) / len(peaks))
