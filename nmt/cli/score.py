"""Score translations that you have: the log-probability that a trained model gives to each of them. There is no search.

  python scripts/score.py ckpt=RUN_FOLDER_OR_FILE source=FILE target=FILE [key=value ...]      (installed: nmt-score)

{settings}

Line N of the output belongs to line N of the files. log P is the sum of the natural logarithms over all pieces of the
translation and the end of the sentence. Standard error gets the sum over the file, the mean for each token, and the
perplexity, which is exp(-mean).

  python scripts/score.py ckpt=outputs/transformer/2026-01-31_12-00-00 source=test.en target=test.de
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from nmt.cli.arguments import ModelSettings, PathText, configured
from nmt.cli.output import messages_on, new_file, output_file, print_stderr
from nmt.data.sources.base import Pairs
from nmt.data.sources.files import file_spec, read_pairs
from nmt.errors import counted
from nmt.parameters import PositiveInt
from nmt.system.lines import is_jsonl

CHUNK = 1024  # lines scored together


@dataclass(kw_only=True)
class ScoreConfig(ModelSettings):
    """The settings of score.yaml."""

    ckpt: PathText | list[PathText]
    source: PathText
    target: PathText
    output: PathText | None
    format: Literal["text", "jsonl"] | None
    batch_tokens: PositiveInt


@configured(ScoreConfig)
def main(config: ScoreConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings or in the files."""
    output = new_file(config.output)

    from nmt.cli.translation_lines import record

    translator, _ = config.load(batch_tokens=config.batch_tokens)
    pairs = read_pair_files(config.source, config.target, translator.languages)
    with messages_on(sys.stderr):  # all pairs are checked before the first one is scored
        for sources, targets, places in chunks(pairs, config.source):
            translator.encode_pairs(sources, targets, places=places)
    count = tokens = 0
    log_prob, jsonl = 0.0, is_jsonl(config.output, config.format)
    with output_file(output) as file:
        for sources, targets, places in chunks(pairs, config.source):
            for each in translator.score(sources, targets, places=places):
                count += 1
                tokens += len(each.tokens)
                log_prob += each.score
                whole = record([each], languages=translator.languages) if jsonl else None
                file.write(f"{json.dumps(whole, ensure_ascii=False)}\n" if whole else f"{each.score:.6f}\n")
    mean = log_prob / tokens
    size, perplexity = f"{counted(count, 'pair')}, {counted(tokens, 'token')}", math.exp(-mean)
    print_stderr(f"{size}: log P {log_prob:.2f}, {mean:.4f} a token, perplexity {perplexity:.2f}")


def read_pair_files(source: str, target: str, languages: tuple[str, str] | None) -> Pairs:
    """Return the pairs of two files, which may be one file of JSON Lines, TSV or CSV. Reading them raises UserError.

    In such a file, the columns are the `languages` of the model, or source and target if it does not know them.
    """
    return read_pairs(file_spec([source, target], "source"), *(languages or ("source", "target")))


def chunks(pairs: Pairs, name: str) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """Yield the sources, the targets, and the places in the file `name`, of some pairs at a time."""
    remaining = iter(pairs)
    while chunk := list(itertools.islice(remaining, CHUNK)):
        places = [f"{name}:{pair.line}" for pair in chunk]
        yield [pair.source for pair in chunk], [pair.target for pair in chunk], places
