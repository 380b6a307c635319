"""Measures the speed of training and translation, and compares training with the machine's fastest matrix product."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch import Tensor, nn

from nmt.build import Objects
from nmt.checkpoint import load
from nmt.config.recipe import Recipe
from nmt.data.batches import Batch, pad
from nmt.search.beam import BeamSearch
from nmt.system import machine
from nmt.system.run_files import find_checkpoint
from nmt.tokens import EOS
from nmt.training.module import TranslationModule, translation_module
from nmt.training.run import train
from nmt.translation.batches import batches_by_length
from nmt.translation.loading import load_translator
from nmt.translation.translator import Translator

WARMUP, TIMED = 10, 60  # updates
SENTENCES = 1000
PEAK_WIDTH = {"cpu": 2048, "cuda": 8192}  # of the matrices in `matmul_peak`
PEAK_PRODUCTS = 10  # how often they are multiplied


def measure(
    recipe: Recipe, objects: Objects, ckpt: str | None, *, later: int = 0, sentences: int = SENTENCES
) -> Iterator[str]:
    """Yield the lines of the report. Training is timed a second time, `later` updates after the first, if it is not 0.

    The first `sentences` of the test split are translated. `ckpt` is the checkpoint that translates. If it is None, the
    untrained model translates, and every hypothesis is forced to the length of the reference.
    """
    if ckpt:
        load(find_checkpoint(ckpt))  # report a wrong checkpoint before the measurements
    clock = Clock([Window(WARMUP + skipped) for skipped in sorted({0, later})])
    callbacks = {"checkpointing": objects.callbacks["checkpointing"], "clock": clock}
    with suppress(Measured):
        train(unlimited(recipe), replace(objects, callbacks=callbacks))
    device = clock.device
    yield f"hardware: {machine.describe(device)}"
    peak = max(clock.peak, matmul_peak(device, clock.kind))
    for window in clock.windows:
        rate, skipped = window.flops / window.seconds, window.first - WARMUP
        yield (
            f"training{f' {skipped:,} updates later' * bool(skipped)}: "
            f"{window.target_tokens / window.seconds:,.0f} real target tokens/s, {rate / 1e9:,.1f} GFLOP/s, "
            f"{rate / peak:.1%} of the matmul peak ({peak / 1e9:,.0f} GFLOP/s), "
            f"peak memory {window.peak_memory / 2**20:,.0f} MiB"
        )
    yield _translation(clock.module, device, ckpt, sentences)


def unlimited(recipe: Recipe) -> Recipe:
    """Return the recipe of a run that neither ends nor validates before the timed updates."""
    limits = {"max_steps": 10**6, "max_epochs": None, "max_time": None}
    rhythm = {"val_check_interval": 10**9, "check_val_every_n_epoch": None}
    return replace(recipe, plain={**recipe.plain, "trainer": {**recipe.plain["trainer"], **limits, **rhythm}})


class Measured(Exception):
    """All updates have been timed."""


@dataclass
class Window:
    """The `TIMED` updates after the update `first`, and the peak of the memory (bytes) until their end.

    The FLOP are an estimate: for each token and each weight that multiplies it, 2 forward and 4 backward.
    """

    first: int
    started: float = 0.0
    seconds: float = 0.0
    flops: float = 0.0
    target_tokens: int = 0
    peak_memory: int = 0


class Clock(Callback):
    """Measures the windows, in their order, and raises `Measured` after the last."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self.windows = windows
        self.peak = 0.0

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Measure the peak of the machine before training."""
        self.module, self.device = translation_module(pl_module), trainer.strategy.root_device
        model = self.module.model
        self.encoder_weights, self.decoder_weights = multiplying(model.encoder), multiplying(model.decoder)
        halved = trainer.precision == "bf16-mixed" and self.device.type == "cuda"
        self.kind = torch.bfloat16 if halved else torch.float32
        self.peak = matmul_peak(self.device, self.kind)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Batch, batch_idx: int
    ) -> None:
        """Count the tokens and FLOP of one update, which reads one batch."""
        wait()
        now, step = time.perf_counter(), trainer.global_step
        for window in self.windows:
            if step == window.first:
                window.started = now
            elif window.first < step <= window.first + TIMED:
                target, source = int(batch.target_mask.sum()), int(batch.source_mask.sum())
                window.seconds = now - window.started
                window.target_tokens += target
                window.flops += 6 * (self.encoder_weights * source + self.decoder_weights * target)
                window.peak_memory = machine.peak_memory_bytes()
        if step == self.windows[-1].first + TIMED:
            raise Measured


def matmul_peak(device: torch.device, kind: torch.dtype) -> float:
    """Return the FLOP/s of the fastest of `PEAK_PRODUCTS` products of matrices of this `kind` on `device`.

    The matrices are square, with n of `PEAK_WIDTH`. One product has 2 * n^3 operations.
    """
    width = PEAK_WIDTH[device.type]
    left, right, product = (torch.randn(width, width, device=device, dtype=kind) for _ in range(3))
    torch.mm(left, right, out=product)  # the first call allocates memory and starts threads, so it is not timed
    best = float("inf")
    for _ in range(PEAK_PRODUCTS):
        wait()
        start = time.perf_counter()
        torch.mm(left, right, out=product)
        wait()
        best = min(best, time.perf_counter() - start)
    return 2 * width**3 / best


def wait() -> None:
    """Wait until the GPU has finished all operations, so that a clock can be read."""
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()


def multiplying(module: nn.Module) -> int:
    """Return the number of weights of `module` that multiply an activation.

    These are the matrices without the embedding tables. A table that is tied to the output layer is counted, because
    the output layer multiplies with it.
    """
    tables = {id(m.weight) for m in module.modules() if isinstance(m, nn.Embedding)}
    outputs = {id(m.weight) for m in module.modules() if isinstance(m, nn.Linear)}
    return sum(p.numel() for p in module.parameters() if p.dim() > 1 and (id(p) not in tables or id(p) in outputs))


def _translation(module: TranslationModule, device: torch.device, ckpt: str | None, sentences: int) -> str:
    pairs = list(module.corpus.get("test", module.val_pairs))[:sentences]
    if ckpt:
        translator = load_translator(ckpt, device=str(device), search=BeamSearch(beam_size=5))
        started = time.perf_counter()
        translator.translate([pair.source for pair in pairs])
        note = f"with {ckpt}"
    else:
        translator = module.translator
        translator.model.to(device)  # Lightning has moved it to the CPU
        sources = translator.tokenizer.encode_source([pair.source for pair in pairs])
        targets = translator.tokenizer.encode_target([pair.target for pair in pairs])
        started = time.perf_counter()
        force(translator, sources, [len(ids) for ids in targets])
        note = "untrained weights, every hypothesis forced to the length of its reference"
    wait()
    seconds = time.perf_counter() - started
    return (
        f"translation: {len(pairs):,} sentences in {seconds:.1f} s at beam 5 ({len(pairs) / seconds:,.0f} sentences/s; "
        f"{note})"
    )


def force(translator: Translator, sources: Sequence[Sequence[int]], lengths: Sequence[int]) -> None:
    """Search as `Translator.translate` with 5 beams, but end every sentence after exactly `lengths` tokens."""
    model, device = translator.model.eval(), translator.device
    search = BeamSearch(beam_size=5, batch_tokens=translator.search.batch_tokens)

    def without_end(tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        log_probs, state = model.step(tokens, state)
        log_probs[:, EOS] = float("-inf")
        return log_probs, state

    with torch.inference_mode():
        for places in batches_by_length([len(ids) for ids in sources], search.batch_tokens // search.width):
            batch = [sources[i] for i in places]
            source, mask = (x.to(device) for x in pad(batch))
            wanted = torch.tensor([lengths[i] for i in places], device=device)
            search(without_end, model.start(source, mask), max_length=wanted, keys=batch)
