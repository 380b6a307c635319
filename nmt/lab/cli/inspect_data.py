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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli.arguments import take, take_config_dir
from nmt.cli.output import messages_on
from nmt.cli.program import program
from nmt.config.groups import with_configs_of
from nmt.errors import UserError, printable
from nmt.system.atomic import require_writable, write_atomically
from nmt.system.run_files import find_checkpoint

if TYPE_CHECKING:
    from nmt.config.settings import TrainConfig
    from nmt.data.pair import Split
    from nmt.data.sources.base import Source
    from nmt.data.tokenizer import Tokenizer
    from nmt.lab.corpus.report import DataReport

FILE = "data_report"
EXAMPLES = 5


@dataclass(frozen=True)
class Inputs:
    """The settings of a training, their corpora, and the checkpoint that the run would start from."""

    config: TrainConfig
    source: Source
    more: Mapping[str, Source]
    start: Path | None

    def origin(self, split: str) -> str:
        """Return where the pairs of a split of the report come from."""
        from nmt.data.corpus import origin
        from nmt.lab.corpus.report import MORE

        if not split.startswith(MORE):
            return origin(self.source, self.config.data, split)
        return self.more[split.removeprefix(MORE)].origin("train").removeprefix("data.train=")  # only the files


@program
def main(argv: list[str]) -> None:
    """Run the program. Raises UserError for a mistake in the arguments or in the data."""
    config_folder, words = take_config_dir(argv)
    out, words = take(words, "out")
    examples, words = take(words, "examples")
    if not (examples or "0").isdecimal():
        raise UserError(f"examples: got '{examples}', expected a number of at least 0")
    with with_configs_of(config_folder):
        inputs = load_inputs(words)
    folder = None if out is None else Path(os.path.expanduser(out))
    if folder is not None:
        require_writable(folder)
    with messages_on(sys.stderr):
        report = inspect(inputs, int(examples or EXAMPLES))
    write(report, folder)


def load_inputs(overrides: Sequence[str]) -> Inputs:
    """Return the inputs that the overrides of train.py name. Raises UserError for a mistake in the overrides."""
    from nmt.build import build_filters, build_more, build_source
    from nmt.config.compose import compose
    from nmt.config.settings import validate

    config = validate(compose("train", overrides))
    build_filters(config.filters, (config.data.source_lang, config.data.target_lang), allow=config.allow)
    start = None if config.init is None else find_checkpoint(config.init, key="init")
    return Inputs(config, build_source(config.data, allow=config.allow), build_more(config.data), start)


def inspect(inputs: Inputs, examples: int) -> DataReport:
    """Read the corpora, and return the report on them."""
    from nmt.checkpoint import load
    from nmt.data.corpus import load_corpus, load_more
    from nmt.lab.corpus import inspection

    config = inputs.config
    corpus = load_corpus(inputs.source, config.data)
    more = load_more(inputs.more, config.data)
    if inputs.start is None:
        tokenizer, note = train_tokenizer(corpus["train"], config)
    else:
        tokenizer, note = load(inputs.start).tokenizer, f"the pieces above are those of init={inputs.start}"
    report = inspection.inspect(
        corpus, tokenizer, config.data, dropped=list(config.filters), origin=inputs.origin, more=more, examples=examples
    )
    return replace(report, tokenizer=note)


def write(report: DataReport, folder: Path | None) -> None:
    """Print the report, and write it to the folder as text, JSON and HTML."""
    from nmt.lab.corpus.tables import page, text

    lines = "".join(f"{printable(line)}\n" for line in text(report))
    print(lines, end="")
    if folder is None:
        return
    plain = json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n"
    for suffix, content in ((".txt", lines), (".json", plain), (".html", page(report))):
        write_atomically(folder / f"{FILE}{suffix}", content.encode())
        print(f"written to {folder / f'{FILE}{suffix}'}")


def train_tokenizer(split: Split, config: TrainConfig) -> tuple[Tokenizer, str]:
    """Return the tokenizer of the settings and "".

    If the texts do not allow the vocabulary size of the settings, return a tokenizer with the default size and a note
    for the user. Raises UserError if the texts allow no tokenizer.
    """
    from nmt.data.tokenizer import Tokenizer
    from nmt.system.cache import cache_folder
    from nmt.text.protect import Spans

    settings, spans = config.tokenizer, Spans(config.spans)
    try:
        return Tokenizer.train(split, settings, cache_dir=cache_folder(), spans=spans), ""
    except UserError as error:
        if settings.vocab_size is None:
            raise
        any_size = replace(settings, vocab_size=None)
        suited = Tokenizer.train(split, any_size, cache_dir=cache_folder(), spans=spans)
        return suited, f"a run would end here: {error}; the pieces above are those of tokenizer.vocab_size=null"
