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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Literal

import yaml

from nmt.cli.arguments import FreeText, OpenMapping, PathText, SearchSettings, configured, settings_files
from nmt.cli.output import print_stderr
from nmt.errors import UserError
from nmt.parameters import PositiveInt

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation

MOST = 200  # sentences on one page
WITHOUT_TRACE = ("input", "compare", "views", "words", "scaled", "format")


@dataclass(kw_only=True)
class AttendConfig(SearchSettings):
    """The settings of attend.yaml."""

    ckpt: PathText | list[PathText]
    text: FreeText | None
    target: FreeText | None
    input: PathText | None
    kind: Literal["cross", "encoder_self", "decoder_self", "rollout"]
    views: OpenMapping
    layer: PositiveInt | None
    head: PositiveInt | None
    words: bool
    trace: PositiveInt | None
    compare: PathText | None
    out: PathText | None
    format: Literal["png", "svg", "pdf"]
    scaled: bool

    def changed(self) -> list[str]:
        """Return the settings that differ from attend.yaml and from the files that it shares with other programs."""
        default = {key: value for text in settings_files("attend") for key, value in yaml.safe_load(text).items()}
        return [key for key, value in vars(self).items() if value != default[key]]

    def contradictions(self) -> Iterator[str]:
        """Yield a message for each setting that contradicts another setting or has no effect with it."""
        if self.target is not None and self.text is None:
            yield 'target="...": it is the translation of one sentence; give that with text="..."'
        if self.trace is not None:
            if others := [f"{key}=" for key in WITHOUT_TRACE if key in self.changed()]:
                yield f"trace=: it explains one piece of one translation; leave out {' '.join(others)}"
            if isinstance(self.ckpt, list):
                yield f"ckpt: got a list of {len(self.ckpt)}, but trace= is of one model"
            if self.kind not in ("cross", "decoder_self"):
                yield f"kind={self.kind}: a trace explains a position of the translation; use cross or decoder_self"
            return
        if self.text is not None and self.input is not None:
            yield 'text=: expected one sentence, as text="...", or a file, as input=lines.en'
        if self.kind == "rollout" and self.head is not None:
            yield f"head={self.head}: a rollout takes the mean of all heads; leave it out"
        if self.views and self.out is None and "kind" in self.changed():
            yield "kind=: with views= it only chooses the picture; to draw it, add out=FOLDER"
        if self.out is None and (self.scaled or self.format != "png"):
            yield "scaled= and format=: they only change pictures; to draw them, add out=FOLDER"


@configured(AttendConfig)
def main(config: AttendConfig) -> None:
    """Show the attention as the settings say. Raises UserError for a mistake in them."""
    from nmt.lab.cli.attend_maps import show

    translator, _ = config.load()
    sentences = dict(read_sentences(config, translator))
    if not sentences:
        raise UserError(f"input={config.input}: the file has no sentence; give one with a sentence on each line")
    translations = list(translated(translator, sentences, config.target))
    folder = None if config.out is None else Path(config.out)
    if config.trace is not None:
        explain(translator, translations, config, folder)
    else:
        show(translator, translations, config, folder)


def read_sentences(config: AttendConfig, translator: BaseTranslator) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each sentence. Raises UserError for an empty one, and for too many."""
    if config.input is None:
        lines = iter([(1, sample_sentence(config.ckpt) if config.text is None else config.text)])
    else:
        from nmt.data.sources.files import read_texts

        column = (translator.languages or ("source",))[0]
        lines = read_texts(Path(config.input), column)
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
    from nmt.system.run_files import ATTENTION, find_checkpoint, run_of

    run = run_of(find_checkpoint(ckpt if isinstance(ckpt, str) else ckpt[0]))
    found = min((run / ATTENTION).glob("*.json"), default=None)
    if found is None:
        raise UserError('text=: expected one sentence, as text="...", or a file, as input=lines.en')
    return load(found).source


def translated(translator: BaseTranslator, sentences: dict[str, str], target: str | None) -> Iterator[Translation]:
    """Yield the translation of each sentence, found by the search unless `target` is given.

    A source that is too long for the model gives the translations of its parts. Problems of the translations found by
    the search are printed as warnings.
    """
    if target is not None:
        yield from translator.score(list(sentences.values()), [target], places=list(sentences))
        return
    from nmt.translation.doubts import Tally

    tally = Tally()
    for place, sentence in sentences.items():
        translator.check_source(sentence, place)
    for place, found in zip(sentences, translator.translate(list(sentences.values())), strict=True):
        tally.add(found, place)
        yield from found.parts or [found]
    for line in tally.lines(translator.source_limit()):
        print_stderr(f"warning: {line}")


def explain(
    translator: BaseTranslator, translations: Sequence[Translation], config: AttendConfig, folder: Path | None
) -> None:
    """Print how a position was computed, and write the page and the JSON if a folder is given.

    Raises UserError for a position, layer or head that does not exist, and for a source that was split.
    """
    from nmt.lab.attention.caption import details
    from nmt.lab.attention.view import with_layers
    from nmt.lab.trace.page import trace_page
    from nmt.lab.trace.terminal import lines
    from nmt.lab.trace.trace import trace_position
    from nmt.system.atomic import write_atomically
    from nmt.system.lines import as_line

    translator = with_layers(translator)
    assert config.trace is not None
    assert config.kind in ("cross", "decoder_self")
    if len(translations) > 1:
        raise UserError(
            f"text: it was translated in {len(translations)} parts, but a trace explains one piece of one translation; "
            "give one of the parts"
        )
    trace = trace_position(translator, translations[0], config.trace, kind=config.kind)
    chosen = {"layer": config.layer, "head": config.head}
    text = list(lines(trace, get_terminal_size((100, 24)).columns, **chosen))
    print(f"source:      {as_line(trace.attention.source)}\ntranslation: {as_line(trace.attention.target)}")
    print("\n".join([details(trace.attention.origin), *text]))
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("trace.html", trace_page(trace, **chosen)), ("trace.json", trace.to_json(**chosen))):
        write_atomically(folder / name, content.encode())
        print(f"written to {folder / name}")
