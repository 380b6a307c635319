"""The weights that are kept for averaging."""

from types import SimpleNamespace

import pytest

from nmt.system.run_files import recent_checkpoint, recent_updates
from nmt.training.callbacks.checkpointing import Checkpointing


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
