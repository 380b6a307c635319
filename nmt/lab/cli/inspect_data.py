"""The program that reports what a corpus holds: `scripts/inspect_data.py`, `nmt-inspect-data`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli import program
from nmt.cli.arguments import quoted_paths, take, take_config_dir, wants_help
from nmt.cli.log import messages_on
from nmt.cli.output import say
from nmt.errors import UserError, printable
from nmt.system.atomic import require_writable, write_atomically
from nmt.system.run_files import find_checkpoint

if TYPE_CHECKING:
    from nmt.config.settings import TokenizerConfig
    from nmt.data.pair import Split
    from nmt.data.tokenizer import Tokenizer

FILE = "data_report"
EXAMPLES = 5

HELP = f"""\
Report what a corpus holds and what is wrong with it, before training.

  python scripts/inspect_data.py [data=... | any override of train.py]      (installed: nmt-inspect-data)

  data.path=FOLDER           any setting of train.py chooses the data and the tokenizer as it does there
  examples={EXAMPLES}                 pairs that are shown for each defect
  out=FOLDER                 also write {FILE}.txt, {FILE}.json and {FILE}.html to this folder
  --config-dir FOLDER        add your YAML files

The report has sizes, lengths in words and in pieces of the tokenizer (which is trained first, as for a run), and the
pairs that training drops or could drop: data.filters=[duplicate,leaked_source] in train.py drops those with these
defects. It ends with examples and their line numbers. The extra `inspect` adds two defects: damaged encodings and
wrong languages. The latter takes most of the time; data.limit=100000 looks only at the first pairs of each split.

  python scripts/inspect_data.py data=cldr data.target_lang=ko
  python scripts/inspect_data.py data.path=FOLDER data.source_lang=en data.target_lang=ko out=report
"""


def run(argv: Sequence[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in the data."""
    if wants_help(argv):
        print(HELP, end="")
        return
    from nmt.config.compose import compose
    from nmt.config.explain import naming_files
    from nmt.config.schema import validate
    from nmt.config.yaml_files import also_in

    config_folder, words = take_config_dir(argv)
    out, words = take(words, "out")
    examples, words = take(words, "examples")
    if not (examples or "0").isdecimal():
        raise UserError(f"examples: got '{examples}', expected a number of at least 0")
    overrides = quoted_paths(words, but=",\\")
    with also_in(config_folder), naming_files(overrides):
        config = validate(compose("train", overrides))
        from nmt.build import build_more, build_source
        from nmt.data.filters import check_filters

        check_filters(config.data)
        start = None if config.init is None else find_checkpoint(config.init, key="init")
        source, added = build_source(config.data, allow=config.allow), build_more(config.data)
    folder = None if out is None else Path(os.path.expanduser(out))
    if folder is not None:
        require_writable(folder)
    from nmt.data.corpus import load_corpus, load_more, origin
    from nmt.lab.corpus.inspection import inspect
    from nmt.lab.corpus.report import MORE
    from nmt.lab.corpus.tables import page, text

    def place(split: str) -> str:
        """Return where the pairs of a split of the report come from."""
        if not split.startswith(MORE):
            return origin(source, config.data, split)
        return added[split.removeprefix(MORE)].origin("train").removeprefix("data.train=")  # only the files

    with messages_on(sys.stderr):
        corpus = load_corpus(source, config.data)
        more = load_more(added, config.data)
        tokenizer, note = tokenizer_of(start) if start else train_tokenizer(corpus["train"], config.tokenizer)
        report = inspect(
            corpus,
            tokenizer,
            config.data,
            origin=place,
            more={name: each.split for name, each in more.items()},
            examples=int(examples or EXAMPLES),
        )
    report = replace(report, tokenizer=note)
    lines = "".join(f"{printable(line)}\n" for line in text(report))
    plain = json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n"
    written = [] if folder is None else _write(folder, {".txt": lines, ".json": plain, ".html": page(report)})
    say("".join([lines, *(f"written to {path}\n" for path in written)]), end="")


def tokenizer_of(start: Path) -> tuple[Tokenizer, str]:
    """Return the tokenizer of the checkpoint that the run would start from, and what to tell the user."""
    from nmt.checkpoint import load

    return load(start).tokenizer, f"the pieces above are those of init={start}"


def train_tokenizer(split: Split, settings: TokenizerConfig) -> tuple[Tokenizer, str]:
    """Return the tokenizer of the settings and "".

    If the texts do not allow its vocabulary size, return one with the size that suits them, and what to tell the user.
    Raises UserError if the texts allow none.
    """
    from nmt.data.cache import cache_folder
    from nmt.data.tokenizer import Tokenizer

    try:
        return Tokenizer.train(split, settings, cache_dir=cache_folder()), ""
    except UserError as error:
        if settings.vocab_size is None:
            raise
        suited = Tokenizer.train(split, replace(settings, vocab_size=None), cache_dir=cache_folder())
        return suited, f"a run would end here: {error}; the pieces above are those of tokenizer.vocab_size=null"


def _write(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write the files with these suffixes into the folder. Return their paths."""
    paths = []
    for suffix, content in contents.items():
        paths.append(folder / f"{FILE}{suffix}")
        write_atomically(paths[-1], content.encode())
    return paths


def main() -> None:
    """Run the program with the arguments of this process."""
    program.main(run)
