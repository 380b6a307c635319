"""`python scripts/benchmark.py gpu [models=base,big,bahdanau,luong] [profile=FILE] [any override of train.py]`

`base` and `big` are Transformers of 6 + 6 layers (arXiv:1706.03762, table 3), the others experiment=multi30k_bahdanau
and multi30k_luong. They train in bf16-mixed on random words, in lines as long as sentences; each word is one of 32,000
pieces. For each model it prints the lines of `python scripts/benchmark.py`, with bfloat16 products as the peak, and
translates 10,000 lines. With profile=FILE, FILE gets the table of torch.profiler of one update of each model instead.
"""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import torch
from pytorch_lightning.callbacks import LambdaCallback
from sentencepiece import SentencePieceTrainer
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]
from torch.profiler import profile, schedule

from nmt.build import Objects, build_objects
from nmt.cli.arguments import take
from nmt.config.compose import compose
from nmt.config.recipe import Recipe
from nmt.data.sentencepiece_trainer import TRAINER_OPTIONS
from nmt.errors import UserError
from nmt.tokens import WORD_MARK
from nmt.training.run import train
from scripts.benchmarks.training import WARMUP, Measured, measure, unlimited

PIECES, LINES = 32_000, {"train": 20_000, "val": 100, "test": 10_000}
LAYERS, BLOCK = "model.encoder.layers=6", "model.encoder.block"
MODELS = {
    "base": [LAYERS, f"{BLOCK}.width=512", f"{BLOCK}.heads=8", f"{BLOCK}.feed_forward=2048"],
    "big": [LAYERS, f"{BLOCK}.width=1024", f"{BLOCK}.heads=16", f"{BLOCK}.feed_forward=4096"],
    "bahdanau": ["experiment=multi30k_bahdanau"],
    "luong": ["experiment=multi30k_luong"],
}
SETTINGS = ["trainer.precision=bf16-mixed", "data.batch_tokens=32768", "search.batch_tokens=65536"]


def run(arguments: Sequence[str]) -> None:
    """Measure and print. Raises UserError without a GPU."""
    if not torch.cuda.is_available():
        raise UserError("gpu: torch finds no GPU here; without the word gpu, the program measures the processor")
    for line in report(["trainer.accelerator=gpu", *arguments]):
        print(line, flush=True)


def report(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the lines about each model. Raises UserError for a mistake in the arguments."""
    models, rest = take(list(arguments), "models")
    file, overrides = take(rest, "profile")
    with tempfile.TemporaryDirectory() as place:
        corpus = write_corpus(Path(place))
        for name in (models or ",".join(MODELS)).split(","):
            if name not in MODELS:
                raise UserError(f"models: got {name}, expected some of {', '.join(MODELS)}")
            recipe = Recipe(compose("train", [*MODELS[name], *SETTINGS, *corpus, *overrides]), Path(place) / name)
            objects = build_objects(recipe.settings)
            if torch.cuda.is_available():
                torch.cuda.reset_peak_memory_stats()  # those of the model before
            if file is None:
                yield from (f"{name}: {line}" for line in measure(recipe, objects, None, sentences=LINES["test"]))
            else:
                with open(file, "a", encoding="utf-8") as tables:
                    tables.write(f"{name}\n{profiled(recipe, objects)}\n")
                yield f"{name}: the table of an update is in {file}"


def profiled(recipe: Recipe, objects: Objects) -> str:
    """Return the table of torch.profiler of the update after the warm-up."""
    with profile(schedule=schedule(wait=WARMUP - 1, warmup=1, active=1, repeat=1), profile_memory=True) as profiler:

        def step(trainer: Any, *_: Any) -> None:
            profiler.step()
            if trainer.global_step > WARMUP:
                raise Measured

        callbacks = {
            "checkpointing": objects.callbacks["checkpointing"],
            "step": LambdaCallback(on_train_batch_end=step),
        }
        with suppress(Measured):
            train(unlimited(recipe), replace(objects, callbacks=callbacks))
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    return str(profiler.key_averages().table(sort_by=f"self_{kind}_time_total", row_limit=40))


def write_corpus(folder: Path) -> list[str]:
    """Write lines of random words, and a vocabulary with a piece for each word. Return the overrides that name them."""
    draw, words = random.Random(1), ["".join(letters) for letters in product("abcdefghijklmn", repeat=4)]
    writer, options = io.BytesIO(), {**TRAINER_OPTIONS, "vocab_size": PIECES, "hard_vocab_limit": False}
    SentencePieceTrainer.train(sentence_iterator=iter(words[:999]), model_writer=writer, **options)
    model = ModelProto.FromString(writer.getvalue())
    words = words[: PIECES - len(model.pieces)]
    for word in words:
        model.pieces.add(piece=WORD_MARK + word, score=0.0)
    (folder / "words.model").write_bytes(model.SerializeToString())
    for split, count in LINES.items():
        lengths = [min(100, round(draw.lognormvariate(3.0, 0.6))) + 1 for _ in range(count)]
        for side, ratio in (("en", 1.0), ("de", 1.1)):
            lines = (" ".join(draw.choices(words, k=round(ratio * length))) for length in lengths)
            (folder / f"{split}.{side}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return ["data=files", f"data.path={folder}", f"tokenizer.path={folder / 'words.model'}"]
