"""What a person sees while a model trains, and the share of the run that is done."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from nmt.config.compose import compose, validate
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.training import progress as module
from nmt.training.module import TranslationModule
from nmt.training.progress import TrainingProgress


def trainer(**changes):
    return SimpleNamespace(**({"is_global_zero": True, "current_epoch": 1, "global_step": 1234} | changes))


def training(share, **changes):
    metrics = {"metrics": {"bleu": BLEU(), "chrf": ChrF()}, "monitor": "bleu"}
    values = metrics | {
        "train_loss": 2.5,
        "tokens_per_second": 8000.4,
        "validation": SimpleNamespace(scores={"bleu": 31.234}),
    }
    return SimpleNamespace(progress=lambda: share, **(values | changes))


@pytest.fixture
def clock(monkeypatch):
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.seconds)
    return now


def test_plain_lines_now_and_then(clock):
    heard = []
    shown = TrainingProgress(Console(file=io.StringIO()), heard.append)
    shown.on_train_start(trainer(), training(0.0))
    clock.seconds += module.PLAIN_SECONDS - 1
    shown.on_train_batch_end(trainer(), training(0.1))
    assert heard == []
    clock.seconds += 1
    shown.on_train_batch_end(trainer(), training(0.25))
    assert heard == ["epoch 2  update 1,234  loss 2.500  8,000 tokens/s  BLEU 31.23  0:01:30 left"]
    shown.on_train_batch_end(trainer(), training(0.26))
    assert len(heard) == 1


def test_a_resumed_run_counts_from_where_it_goes_on(clock):
    heard = []
    shown = TrainingProgress(Console(file=io.StringIO()), heard.append)
    shown.on_train_start(trainer(), training(0.5))
    clock.seconds += 60
    nothing_yet = {"train_loss": float("nan"), "validation": SimpleNamespace(scores={})}
    shown.on_train_batch_end(trainer(), training(0.75, **nothing_yet))
    assert heard == ["epoch 2  update 1,234  0:01:00 left"]


@pytest.mark.parametrize("width", [80, 120])
def test_a_bar_on_a_terminal_is_one_line(clock, width):
    console = Console(file=io.StringIO(), force_terminal=True, width=width)
    shown = TrainingProgress(console, lambda line: None)
    shown.on_train_start(trainer(), training(0.0))
    clock.seconds += 30
    shown.on_train_batch_end(trainer(), training(0.25))
    (line,) = console.render_lines(shown._bar.get_renderable())
    text = "".join(segment.text for segment in line)
    shown.on_train_end(trainer(), training(1.0))
    assert text.endswith("epoch 2  update 1,234  loss 2.500  8,000 tokens/s  BLEU 31.23  0:01:30 left")
    bar = text.partition(" ")[0]
    assert set(bar) <= set("\u2501\u2578\u257a") and len(text) == width
    assert shown._bar is None


def test_other_ranks_say_nothing(clock):
    heard = []
    shown = TrainingProgress(Console(file=io.StringIO()), heard.append)
    other = trainer(is_global_zero=False)
    shown.on_train_start(other, training(0.0))
    clock.seconds += 100
    shown.on_train_batch_end(other, SimpleNamespace())
    shown.on_validation_end(SimpleNamespace(**vars(other), sanity_checking=False), SimpleNamespace())
    assert heard == []


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        ({"max_time": "00:00:00:40"}, 0.25),
        ({"max_time": "00:00:00:40", "max_steps": 60}, 0.5),
        ({"max_time": "00:00:00:40", "max_epochs": 4}, 0.375),
        ({"max_steps": 20}, 1.0),
    ],
)
def test_the_furthest_limit_is_how_much_is_done(monkeypatch, limits, share):
    """10 of 40 seconds, 30 updates, and 5 of 10 batches of epoch 2."""
    settings = validate(compose("train", ["trainer.max_epochs=null", *(f"trainer.{k}={v}" for k, v in limits.items())]))
    ready = SimpleNamespace(current=SimpleNamespace(ready=6))
    running = SimpleNamespace(
        global_step=30,
        current_epoch=1,
        num_training_batches=10,
        fit_loop=SimpleNamespace(epoch_loop=SimpleNamespace(batch_progress=ready)),
    )
    monkeypatch.setattr(TranslationModule, "trainer", running)
    monkeypatch.setattr(TranslationModule, "global_step", 30)
    timer = SimpleNamespace(time_elapsed=lambda: 10.0, time_remaining=lambda: 30.0)
    of_run = TranslationModule.__new__(TranslationModule)
    of_run.__dict__.update(config=settings, timer=timer, _modules={}, _parameters={}, _buffers={})
    assert of_run.progress() == pytest.approx(share)
