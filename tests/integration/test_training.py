"""The whole way through the programs: a run, its files, its scores again from the checkpoint, and what stops it."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

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

ROOT = Path(__file__).resolve().parents[2]
NO_AVERAGE = "callbacks.checkpointing.average_last=0"
TINY = [
    "data=cldr", "data.sizes=[300,40,40]", "data.topics=[dates,numbers]", "data.max_parts=1", "data.batch_tokens=300",
    "trainer.accelerator=cpu",
    "tokenizer.vocab_size=400", "search.max_length_factor=1",
]  # fmt: skip
SMALL_TRANSFORMER = [
    "model.encoder.layers=1", "model.encoder.block.width=16", "model.encoder.block.heads=2",
    "model.encoder.block.feed_forward=16",
]  # fmt: skip
SMALL_RNN = [
    "model.encoder.embedding_width=8", "model.encoder.hidden_width=8", "model.decoder.embedding_width=8",
    "model.decoder.width=16", "model.decoder.readout_width=8",
]  # fmt: skip
SMALL_HYBRID = [
    "model=hybrid", "model.encoder.layers=1", "model.encoder.block.width=16", "model.encoder.block.heads=2",
    "model.encoder.block.feed_forward=16", "model.decoder.width=16", "model.decoder.embedding_width=8",
    "model.decoder.readout_width=8",
]  # fmt: skip
MODELS = {
    "transformer": SMALL_TRANSFORMER,
    "bahdanau": ["model=rnn", "model/attention=bahdanau", *SMALL_RNN],
    "luong dot": ["model=rnn", "model/attention=luong", "model.attention.score=dot", *SMALL_RNN],
    "luong general": ["model=rnn", "model/attention=luong", "model.attention.score=general", *SMALL_RNN],
    "luong concat": ["model=rnn", "model/attention=luong", "model.attention.score=concat", *SMALL_RNN],
    "none": ["model=rnn", "model/attention=none", *SMALL_RNN],
    "hybrid": SMALL_HYBRID,
}
TAGS = {
    "train/loss", "train/learning_rate", "train/gradient_norm", "train/target_tokens_per_second",
    "train/padding_share", "val/loss", "val/perplexity", "val/bleu", "val/chrf",
}  # fmt: skip


def go(folder, *overrides):
    train_program.run([*TINY, *overrides, f"hydra.run.dir={folder}"])
    return json.loads((folder / "metrics.json").read_text("utf-8"))


def weights(folder, name="last.ckpt"):
    return checkpoint.load(folder / "checkpoints" / name)["state_dict"]


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_device_that_this_machine_does_not_have(tmp_path):
    with pytest.raises(UserError, match="trainer: got accelerator=gpu, devices=1, which this machine cannot provide"):
        go(tmp_path / "run", "debug=fast", "trainer.accelerator=gpu")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "transformer" else pytest.mark.slow) for name in MODELS]
)
def test_a_run_of_every_model_and_its_scores_from_the_checkpoint(name, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "run"
    torch.set_flush_denormal(False)
    metrics = go(folder, "debug=fast", *MODELS[name])
    assert (torch.tensor([1e-30]) * 1e-10).item() == 0 or not torch.set_flush_denormal(True)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, "a kill after the training is heard"
    assert_complete(folder, metrics, attends=name != "none")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    before = {path: path.read_bytes() for path in (folder / "translations").iterdir()}
    torch.set_flush_denormal(False)
    evaluate_program.run([f"ckpt={folder}"])
    assert metrics["test"]["bleu"]["signature"] in capsys.readouterr().out
    assert (torch.tensor([1e-30]) * 1e-10).item() == 0 or not torch.set_flush_denormal(True)
    for path, content in before.items():
        if path.suffix != ".json":
            assert path.read_bytes() == content
    scores = json.loads(next((folder / "translations").glob("test*.scores.json")).read_text("utf-8"))
    assert scores["scores"] == metrics["test"]
    assert len(load_translator(folder).translate(["June 5", "", "seven"])) == 3
    assert not list(elsewhere.iterdir())


def assert_complete(folder, metrics, *, attends):
    for split in ("val", "test"):
        assert list(metrics[split]) == ["bleu", "chrf", "exact_match"] and metrics["sentences"][split] > 0
    for key in ("parameters", "target_tokens_per_second", "peak_memory_bytes", "wall_seconds"):
        assert metrics[key] > 0
    assert metrics["updates"] == 2 and 0 < metrics["epochs"] <= 1 and 0 <= metrics["padding_share"] < 1
    assert {"seed", "versions", "hardware", "commit"} <= metrics.keys()
    config = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
    assert config["data"]["_target_"] == "nmt.data.sources.cldr.Cldr" and "hydra" not in config
    names = {path.name for path in folder.iterdir()}
    assert {"config.yaml", "metrics.json", "train.log", "checkpoints", "translations", "attention"} <= names
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == ["best.ckpt", "last.ckpt"]
    pictures = {path.name for path in (folder / "attention").iterdir()}
    assert pictures == ({f"{n}.{kind}" for n in range(3) for kind in ("json", "png")} if attends else set())
    events = EventAccumulator(str(folder), size_guidance={"tensors": 0, "images": 0})
    events.Reload()
    tags = events.Tags()
    assert set(tags["scalars"]) >= TAGS
    updates = [event.step for event in events.Scalars("val/bleu")]
    assert updates == [event.step for event in events.Tensors("translations/text_summary")]
    assert updates[-1] == metrics["updates"]
    assert any(tag.startswith("translations") for tag in tags["tensors"])
    assert any(tag.startswith("attention/") for tag in tags["images"]) == attends


@pytest.mark.parametrize("objective", ["cross_entropy", "rdrop"])
def test_an_update_of_two_batches_equals_one_of_both(tmp_path, objective):
    common = [
        "tokenizer.vocab_size=310", f"objective={objective}",
        *SMALL_TRANSFORMER, "data.sizes=[24,4,4]", "trainer.max_steps=1", "trainer.gradient_clip_val=null",
        "optimizer._target_=torch.optim.Adam", "scheduler=constant", "scheduler.warmup_updates=0", "optimizer.eps=1.0",
        "model.encoder.embedding_dropout=0", "model.encoder.block.residual_dropout=0", "callbacks.samples=null",
    ]  # fmt: skip
    # eps=1 keeps Adam's first step proportional to the gradient, so that a wrong factor shows.
    one = go(tmp_path / "one", *common, "data.batch_tokens=10000")
    two = go(tmp_path / "two", *common, "data.batch_tokens=460", "trainer.accumulate_grad_batches=2")
    assert one["updates"] == two["updates"] == 1 and two["epochs"] == pytest.approx(1.0)
    left, right = weights(tmp_path / "one"), weights(tmp_path / "two")
    for name, value in left.items():
        torch.testing.assert_close(value, right[name], rtol=1e-4, atol=1e-6)


def test_weights_that_run_away_end_the_run_and_spare_the_checkpoint(tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(UserError, match=r"gradient's norm is (nan|inf)"):
        go(
            folder, *SMALL_TRANSFORMER, "data.sizes=[100,4,4]", "optimizer.lr=1e25", "scheduler.warmup_updates=0",
            "scheduler=constant", "callbacks.checkpointing.save_every_updates=1", "callbacks.samples=null",
        )  # fmt: skip
    saved = weights(folder)
    assert all(value.isfinite().all() for value in saved.values())


def test_a_finished_run_is_not_resumed_nor_weights_alone(tmp_path):
    folder = tmp_path / "run"
    go(folder, "debug=fast", *SMALL_TRANSFORMER, "callbacks.samples=null")
    with pytest.raises(UserError, match="is finished"):
        train_program.run([f"resume={folder}"])
    (folder / "metrics.json").unlink()
    shutil.copy(folder / "checkpoints" / "best.ckpt", folder / "checkpoints" / "last.ckpt")
    with pytest.raises(UserError, match="not the state of training"):
        train_program.run([f"resume={folder}"])


def test_evaluating_other_data_leaves_the_scores_of_the_run(tmp_path, capsys):
    folder = tmp_path / "run"
    metrics = go(
        folder,
        "debug=fast",
        *SMALL_TRANSFORMER,
        "callbacks.samples=null",
        "scores=[chrf,bleu]",
        "scores.bleu.tokenize=char",
    )
    assert list(metrics["val"]) == ["chrf", "bleu"] and "tok:char" in metrics["val"]["bleu"]["signature"]
    before = {path.name: path.read_bytes() for path in (folder / "translations").iterdir()}
    (tmp_path / "test.tsv").write_text("en\tde\nJune 5\t5. Juni\nseven\tsieben\n", "utf-8")
    for _ in range(2):
        evaluate_program.run([f"ckpt={folder}", f"data.test={tmp_path / 'test.tsv'}"])
    after = {path.name: path.read_bytes() for path in (folder / "translations").iterdir()}
    assert before.items() <= after.items() and len(after) == len(before) + 4
    (scores,) = [name for name in after.keys() - before.keys() if name.endswith(".json")]
    facts = json.loads(after[scores])
    assert facts["data"] == f"data.test={tmp_path / 'test.tsv'}" and "tok:char" in facts["scores"]["bleu"]["signature"]


def test_what_a_state_remembers_cannot_be_changed_beside_it(tmp_path):
    folder = tmp_path / "run"
    settings = [*TINY, *SMALL_TRANSFORMER, "trainer.max_steps=4", "data.sizes=[60,4,4]", NO_AVERAGE]
    settings.append("callbacks.samples=null")
    train_program.run([*settings, f"hydra.run.dir={folder}"])
    (folder / "metrics.json").unlink()
    config = folder / "config.yaml"
    written = config.read_text("utf-8")
    config.write_text(re.sub(r"\blr: \S+", "lr: 0.5", written), "utf-8")
    with pytest.raises(UserError, match=r"optimizer in config.yaml changed since"):
        train_program.run([f"resume={folder}"])
    config.write_text(written.replace("limit: null", "limit: 50"), "utf-8")
    with pytest.raises(UserError, match="not those that this run began with"):
        train_program.run([f"resume={folder}"])
    config.write_text(written.replace("max_steps: 4", "max_steps: 6"), "utf-8")
    train_program.run([f"resume={folder}"])
    assert json.loads((folder / "metrics.json").read_text("utf-8"))["updates"] == 6


@pytest.mark.parametrize(
    ("bleu", "better"),
    [((10.0, 20.0, 25.0), True), ((10.0, 20.0, 15.0), False), ((0.1, 0.2, 0.9), False)],
    ids=["better average", "better single one", "BLEU is chance, and the average has the higher loss"],
)
def test_the_better_of_average_and_best_is_kept(tmp_path, monkeypatch, bleu, better):
    """BLEU of two validations and of the average is as given."""
    averages, real_average, real_score, values = [], checkpoint.average, BLEU.score, iter(bleu)

    def average(paths):
        averages.append(real_average(paths))
        return averages[-1]

    def score(self, hypotheses, references, *, bootstrap=0):
        final = bootstrap > 0
        return real_score(self, hypotheses, references, bootstrap=bootstrap) if final else Score(next(values))

    monkeypatch.setattr(checkpoint, "average", average)
    monkeypatch.setattr(BLEU, "score", score)
    folder = tmp_path / "run"
    metrics = go(
        folder, *SMALL_TRANSFORMER, "data.sizes=[60,4,4]", "callbacks.checkpointing.average_last=2",
        "callbacks.samples=null", "trainer.max_epochs=2", "optimizer.lr=1e-3", "scheduler.warmup_updates=0",
    )  # fmt: skip
    (averaged,) = averages
    assert not same(averaged, weights(folder)), "two epochs differ"
    assert same(weights(folder, "best.ckpt"), averaged if better else weights(folder))
    assert metrics["best_update"] == metrics["updates"] and metrics["averaged"] == better


def test_a_run_ends_when_it_gets_no_better(tmp_path):
    metrics = go(
        tmp_path / "run", *SMALL_TRANSFORMER, "data.sizes=[60,4,4]", "optimizer.lr=1e-12", "trainer.max_epochs=9",
        "callbacks.early_stopping.patience=2", "callbacks.samples=null", NO_AVERAGE,
    )  # fmt: skip
    assert metrics["epochs"] == 3


def test_a_falling_loss_counts_while_bleu_is_nothing(tmp_path):
    metrics = go(
        tmp_path / "run", *SMALL_TRANSFORMER, "data.sizes=[60,4,4]", "optimizer.lr=1e-3", "trainer.max_epochs=4",
        "scheduler.warmup_updates=0", "callbacks.early_stopping.patience=1", "callbacks.samples=null",
        NO_AVERAGE,
    )  # fmt: skip
    assert (
        metrics["val"]["bleu"]["value"] < 1 and metrics["epochs"] == 4 and metrics["best_update"] == metrics["updates"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["transformer", "bahdanau"])
def test_half_precision_learns_as_single_does(tmp_path, name):
    common = [
        *MODELS[name], "data.sizes=[100,4,4]", "trainer.max_steps=3", "callbacks.samples=null", "optimizer.eps=1",
        "scheduler=constant", "scheduler.warmup_updates=0",
    ]  # fmt: skip
    # eps=1 keeps Adam's steps proportional to the gradients.
    go(tmp_path / "start", *common, "optimizer.lr=1e-30")
    go(tmp_path / "single", *common, "optimizer.lr=1")
    go(tmp_path / "half", *common, "optimizer.lr=1", "trainer.precision=bf16-mixed")
    start, single, half = (weights(tmp_path / run) for run in ("start", "single", "half"))
    assert not same(single, half) and all(value.dtype == torch.float32 for value in half.values())
    changes = [torch.cat([(end[key] - start[key]).flatten() for key in start]) for end in (single, half)]
    assert torch.cosine_similarity(*changes, dim=0) > 0.99


@pytest.mark.slow
def test_a_model_learns_with_rdrop(tmp_path):
    """200 updates with dropout, so that the two passes differ."""
    folder = tmp_path / "run"
    metrics = go(
        folder, "objective=rdrop", "model.encoder.layers=2", "model.encoder.block.width=64",
        "model.encoder.block.heads=4", "model.encoder.block.feed_forward=128", "data.sizes=[3000,100,100]",
        "data.batch_tokens=1000", "optimizer.lr=0.003",
        "trainer.max_steps=200", "trainer.max_epochs=null", "trainer.check_val_every_n_epoch=null",
        "trainer.val_check_interval=50", "scheduler.warmup_updates=30", NO_AVERAGE,
        "callbacks.samples=null",
    )  # fmt: skip
    events = EventAccumulator(str(folder))
    events.Reload()
    perplexities = [event.value for event in events.Scalars("val/perplexity")]
    assert len(perplexities) == 4 and perplexities == sorted(perplexities, reverse=True)
    assert perplexities[-1] < 7, "of 400 pieces"
    assert metrics["updates"] == 200 and metrics["val"]["chrf"]["value"] > 10


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_handful_of_pairs_is_learnt_by_heart(name, tmp_path):
    choice = [word for word in MODELS[name] if word.startswith(("model=", "model/", "model.attention"))]
    report = go(tmp_path / "run", "debug=overfit", "tokenizer.vocab_size=320", *choice)
    assert report["test"]["bleu"]["value"] == pytest.approx(100.0)


# Processes of their own

KILLED = [
    *TINY, *SMALL_TRANSFORMER, "data.sizes=[3000,20,20]", "trainer.max_epochs=2",
    "callbacks.checkpointing.save_every_updates=10", "callbacks.samples=null", "data.batch_tokens=150",
]  # fmt: skip


def start(*overrides, program=ROOT / "train.py", cwd=None):
    return subprocess.Popen(
        [sys.executable, str(program), *overrides],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        cwd=cwd,
    )


def wait_for_updates(folder, process, updates):
    """Wait until last.ckpt is from `updates` or later."""
    path = folder / "checkpoints" / "last.ckpt"
    for _ in range(600):
        if path.exists() and checkpoint.load(path)["nmt"]["update"] >= updates:
            return
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.1)
    raise AssertionError("no checkpoint within a minute")


@pytest.mark.slow
def test_killed_in_mid_epoch_and_resumed_ends_with_the_same_weights(tmp_path):
    whole, killed, stopped = (tmp_path / name for name in ("whole", "killed", "stopped"))
    process = start(*KILLED, f"hydra.run.dir={whole}")
    assert process.wait() == 0, process.stdout.read()

    process = start(*KILLED, f"hydra.run.dir={killed}")
    wait_for_updates(killed, process, 20)
    process.kill()
    process.wait()
    assert not (killed / "metrics.json").exists()

    process = start(*KILLED, f"hydra.run.dir={stopped}")
    wait_for_updates(stopped, process, 20)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130 and f"train.py resume={stopped}" in said and "Traceback" not in said

    for folder in (killed, stopped):
        process = start(f"resume={folder}")
        assert process.wait() == 0, process.stdout.read()
        assert same(weights(folder), weights(whole))
        ours, theirs = (json.loads((path / "metrics.json").read_text("utf-8")) for path in (folder, whole))
        assert ours["test"] == theirs["test"] and ours["updates"] == theirs["updates"]
        assert math.isclose(ours["epochs"], theirs["epochs"])
        assert 0.1 < ours["target_tokens_per_second"] / theirs["target_tokens_per_second"] < 10


@pytest.mark.slow
def test_two_processes_train_one_model_in_one_folder_and_show_it(tmp_path):
    process = start(
        *TINY, *SMALL_TRANSFORMER, "data.sizes=[200,21,21]", "trainer.max_steps=6", "trainer.devices=2",
        "trainer.strategy=ddp", "callbacks.checkpointing.average_last=2", "callbacks.progress.plain_seconds=0",
        cwd=tmp_path,
    )  # fmt: skip
    said = process.communicate()[0]
    assert process.returncode == 0, said
    (folder,) = (tmp_path / "outputs" / "transformer").iterdir()
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert metrics["updates"] == 6 and metrics["sentences"]["val"] == 21
    assert said.count("left\n") >= 5, said
    states = checkpoint.load(folder / "checkpoints" / "last.ckpt")["callbacks"]["Generators"]["ranks"]
    assert len(states) == 2 and not torch.equal(states[0]["torch"], states[1]["torch"])


@pytest.mark.slow
def test_two_processes_are_stopped_and_go_on_as_if_they_had_not_been(tmp_path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    two = [*KILLED, "trainer.devices=2", "trainer.strategy=ddp"]
    process = start(*two, f"hydra.run.dir={whole}")
    assert process.wait() == 0, process.stdout.read()
    process = start(*two, f"hydra.run.dir={stopped}")
    wait_for_updates(stopped, process, 20)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    assert process.returncode == 130 and f"train.py resume={stopped}" in said, said
    process = start(f"resume={stopped}")
    assert process.wait() == 0, process.stdout.read()
    for name, value in weights(whole).items():
        torch.testing.assert_close(weights(stopped)[name], value, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_two_processes_update_as_one_that_accumulates(tmp_path):
    common = [
        *TINY, *SMALL_TRANSFORMER, "data.sizes=[200,8,8]", "trainer.max_steps=4", "trainer.gradient_clip_val=0.5",
        "optimizer.eps=1", "optimizer.lr=1", "scheduler=constant", "scheduler.warmup_updates=0",
        "model.encoder.embedding_dropout=0", "model.encoder.block.residual_dropout=0", NO_AVERAGE,
    ]  # fmt: skip
    process = start(*common, "trainer.devices=2", "trainer.strategy=ddp", f"hydra.run.dir={tmp_path / 'two'}")
    said = process.communicate()[0]
    assert process.returncode == 0, said
    go(tmp_path / "one", *common, "trainer.accumulate_grad_batches=2")
    one, two = weights(tmp_path / "one"), weights(tmp_path / "two")
    for name, value in one.items():
        torch.testing.assert_close(two[name], value, rtol=1e-4, atol=1e-6)
