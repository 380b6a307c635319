"""A run and its files, its scores again from the checkpoint, which weights it keeps, and what ends it."""

import json
import math
import signal

import pytest
import torch
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt import checkpoint, load_translator
from nmt.cli import evaluate as evaluate_program
from nmt.cli import train as train_program
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Score
from nmt.evaluation.metrics.bleu import BLEU
from nmt.training.callbacks.resuming import Interrupted
from tests.integration.small_training import MODELS, SMALL_TRANSFORMER, best, go, last, last_weights, same

TAGS = {
    "train/loss", "train/learning_rate", "train/gradient_norm", "train/target_tokens_per_second",
    "val/loss", "val/perplexity", "val/bleu", "val/chrf",
}  # fmt: skip


def test_precision_not_on_cpu_is_refused(tmp_path):
    words = ["debug=fast", "trainer.accelerator=cpu", "trainer.precision=16-mixed", "optimizer.fused=false"]
    with pytest.raises(UserError, match=r"trainer\.precision: got 16-mixed, expected 32-true or bf16-mixed on a CPU"):
        go(tmp_path / "run", *words)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "transformer" else pytest.mark.slow) for name in MODELS]
)
def test_a_run_of_every_model_and_its_scores_from_the_checkpoint(name, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    torch.set_flush_denormal(False)
    metrics = go(folder, "debug=fast", *MODELS[name])
    assert (torch.tensor([1e-30]) * 1e-10).item() == 0 or not torch.set_flush_denormal(True)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, "a kill after the training is heard"
    assert_complete(folder, metrics)

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    before = {path: path.read_bytes() for path in (folder / "translations").iterdir()}
    torch.set_flush_denormal(False)
    evaluate_program.main([f"ckpt={folder}"])
    assert metrics["test"]["bleu"]["signature"] in capsys.readouterr().out
    assert (torch.tensor([1e-30]) * 1e-10).item() == 0 or not torch.set_flush_denormal(True)
    for path, content in before.items():
        if path.suffix != ".json":
            assert path.read_bytes() == content
    scores = json.loads(next((folder / "translations").glob("test*.scores.json")).read_text("utf-8"))
    assert scores["scores"] == metrics["test"]
    assert len(load_translator(folder).translate(["June 5", "", "seven"])) == 3
    assert not list(elsewhere.iterdir())


def assert_complete(folder, metrics):
    for split in ("val", "test"):
        assert list(metrics[split]) == ["bleu", "chrf", "exact_match"] and metrics["sentences"][split] > 0
    for key in ("parameters", "target_tokens_per_second", "peak_memory_bytes", "wall_seconds"):
        assert metrics[key] > 0
    assert metrics["updates"] == 2 and 0 < metrics["epochs"] <= 1
    assert {"seed", "versions", "hardware", "commit"} <= metrics.keys()
    config = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    assert config["data"]["_target_"] == "nmt.data.sources.cldr.Cldr" and "hydra" not in config
    names = {path.name for path in folder.iterdir()}
    assert {"config.yaml", "metrics.json", "train.log", "checkpoints", "translations"} <= names
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == ["best.safetensors", "last.ckpt"]
    events = EventAccumulator(str(folder))
    events.Reload()
    assert set(events.Tags()["scalars"]) >= TAGS
    assert events.Scalars("val/bleu")[-1].step == metrics["updates"]


def test_a_run_that_ends_before_its_first_validation_validates(tmp_path):
    rarely = ["trainer.check_val_every_n_epoch=null", "trainer.val_check_interval=50", "trainer.max_steps=3"]
    metrics = go(tmp_path / "run", *SMALL_TRANSFORMER, *rarely)
    events = EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    assert [event.step for event in events.Scalars("val/bleu")] == [3] and metrics["updates"] == 3
    assert (tmp_path / "run" / "checkpoints" / "best.safetensors").is_file()
    assert "at most 3 updates" in (tmp_path / "run" / "train.log").read_text("utf-8")


@pytest.mark.parametrize("objective", [pytest.param("cross_entropy", marks=pytest.mark.slow), "rdrop"])
def test_gradient_accumulation_equals_a_larger_batch(tmp_path, objective):
    common = [
        "tokenizer.vocab_size=326", f"objective={objective}",
        *SMALL_TRANSFORMER, "data.sizes=[24,4,4]", "trainer.max_steps=1", "trainer.gradient_clip_val=null",
        "optimizer._target_=torch.optim.Adam", "scheduler=constant", "scheduler.warmup_updates=0", "optimizer.eps=1.0",
        "model.encoder.embedding_dropout=0", "model.encoder.block.residual_dropout=0",
    ]  # fmt: skip
    # eps=1 keeps Adam's first step proportional to the gradient, so that a wrong factor shows.
    one = go(tmp_path / "one", *common, "data.batch_tokens=10000")
    two = go(tmp_path / "two", *common, "data.batch_tokens=460", "trainer.accumulate_grad_batches=2")
    assert one["updates"] == two["updates"] == 1 and two["epochs"] == pytest.approx(1.0)
    left, right = last_weights(tmp_path / "one"), last_weights(tmp_path / "two")
    for name, value in left.items():
        torch.testing.assert_close(value, right[name], rtol=1e-4, atol=1e-6)


def test_the_rate_follows_the_finished_updates_of_several_batches(tmp_path):
    cosine = ["scheduler.warmup_updates=0", "scheduler.final=0", "trainer.max_epochs=2", "trainer.log_every_n_steps=1"]
    common = [*SMALL_TRANSFORMER, *cosine, "data.sizes=[40,4,4]", "data.batch_tokens=150"]
    updates = go(tmp_path, *common, "trainer.accumulate_grad_batches=2", "optimizer.lr=1e-3")["updates"]
    rates = [event.value for event in EventAccumulator(str(tmp_path)).Reload().Scalars("train/learning_rate")]
    assert updates >= 6 and updates % 2 == 0
    assert rates == pytest.approx([1e-3 * (1 + math.cos(math.pi * k / updates)) / 2 for k in range(updates)])


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        ("1e25", r"gradient's norm is (nan|inf) at update \d+, .*; start a new run"),
        ("1e39", r"the weight \S+ is not finite after update 1; start a new run"),
    ],
)
def test_nan_weights_end_the_run_and_spare_the_checkpoint(tmp_path, rate, message):
    folder = tmp_path / "run"
    with pytest.raises(UserError, match=message):
        go(
            folder, *SMALL_TRANSFORMER, "data.sizes=[100,4,4]", f"optimizer.lr={rate}", "scheduler.warmup_updates=0",
            "scheduler=constant", "callbacks.checkpointing.save_every_updates=1",
        )  # fmt: skip
    saved = (folder / "checkpoints" / "last.ckpt").exists()
    assert saved == (rate == "1e25")
    if saved:
        assert all(value.isfinite().all() for value in last_weights(folder).values())
        assert "resume=" not in (folder / "train.log").read_text("utf-8"), "it would diverge again"


TWO_EPOCHS_AVERAGED = [
    *SMALL_TRANSFORMER, "data.sizes=[60,4,4]", "callbacks.checkpointing.average_last=2",
    "trainer.max_epochs=2", "optimizer.lr=1e-3", "scheduler.warmup_updates=0",
]  # fmt: skip


def validate_to(monkeypatch, *values, final=None):
    """Let BLEU of each validation be the next of `values`, that of an average last; `final` decides at the end."""
    real, left = BLEU.score, iter(values)

    def score(self, hypotheses, references, *, sources=(), bootstrap=0):
        if not bootstrap:
            return Score(next(left))
        if final is not None:
            raise final
        return real(self, hypotheses, references, bootstrap=bootstrap)

    monkeypatch.setattr(BLEU, "score", score)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bleu", "better"),
    [((10.0, 20.0, 25.0), True), ((10.0, 20.0, 15.0), False), ((0.1, 0.2, 0.9), False)],
    ids=["better average", "better single one", "BLEU is chance, and the average has the higher loss"],
)
def test_checkpoint_average_is_kept_if_better(tmp_path, monkeypatch, bleu, better):
    folder = tmp_path / "run"
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        validate_to(patch, *bleu, final=Interrupted(2))
        go(folder, *TWO_EPOCHS_AVERAGED)
    averaged = checkpoint.average(sorted((folder / "checkpoints").glob("recent-*")))
    assert not same(averaged, last_weights(folder)), "two epochs differ"
    validate_to(monkeypatch, *bleu[1:])
    train_program.main([f"resume={folder}"])
    assert same(best(folder).weights, averaged if better else last_weights(folder))
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["best_update"] == metrics["updates"] and metrics["weights"] == ("average" if better else "best")
    assert best(folder).scores["val"]["bleu"] == bleu[1 + better]


@pytest.mark.slow
def test_stopped_in_its_last_decoding_and_resumed_with_more_epochs(tmp_path, monkeypatch):
    """The average of two epochs is the best, but that of the second and the third is not."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        validate_to(patch, 10.0, 20.0, 25.0, final=Interrupted(2))
        go(folder, *TWO_EPOCHS_AVERAGED)
    second, second_weights = last(folder), last_weights(folder)
    config = folder / "config.yaml"
    config.write_text(config.read_text("utf-8").replace("max_epochs: 2", "max_epochs: 3"), "utf-8")
    validate_to(monkeypatch, 15.0, 12.0)
    train_program.main([f"resume={folder}"])
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["updates"] > metrics["best_update"] == second["global_step"] and metrics["weights"] == "best"
    assert same(best(folder).weights, second_weights)
    assert best(folder).scores["val"]["bleu"] == 20.0
