"""The program that gives the log-probabilities of translations: `scripts/score.py`, `nmt-score`."""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from nmt.cli import program
from nmt.cli.arguments import read_config, wants_help
from nmt.cli.output import write_lines
from nmt.cli.pair_files import Languages, read_pair_files
from nmt.errors import UserError, counted
from nmt.parameters import PositiveInt
from nmt.system.lines import says_jsonl

if TYPE_CHECKING:
    from nmt.data.sources.base import Pairs
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation

HELP = """\
Score translations that you have: the log-probability that a trained model gives to each of them. There is no search.

  python scripts/score.py ckpt=RUN_FOLDER_OR_FILE source=FILE target=FILE [key=value ...]      (installed: nmt-score)

  ckpt=PATH            a run folder (its best checkpoint) or a checkpoint file; ckpt=[PATH,PATH]: their ensemble
  source=lines.en      one source on each line; .gz is read too. Of .jsonl and .tsv, the text in the source language
  target=lines.de      one translation on each line, of the source on the same line. Of .jsonl and .tsv, the text in the
                       target language: source= and target= may name the same file of pairs
  output=FILE          where the log-probabilities go, gzipped if the name ends in .gz; default: standard output
  format=jsonl         JSON Lines with pieces and token_log_probs; default if output= ends in .jsonl or .jsonl.gz.
                       text: log P alone
  batch_tokens=8000    padded tokens in a batch; fewer need less memory
  allow=[my_package]   your packages whose classes the checkpoint may name
  --config-dir FOLDER  your folder of YAML files, as for the other programs
  device=auto          auto, cpu, cuda, cuda:1 ...

Line N of the output belongs to line N of the files. log P is the sum of the natural logarithms over all pieces of the
translation and the end of the sentence. Standard error gets the sum over the file, the mean for each token, and the
perplexity, which is exp(-mean).

  python scripts/score.py ckpt=outputs/transformer/2026-01-31_12-00-00 source=test.en target=test.de
"""

CHUNK = 1024  # lines scored together


@dataclass(kw_only=True)
class ScoreConfig:
    """The settings of score.yaml."""

    ckpt: str | list[str]
    source: str
    target: str
    output: str | None
    format: Literal["text", "jsonl"] | None
    batch_tokens: PositiveInt
    allow: list[str]
    device: str

    @property
    def jsonl(self) -> bool:
        """Whether the output is JSON Lines."""
        return says_jsonl(self.output or "") if self.format is None else self.format == "jsonl"


def run(argv: Sequence[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in the files."""
    if wants_help(argv):
        print(HELP, end="")
        return
    config = read_config("score", argv, ScoreConfig)
    output = None if config.output is None else Path(os.path.expanduser(config.output))
    if output is not None and output.exists():
        raise UserError(f"output={output}: it exists already; name another file, or remove it")

    from nmt.system import process
    from nmt.translation.loading import load_translator

    process.speed_up()
    translator = load_translator(
        config.ckpt, device=config.device, allow=config.allow, batch_tokens=config.batch_tokens
    )
    pairs = read_pair_files(config.source, config.target, translator.languages)
    for sources, targets, places in chunks(pairs, config.source):
        translator.encode_pairs(sources, targets, places=places)  # a mistake ends the program before any computation
    totals = Totals()
    form = translator.languages, config.jsonl
    write_lines((line(each, *form) for each in scored(translator, pairs, config.source, totals)), output)
    print(totals, file=sys.stderr, flush=True)


@dataclass
class Totals:
    """Sums over the scored pairs."""

    pairs: int = 0
    tokens: int = 0
    log_prob: float = 0.0

    def add(self, translation: Translation) -> None:
        """Count a pair."""
        self.pairs += 1
        self.tokens += len(translation.tokens)
        self.log_prob += translation.score

    def __str__(self) -> str:
        mean = self.log_prob / self.tokens
        return (
            f"{counted(self.pairs, 'pair')}, {counted(self.tokens, 'token')}: log P {self.log_prob:.2f}, "
            f"{mean:.4f} a token, perplexity {math.exp(-mean):.2f}"
        )


def scored(translator: BaseTranslator, pairs: Pairs, name: str, totals: Totals) -> Iterator[Translation]:
    """Yield each pair as a translation with its log-probabilities, in order, and count it in `totals`.

    Raises UserError for a pair that cannot be scored, with its line in the file `name`.
    """
    for sources, targets, places in chunks(pairs, name):
        for each in translator.score(sources, targets, places=places):
            totals.add(each)
            yield each


def chunks(pairs: Pairs, name: str) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield the sources, the targets, and the places in the file `name`, of some pairs at a time."""
    remaining = iter(pairs)
    while chunk := list(itertools.islice(remaining, CHUNK)):
        places = [f"{name}:{pair.line}" for pair in chunk]
        yield [pair.source for pair in chunk], [pair.target for pair in chunk], places


def line(translation: Translation, languages: Languages | None, jsonl: bool) -> str:
    """Return the line of output for a scored pair, with its line end."""
    from nmt.cli.answers import record

    if not jsonl:
        return f"{translation.score:.6f}\n"
    return f"{json.dumps(record([translation], languages=languages), ensure_ascii=False)}\n"


def main() -> None:
    """Run the program with the arguments of this process."""
    program.main(run)
