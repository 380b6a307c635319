"""The program that shows what a model attends to: `scripts/attend.py`, `nmt-attend`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nmt.cli import program
from nmt.cli.arguments import read_config, take, wants_help
from nmt.cli.output import say, tell
from nmt.cli.pair_files import columns
from nmt.errors import UserError, counted, did_you_mean
from nmt.lab.cli import attend_trace
from nmt.parameters import PositiveInt
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from nmt.attention_map import AttentionMap
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation

HELP = """\
See what a trained model attends to while it translates: a table on the terminal; a page, pictures and the weights.

  python scripts/attend.py ckpt=RUN_FOLDER_OR_FILE [text="..." [target="..."]] [out=FOLDER] [key=value ...]
  (installed: nmt-attend)

  ckpt=PATH                  a run folder (its best checkpoint) or a checkpoint file
  text="..."                 the sentence, taken literally: commas, quotes and braces need no escaping; default: the
                             first validation sentence of the run
  target="..."               look at this translation instead of the one that the search finds
  input=lines.en             in place of text=: a file with one sentence on each line (UTF-8), at most {most} of them;
                             of .jsonl and .tsv, the text in the source language
  kind=cross                 what the translation attends to in the source (default); encoder_self: self-attention of
                             the encoder; decoder_self: of the decoder; rollout: self-attention of a Transformer's
                             encoder through all its layers (Abnar and Zuidema 2020, arXiv:2005.00928)
  layer=2 head=1             one layer, one head, or both; default: the mean of all. layer=2 of a rollout: through the
                             first two layers
  words=true                 words instead of pieces
  trace=3                    how the model computed the third row of the table: each step with its equation and its
                             numbers, from the query to the probabilities of the next token. layer= and head= choose
                             (default: the last layer, the first head); kind=decoder_self: its self-attention. With
                             out=: trace.html, a page that goes from step to step, and trace.json
  compare=PATH               another model beside this one, with the translation of the first and one scale of colours
  out=FOLDER                 write attention.html, a page that shows all of these and works without a network, and for
                             sentence N the weights as N.json and a picture as N.png. Older files are replaced
  format=svg                 with out=: svg or pdf pictures instead of png
  scaled=true                with out=: colours of a picture from 0 to its highest weights, not to 1
  animation=map.gif          in place of text=: how the attention of a validation sentence changed while the run was
                             trained, from the pictures in its TensorBoard files; sentence=2: of the second sentence
  example=softmax            alone, without ckpt=: attention by small numbers. Also lookup (of a price by similarity),
                             self (self-attention over four words), heads (several heads, joined) and order (two
                             sentences of the same words, without positions and with them)
  search.beam_size=5         replaces one setting of the checkpoint's search; search=sampling ... as in translate.py
  allow=[my_package]         your packages whose classes the checkpoint or search._target_= may name
  --config-dir FOLDER        your folder of YAML files, as for the other programs
  device=auto                auto, cpu, cuda, cuda:1 ...

Each row of the table is a piece that the model writes, each column a piece that it reads (in self-attention, both are
of one sentence). The weights are per cent, and a row sums to 100 (to less with model/attention=local_p). "·" is less
than half a per cent. A cell is empty if the row cannot look there, because that piece comes later.

  python scripts/attend.py ckpt=outputs/demo/2026-01-31_12-00-00 text="A dog runs." words=true out=dog
  python scripts/attend.py ckpt=RUN_FOLDER text="A dog runs." target="Ein Hund rennt." kind=decoder_self layer=1
  python scripts/attend.py ckpt=RUN_FOLDER compare=OTHER_RUN_FOLDER text="A dog runs." out=both
  python scripts/attend.py ckpt=RUN_FOLDER text="A dog runs." trace=2 layer=1 head=3 out=dog
  python scripts/attend.py ckpt=RUN_FOLDER animation=training.gif
"""

Models = list["AttentionMap"]  # the maps of one sentence: one, or two that are compared
MOST = 200  # sentences on one page
PAGE = "attention.html"


@dataclasses.dataclass(kw_only=True)
class AttendConfig:
    """The settings of attend.yaml."""

    ckpt: str | list[str]
    text: str | None
    target: str | None
    input: str | None
    kind: Literal["cross", "encoder_self", "decoder_self", "rollout"]
    layer: PositiveInt | None
    head: PositiveInt | None
    words: bool
    trace: PositiveInt | None
    compare: str | None
    animation: str | None
    sentence: PositiveInt
    out: str | None
    format: Literal["png", "svg", "pdf"]
    scaled: bool
    search: dict[str, Any]
    allow: list[str]
    device: str


def run(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them."""
    if wants_help(argv):
        print(HELP.format(most=MOST), end="")
        return
    example, rest = take(argv, "example")
    if example is not None:
        print_example(example, rest)
        return
    text, rest = take(rest, "text")
    target, rest = take(rest, "target")
    config = read_config("attend", rest, AttendConfig, open_keys=("search",))
    config = dataclasses.replace(config, text=text, target=target)
    problems = list(attend_trace.contradictions(config) if config.trace is not None else contradictions(config))
    if problems:
        raise UserError(*problems)
    if config.animation is not None:
        animate_run(config)
        return
    translator = loaded(config)
    sentences = dict(read_sentences(config, translator))
    if config.trace is not None:
        attend_trace.explain(translator, list(translated(translator, sentences, config.target)), config)
        return
    if not sentences:
        raise UserError(f"input={config.input}: the file has no sentence; give one with a sentence on each line")
    maps = attended(config, translator, sentences)
    show(maps, config)
    if config.out is not None:
        for path in write(maps, config, Path(config.out)):
            say(f"written to {path}")


def print_example(name: str, others: list[str]) -> None:
    """Print one of the examples. Raises UserError for another name, and for settings beside it."""
    from nmt.lab.attention.examples import EXAMPLES

    if name not in EXAMPLES:
        raise UserError(f"example: got '{name}', expected one of {', '.join(EXAMPLES)}{did_you_mean(name, EXAMPLES)}")
    if others:
        raise UserError(f"example={name}: it has numbers of its own and no settings; leave out {' '.join(others)}")
    print(EXAMPLES[name]())


def attended(config: AttendConfig, translator: BaseTranslator, sentences: dict[str, str]) -> list[Models]:
    """Return the map of each sentence, and beside it that of the model `compare` for the same translation."""
    from nmt.translation.loading import load_translator

    translations = list(translated(translator, sentences, config.target))
    maps = translator.attention_maps(translations)
    if config.compare is None:
        return [[each] for each in maps]
    other = load_translator(config.compare, device=config.device, allow=config.allow)
    sources, targets = [each.source for each in translations], [each.text for each in translations]
    pairs = zip(maps, other.attention_maps(other.score(sources, targets)), strict=True)
    return [[_without_score(each) for each in pair] for pair in pairs]


def _without_score(attention: AttentionMap) -> AttentionMap:
    """Return the map without the score of the search: the other model has not searched, so it has only log P."""
    origin = dataclasses.replace(attention.origin, score=None)
    return dataclasses.replace(attention, origin=origin)


def loaded(config: AttendConfig) -> BaseTranslator:
    """Return the model `ckpt`, or an ensemble."""
    from nmt.system import process
    from nmt.translation.loading import load_translator

    process.speed_up()
    return load_translator(config.ckpt, device=config.device, search=config.search, allow=config.allow)


def animate_run(config: AttendConfig) -> None:
    """Write the animation of a training. Raises UserError for a run that has no pictures for it."""
    from nmt.lab.attention.animation import animate
    from nmt.system.run_files import find_checkpoint, run_of

    assert config.animation is not None and isinstance(config.ckpt, str)
    updates = animate(run_of(find_checkpoint(config.ckpt)), config.sentence, Path(config.animation))
    say(f"written to {config.animation}: {counted(len(updates), 'frame')}, updates {updates[0]:,} to {updates[-1]:,}")


def contradictions(config: AttendConfig) -> Iterator[str]:
    """Yield a message for each setting that has no effect or no sense beside the others."""
    if config.animation is not None:
        if any(each is not None for each in (config.text, config.input, config.compare, config.out)):
            yield "animation=: shows validation sentences of the run alone; leave out text=, input=, compare= and out="
        if isinstance(config.ckpt, list):
            yield f"ckpt: got a list of {len(config.ckpt)}, but an animation is of one run"
        if Path(config.animation).suffix.lower() != ".gif":
            yield f"animation={config.animation}: expected the name of a GIF, as in map.gif"
        given = {
            "target=": config.target is not None,
            "kind=": config.kind != "cross",
            "layer=": config.layer is not None,
            "head=": config.head is not None,
            "format=": config.format != "png",
            "scaled=": config.scaled,
            "search...=": bool(config.search),
        }
        if others := [name for name, is_given in given.items() if is_given]:
            yield f"animation=: it shows the pictures that the run has drawn; leave out {' '.join(others)}"
        return
    if config.sentence != 1:
        yield "sentence=: it only chooses the sentence of an animation; add animation=map.gif"
    if config.text is not None and config.input is not None:
        yield 'text=: expected one sentence, as text="...", or a file, as input=lines.en'
    if config.target is not None and config.text is None:
        yield 'target="...": it is the translation of one sentence; give that with text="..."'
    if config.kind == "rollout" and config.head is not None:
        yield f"head={config.head}: a rollout takes the mean of all heads; leave it out"
    if config.out is None and (config.scaled or config.format != "png"):
        yield "scaled= and format=: they only change pictures; to draw them, add out=FOLDER"


def read_sentences(config: AttendConfig, translator: BaseTranslator) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each sentence. Raises UserError for an empty one, and for too many."""
    if config.input is None:
        lines = iter([(1, sample_sentence(config.ckpt) if config.text is None else config.text)])
    else:
        from nmt.data.sources.files import read_texts

        (column, _) = columns(translator.languages)
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
            tell(f"warning: {found.split_warning(translator.source_limit(), place)}")
        yield from found.parts or [found]


def show(sentences: list[Models], config: AttendConfig) -> None:
    """Print each sentence with its translation and its tables. Raises UserError for what a model does not have."""
    from rich.console import Console

    from nmt.cli.table import terminal_width
    from nmt.lab.attention.caption import TEXTS, details
    from nmt.lab.attention.terminal import table
    from nmt.lab.attention.view import view
    from nmt.system.lines import as_line

    views = [[view(attention, config.kind, words=config.words) for attention in models] for models in sentences]
    panels = [[seen.panel(config.layer, config.head) for seen in models] for models in views]
    console = Console()
    for number, (models, seen, chosen) in enumerate(zip(sentences, views, panels, strict=True), start=1):
        if len(sentences) > 1:
            say("\n" * (number > 1) + f"sentence {number} of {len(sentences)}")
        say(f"source:      {as_line(models[0].source)}\ntranslation: {as_line(models[0].target)}")
        for attention, each, (panel, note) in zip(models, seen, chosen, strict=True):
            title = ", ".join(filter(None, [TEXTS[config.kind][0], note]))
            say("\n" * (attention is not models[0]) + f"{details(attention.origin)}\n{title}, in %\n")
            for line in table(each, panel, terminal_width()):
                console.print(line, soft_wrap=True)
    sys.stdout.flush()


def write(sentences: list[Models], config: AttendConfig, folder: Path) -> Iterator[Path]:
    """Write the page, and the weights and a picture of each sentence, to `folder`. Yield their paths.

    The folder is made if needed.
    """
    from nmt.lab.attention.figure import beside, save, save_figure
    from nmt.lab.attention.page import page

    folder.mkdir(parents=True, exist_ok=True)
    choice: dict[str, Any] = {
        "kind": config.kind,
        "layer": config.layer,
        "head": config.head,
        "words": config.words,
        "scaled": config.scaled,
    }
    write_atomically(folder / PAGE, page(sentences, **choice).encode())
    yield folder / PAGE
    for number, models in enumerate(sentences, start=1):
        for name, attention in zip((f"{number}.json", f"{number}.compare.json"), models, strict=False):
            save(attention, folder / name)
            yield folder / name
        picture = folder / f"{number}.{config.format}"
        if len(models) > 1:
            save_figure(beside(models, **choice), picture)
        else:
            save(models[0], picture, **choice)
        yield picture


def main() -> None:
    """Run the program with the arguments of this process."""
    program.main(run)
