"""A run without an interval of its own validates often enough, and not too often."""

from types import SimpleNamespace

import pytest

from nmt.evaluation.metrics.bleu import BLEU
from nmt.training.trainer import Validations
from nmt.training.validation import Monitor


def simulate(*, batches, epochs=None, updates=None, accumulate=1, callback=None, first=0, learnt=0):
    """Return how many batches were done at every validation, by the callback alone.

    With `first`, a run that was stopped after this many batches is resumed. Before the update `learnt`, scores are
    chance.
    """
    callback, done = callback or Validations(), []
    progress = SimpleNamespace(is_last_batch=False)
    trainer = SimpleNamespace(
        global_step=first,
        callback_metrics={"val/bleu": 0.9 if 0 < first < learnt else 1.0},
        fit_loop=SimpleNamespace(epoch_loop=SimpleNamespace(batch_progress=progress)),
        strategy=SimpleNamespace(broadcast=lambda value: value),
    )
    if first:
        share = first / (batches * epochs) if updates is None else first / updates
        callback.on_train_start(trainer, SimpleNamespace(progress=lambda: share))
    for batch in range(first, batches * epochs if updates is None else updates * accumulate):
        progress.is_last_batch = (batch + 1) % batches == 0
        share = batch / (batches * epochs) if updates is None else trainer.global_step / updates
        accumulating = (batch + 1) % accumulate != 0
        trainer.global_step += not accumulating
        view = SimpleNamespace(share=share, accumulating=accumulating, monitor=Monitor("bleu", BLEU()))
        callback.on_train_batch_end(trainer, view)
        if trainer.val_check_batch == 1:
            done.append(batch + 1)
            trainer.callback_metrics = {"val/bleu": 0.9 if trainer.global_step < learnt else 1.0}
    return done


def test_inside_long_epochs_five_times():
    assert simulate(batches=1000, epochs=1) == [201, 401, 601, 801, 1000]
    assert simulate(batches=10_000, updates=300) == [61, 121, 181, 241], "the end of the run adds the last one"


def test_after_each_of_thirty_epochs():
    assert simulate(batches=400, epochs=30) == list(range(400, 12_001, 400))


@pytest.mark.parametrize("batches", [1, 14])
def test_after_every_nth_of_many_short_epochs(batches):
    done = simulate(batches=batches, epochs=300)
    assert 30 <= len(done) <= 34 and all(batch % batches == 0 for batch in done)


def test_only_after_whole_updates():
    done = simulate(batches=10_000, updates=300, accumulate=4)
    assert len(done) == 4 and all(batch % 4 == 0 for batch in done)


def test_chance_is_not_measured_again_at_once():
    """A run of few updates does not translate longer than it trains; later validations stay where they were."""
    assert simulate(batches=1000, updates=50, learnt=99) == [11]
    usual, late = (simulate(batches=1000, updates=200, learnt=update) for update in (0, 100))
    assert usual == [41, 81, 121, 161] and late == [41, 121, 161]
    before, after = Validations(), Validations()
    assert simulate(batches=13, updates=39, callback=before, learnt=99) == [9]
    after.load_state_dict(before.state_dict())
    assert simulate(batches=13, updates=156, callback=after, first=39, learnt=99)[0] == 65, (
        "26 updates later is too soon"
    )


@pytest.mark.parametrize("limit", ["epochs", "updates"])
def test_an_extended_run_goes_on_to_validate(limit):
    lengths = {"epochs": (3, 12), "updates": (39, 156)}[limit]
    before, after = Validations(), Validations()
    simulate(batches=13, **{limit: lengths[0]}, callback=before)
    after.load_state_dict(before.state_dict())
    assert simulate(batches=13, **{limit: lengths[1]}, callback=after, first=39) == list(range(52, 157, 13))
