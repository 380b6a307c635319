"""The lines of the data report at a run's start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import nmt.lab.corpus.inspection as inspection
from nmt.config.settings import DataConfig
from nmt.data.cache import read_entry, write_entry
from nmt.data.filters import DEFECTS, Filters, surroundings
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.lab.corpus.tables import short_text
from nmt.system.lines import digest

VERSION = 4  # of the lines
MOST_PAIRS = 50_000  # about four seconds; more are sampled
DEFECTS_AT_START = [name for name in DEFECTS if name != "language"]  # which takes longer than all others together


def start_lines(
    corpus: Mapping[str, Split],
    more: Mapping[str, Split],
    tokenizer: Tokenizer,
    config: DataConfig,
    *,
    folder: Path,
) -> list[str]:
    """Return the lines on the splits of `corpus` and the further training corpora `more`.

    They are cached in `folder` under the texts and settings that decide what they say.
    """
    entry = folder / f"report-{_key(corpus, more, tokenizer, config)}.txt"
    if cached := read_entry(entry, "data report", bytes.decode):
        return cached.split("\n")
    report = inspection.inspect(
        corpus, tokenizer, config, origin=str, more=more, defects=DEFECTS_AT_START, examples=0, most_pairs=MOST_PAIRS
    )
    lines = short_text(report)
    write_entry(entry, "\n".join(lines).encode(), "data report")
    return lines


def _key(corpus: Mapping[str, Split], more: Mapping[str, Split], tokenizer: Tokenizer, config: DataConfig) -> str:
    around = surroundings(config, corpus, "train")
    kinds = [DEFECTS[name] for name in DEFECTS_AT_START if not DEFECTS[name].obstacle(around.languages)]
    filters = Filters(config.max_length, config.max_ratio, [kind(around) for kind in kinds])
    texts = [{name: pairs.digest for name, pairs in each.items()} for each in (corpus, more)]
    return digest(json.dumps([VERSION, around.languages, *texts, tokenizer.digest(), filters.identity()]))[:24]
