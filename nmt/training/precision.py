"""`trainer.precision=auto`: bfloat16 if this machine trains faster with it, else float32."""

from __future__ import annotations

import time

import torch
from torch import nn

from nmt.config.recipe import BFLOAT16, FLOAT32, Recipe
from nmt.system import process
from nmt.system.launch import launch
from nmt.training.processes import from_first_process

ROWS, WIDTH, ROUNDS = 512, 256, 5  # of a trial layer, and how often it is timed
MOST = 0.9  # bfloat16 is used if it takes less than this share of the time of float32
TIMED = ("cpu", "cuda")  # types of devices; the trial has not been run on others


def decided(recipe: Recipe) -> tuple[Recipe, str | None]:
    """Return the recipe with a precision in place of `auto`, and a line for the log that says why it was chosen.

    The line is None if the recipe names a precision. The first process decides for all.
    """
    trainer = recipe.settings.trainer
    if trainer.precision != "auto":
        return recipe, None
    place = launch()
    process.speed_up()
    if place.several:
        process.share_machine(place)
    device = _device(trainer.accelerator)
    if device.type in TIMED:
        share = bfloat16_share(device)
        if place.several:
            share = from_first_process(share)
        precision = BFLOAT16 if share < MOST else FLOAT32
        why = f"a layer takes {share:.2f} of float32's time with bfloat16"
    else:
        precision, why = FLOAT32, f"auto tries bfloat16 on {' and '.join(TIMED)} only, not on {device.type}"
    return recipe.with_precision(precision), f"trainer.precision: {precision}, because {why}"


def bfloat16_share(device: torch.device) -> float:
    """Return the time of a feed-forward layer's training step with bfloat16, as a share of its time with float32."""
    with torch.random.fork_rng():
        layer = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH)).to(device)
    inputs = torch.zeros(ROWS, WIDTH, device=device)
    seconds = {True: float("inf"), False: float("inf")}
    for repetition in range(ROUNDS + 1):
        for bfloat16 in seconds:
            started = time.perf_counter()
            with torch.autocast(device.type, torch.bfloat16, enabled=bfloat16):
                out = layer(inputs)
            out.float().sum().backward()
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            if repetition:  # the first one also prepares the products
                seconds[bfloat16] = min(seconds[bfloat16], time.perf_counter() - started)
    return seconds[True] / seconds[False]


def _device(accelerator: str) -> torch.device:
    found = torch.accelerator.current_accelerator() if accelerator != "cpu" else None
    return found or torch.device("cpu")
