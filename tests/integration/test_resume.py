"""A run that was stopped anywhere and resumed ends as one that never stopped."""

import json
import os
import signal

import pytest
import torch
from pytorch_lightning.callbacks import Timer
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt import load_translator
from nmt.build import build_objects
from nmt.config.compose import compose_run
from nmt.config.recipe import read_recipe
from nmt.errors import UserError
from nmt.training.callbacks import resuming as stopping
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.callbacks.progress import TrainingProgress
from nmt.training.callbacks.resuming import Interrupted
from nmt.training.module import TranslationModule
from nmt.training.run import train
from tests.integration.small_training import PLAIN, last, same

OVERRIDES = [
    *PLAIN, "data.sizes=[150,4,4]", "data.max_parts=1", "data.batch_tokens=200", "tokenizer.vocab_size=376",
    "trainer.max_epochs=3", "trainer.check_val_every_n_epoch=1", "callbacks.checkpointing.save_every_updates=4",
    "callbacks.checkpointing.average_last=2", "scheduler.warmup_updates=5", "search.max_length_factor=0.1",
]  # fmt: skip
SAVE_ALWAYS = "callbacks.checkpointing.save_every_updates=1"


def go(folder, *more, resume=False):
    recipe = compose_run([*OVERRIDES, *more, f"hydra.run.dir={folder}"])
    metrics = train(recipe, build_objects(recipe.settings), resume=resume)
    return metrics, last(folder)["state_dict"]


class Stop(Exception):
    """Stands for a kill: nothing runs after it."""


BY_PROGRESS = "trainer.check_val_every_n_epoch=null"

VARIANTS = {
    "each epoch": [],
    "by progress": [BY_PROGRESS, "callbacks.checkpointing.save_every_updates=2"],
    "accumulating": ["trainer.accumulate_grad_batches=2"],
    "inside epochs": ["trainer.val_check_interval=5", "callbacks.checkpointing.save_every_updates=3"],
    "validating where it saves": ["trainer.val_check_interval=5", "callbacks.checkpointing.save_every_updates=5"],
    "every update": [SAVE_ALWAYS, "trainer.check_val_every_n_epoch=2", "trainer.max_epochs=2"],
    "by updates": ["callbacks.checkpointing.save_every_updates=2", "trainer.max_steps=40", "trainer.max_epochs=2"],
    "validating inside updates": ["trainer.accumulate_grad_batches=2", "trainer.val_check_interval=5"],
    "stopping early": ["callbacks.early_stopping.patience=1", "optimizer.lr=1e-9", "trainer.max_epochs=6"],
    "other pairs in each epoch": [
        "data.subword_sampling=0.2",
        "data.both_directions=true",
        "callbacks.checkpointing.save_every_updates=5",
        "trainer.max_epochs=2",
    ],
    "muon": ["optimizer=muon", "trainer.accumulate_grad_batches=2", SAVE_ALWAYS, "trainer.max_epochs=2"],
    "one batch an epoch": [SAVE_ALWAYS, "data.batch_tokens=100000", "trainer.max_epochs=6"],
    "one batch an epoch, by updates": [
        *(SAVE_ALWAYS, "data.batch_tokens=100000", "trainer.max_epochs=6", BY_PROGRESS),
        *("trainer.max_steps=100", "trainer.val_check_interval=100"),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("more", VARIANTS.values(), ids=VARIANTS)
def test_stopped_at_any_save_and_resumed_equals_uninterrupted(tmp_path, monkeypatch, more):
    assert_resumes(tmp_path, monkeypatch, more, every=1)


@pytest.mark.usefixtures("two_threads")
def test_resumed_equals_uninterrupted(tmp_path, monkeypatch):
    assert_resumes(tmp_path, monkeypatch, [*VARIANTS["accumulating"], BY_PROGRESS, "trainer.max_epochs=2"], every=10)


def test_the_curves_of_a_stopped_run_have_each_update_once(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    more = ["logger.tensorboard=true", "trainer.log_every_n_steps=1", "trainer.max_steps=14", "data.sizes=[80,4,4]"]
    original = TranslationModule.on_train_batch_end

    def stop(self, *arguments):
        original(self, *arguments)
        if self.global_step == 7:  # the last save is of update 4
            raise Stop

    with monkeypatch.context() as patch, pytest.raises(Stop):
        patch.setattr(TranslationModule, "on_train_batch_end", stop)
        go(folder, *more)
    go(folder, *more, resume=True)
    curve = EventAccumulator(str(folder)).Reload().Scalars("train/loss")
    assert [each.step for each in curve] == list(range(1, 15))
    history = [json.loads(line) for line in (folder / "history.jsonl").read_text("utf-8").splitlines()]
    updates = [row["update"] for row in history]
    assert updates == sorted({*updates}) and updates[-1] == 14
    assert history[-1]["val"].keys() >= {"loss", "perplexity", "bleu"} and history[-1]["train_loss"] > 0


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize(
    ("numbers", "together", "stopped_by", "saved"),
    [
        ((signal.SIGTERM, signal.SIGINT), 0.5, signal.SIGTERM, 3),
        ((signal.SIGINT, signal.SIGINT), 0.0, signal.SIGINT, 2),
    ],
)
def test_second_ctrl_c_ends_a_run_at_once(tmp_path, monkeypatch, numbers, together, stopped_by, saved):
    original = TranslationModule.on_train_batch_end

    def interrupt(self, *arguments):
        original(self, *arguments)
        if self.global_step == 2:
            for number in numbers:
                os.kill(os.getpid(), number)

    monkeypatch.setattr(stopping, "TOGETHER", together)
    monkeypatch.setattr(TranslationModule, "on_train_batch_end", interrupt)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupted) as error:
        go(tmp_path / "run", SAVE_ALWAYS, "trainer.max_epochs=1")
    assert error.value.number == stopped_by and last(tmp_path / "run")["global_step"] == saved
    assert signal.getsignal(signal.SIGTERM) == before


def test_refused_resume_leaves_a_finished_run_unchanged(tmp_path):
    folder = tmp_path / "run"
    go(folder, "trainer.max_steps=3")
    files = [path for path in folder.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}
    for word in ("spans=common", "seed=2", "optimizer.eps=1", "callbacks.monitor=chrf", "objective.label_smoothing=0"):
        with pytest.raises(UserError, match=r"last.ckpt depends on settings that have changed: "):
            go(folder, "trainer.max_steps=5", word, resume=True)
    with pytest.raises(UserError, match=r"this run is finished"):
        go(folder, "trainer.max_steps=3", resume=True)
    with pytest.raises(UserError, match=r"trainer\.max_steps: got 2, expected at least 3, which are done"):
        go(folder, "trainer.max_steps=2", resume=True)
    with pytest.raises(UserError, match=r"stopped inside an epoch of 150 pairs, whose batches"):
        go(folder, "trainer.max_steps=5", "data.batch_tokens=300", resume=True)
    assert {path: path.read_bytes() for path in files} == before


def test_a_run_goes_on_with_another_learning_rate_and_the_moments_of_adam(tmp_path):
    folder, words = tmp_path / "run", ["scheduler=constant", "scheduler.warmup_updates=0"]
    words += ["+logger.extra.mine._target_=pytorch_lightning.loggers.CSVLogger"]
    go(folder, *words, "trainer.max_steps=3")
    before = last(folder)
    go(folder, *words, "optimizer.lr=0", "trainer.max_steps=4", resume=True)
    after = last(folder)
    assert after["optimizer_states"][0]["param_groups"][0]["peak_lr"] == 0.0
    assert all(each["step"] == 4 for each in after["optimizer_states"][0]["state"].values()), "no new moments"
    assert all(torch.equal(value, before["state_dict"][name]) for name, value in after["state_dict"].items())
    texts = [path.read_text("utf-8") for path in folder.rglob("metrics.csv")]
    assert len(texts) == 2 and all("val/bleu" in text and "final/test_bleu" in text for text in texts)


@pytest.mark.slow
def test_finished_run_is_decoded_with_another_search(tmp_path):
    folder = tmp_path / "run"
    go(folder, "trainer.max_steps=3")
    metrics, _ = go(folder, "trainer.max_steps=3", "search.beam_size=2", resume=True)
    assert metrics["search"]["beam_size"] == 2 and metrics["updates"] == 3
    assert read_recipe(folder).plain["search"]["beam_size"] == 2
    assert load_translator(folder).search.beam_size == 2, "the checkpoint decodes as its scores say"
    metrics, _ = go(folder, "trainer.max_steps=3", resume=True)
    assert metrics["search"]["beam_size"] == load_translator(folder).search.beam_size != 2, "and back again"


SHORT = ["scheduler=constant", "scheduler.warmup_share=1", "search.beam_size=2"]
SHORT += ["callbacks.checkpointing.average_last=2"]
EXTENDED = {
    "epochs": ([], "trainer.max_epochs=1", "trainer.max_epochs=3"),
    "no validation": (["trainer.check_val_every_n_epoch=2"], "trainer.max_epochs=1", "trainer.max_epochs=2"),
    "early stopping": (
        ["optimizer.lr=1e-9", "trainer.val_check_interval=3", "trainer.max_epochs=2"],
        "callbacks.early_stopping.patience=1",
        "callbacks.early_stopping.patience=null",
    ),
    "inside an epoch": ([BY_PROGRESS, "data.sizes=[80,4,4]"], "trainer.max_steps=6", "trainer.max_steps=15"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("more", "short", "long"), EXTENDED.values(), ids=EXTENDED)
def test_a_run_that_has_ended_is_extended(tmp_path, more, short, long):
    assert_extends(tmp_path, more, [short], [long])


@pytest.mark.slow
@pytest.mark.parametrize("accumulate", [1, 2])
def test_run_ended_by_max_time_is_extended(tmp_path, monkeypatch, accumulate):
    def stop(self, trainer, *_):
        if self.time_remaining() is not None:
            trainer.should_stop |= trainer.fit_loop.epoch_loop.total_batch_idx == 12  # inside an update, if it has two

    monkeypatch.setattr(Timer, "on_train_batch_end", stop)
    more = [BY_PROGRESS, f"trainer.accumulate_grad_batches={accumulate}"]
    short, long = ["trainer.max_steps=20", "trainer.max_time=00:01:00:00"], ["trainer.max_steps=20"]
    assert_extends(tmp_path, more, short, long)


@pytest.mark.slow
def test_an_extended_run_starts_at_the_share_that_is_done(tmp_path, monkeypatch):
    shares, start = [], TrainingProgress.on_train_start

    def noted(self, trainer, module):
        shares.append(module.progress())
        start(self, trainer, module)

    monkeypatch.setattr(TrainingProgress, "on_train_start", noted)
    go(tmp_path, *SHORT, "trainer.max_epochs=1")
    go(tmp_path, *SHORT, "trainer.max_epochs=4", resume=True)
    assert shares == [0, 0.25]
    with pytest.raises(UserError, match=r"trainer\.max_epochs: got 3, expected at least 4, which are done"):
        go(tmp_path, *SHORT, "trainer.max_epochs=3", resume=True)


def assert_extends(tmp_path, more, short, long):
    """Assert that a run that ended in its first epoch, and was then extended, ends as one that was longer."""
    folder = tmp_path / "run"
    first, _ = go(folder, *SHORT, *more, *short)
    metrics, weights = go(folder, *SHORT, *more, *long, resume=True)
    longer, whole = go(tmp_path / "longer", *SHORT, *more, *long)
    assert first["epochs"] <= 1 < metrics["epochs"] == longer["epochs"] and metrics["updates"] == longer["updates"]
    assert same(weights, whole)


def assert_resumes(tmp_path, monkeypatch, more, *, every):
    original = Checkpointing.save_last
    saves = []

    def count(self, trainer, view):
        original(self, trainer, view)
        saves.append(trainer.global_step)

    monkeypatch.setattr(Checkpointing, "save_last", count)
    metrics, whole = go(tmp_path / "whole", *more)
    assert len(saves) >= 4
    for stop in range(0, len(saves), every):
        survives = iter([True] * stop + [False])

        def save_then_die(self, trainer, view, survives=survives):
            original(self, trainer, view)
            if not next(survives, True):
                raise Stop

        monkeypatch.setattr(Checkpointing, "save_last", save_then_die)
        folder = tmp_path / f"stop{stop}"
        with pytest.raises(Stop):
            go(folder, *more)
        resumed, weights = go(folder, *more, resume=True)
        assert same(weights, whole), f"save {stop} of {saves}"
        assert resumed["candidates"] == metrics["candidates"], "the same validations"
        assert resumed["updates"] == metrics["updates"] and resumed["test"] == metrics["test"]
        assert resumed["best_update"] == metrics["best_update"]
