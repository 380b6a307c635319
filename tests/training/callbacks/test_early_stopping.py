"""Early stopping counts validations that are not better, and remembers them over a resume."""

from types import SimpleNamespace

import pytest
from pytorch_lightning.trainer.states import TrainerFn

from nmt.training.callbacks.early_stopping import EarlyStopping
from nmt.training.validation import Monitor, Validation


def trainer():
    return SimpleNamespace(should_stop=False, state=SimpleNamespace(fn=TrainerFn.FITTING), global_step=0)


def stops_after(callback, losses):
    """Return how many validations with these losses the callback allows, or None if it does not stop."""
    running = trainer()
    for number, loss in enumerate(losses, start=1):
        running.global_step = callback.state_dict()["update"] + 2
        view = SimpleNamespace(monitor=Monitor("loss", None), validation=Validation(number, {"loss": loss}))
        callback.on_validation_end(running, view)
        if running.should_stop:
            return number
    return None


@pytest.mark.parametrize(
    ("losses", "stop"),
    [
        ([3.0, 2.0, 1.0, 0.5], None),
        ([3.0, 3.0, 3.0], 3),
        ([3.0, 4.0, 2.0, 2.5, 2.1, 1.0], 5),
        ([3.0, 2.9995, 2.999], 3),  # better, but by too little
    ],
)
def test_early_stopping_after_two_validations(losses, stop):
    assert stops_after(EarlyStopping(patience=2, min_delta=0.01), losses) == stop


def test_validations_of_the_same_weights_are_one():
    callback, running = EarlyStopping(patience=1), trainer()
    view = SimpleNamespace(monitor=Monitor("loss", None), validation=Validation(0, {"loss": 1.0}))
    for _ in range(5):
        callback.on_validation_end(running, view)
    assert not running.should_stop
    running.global_step = 1
    callback.on_validation_end(running, view)
    assert running.should_stop


def test_a_resumed_run_waits_no_longer_than_an_uninterrupted_one():
    first, second = EarlyStopping(patience=2), EarlyStopping(patience=2)
    assert stops_after(first, [1.0, 2.0]) is None
    second.load_state_dict(first.state_dict())
    assert stops_after(second, [2.0]) == 1


def test_a_validation_outside_training_does_not_count():
    callback, running = EarlyStopping(patience=1), trainer()
    running.state.fn = TrainerFn.VALIDATING
    for _ in range(3):
        callback.on_validation_end(running, SimpleNamespace())
    assert not running.should_stop
