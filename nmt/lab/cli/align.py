"""Align the words of sentence pairs that you have by the attention of a trained model or by a statistical aligner, and
compare with alignments made by people.

  python scripts/align.py ckpt=RUN_FOLDER_OR_FILE split=test [key=value ...]               (installed: nmt-align)
  python scripts/align.py ckpt=RUN_FOLDER_OR_FILE source=FILE target=FILE [key=value ...]
  python scripts/align.py aligner=eflomal source=FILE target=FILE [key=value ...]

{settings}

Line N of the output is the alignment of pair N in the Pharaoh format: `0-0 1-2` says that the first words belong
together, and the second source word and the third target word. A pair with an empty side gets an empty line. The model
predicts the given target; there is no search.

With gold alignments, standard error gets the precision, the recall and the alignment error rate (AER, Och and Ney 2003;
lower is better) of the alignment that is written, and of every layer and head.

  python scripts/align.py ckpt=outputs/transformer/2026-01-31_12-00-00 source=test.en target=test.de gold=test.align
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nmt.cli.arguments import configured
from nmt.cli.output import messages_on, new_file, output_file, print_stderr
from nmt.lab.cli.align_inputs import AlignConfig, Inputs, load_inputs

if TYPE_CHECKING:
    from nmt.data.word_links import Links
    from nmt.lab.alignment.alignment import Agreement

CHUNK = 256  # pairs aligned together


@configured(AlignConfig)
def main(config: AlignConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings or in the files."""
    output = new_file(config.output)

    from nmt.data.word_links import to_text
    from nmt.lab.alignment.alignment import add_all
    from nmt.system import process

    process.speed_up()
    with messages_on(sys.stderr):
        inputs = load_inputs(config)
        agreement: dict[str, Agreement] = {}
        with output_file(output) as file:
            for place, (links, named) in enumerate(alignments(inputs, config)):
                file.write(f"{to_text(links)}\n")
                if inputs.gold is not None:
                    add_all(agreement, named, inputs.gold[place])
        if inputs.gold is not None:
            print_stderr(table(agreement))


def alignments(inputs: Inputs, config: AlignConfig) -> Iterator[tuple[Links, dict[str, Links]]]:
    """Yield the links of each pair, in order, and by name the links to compare with alignments made by people."""
    if inputs.forward is None:
        return ((links, {"eflomal": links}) for links in by_statistics(inputs, config))
    return by_attention(inputs, config)


def by_statistics(inputs: Inputs, config: AlignConfig) -> Iterator[Links]:
    """Yield the links of each pair by the statistical aligner."""
    from nmt.lab.alignment.alignment import SYMMETRIZERS
    from nmt.lab.alignment.eflomal import align

    pairs, more = ([(pair.source, pair.target) for pair in pairs] for pairs in (inputs.pairs, inputs.training))
    return itertools.starmap(SYMMETRIZERS[config.symmetrize], zip(*align(pairs, more), strict=True))


def by_attention(inputs: Inputs, config: AlignConfig) -> Iterator[tuple[Links, dict[str, Links]]]:
    """Yield as `alignments` the links by the attention of the models."""
    from nmt.lab.alignment.alignment import SYMMETRIZERS, Panel

    assert inputs.forward is not None
    panel, reverse = Panel(config.layer, config.head), Panel(config.reverse_layer, config.reverse_head)
    ranked = inputs.gold is not None
    remaining, first = iter(inputs.pairs), 0
    while chunk := list(itertools.islice(remaining, CHUNK)):
        places = [f"{inputs.name}:{pair.line or first + number}" for number, pair in enumerate(chunk, start=1)]
        ahead = inputs.forward.align(chunk, places, panel, ranked=ranked)
        named = [{str(each): links for each, links in found.items()} for found in ahead]
        if inputs.backward is None:
            yield from zip((found[panel] for found in ahead), named, strict=True)
        else:
            back = inputs.backward.align(chunk, places, reverse, ranked=ranked)
            for one, other, names in zip(ahead, back, named, strict=True):
                joined = SYMMETRIZERS[config.symmetrize](one[panel], other[reverse])
                names |= {f"reverse: {each}": links for each, links in other.items()}
                yield joined, names | {config.symmetrize: joined}
        first += len(chunk)


def table(agreement: Mapping[str, Agreement]) -> str:
    """Return the agreement of every kind of alignment with the gold, best first."""
    from nmt.cli.output import Column, Table, to_text

    columns = [Column("alignment", number=False), *map(Column, ("precision %", "recall %", "AER %", "links"))]
    ranked = sorted(agreement.items(), key=lambda entry: entry[1].error_rate)
    rows = [
        [name, *(f"{100 * share:.1f}" for share in (each.precision, each.recall, each.error_rate)), f"{each.links:,}"]
        for name, each in ranked
    ]
    return to_text(Table(columns, rows))
