"""Callbacks of one's own in a run: they are called, their state is saved and resumed."""

import pytest
from pytorch_lightning import Callback

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.recipe import Recipe
from nmt.system.run_files import METRICS
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.run import train
from tests.integration.small_training import PLAIN, last

OVERRIDES = [
    *PLAIN, "data.sizes=[60,4,4]", "data.topics=[dates,numbers]", "data.max_parts=1", "data.batch_tokens=300",
    "tokenizer.vocab_size=330", "callbacks.checkpointing.average_last=0", "search.max_length_factor=0.3",
]  # fmt: skip


class Counter(Callback):
    def __init__(self, *, step: int = 1) -> None:
        self.step, self.validations = step, 0

    def on_validation_end(self, trainer, pl_module):
        self.validations += self.step

    def state_dict(self):
        return {"validations": self.validations}

    def load_state_dict(self, state_dict):
        self.validations = state_dict["validations"]


def go(folder, *more, resume=False):
    plain = compose("train", [*OVERRIDES, *more])
    recipe = Recipe(plain, folder)
    return train(recipe, build_objects(recipe.settings), resume=resume)


def counted(folder):
    return last(folder)["callbacks"]["Counter"]["validations"]


def test_a_callback_of_ones_own_is_called_saved_and_resumed(tmp_path):
    own = [
        "allow=[tests]", f"+callbacks.extra.counter._target_={Counter.__module__}.Counter",
        "+callbacks.extra.counter.step=2", "trainer.check_val_every_n_epoch=1",
    ]  # fmt: skip
    folder = tmp_path / "run"
    go(folder, *own, "trainer.max_epochs=2")
    assert counted(folder) == 4, "last.ckpt holds what the callback made of the last validation"
    (folder / METRICS).unlink()
    go(folder, *own, "trainer.max_epochs=3", resume=True)
    assert counted(folder) == 6


@pytest.mark.slow
def test_after_a_kill_lightnings_callbacks_find_the_figures_of_the_last_validation(tmp_path, monkeypatch):
    more = [
        "trainer.max_epochs=2", "trainer.check_val_every_n_epoch=1",
        "+callbacks.extra.stop._target_=pytorch_lightning.callbacks.EarlyStopping",
        "+callbacks.extra.stop.monitor=val/loss", "+callbacks.extra.stop.patience=50",
    ]  # fmt: skip
    metrics = go(tmp_path / "whole", *more)
    validated = Checkpointing.on_validation_end

    def save_then_die(self, trainer, module):
        validated(self, trainer, module)
        raise InterruptedError

    with monkeypatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(Checkpointing, "on_validation_end", save_then_die)
        go(tmp_path / "killed", *more)
    assert go(tmp_path / "killed", *more, resume=True)["candidates"] == metrics["candidates"]
    whole, resumed = (last(tmp_path / name)["callbacks"] for name in ("whole", "killed"))
    (name,) = (each for each in whole if "val/loss" in each)
    assert resumed[name] == whole[name]
