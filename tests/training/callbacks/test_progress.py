"""What a person sees while a model trains."""

import logging
from types import SimpleNamespace

import pytest
from pytorch_lightning.trainer.states import TrainerFn

from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.training.callbacks import progress as module
from nmt.training.callbacks.progress import TrainingProgress
from nmt.training.validation import Monitor, Validation

METRICS = {"bleu": BLEU(), "chrf": ChrF()}
SCORES = {"loss": 2.25, "perplexity": 7.5, "bleu": 31.234, "chrf": 55.5}


def trainer(**changes):
    values = {"is_global_zero": True, "current_epoch": 1, "global_step": 1234}
    values["optimizers"] = [SimpleNamespace(param_groups=[{"lr": 0.00123}])]
    return SimpleNamespace(**(values | {"state": SimpleNamespace(fn=TrainerFn.FITTING)} | changes))


def view(share, **changes):
    meter = SimpleNamespace(train_loss=2.5, tokens_per_second=8000.4)
    values = {"meter": meter, "validation": Validation(1000, SCORES)}
    values |= {"metrics": METRICS, "monitor": Monitor("bleu", METRICS["bleu"])}
    return SimpleNamespace(progress=lambda: share, **(values | changes))


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.seconds)
    return now


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, logger="nmt")
    return lambda: [record.getMessage() for record in caplog.records]


def test_plain_lines_now_and_then(clock, lines):
    shown = TrainingProgress(plain_seconds=30.0)
    shown.on_train_start(trainer(), view(0.0))
    clock.seconds += 29
    shown.on_train_batch_end(trainer(), view(0.1))
    assert lines() == []
    clock.seconds += 1
    shown.on_train_batch_end(trainer(), view(0.25))
    assert lines() == [
        "training: epoch 2  update 1,234  loss 2.500  8,000 tokens/s  lr 1.2e-03  BLEU 31.23  0:01:30 left"
    ]
    shown.on_train_batch_end(trainer(), view(0.26))
    assert len(lines()) == 1


def test_a_validation_is_one_line(lines):
    shown = TrainingProgress()
    shown.on_validation_end(trainer(), view(0.5))
    shown.on_validation_end(trainer(state=SimpleNamespace(fn=TrainerFn.VALIDATING)), view(0.5))
    figures = "update 1,234: train loss 2.500, val loss 2.250, BLEU 31.23, chrF 55.50"
    assert lines() == [f"validation: epoch 2, {figures}", f"validation: at the end, {figures}"]


def test_a_bar_on_a_terminal_has_the_figures(clock, monkeypatch, capsys, lines):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = TrainingProgress(plain_seconds=0.0)
    shown.on_train_start(trainer(), view(0.0))
    shown._bar.mininterval = 0  # else tqdm waits a tenth of a second
    clock.seconds += 30
    shown.on_train_batch_end(trainer(), view(0.25))
    shown.on_train_end(trainer(), view(1.0))
    out = capsys.readouterr().out
    assert "25%" in out and "loss 2.500" in out and "BLEU 31.23  0:01:30 left" in out and lines() == []
