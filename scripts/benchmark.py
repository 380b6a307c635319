"""Measure the speed of training and translation on this machine.

    python scripts/benchmark.py [data.path=FOLDER] [ckpt=RUN_FOLDER_OR_FILE] [updates=2000] [any override of train.py]
    python scripts/benchmark.py turns [with="KEY=VALUE ..."] [any override of train.py]
    python scripts/benchmark.py translation model=RUN [model=FOLDER ...] [data.path=FOLDER]
    python scripts/benchmark.py gpu [models=base,big,bahdanau,luong] [profile=FILE] [any override of train.py]
    python scripts/benchmark.py all model=RUN [turns=3] [data.path=FOLDER] [any override of train.py]

Training runs in Lightning's Trainer, with logging and without validation. With experiment=NAME it has the settings of
this recipe, otherwise 4,096 padded tokens in a batch and 8,000 pieces. With updates=2000 its speed and memory are
measured again 2,000 updates later, because a program that keeps more and more memory becomes slower.
Translation searches the first 1,000 sentences of the test split with 5 beams; loading the model is not timed.

The other commands have modules in scripts/benchmarks. `turns` compares the speed of training with other settings.
`translation` compares the speed and the scores of trained models and of exported models. `gpu` measures large models on
a GPU, without a corpus. `all` measures the memory of training, its speed alone and beside busy programs, and the
translation of RUN.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nmt.cli.arguments import take
from nmt.cli.program import program
from nmt.errors import UserError

OTHERS = ("gpu", "translation", "turns")  # modules of scripts/benchmarks


def with_defaults(overrides: Sequence[str]) -> list[str]:
    """Return overrides of train.py after those of the benchmark: the sizes only if no recipe has its own."""
    recipe = any(word.startswith("experiment=") for word in overrides)
    sizes = [] if recipe else ["data.batch_tokens=4096", "tokenizer.vocab_size=8000"]
    return [*sizes, "trainer.log_every_n_steps=10", *overrides]


def measure_all(arguments: Sequence[str]) -> None:
    """Run the other commands, each in a process of its own."""
    model, training = take(list(arguments), "model")
    count, training = take(training, "turns")
    if model is None:
        raise UserError("benchmark.py all: got no model, expected model=RUN")
    turns = [["turns", *training, "with=OMP_NUM_THREADS=1", f"turns={count or 3}", f"busy={n}"] for n in range(3)]
    translation = ["translation", f"model={model}", *(word for word in training if word.startswith("data.path="))]
    for words in (["updates=2000", *training], *turns, translation):
        print(f"\n# benchmark.py {shlex.join(words)}\n", flush=True)
        if subprocess.run([sys.executable, __file__, *words], check=False).returncode:
            sys.exit(2)


@program
def main(arguments: list[str]) -> None:
    """Measure and print. `arguments`: overrides of train.py, `ckpt=` and `updates=`. The run folder is temporary."""
    if arguments[:1] == ["all"]:
        return measure_all(arguments[1:])
    if arguments and arguments[0] in OTHERS:
        import_module(f"scripts.benchmarks.{arguments[0]}").run(arguments[1:])
        return
    from nmt.build import build_objects
    from nmt.config.compose import compose
    from nmt.config.recipe import Recipe

    ckpt, rest = take(list(arguments), "ckpt")
    updates, overrides = take(rest, "updates")
    if not (updates or "0").isdecimal():
        raise UserError(f"updates: got {updates}, expected a number of updates, such as updates=2000")
    words = with_defaults(overrides)
    with tempfile.TemporaryDirectory() as folder:
        recipe = Recipe(compose("train", words), Path(folder) / "run")
        objects = build_objects(recipe.settings)
        from scripts.benchmarks.training import measure

        for line in measure(recipe, objects, ckpt, later=int(updates or 0)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
