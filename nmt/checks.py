"""Conditions between settings. Those here need no data; `nmt.training.run` checks what needs the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nmt.config.settings import TrainConfig
from nmt.errors import did_you_mean
from nmt.parameters import shown
from nmt.system.place import place_of_process

MODEL_KEYS = ("encoder", "decoder", "attention", "positions", "tie_embeddings")


def contradictions(config: TrainConfig) -> Iterator[str]:
    """Yield a message for each setting that contradicts another one, or has no effect with it."""
    yield from _model(config)
    if config.data.both_directions and not config.tokenizer.joint:
        yield (
            "data.both_directions: got true with tokenizer.joint=false, expected a joint vocabulary, as each "
            "language is on both sides; use tokenizer.joint=true"
        )
    if config.optimizer.get("fused") and config.trainer.precision == "16-mixed":
        yield (
            "optimizer.fused: got true with trainer.precision=16-mixed, whose gradients a fused optimizer cannot clip; "
            "use optimizer.fused=false, or trainer.precision=bf16-mixed"
        )
    if config.views and config.callbacks.samples is None:
        yield (
            f"views: got {', '.join(config.views)}, but callbacks.samples, which draws them, is off; use "
            "callbacks=default, or views=[]"
        )
    interval, epochs = config.trainer.val_check_interval, config.trainer.check_val_every_n_epoch
    if interval is not None and epochs not in (None, 1):
        yield (
            f"trainer.val_check_interval: got {shown(interval)} beside trainer.check_val_every_n_epoch={epochs}, which "
            f"leaves out the other epochs; add trainer.check_val_every_n_epoch=null, or set val_check_interval to null"
        )
    devices, started = config.trainer.devices, place_of_process().local_size
    if devices not in ("auto", 1, started):
        yield (
            f"trainer.devices: got {devices}, but this machine has {started} of the run's processes; start one for "
            f"each device: torchrun --nproc-per-node={devices} train.py"
        )


def _model(config: TrainConfig) -> Iterator[str]:
    for key in config.model:
        if key not in MODEL_KEYS:
            yield f"model.{key}: unknown key{did_you_mean(key, MODEL_KEYS, prefix='model.')}"
    for key in ("encoder", "decoder", "tie_embeddings"):
        if key not in config.model:
            yield f"model.{key}: missing; a model has encoder, decoder and tie_embeddings"
    sides = [side for side in (config.model.get("encoder"), config.model.get("decoder")) if isinstance(side, Mapping)]
    for key, models in (("attention", "rnn or model=hybrid"), ("positions", "transformer or model=hybrid")):
        if config.model.get(key) is not None and not any(key in side for side in sides):
            yield f"model.{key}: this model has no {key}; use it with model={models}"
