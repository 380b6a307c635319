"""Early stopping counts validations that are not better, and remembers them over a resume."""

from types import SimpleNamespace

import pytest
import torch
from pytorch_lightning.trainer.states import TrainerFn

from nmt.training.callbacks.early_stopping import EarlyStopping


def trainer():
    return SimpleNamespace(
        should_stop=False, state=SimpleNamespace(fn=TrainerFn.FITTING), sanity_checking=False, fast_dev_run=False,
        strategy=SimpleNamespace(reduce_boolean_decision=lambda decision, all: decision), current_epoch=0,
    )  # fmt: skip


def stops_after(callback, losses):
    """Return how many validations with these losses the callback allows, or None if it does not stop."""
    running = trainer()
    for number, loss in enumerate(losses, start=1):
        running.callback_metrics = {"quality": torch.tensor(-loss)}
        callback.on_validation_end(running, None)
        if running.should_stop:
            return number
    return None


@pytest.mark.parametrize(
    ("patience", "losses", "stop"),
    [
        (2, [3.0, 2.0, 1.0, 0.5], None),
        (2, [3.0, 3.0, 3.0], 3),
        (2, [3.0, 4.0, 2.0, 2.5, 2.1, 1.0], 5),
        (2, [3.0, 2.9995, 2.999], 3),  # better, but by too little
        (2, [float("inf")] * 2, 2),  # a figure that is not finite is never an improvement
        (None, [1.0] * 50, None),
    ],
)
def test_early_stopping_after_validations_without_improvement(patience, losses, stop):
    assert stops_after(EarlyStopping(patience=patience, min_delta=0.01), losses) == stop


def test_a_resumed_run_waits_no_longer_and_has_the_patience_of_its_settings():
    first, second, third, running = EarlyStopping(patience=1), EarlyStopping(patience=1), EarlyStopping(), trainer()
    assert stops_after(first, [1.0, 2.0]) == 2
    second.load_state_dict(first.state_dict())
    second.on_fit_start(running, None)
    assert running.should_stop
    third.load_state_dict(first.state_dict())
    assert stops_after(third, [2.0] * 20) == 9, "one of ten has passed"
