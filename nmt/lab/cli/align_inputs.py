"""The inputs of align.py: its settings, the models, the pairs to align, and their alignments made by people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from nmt.cli.arguments import ModelSettings, OpenMapping, PathText
from nmt.cli.evaluate import check_direction, data_of
from nmt.cli.score import read_pair_files
from nmt.errors import UserError, counted
from nmt.parameters import PositiveInt, Range

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.data.sources.base import Pairs
    from nmt.data.word_links import Gold
    from nmt.lab.alignment.alignment import Aligner


@dataclass(kw_only=True)
class AlignConfig(ModelSettings):
    """The settings of align.yaml."""

    ckpt: PathText | None
    aligner: Literal["model", "eflomal"]
    reverse: PathText | None
    reverse_layer: PositiveInt | None
    reverse_head: PositiveInt | None
    symmetrize: Literal["grow-diag-final-and", "intersection", "union"]
    split: Literal["train", "val", "test"] | None
    data: OpenMapping
    source: PathText | None
    target: PathText | None
    output: PathText | None
    unit: Literal["words", "pieces"]
    layer: PositiveInt | None
    head: PositiveInt | None
    threshold: Annotated[float, Range(above=0.0, high=1.0)] | None
    shifted: bool
    gold: PathText | None
    batch_tokens: PositiveInt

    def contradictions(self) -> Iterator[str]:
        """Yield the settings that have no effect, with the reason."""
        if self.split is None and None in (self.source, self.target):
            yield "split: give split=, or source= and target=, to say which pairs to align"
        if self.ckpt is None and (self.aligner == "model" or self.split is not None):
            yield "ckpt: not given; name a run folder or a checkpoint file: ckpt=RUN_FOLDER"
        of_reverse = [name for name in ("reverse_layer", "reverse_head") if getattr(self, name) is not None]
        if self.aligner == "eflomal":
            names = [name for name in ("reverse", "layer", "head", "threshold") if getattr(self, name)]
            names += of_reverse + ["shifted"] * self.shifted + ["unit"] * (self.unit != "words")
            for name in names:
                yield f"{name}: does not go with aligner={self.aligner}, only with a model; leave it out"
        elif self.reverse is None:
            for name in of_reverse + ["symmetrize"] * (self.symmetrize != "grow-diag-final-and"):
                yield f"{name}: does nothing without reverse=, a model of the other direction; give one or leave it out"
        if self.unit == "pieces" and self.reverse is not None:
            yield "unit=pieces: two models can divide a text into different pieces; leave unit= or reverse= out"
        if self.split is not None and (self.source, self.target) != (None, None):
            yield "split: does not go with source= and target=; give split=, or the two files"
        if self.split is None and self.data and (self.aligner == "model" or self.ckpt is None):
            yield f"data.{next(iter(self.data))}: does nothing with source= and target=; leave it out"


@dataclass(frozen=True)
class Inputs:
    """The pairs to align, `name` of their lines in messages, and the models that align them.

    Without `forward`, the statistical aligner aligns them. `gold` has the alignments made by people, one for each pair,
    or is None. `training` are the pairs that the model was trained on, as far as a statistical aligner needs them.
    """

    pairs: Pairs
    name: str
    forward: Aligner | None
    backward: Aligner | None
    gold: Sequence[Gold] | None
    training: Pairs


def load_inputs(config: AlignConfig) -> Inputs:
    """Load the inputs that the settings name, and check all pairs and gold alignments before anything is computed."""
    from nmt.lab.alignment import eflomal

    if config.gold is not None and config.unit == "pieces":
        raise UserError("unit=pieces: alignments made by people count words; leave unit= out, or gold=")
    source_lang, target_lang = (config.data.get(f"{side}_lang") for side in ("source", "target"))
    languages = config.source_lang or source_lang, config.target_lang or target_lang
    loaded, forward = (None, None) if config.ckpt is None else load_aligner(config, config.ckpt, languages)
    backward = None
    if config.reverse is not None and loaded is not None:
        assert forward is not None
        source, target = forward.translator.languages or (None, None)
        _, backward = load_aligner(config, config.reverse, (target, source), backwards=True)
    pairs, name, training = read_pairs(config, loaded, None if forward is None else forward.translator.languages)
    gold = [] if config.unit == "pieces" else list(read_gold(config, pairs, name))
    if config.aligner == "eflomal":
        eflomal.find("aligner")
        forward = None
    return Inputs(pairs, name, forward, backward, gold or None, training)


def load_aligner(
    config: AlignConfig, path: str, languages: tuple[str | None, str | None], *, backwards: bool = False
) -> tuple[LoadedModel, Aligner]:
    """Return a model and its aligner in a direction; None is any language.

    Raises UserError for a checkpoint that cannot be loaded, and for a direction that it does not have.
    """
    from nmt.lab.alignment.alignment import Aligner
    from nmt.translation.loading import direction, load_models, make_translator
    from nmt.translation.translator import Translator

    (loaded,) = load_models(path, config.device, config.allow)
    translator = make_translator([loaded], {"batch_tokens": config.batch_tokens}, allow=config.allow)
    assert isinstance(translator, Translator)
    if languages != (None, None) and not (backwards and translator.languages is None):
        try:
            translator = translator.in_direction(direction([loaded.config], *languages))
        except UserError as error:
            raise UserError(f"{'reverse' if backwards else 'ckpt'}={path}: {error}") from error
    words = config.unit == "words"
    return loaded, Aligner(
        translator=translator, words=words, threshold=config.threshold, shifted=config.shifted, backwards=backwards
    )


def read_pairs(
    config: AlignConfig, loaded: LoadedModel | None, languages: tuple[str, str] | None
) -> tuple[Pairs, str, Pairs]:
    """Return the pairs to align, the name of their lines in messages, and the pairs of the training.

    The pairs of the training come from the data of `loaded`, and are read only for a statistical aligner. Raises
    UserError for data that cannot be read.
    """
    from nmt.build import build_source
    from nmt.data.corpus import load_corpus, origin
    from nmt.translation.loading import require_data_settings

    wanted = [config.split] if config.split is not None else []
    if config.aligner == "eflomal" and config.split != "train" and loaded is not None:
        wanted.append("train")
    corpus: dict[str, Any] = {}
    if wanted and loaded is not None:
        require_data_settings(loaded.config, loaded.path, "give source= and target=")
        data = data_of(loaded, config.data, languages)
        if config.aligner == "model":
            check_direction([loaded], data)
        source = build_source(data, allow=config.allow)
        corpus = load_corpus(source, data, wanted)
    training = corpus["train"] if "train" in wanted and config.split != "train" else []
    if config.split is not None:
        return list(corpus[config.split]), f"{origin(source, data, config.split)} {config.split}", training
    assert config.source is not None and config.target is not None
    return read_pair_files(config.source, config.target, languages), config.source, training


def read_gold(config: AlignConfig, pairs: Pairs, name: str) -> Iterator[Gold]:
    """Yield the gold alignment of each pair: of gold=, or of the data if all pairs have one. Reads all pairs.

    Raises UserError for a mistake in a pair or in a link, and for a file with a different number of lines.
    """
    from nmt.data.sources.files import read_lines
    from nmt.data.word_links import parse_pair

    if config.gold is None:
        name, texts = f"{name}, alignment", [pair.alignment for pair in pairs]
        if None in texts:
            return
        lines: Iterable[str] = (text or "" for text in texts)
    else:
        name = config.gold
        lines = read_lines(Path(config.gold))
        numbers = sum(1 for _ in pairs), sum(1 for _ in read_lines(Path(config.gold)))
        if numbers[0] != numbers[1]:
            raise UserError(f"{name} has {counted(numbers[1], 'line')} but there are {counted(numbers[0], 'pair')}")
    for number, (pair, line) in enumerate(zip(pairs, lines, strict=True), start=1):
        yield parse_pair(line, pair, f"{name}:{number}")
