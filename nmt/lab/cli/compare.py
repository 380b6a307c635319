"""Compare finished runs: scores with intervals, significance, means over seeds, lengths, and sentences that differ.

  python scripts/compare.py RUN [RUN ...] [baseline=RUN] [key=value ...]      (installed: nmt-compare)

{settings}

The table has a row for each run, and one for the mean of runs that differ only in their seed. RUN may also be a file of
translations of any other program, with one line for each test sentence of the runs. Scores are computed again from the
translations. A metric that has numbers for each sentence has a difference from the baseline, with its 95 % interval by
paired bootstrap, and a p-value. This p is that of sacrebleu --paired-ar, but it also counts shuffles with exactly the
real difference (TER has many). In the row of a mean, the difference and its p come from a test over seeds and
sentences. The program writes comparison.md, .json (everything, with all digits, also p by bootstrap) and .html (one
page, with a chart by length and the sentences that differ most).

  python train.py -m model=rnn model/attention=none,bahdanau,luong seed=1,2,3
  python scripts/compare.py multirun/rnn/2026-01-31_12-00-00
  python scripts/compare.py outputs/transformer/2026-01-31_12-00-00 outputs/rnn/2026-01-31_13-00-00 split=val
  python scripts/compare.py outputs/transformer/2026-01-31_12-00-00 other_program.de
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal

from nmt.cli.arguments import OpenMapping, PathText, Settings, configured
from nmt.cli.output import print_stderr
from nmt.errors import UserError
from nmt.parameters import NonNegativeInt, PositiveInt, Range
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from nmt.evaluation.metrics.base import Metric
    from nmt.lab.compare.compare import Comparison
    from nmt.lab.compare.runs import FinishedRun

NAME = "comparison"


@dataclass(kw_only=True)
class TestSets:
    """The part `data` of compare.yaml."""

    test: PathText | None


@dataclass(kw_only=True)
class CompareConfig(Settings):
    """The settings of compare.yaml."""

    runs: list[str]  # all words that name folders, without a key
    baseline: PathText | None
    split: Literal["val", "test"]
    source_lang: str | None
    target_lang: str | None
    data: TestSets
    scores: OpenMapping
    allow: list[str]
    bootstrap: Annotated[int, Range(low=2, high=1_000_000)]
    shuffles: PositiveInt
    examples: NonNegativeInt
    out: PathText

    @classmethod
    def taken(cls, words: list[str]) -> tuple[dict[str, Any], list[str]]:
        """Take the folders of runs and the files of translations. The name of a job's folder may contain "=" too."""
        runs = [word for word in words if "=" not in word or "/" in word.partition("=")[0] or Path(word).exists()]
        for word in words:
            if word.startswith(("ckpt=", "runs=")):
                raise UserError(f"{word}: name the folders of runs without a key, as in RUN RUN")
        return {"runs": runs}, [word for word in words if word not in runs]


@configured(CompareConfig)
def main(config: CompareConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    if not config.runs:
        raise UserError("RUN: not given; name the folders of finished runs, or that of a multirun")
    from nmt.lab.compare.compare import compare
    from nmt.system.atomic import require_writable

    runs, baseline = read_runs([Path(folder) for folder in config.runs], config)
    metrics, output = metrics_of([baseline, *runs], config), Path(config.out)
    require_writable(output)
    print_stderr(f"comparing {len(runs)} runs, {len(baseline.hypotheses):,} sentences ...")
    comparison = compare(
        runs, baseline, metrics, bootstrap=config.bootstrap, shuffles=config.shuffles, examples=config.examples
    )
    show(comparison)
    written = write(comparison, output)
    print(f"written to {written[0].parent}: {', '.join(path.name for path in written)}")


def read_runs(folders: Sequence[Path], config: CompareConfig) -> tuple[list[FinishedRun], FinishedRun]:
    """Return the runs in these folders, and the baseline among them. Raises UserError."""
    from nmt.lab.compare import runs as finished

    found = {run.resolve(): run for folder in folders for run in finished.find_runs(folder)}
    if config.baseline is None:
        first = next(iter(found))
    else:
        named = finished.find_runs(Path(config.baseline))
        if len(named) > 1:
            raise UserError(f"baseline: {config.baseline} holds {len(named)} runs, expected one; name its folder")
        first = named[0].resolve()
        found = {first: named[0]} | found
    if len(found) < 2:
        raise UserError(f"RUN: got one run ({found[first]}), expected several to compare; report.py shows one")
    codes = config.source_lang, config.target_lang
    runs = finished.read_runs(list(found.values()), config.split, config.data.test, config.allow, codes)
    return runs, runs[list(found).index(first)]


def metrics_of(runs: Sequence[FinishedRun], config: CompareConfig) -> dict[str, Metric]:
    """Return the chosen metrics, by default those of the first of `runs` that is not a file. Raises UserError."""
    from nmt.build import build_metrics, merge_scores

    nodes = merge_scores(next(run.config for run in runs if run.config)["scores"], config.scores)
    return build_metrics(nodes, target_lang=runs[0].test_set.target_lang, allow=config.allow)


def show(comparison: Comparison) -> None:
    """Print the tables and the notes."""
    from nmt.cli.output import to_text
    from nmt.lab.compare import table as tables

    width = get_terminal_size((100, 24)).columns
    print(to_text(tables.systems_table(comparison)))
    print("")
    for note in tables.notes(comparison):
        print(textwrap.fill(note, width, subsequent_indent="  "))
    for label, signature in tables.signatures(comparison).items():
        print(f"{label}: {signature}")
    print(f"\n{tables.length_caption(comparison)} (number of sentences)")
    print(to_text(tables.lengths_table(comparison)), end="\n\n")


def write(comparison: Comparison, folder: Path) -> list[Path]:
    """Write the comparison as Markdown, JSON and HTML; return the paths of the files. Raises OSError."""
    from nmt.cli.output import to_markdown
    from nmt.lab.compare import table as tables

    systems, lengths = tables.systems_table(comparison), to_markdown(tables.lengths_table(comparison))
    facts = [*tables.notes(comparison), *(f"{key}: `{text}`" for key, text in tables.signatures(comparison).items())]
    parts = [
        to_markdown(systems),
        *(f"{line}\n" for line in facts),
        f"{tables.length_caption(comparison)} (number of sentences):\n",
        lengths,
    ]
    contents = {
        "md": "\n".join(parts),
        "json": json.dumps(tables.to_dict(comparison), indent=2, ensure_ascii=False) + "\n",
        "html": tables.comparison_page(comparison),
    }
    paths = [folder / f"{NAME}.{ending}" for ending in contents]
    for path, text in zip(paths, contents.values(), strict=True):
        write_atomically(path, text.encode())
    return paths
