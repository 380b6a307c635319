"""Show the attention of a trained model while it translates: a table on the terminal; a page, pictures and the weights.

  python scripts/attend.py ckpt=RUN_FOLDER_OR_FILE [text="..." [target="..."]] [out=FOLDER] [key=value ...]
  (installed: nmt-attend)

{settings}

Each row of the table is a piece that the model writes, each column a piece that it reads (in self-attention, both are
of one sentence). The weights are per cent, and a row sums to 100 (to less with model/attention=local_p). "·" is less
than half a per cent. A cell is empty if the row cannot look there, because that piece comes later.

  python scripts/attend.py ckpt=outputs/demo/2026-01-31_12-00-00 text="A dog runs." words=true out=dog
  python scripts/attend.py ckpt=RUN_FOLDER text="A dog runs." target="Ein Hund rennt." kind=decoder_self layer=1
  python scripts/attend.py ckpt=RUN_FOLDER compare=OTHER_RUN_FOLDER text="A dog runs." out=both
  python scripts/attend.py ckpt=RUN_FOLDER text="A dog runs." trace=2 layer=1 head=3 out=dog
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli.arguments import configured, take
from nmt.cli.output import print_stderr
from nmt.cli.program import Program
from nmt.errors import UserError, did_you_mean
from nmt.lab.cli import attend_maps, attend_trace
from nmt.lab.cli.attend_settings import AttendConfig

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation

MOST = 200  # sentences on one page


def _main(argv: list[str]) -> None:
    example, others = take(argv, "example")
    if example is None:
        attend(argv)
    else:
        print_example(example, others)


def print_example(name: str, others: list[str]) -> None:
    """Print one of the examples. Raises UserError for another name, and for additional settings."""
    from nmt.lab.attention.examples import EXAMPLES

    if name not in EXAMPLES:
        raise UserError(f"example: got '{name}', expected one of {', '.join(EXAMPLES)}{did_you_mean(name, EXAMPLES)}")
    if others:
        raise UserError(f"example={name}: it has numbers of its own and no settings; leave out {' '.join(others)}")
    print(EXAMPLES[name]())


@configured(AttendConfig)
def attend(config: AttendConfig) -> None:
    """Show the attention as the settings say. Raises UserError for a mistake in them."""
    from nmt.system import process
    from nmt.translation.loading import load_translator

    process.speed_up()
    translator = load_translator(config.ckpt, device=config.device, search=config.search, allow=config.allow)
    sentences = dict(read_sentences(config, translator))
    if not sentences:
        raise UserError(f"input={config.input}: the file has no sentence; give one with a sentence on each line")
    translations = list(translated(translator, sentences, config.target))
    folder = None if config.out is None else Path(config.out)
    if config.trace is not None:
        attend_trace.explain(translator, translations, config, folder)
    else:
        attend_maps.show(translator, translations, config, folder)


main = Program(_main, attend.help_text)


def read_sentences(config: AttendConfig, translator: BaseTranslator) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each sentence. Raises UserError for an empty one, and for too many."""
    if config.input is None:
        lines = iter([(1, sample_sentence(config.ckpt) if config.text is None else config.text)])
    else:
        from nmt.data.sources.files import read_texts

        column = (translator.languages or ("source",))[0]
        lines = read_texts(Path(config.input), column, remedy=f"expected the sentences as '{column}'")
    for count, (number, sentence) in enumerate(lines, start=1):
        place = "text" if config.input is None else f"{config.input}:{number}"
        if not sentence.strip():
            raise UserError(f"{place}: the sentence is empty; give one with words in it")
        if count > MOST:
            raise UserError(
                f"{config.input}: got more than {MOST} sentences, too many to look at; give fewer, or write the maps "
                "of a whole file with translate.py input=... format=jsonl with_attention=true"
            )
        yield place, sentence


def sample_sentence(ckpt: str | list[str]) -> str:
    """Return the first validation sentence of the run. Raises UserError for a checkpoint without one beside it."""
    from nmt.attention_map import load
    from nmt.system.run_files import find_checkpoints, run_of, sample_map

    found = sample_map(run_of(find_checkpoints(ckpt)[0]))
    if found is None:
        raise UserError('text=: expected one sentence, as text="...", or a file, as input=lines.en')
    return load(found).source


def translated(translator: BaseTranslator, sentences: dict[str, str], target: str | None) -> Iterator[Translation]:
    """Yield the translation of each sentence, found by the search unless `target` is given.

    A source that is too long for the model gives the translations of its parts, with a warning.
    """
    if target is not None:
        yield from translator.score(list(sentences.values()), [target], places=list(sentences))
        return
    for place, sentence in sentences.items():
        translator.check_source(sentence, place)
    for place, found in zip(sentences, translator.translate(list(sentences.values())), strict=True):
        if found.parts:
            print_stderr(f"warning: {found.split_warning(translator.source_limit(), place)}")
        yield from found.parts or [found]
