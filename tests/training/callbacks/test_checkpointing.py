"""The exponential moving average of the weights."""

from types import SimpleNamespace

import pytest
from torch import nn

from nmt.system.run_files import recent_checkpoint, recent_updates
from nmt.training.callbacks.checkpointing import Checkpointing


def after_updates(callback, model, values, *, first=1):
    """Call the callback after updates that set the weight to each of `values`."""
    for update, value in enumerate(values, start=first):
        nn.init.constant_(model.weight, value)
        trainer = SimpleNamespace(should_stop=False, global_step=update, max_steps=-1)
        callback.on_train_batch_end(trainer, SimpleNamespace(model=model, accumulating=False))


def test_ema_follows_its_formula():
    callback, model, values = Checkpointing(ema_decay=0.9), nn.Linear(1, 1, bias=False), [3.0, 1.0, 4.0, 1.0, 5.0]
    after_updates(callback, model, values)
    expected = values[0]
    for update, value in enumerate(values[1:], start=2):
        decay = min(0.9, (1 + update) / (10 + update))
        expected = decay * expected + (1 - decay) * value
    assert callback.ema["weight"].item() == pytest.approx(expected)


@pytest.mark.parametrize(("most", "kept"), [(0, []), (2, [4, 6]), (9, [2, 4, 6])])
def test_a_resumed_run_may_average_fewer_weights(tmp_path, most, kept):
    for update in (2, 4, 6, 8):
        path = recent_checkpoint(tmp_path, update)
        path.parent.mkdir(exist_ok=True)
        path.touch()
    copy = recent_checkpoint(tmp_path, 4).with_name("recent-4 copy.safetensors")
    copy.touch()
    callback = Checkpointing(average_last=most)
    callback.saved = 6  # last.ckpt is older than the weights of update 8
    callback.on_fit_start(SimpleNamespace(is_global_zero=True), SimpleNamespace(folder=tmp_path))
    assert callback.recent == kept
    assert recent_updates(tmp_path) == [2, 4, 6], "training may not come to update 8 again"
    assert copy.exists()
