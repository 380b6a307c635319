"""Measures the speed of training and translation, and compares training with the machine's fastest matrix product."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import Callback
from torch import Tensor, nn

from nmt.checkpoint import load
from nmt.config.recipe import Recipe
from nmt.data.batches import Batch, batches_by_length, pad
from nmt.errors import UserError, one_line
from nmt.models.interface import State, per_sentence
from nmt.models.seq2seq import Seq2Seq
from nmt.preflight import Components
from nmt.search.beam import BeamSearch
from nmt.system import machine, process
from nmt.system.run_files import find_checkpoint
from nmt.tokens import EOS
from nmt.training.fit import make_trainer
from nmt.training.lightning import AtomicCheckpointIO
from nmt.training.module import TranslationModule
from nmt.training.parts import Parts, build_parts
from nmt.training.precision import decided
from nmt.translation.loading import load_translator
from nmt.translation.translator import Translator

WARMUP, TIMED = 10, 60  # updates
SENTENCES = 1000
PEAK_WIDTH, PEAK_PRODUCTS = 2048, 10  # the width of the matrices in `matmul_peak`, and how often they are multiplied


def measure(recipe: Recipe, components: Components, ckpt: str | None) -> Iterator[str]:
    """Yield the lines of the report.

    `ckpt` is the checkpoint that translates. If it is None, the untrained model translates, and every hypothesis is
    forced to the length of the reference.
    """
    if ckpt:
        load(find_checkpoint(ckpt))  # report a wrong checkpoint before the measurements
    process.speed_up()
    machine.forget_peak_memory()
    recipe, precision = decided(_limited(recipe))
    if precision is not None:
        yield precision
    parts = build_parts(recipe, components)
    clock = Clock(multiplying(parts.translator.model.encoder), multiplying(parts.translator.model.decoder))
    trainer = make_trainer(parts, [clock], AtomicCheckpointIO())
    trainer.limit_val_batches = 0
    yield f"hardware: {machine.summary(machine.describe(trainer.strategy.root_device))}"
    yield _training(parts, trainer, clock)
    yield _translation(parts, trainer.strategy.root_device, ckpt)


def _limited(recipe: Recipe) -> Recipe:
    """Return the recipe of a run that ends after the timed updates."""
    limits = {"max_steps": WARMUP + TIMED, "max_epochs": None, "max_time": None}
    return replace(recipe, plain={**recipe.plain, "trainer": {**recipe.plain["trainer"], **limits}})


@dataclass
class Clock(Callback):
    """Measures the time, target tokens and FLOP of the updates after a warm-up.

    The FLOP are an estimate: for each token and each weight that multiplies it, 2 forward and 4 backward.
    """

    encoder_weights: int
    decoder_weights: int
    started: float = 0.0
    seconds: float = 0.0
    target_tokens: int = 0
    flops: float = 0.0

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, outputs: Any, batch: Batch, batch_idx: int
    ) -> None:
        """Count the tokens and FLOP of one update, which reads one batch."""
        wait()
        now = time.perf_counter()
        if trainer.global_step == WARMUP:
            self.started = now
        elif trainer.global_step > WARMUP:
            target, source = int(batch.target_mask.sum()), int(batch.source_mask.sum())
            self.seconds = now - self.started
            self.target_tokens += target
            self.flops += 6 * (self.encoder_weights * source + self.decoder_weights * target)


def _training(parts: Parts, trainer: pl.Trainer, clock: Clock) -> str:
    device, started = trainer.strategy.root_device, time.monotonic()
    module = TranslationModule(parts, lambda: time.monotonic() - started)
    peak_before = matmul_peak(device)
    try:
        trainer.fit(module, datamodule=parts.data)
    except MisconfigurationException as error:  # a device or precision that this machine does not have
        raise UserError(f"trainer: {one_line(error)}") from error
    peak = max(peak_before, matmul_peak(device))
    rate = clock.flops / clock.seconds
    return (
        f"training: {clock.target_tokens / clock.seconds:,.0f} real target tokens/s, {rate / 1e9:,.1f} GFLOP/s, "
        f"{rate / peak:.1%} of the matmul peak ({peak / 1e9:,.0f} GFLOP/s), "
        f"peak memory {machine.peak_memory_bytes() / 2**20:,.0f} MiB"
    )


def matmul_peak(device: torch.device | str) -> float:
    """Return the FLOP/s of the fastest of `PEAK_PRODUCTS` products of float32 matrices on `device`.

    The matrices are square, with n = `PEAK_WIDTH`. One product has 2 * n^3 operations.
    """
    left, right, product = (torch.randn(PEAK_WIDTH, PEAK_WIDTH, device=device) for _ in range(3))
    torch.mm(left, right, out=product)  # the first call allocates memory and starts threads, so it is not timed
    best = float("inf")
    for _ in range(PEAK_PRODUCTS):
        wait()
        start = time.perf_counter()
        torch.mm(left, right, out=product)
        wait()
        best = min(best, time.perf_counter() - start)
    return 2 * PEAK_WIDTH**3 / best


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


def _translation(parts: Parts, device: torch.device, ckpt: str | None) -> str:
    pairs = list(parts.corpus.get("test", parts.val_pairs))[:SENTENCES]
    if ckpt:
        translator = load_translator(ckpt, device=str(device), search=BeamSearch(beam_size=5))
        started = time.perf_counter()
        translator.translate([pair.source for pair in pairs])
        note = f"with {ckpt}"
    else:
        translator = parts.translator
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


@dataclass(frozen=True)
class ForcedLength(State):
    """The state of a model, and the number of tokens `left` until each sentence (B,) must end."""

    inner: State
    left: Tensor = per_sentence()


def force(translator: Translator, sources: Sequence[Sequence[int]], lengths: Sequence[int]) -> None:
    """Search as `Translator.translate` with 5 beams, but end every sentence after exactly `lengths` tokens."""
    model, device = translator.model.eval(), translator.device
    search = BeamSearch(beam_size=5, batch_tokens=translator.search.batch_tokens)
    with torch.inference_mode():
        for places in batches_by_length([len(ids) for ids in sources], search.batch_tokens // search.width):
            batch = [sources[i] for i in places]
            source, mask = (x.to(device) for x in pad(batch))
            wanted = torch.tensor([lengths[i] for i in places], device=device)
            state = ForcedLength(model.start(source, mask), wanted)
            search(_forced_step(model), state, max_length=wanted + 1, keys=batch)


def _forced_step(model: Seq2Seq) -> Any:
    def step(tokens: Tensor, state: ForcedLength) -> tuple[Tensor, ForcedLength]:
        log_probs, inner = model.step(tokens, state.inner)
        beams = len(tokens) // len(state.left)
        last = (state.left <= 1).repeat_interleave(beams)
        log_probs[:, EOS] = torch.where(last, 0.0, float("-inf"))
        log_probs[:, EOS + 1 :].masked_fill_(last[:, None], float("-inf"))
        return log_probs, ForcedLength(inner, state.left - 1)

    return step
