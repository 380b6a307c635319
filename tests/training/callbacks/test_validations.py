"""A run without an interval of its own validates often enough, and not too often."""

from types import SimpleNamespace

import pytest

from nmt.training.trainer import Validations


def simulate(*, batches, epochs=None, updates=None, accumulate=1, callback=None, first=0):
    """Return how many batches were done at every validation, by the callback alone.

    With `first`, a run that was stopped after this many batches is resumed.
    """
    callback, done = callback or Validations(), []
    progress = SimpleNamespace(is_last_batch=False)
    trainer = SimpleNamespace(
        global_step=first,
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
        callback.on_train_batch_end(trainer, SimpleNamespace(share=share, accumulating=accumulating))
        if trainer.val_check_batch == 1:
            done.append(batch + 1)
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


@pytest.mark.parametrize("limit", ["epochs", "updates"])
def test_an_extended_run_goes_on_to_validate(limit):
    lengths = {"epochs": (3, 12), "updates": (39, 156)}[limit]
    before, after = Validations(), Validations()
    simulate(batches=13, **{limit: lengths[0]}, callback=before)
    after.load_state_dict(before.state_dict())
    assert simulate(batches=13, **{limit: lengths[1]}, callback=after, first=39) == list(range(52, 157, 13))
