"""Report on the content and the defects of a corpus, before training.

  python scripts/inspect_data.py [data=... | any override of train.py]      (installed: nmt-inspect-data)

  data.path=FOLDER           any setting of train.py chooses the data and the tokenizer as it does there
  examples=5                 pairs that are shown for each defect
  out=FOLDER                 also write data_report.txt, data_report.json and data_report.html to this folder
  --config-dir FOLDER        add your YAML files

The report has sizes, lengths in words and in pieces of the tokenizer (which is trained first, as for a run), and the
pairs that training drops or could drop: filters=[duplicate,leaked_source] in train.py drops those with these
defects. It ends with examples and their line numbers. The extra `inspect` adds two defects: damaged encodings and
wrong languages. The latter takes most of the time; data.limit=100000 looks only at the first pairs of each split.

  python scripts/inspect_data.py data=cldr data.target_lang=ko
  python scripts/inspect_data.py data.path=FOLDER data.source_lang=en data.target_lang=ko out=report
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli.arguments import take, take_config_dir
from nmt.cli.output import messages_on
from nmt.cli.program import program
from nmt.config.compose import compose, with_checkpoint_settings
from nmt.config.settings import validate
from nmt.errors import UserError, printable
from nmt.system.atomic import require_writable, write_atomically
from nmt.system.run_files import find_checkpoint

if TYPE_CHECKING:
    from nmt.config.settings import TrainConfig
    from nmt.data.tokenizer import Tokenizer
    from nmt.lab.corpus.report import DataReport

FILE = "data_report"
EXAMPLES = 5


@program
def main(argv: list[str]) -> None:
    """Run the program. Raises UserError for a mistake in the arguments or in the data."""
    words = take_config_dir(argv)
    out, words = take(words, "out")
    examples, words = take(words, "examples")
    if not (examples or "0").isdecimal():
        raise UserError(f"examples: got '{examples}', expected a number of at least 0")
    folder = None if out is None else Path(os.path.expanduser(out))
    plain, start = compose("train", words), None
    if plain["init"] is not None:
        from nmt.checkpoint import load  # here, because importing torch takes seconds

        start = load(find_checkpoint(str(plain["init"]), key="init"))
        plain = with_checkpoint_settings(plain, start.config, words)
    config = validate(plain)
    if folder is not None:
        require_writable(folder)
    with messages_on(sys.stderr):
        report = inspect(config, None if start is None else start.tokenizer, int(examples or EXAMPLES))
    write(report, folder)


def inspect(config: TrainConfig, tokenizer: Tokenizer | None, examples: int) -> DataReport:
    """Read the corpora, and return the report on them, with a new tokenizer if none is given.

    Raises UserError for a mistake in the settings or the data.
    """
    from nmt.build import build_filters, build_more, build_source
    from nmt.data.corpus import load_corpus, load_more, origin
    from nmt.data.tokenizer import Tokenizer
    from nmt.lab.corpus import inspection
    from nmt.lab.corpus.report import MORE
    from nmt.system.atomic import cache_folder
    from nmt.text.protect import Spans

    build_filters(config.filters, (config.data.source_lang, config.data.target_lang), allow=config.allow)
    source, others = build_source(config.data, allow=config.allow), build_more(config.data, "more")
    corpus, more = load_corpus(source, config.data), load_more(others, config.data)
    if tokenizer is None:
        spans = Spans(config.spans)
        tokenizer = Tokenizer.train(corpus["train"], config.tokenizer, cache_dir=cache_folder(), spans=spans)

    def place(split: str) -> str:
        if not split.startswith(MORE):
            return origin(source, config.data, split)
        return others[split.removeprefix(MORE)].origin("train").removeprefix("data.train=")  # only the files

    dropped = list(config.filters)
    return inspection.inspect(
        corpus, tokenizer, config.data, dropped=dropped, origin=place, more=more, examples=examples
    )


def write(report: DataReport, folder: Path | None) -> None:
    """Print the report, and write it to the folder as text, JSON and HTML."""
    from nmt.lab.corpus.report import page, text

    lines = "".join(f"{printable(line)}\n" for line in text(report))
    print(lines, end="")
    if folder is None:
        return
    plain = json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n"
    for suffix, content in ((".txt", lines), (".json", plain), (".html", page(report))):
        write_atomically(folder / f"{FILE}{suffix}", content.encode())
        print(f"written to {folder / f'{FILE}{suffix}'}")
