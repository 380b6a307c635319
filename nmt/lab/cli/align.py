"""The program that aligns words by attention: `scripts/align.py`, `nmt-align`."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from nmt.cli import program
from nmt.cli.arguments import read_config, wants_help
from nmt.cli.log import messages_on
from nmt.cli.output import tell, write_lines
from nmt.errors import UserError
from nmt.lab.cli.align_pairs import pairs_of, read_gold
from nmt.parameters import PositiveInt, Range

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.data.sources.base import Pairs
    from nmt.data.word_links import Gold, Links
    from nmt.lab.alignment.alignment import Agreement, Aligner

HELP = """\
Align the words of sentence pairs that you have by the attention of a trained model or by a statistical aligner, and
compare with alignments made by people.

  python scripts/align.py ckpt=RUN_FOLDER_OR_FILE split=test [key=value ...]               (installed: nmt-align)
  python scripts/align.py ckpt=RUN_FOLDER_OR_FILE source=FILE target=FILE [key=value ...]
  python scripts/align.py aligner=eflomal source=FILE target=FILE [key=value ...]

  split=test           the pairs of the run's data: train, val or test; data.KEY=... replaces one data setting
  source=lines.en      or your pairs: one source on each line; .gz is read too
  target=lines.de      one translation on each line, of the source on the same line. Of .jsonl and .tsv, each is the
                       text in its language ('source' and 'target' without ckpt=); both may name the same file
  output=FILE          where the alignments go, gzipped if the name ends in .gz; default: standard output
  unit=words           words: what spaces separate. pieces: those of the tokenizer
  layer=2 head=3       the attention of one layer or head, counted from 1; default: the mean of all
  threshold=0.2        link all source pieces with at least this weight; default: the one with the highest weight
  shifted=true         align a target piece by the step that reads it, not by the step that predicts it; often better
                       for a Transformer (Chen et al. 2020, arXiv:2004.14675)
  reverse=PATH         a model of the other direction: both alignments become one
  reverse_layer=2      its layer, and reverse_head=3 its head; default: the mean of all
  symmetrize=NAME      how: grow-diag-final-and (default), intersection or union
  gold=FILE            alignments made by people: i-j are sure links, i?j possible ones. Default: those of the data
  aligner=eflomal      align by this statistical aligner, in place of a model. It learns from these pairs, and if ckpt=
                       names a run also from those of its training. It needs the extra `eflomal`
  yardstick=eflomal    with gold: also score this aligner, beside a model
  batch_tokens=8000    padded tokens in a batch; fewer need less memory
  allow=[my_package]   your packages whose classes the checkpoint may name
  --config-dir FOLDER  your folder of YAML files, as for the other programs
  device=auto          auto, cpu, cuda, cuda:1 ...

Line N of the output is the alignment of pair N in the Pharaoh format: `0-0 1-2` says that the first words belong
together, and the second source word and the third target word. A pair with an empty side gets an empty line. The model
predicts the given target; there is no search.

With gold alignments, standard error gets the precision, the recall and the alignment error rate (AER, Och and Ney 2003;
lower is better) of the alignment that is written, and of every layer and head.

  python scripts/align.py ckpt=outputs/transformer/2026-01-31_12-00-00 source=test.en target=test.de gold=test.align
"""

CHUNK = 256  # pairs aligned together


@dataclass(kw_only=True)
class AlignConfig:
    """The settings of align.yaml."""

    ckpt: str | None
    aligner: Literal["model", "eflomal"]
    reverse: str | None
    reverse_layer: PositiveInt | None
    reverse_head: PositiveInt | None
    symmetrize: Literal["grow-diag-final-and", "intersection", "union"]
    split: Literal["train", "val", "test"] | None
    data: dict[str, Any]
    source: str | None
    target: str | None
    output: str | None
    unit: Literal["words", "pieces"]
    layer: PositiveInt | None
    head: PositiveInt | None
    threshold: Annotated[float, Range(above=0.0, high=1.0)] | None
    shifted: bool
    gold: str | None
    yardstick: Literal["eflomal"] | None
    batch_tokens: PositiveInt
    allow: list[str]
    device: str


def run(argv: Sequence[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them or in the files."""
    if wants_help(argv):
        print(HELP, end="")
        return
    config = read_config("align", argv, AlignConfig, open_keys=("data",))
    output = None if config.output is None else Path(os.path.expanduser(config.output))
    if output is not None and output.exists():
        raise UserError(f"output={output}: it exists already; name another file, or remove it")
    if config.split is None and None in (config.source, config.target):
        raise UserError("split: give split=, or source= and target=, to say which pairs to align")
    if config.ckpt is None and (config.aligner == "model" or config.split is not None):
        raise UserError("ckpt: not given; name a run folder or a checkpoint file: ckpt=RUN_FOLDER")
    problems = list(contradictions(config))
    if problems:
        raise UserError(*problems)

    from nmt.system import process

    process.speed_up()
    with messages_on(sys.stderr):
        work = prepare(config)
        write_lines((f"{line}\n" for line in work.lines()), output)
        if work.gold is not None:
            if config.yardstick is not None:
                work.add_yardstick()
            tell(table(work))


def contradictions(config: AlignConfig) -> Iterator[str]:
    """Yield the settings that would do nothing, with the reason."""
    of_reverse = [name for name in ("reverse_layer", "reverse_head") if getattr(config, name) is not None]
    if config.aligner == "eflomal":
        names = [name for name in ("reverse", "layer", "head", "threshold", "yardstick") if getattr(config, name)]
        names += of_reverse + ["shifted"] * config.shifted + ["unit"] * (config.unit != "words")
        for name in names:
            yield f"{name}: does not go with aligner={config.aligner}, only with a model; leave it out"
    elif config.reverse is None:
        symmetrized = config.symmetrize != "grow-diag-final-and" and config.yardstick is None
        for name in of_reverse + ["symmetrize"] * symmetrized:
            yield f"{name}: does nothing without reverse=, a model of the other direction; give one, or leave it out"
    if config.split is not None and (config.source, config.target) != (None, None):
        yield "split: does not go with source= and target=; give split=, or the two files"
    statistical = "eflomal" in (config.aligner, config.yardstick) and config.ckpt is not None
    if config.split is None and config.data and not statistical:
        yield f"data.{next(iter(config.data))}: does nothing with source= and target=; leave it out"


@dataclass
class Work:
    """The pairs to align and the aligners, as the settings name them.

    Without `forward`, the statistical aligner aligns them.
    `gold` has the alignments made by people, one for each pair, or is None. `training` are the pairs that the model was
    trained on. `totals` collects how each kind of alignment agrees with the gold.
    """

    config: AlignConfig
    pairs: Pairs
    name: str
    forward: Aligner | None
    backward: Aligner | None
    gold: Sequence[Gold] | None
    training: Pairs
    totals: dict[str, Agreement] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """Yield the alignment of each pair, in order, and collect `totals`."""
        from nmt.data.word_links import to_text
        from nmt.lab.alignment.alignment import Panel, add_all

        if self.forward is None:
            for place, found in enumerate(self.statistical()):
                if self.gold is not None:
                    add_all(self.totals, {"eflomal": found}, self.gold[place])
                yield to_text(found)
            return
        chosen = Panel(self.config.layer, self.config.head)
        other = Panel(self.config.reverse_layer, self.config.reverse_head)
        ranked = self.gold is not None
        remaining, first = iter(self.pairs), 0
        while chunk := list(itertools.islice(remaining, CHUNK)):
            places = [f"{self.name}:{pair.line or first + number}" for number, pair in enumerate(chunk, start=1)]
            ahead = self.forward.align(chunk, places, chosen, ranked=ranked)
            back = [] if self.backward is None else self.backward.align(chunk, places, other, ranked=ranked)
            for number, links in enumerate(ahead):
                found = self.joined(links[chosen], back[number][other]) if back else links[chosen]
                if self.gold is not None:
                    named = {str(panel): each for panel, each in links.items()}
                    if back:
                        named |= {f"reverse: {panel}": each for panel, each in back[number].items()}
                        named[self.config.symmetrize] = found
                    add_all(self.totals, named, self.gold[first + number])
                yield to_text(found)
            first += len(chunk)

    def joined(self, forward: Links, backward: Links) -> Links:
        """Return the alignments of both directions as one."""
        from nmt.lab.alignment.alignment import SYMMETRIZERS

        return SYMMETRIZERS[self.config.symmetrize](forward, backward)

    def statistical(self) -> Iterator[Links]:
        """Yield the alignment of each pair by the statistical aligner."""
        from nmt.lab.alignment.eflomal import align

        pairs, more = ([(pair.source, pair.target) for pair in pairs] for pairs in (self.pairs, self.training))
        return itertools.starmap(self.joined, zip(*align(pairs, more), strict=True))

    def add_yardstick(self) -> None:
        """Add the statistical aligner to `totals`."""
        from nmt.lab.alignment.alignment import add_all

        assert self.gold is not None
        for links, gold in zip(self.statistical(), self.gold, strict=True):
            add_all(self.totals, {"eflomal": links}, gold)


def prepare(config: AlignConfig) -> Work:
    """Load what the settings name, and check all pairs and gold alignments before anything is computed."""
    from nmt.lab.alignment import eflomal
    from nmt.lab.alignment.alignment import Aligner
    from nmt.translation.loading import load_models, make_translator, resolve_device
    from nmt.translation.translator import Translator

    def load(path: str, *, backwards: bool) -> tuple[LoadedModel, Aligner]:
        (loaded,) = load_models(path, resolve_device(config.device), config.allow)
        translator = make_translator([loaded], {"batch_tokens": config.batch_tokens}, allow=config.allow)
        assert isinstance(translator, Translator)
        words = config.unit == "words"
        aligner = Aligner(
            translator=translator,
            words=words,
            threshold=config.threshold,
            shifted=config.shifted,
            backwards=backwards,
        )
        return loaded, aligner

    loaded, forward, backward = None, None, None
    if config.ckpt is not None:
        loaded, forward = load(config.ckpt, backwards=False)
    if config.aligner == "eflomal":
        eflomal.find("aligner")
        forward = None
    if config.reverse is not None and loaded is not None:
        other, backward = load(config.reverse, backwards=True)
        require_opposite(loaded, other)
    pairs, name, training = pairs_of(config, loaded)
    if config.gold is not None and config.unit == "pieces":
        raise UserError("unit=pieces: alignments made by people count words; leave unit= out, or gold=")
    gold = [] if config.unit == "pieces" else list(read_gold(config, pairs, name))
    if config.yardstick is not None:
        if not gold:
            raise UserError("yardstick: there are no gold alignments to score it with; name a file: gold=FILE")
        eflomal.find("yardstick")
    return Work(config, pairs, name, forward, backward, gold or None, training)


def require_opposite(forward: LoadedModel, backward: LoadedModel) -> None:
    """Raise UserError unless the second model translates in the other direction, where their settings say it."""
    one, other = (
        [each.config.get("data", {}).get(key) for key in ("source_lang", "target_lang")] for each in (forward, backward)
    )
    if None not in (*one, *other) and one != other[::-1]:
        raise UserError(
            f"reverse: {backward.path} translates {other[0]} to {other[1]}, expected {one[1]} to {one[0]}, the other "
            f"direction of {forward.path}"
        )


def table(work: Work) -> str:
    """Return the agreement of every kind of alignment with the gold, best first."""
    from nmt.cli.table import Column, Table, terminal_width, text_cell, to_text

    def cell(share: float) -> Any:
        return text_cell(f"{100 * share:.1f}")

    columns = [Column("alignment", number=False), *map(Column, ("precision %", "recall %", "AER %", "links"))]
    ranked = sorted(work.totals.items(), key=lambda entry: entry[1].error_rate)
    rows = [
        [
            text_cell(name),
            *(cell(share) for share in (each.precision, each.recall, each.error_rate)),
            text_cell(f"{each.links:,}"),
        ]
        for name, each in ranked
    ]
    return to_text(Table(columns, rows), terminal_width())[0]


def main() -> None:
    """Run the program with the arguments of this process."""
    program.main(run)
