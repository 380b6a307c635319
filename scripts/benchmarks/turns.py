"""`python scripts/benchmark.py turns`: the speed of training with other settings, and of JoeyNMT.

    python scripts/benchmark.py turns [with="KEY=VALUE ..."] [with=...] [joeynmt=PYTHON] [turns=3] [any override]

The first system has the overrides of the command. Each `with=` adds a system with further overrides. The systems take
turns. Each turn is a process of its own, which trains as `python scripts/benchmark.py` does, with 10 and then 60 timed
updates. The table has the median of the target tokens in a second, and the ratio to the first system: the median of the
turns, and in brackets their range.

`joeynmt=PYTHON` adds JoeyNMT 2.3 (https://github.com/joeynmt/joeynmt); PYTHON is the Python program of an environment
where it is installed. JoeyNMT trains a Transformer of the same sizes with the same training pairs, pieces and padded
tokens in a batch, on the CPU. Its speed is the mean of what it prints after its first 10 of 40 updates.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from nmt.build import build_objects
from nmt.cli.arguments import take
from nmt.cli.output import Column, Table, to_markdown
from nmt.config.compose import compose
from nmt.config.recipe import Recipe
from nmt.data.corpus import load_corpus
from nmt.errors import UserError
from nmt.system import machine
from nmt.system.lines import as_line
from nmt.training.run import make_translator
from scripts.benchmark import with_defaults

BENCHMARK = Path(__file__).resolve().parents[1] / "benchmark.py"
OURS = re.compile(r"training: ([\d,]+) real target tokens/s")
JOEYNMT = re.compile(r"Tokens per Sec: +(\d+)")


@dataclass
class System:
    """A system, the command that trains it, and its target tokens in a second in each turn."""

    name: str
    command: list[str]
    pattern: re.Pattern[str]
    rates: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """Train once. Raises UserError if the command fails."""
        done = subprocess.run(self.command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        found = [float(rate.replace(",", "")) for rate in self.pattern.findall(done.stdout)]
        if done.returncode or not found:
            raise UserError(f"{self.name}: {(done.stdout.strip().splitlines() or ['no output'])[-1][:300]}")
        self.rates.append(statistics.mean(found[1:] or found))


def ratio(figures: Sequence[float], first: Sequence[float]) -> str:
    """Return the median and the range of the ratios to the figures of the first system, which has as many turns."""
    ratios = [mine / its for mine, its in zip(figures, first, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the table. Raises UserError for a mistake in the arguments."""
    joeynmt, rest = take(list(arguments), "joeynmt")
    turns, rest = take(rest, "turns")
    if not (turns or "3").isdecimal() or int(turns or 3) == 0:
        raise UserError(f"turns: got {turns}, expected a number of turns, such as turns=3")
    added = [word.removeprefix("with=") for word in rest if word.startswith("with=")]
    common = [word for word in rest if not word.startswith("with=")]
    systems = [
        System(words or "as it is", [sys.executable, str(BENCHMARK), *common, *words.split()], OURS)
        for words in ["", *added]
    ]
    with tempfile.TemporaryDirectory() as folder:
        if joeynmt is not None:
            systems.append(joeynmt_system(joeynmt, with_defaults(common), Path(folder)))
        print(f"hardware: {machine.describe()}\n", flush=True)
        for system in systems * int(turns or 3):
            system.measure()
    rows = [
        [each.name, f"{statistics.median(each.rates):,.0f}", ratio(each.rates, systems[0].rates)] for each in systems
    ]
    columns = [Column("system", number=False), Column("target tokens/s"), Column("ratio to the first")]
    print(to_markdown(Table(columns, rows)))


def joeynmt_system(python: str, overrides: Sequence[str], folder: Path) -> System:
    """Write JoeyNMT's files: texts, pieces and configuration. Raises UserError for a model that is no Transformer."""
    recipe = Recipe(compose("train", overrides), folder)
    if not recipe.plain["model"]["decoder"]["_target_"].endswith("TransformerDecoder"):
        raise UserError("joeynmt: it is compared with a Transformer; leave out joeynmt=, or take model=transformer")
    objects = build_objects(recipe.settings)
    corpus = load_corpus(objects.source, recipe.settings.data)
    tokenizer = make_translator(recipe, objects, corpus).tokenizer
    models = {"source": tokenizer.source_model, "target": tokenizer.target_model or tokenizer.source_model}
    pieces = {"source": tokenizer.source_vocabulary, "target": tokenizer.target_vocabulary}
    for side in models:
        (folder / f"{side}.model").write_bytes(models[side])
        (folder / f"{side}.txt").write_text("".join(f"{piece}\n" for piece in pieces[side]), "utf-8")
        for split in ("train", "val"):
            lines = (as_line(getattr(pair, side)) for pair in corpus[split])
            (folder / f"{split}.{side}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    config = joeynmt_config(recipe.plain, folder)
    (folder / "joeynmt.yaml").write_text(yaml.safe_dump(config), "utf-8")
    return System("JoeyNMT", [python, "-m", "joeynmt", "train", str(folder / "joeynmt.yaml"), "--skip-test"], JOEYNMT)


def joeynmt_config(plain: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return JoeyNMT's configuration of a Transformer and a training like those of `plain`."""
    model, optimizer = plain["model"], plain["optimizer"]

    def language(side: str) -> dict[str, Any]:
        return {
            "lang": side,
            "level": "bpe",
            "max_length": 1000,
            "voc_file": str(folder / f"{side}.txt"),
            "tokenizer_type": "sentencepiece",
            "tokenizer_cfg": {"model_file": str(folder / f"{side}.model")},
        }

    def transformer(side: Mapping[str, Any], block: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "type": "transformer",
            "num_layers": side["layers"],
            "num_heads": block["heads"],
            "hidden_size": block["width"],
            "ff_size": block["feed_forward"],
            "dropout": block["residual_dropout"],
            "layer_norm": "pre" if block["norm_first"] else "post",
            "embeddings": {
                "embedding_dim": block["width"],
                "scale": True,
                "dropout": side["embedding_dropout"],
            },
        }

    special = {
        **{"unk_id": 0, "pad_id": 1, "bos_id": 2, "eos_id": 3},  # JoeyNMT's own order
        **{"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
    }
    return {
        "name": "benchmark",
        "joeynmt_version": "2.3.0",
        "model_dir": str(folder / "joeynmt"),
        "use_cuda": False,
        "fp16": False,
        "data": {
            "dataset_type": "plain",
            "train": str(folder / "train"),
            "dev": str(folder / "val"),
            "src": language("source"),
            "trg": language("target"),
            "special_symbols": special,
        },
        "testing": {"beam_size": 1},
        "training": {
            "random_seed": plain["seed"],
            "optimizer": "adam",
            "learning_rate": optimizer["lr"],
            "adam_betas": list(optimizer["betas"]),
            "normalization": "tokens",
            "loss": "crossentropy",
            "label_smoothing": 0.1,
            "scheduling": "warmupinversesquareroot",
            "learning_rate_warmup": 1000,
            "learning_rate_min": 1e-8,
            "batch_type": "token",
            "batch_size": plain["data"]["batch_tokens"],
            "updates": 40,
            "logging_freq": 10,
            "validation_freq": 1000,
            "keep_best_ckpts": 1,
            "overwrite": True,
            "num_workers": 0,
        },
        "model": {
            "tied_embeddings": model["tie_embeddings"] == "all",
            "tied_softmax": model["tie_embeddings"] != "none",
            "encoder": transformer(model["encoder"], model["encoder"]["block"]),
            "decoder": transformer(model["decoder"], model["decoder"]["block"]),
        },
    }
