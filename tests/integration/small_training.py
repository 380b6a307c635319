"""Trainings small enough for a test: settings for each model, and how to run and read them."""

import json
from pathlib import Path

import torch

from nmt import checkpoint
from nmt.cli import train as train_program
from nmt.system.run_files import best_checkpoint, last_checkpoint
from nmt.training.state import load_state

ROOT = Path(__file__).resolve().parents[2]
NO_AVERAGE = "callbacks.checkpointing.average_last=0"
TINY = [
    "data=cldr", "data.sizes=[300,40,40]", "data.topics=[dates,numbers]", "data.max_parts=1", "data.batch_tokens=300",
    "trainer.accelerator=cpu", "trainer.check_val_every_n_epoch=1", "callbacks=plain",
    "tokenizer.vocab_size=400", "search.max_length_factor=1", "search.max_length_extra=2",
]  # fmt: skip
SMALL_TRANSFORMER = [
    "model.encoder.layers=1", "model.encoder.block.width=16", "model.encoder.block.heads=2",
    "model.encoder.block.feed_forward=16",
]  # fmt: skip
PLAIN = [  # a run without curves, pictures and beams
    "data=cldr", *SMALL_TRANSFORMER, "trainer.accelerator=cpu", "callbacks=plain", "logger.tensorboard=false",
    "search.beam_size=1", "search.max_length_extra=0",
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


def go(folder, *overrides):
    train_program.main([*TINY, *overrides, f"hydra.run.dir={folder}"])
    return json.loads((folder / "metrics.json").read_text("utf-8"))


def last(folder):
    """The whole state of a training."""
    return load_state(last_checkpoint(folder))


def last_weights(folder):
    """The weights of last.ckpt, with their names in the model; a shared table is there by each of its names."""
    return {name.removeprefix("model."): value for name, value in last(folder)["state_dict"].items()}


def best(folder):
    """The checkpoint to use."""
    return checkpoint.load(best_checkpoint(folder))


def same(one, other):
    """Whether the weights that both name are equal, and neither has one that the other could lack but for sharing."""
    fewer, more = sorted((one, other), key=len)
    tables = {value.untyped_storage().data_ptr() for value in more.values()}
    return len(fewer) in (len(more), len(tables)) and all(torch.equal(fewer[name], more[name]) for name in fewer)
