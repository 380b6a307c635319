"""Write a trained model in the format of another program, and compare both on validation pairs.

  python scripts/export.py ckpt=RUN_FOLDER_OR_FILE out=FOLDER format=FORMAT [key=value ...]      (installed: nmt-export)
  python scripts/export.py ckpt=[RUN,OTHER_RUN] out=FILE.html format=html [key=value ...]

{settings}

The folder gets the model, its tokenizer, README.md (a card with an example, scores and limits) and export.json (the
settings). format=html writes one file instead: a page that translates in a browser, without a network. Its weights are
in float16.

The program loads what it has written, and compares log-probabilities, greedy translations and scores with those of the
checkpoint on validation pairs. With float32 weights, the numbers and the translations have to be nearly the same.
Otherwise the program writes nothing and ends with an error. A page is compared with the checkpoint in float16, and only
if node is installed, which runs its scripts.

  python scripts/export.py ckpt=outputs/transformer/2026-01-31_12-00-00 out=my_model format=ctranslate2
  python scripts/export.py ckpt=RUN out=small format=ctranslate2 format.quantization=int8
  python scripts/export.py ckpt=[examples/luong,examples/transformer] out=page.html format=html
"""

from __future__ import annotations

import math
import sys
import tempfile
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from nmt.cli.arguments import FreeText, OpenMapping, PathText, Settings, configured
from nmt.cli.output import messages_on, print_stderr
from nmt.errors import UserError, raise_if_any
from nmt.parameters import PositiveInt

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.config.settings import DataConfig
    from nmt.data.pair import SentencePair
    from nmt.deploy.export.base import Format
    from nmt.translation.translator import ModelTranslator


@dataclass(kw_only=True)
class ExportConfig(Settings):
    """The settings of export.yaml."""

    ckpt: PathText | list[PathText]
    out: PathText
    format: OpenMapping
    source_lang: str | None
    target_lang: str | None
    text: FreeText | None
    sentences: PositiveInt
    search: OpenMapping
    data: OpenMapping
    allow: list[str]

    @classmethod
    def taken(cls, words: list[str]) -> tuple[dict[str, Any], list[str]]:
        """Let `format=NAME` choose the file configs/export/format/NAME.yaml."""
        return {}, [f"export/format@{word}" if word.startswith("format=") else word for word in words]


@configured(ExportConfig)
def main(config: ExportConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings, and for a model that the format cannot hold."""
    from nmt.config.groups import groups

    out, paths = Path(config.out).absolute(), [config.ckpt] if isinstance(config.ckpt, str) else config.ckpt
    if out.exists():
        raise UserError(f"out={config.out}: exists already; name a new {'file' if out.is_file() else 'folder'}")
    if "_target_" not in config.format:
        raise UserError(f"format: not given; add format={' or format='.join(groups()['export/format'])}")

    from nmt.build import build
    from nmt.system import process

    process.speed_up()
    format: Format = build("format", config.format, allow=config.allow)
    if (out.suffix == ".html") != (format.suffix == ".html"):
        expected = f"a file that ends with {format.suffix}" if format.suffix else "the name of a folder"
        raise UserError(f"out={config.out}: expected {expected} for format={format.name}")
    if len(paths) != 1 and not format.suffix:
        raise UserError(f"ckpt: got {len(paths)} models, expected one; only format=html holds several")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as place:
        folders = [export(path, format, Path(place) / str(number), config) for number, path in enumerate(paths)]
        format.finished(folders).rename(out)
    use = "open it in a browser" if format.suffix else "its README.md says how to use it"
    print(f"written to {config.out}; {use}")


def export(path: str, format: Format, folder: Path, config: ExportConfig) -> Path:
    """Write a checkpoint to a new folder, compare it with the checkpoint and print the report. Returns the folder."""
    from tabulate import tabulate

    from nmt.build import build_metrics
    from nmt.checkpoint import load_model
    from nmt.cli.evaluate import data_of
    from nmt.config.settings import shareable
    from nmt.deploy.export.base import Exportable, write
    from nmt.deploy.export.card import write_card
    from nmt.deploy.export.check import compare
    from nmt.text.protect import NO_SPANS
    from nmt.translation.loading import direction, make_translator, require_data_settings

    loaded = load_model(path, allow=config.allow)
    require_data_settings(loaded.config, loaded.path, "train it with train.py")
    languages = direction([loaded.config], config.source_lang, config.target_lang)
    data = data_of(loaded, config.data, languages)
    if loaded.tokenizer.spans and not format.has_spans:
        print_stderr(f"warning: format={format.name} reads URLs, placeholders, tags and capitals as ordinary text")
        loaded = replace(loaded, tokenizer=loaded.tokenizer.with_spans(NO_SPANS), config={**loaded.config, "spans": {}})
    loaded = in_direction(loaded, languages)
    format.require(loaded)
    metrics = build_metrics(shareable(loaded.config)["scores"], target_lang=data.target_lang, allow=config.allow)
    translator = make_translator([loaded], config.search, allow=config.allow)
    pairs = validation_pairs(translator, data, config, min(config.sentences, format.most_sentences))
    targets = translator.tokenizer.encode_target([pair.target for pair in pairs])
    search = format.search_of(translator.search, fmean(map(len, targets)))
    model = Exportable(loaded, search, config.text or pairs[0].source)
    folder.mkdir()
    manifest = write(format, model, folder)
    theirs = format.open(folder, manifest)
    if theirs is None:
        print(f"{path}: nothing was compared, because node is not installed")
        return folder
    print(f"{path}: comparing on {len(pairs):,} validation pairs", file=sys.stderr)
    report = compare(translator, theirs, search, pairs, metrics)
    if manifest["format"].get("quantization", "float32") == "float32":  # else the weights are rounded
        raise_if_any(report.problems())
    if not format.suffix:
        write_card(format, model, report, folder)
    print(
        f"{report.sentences:,} validation pairs: {report.equal:.1%} of the greedy translations are equal; the largest "
        f"difference of a log-probability is {report.log_prob:.1e}"
    )
    print(tabulate(report.rows(), headers=["", loaded.config["name"], format.name], disable_numparse=True))
    return folder


def in_direction(loaded: LoadedModel, languages: tuple[str, str]) -> LoadedModel:
    """Return a model whose main direction is `languages`; its other directions stay. Its scores are of the old one."""
    from nmt.translation.loading import directions_of

    codes, tokenizer = ("source_lang", "target_lang"), loaded.tokenizer.towards(languages[1])
    known = directions_of(loaded.config)
    others = [dict(zip(codes, each, strict=True)) for each in known if each != languages]
    data = {**loaded.config["data"], **dict(zip(codes, languages, strict=True)), "both_directions": False}
    data["pairs"] = {"-".join(each.values()): each for each in others} or None
    scores = loaded.scores if languages == known[0] else {}
    return replace(loaded, tokenizer=tokenizer, config={**loaded.config, "data": data}, scores=scores)


def validation_pairs(
    translator: ModelTranslator, data: DataConfig, config: ExportConfig, count: int
) -> list[SentencePair]:
    """Return the first validation pairs without an empty side, whose texts are short enough for the model."""
    from nmt.build import build_source
    from nmt.data.corpus import load_corpus

    with messages_on(sys.stderr):
        corpus = load_corpus(build_source(data, allow=config.allow), data, ("val",))["val"]
    pairs, most = list(islice(corpus, count)), translator.source_limit().tokens
    sources = translator.encode([pair.source for pair in pairs])
    targets = translator.target_ids(sources, [pair.target for pair in pairs])
    found = [
        pair
        for pair, source, target in zip(pairs, sources, targets, strict=True)
        if not source.empty and source.tokens <= most and 1 < len(target) <= (translator.longest_target or math.inf)
    ]
    if not found:
        raise UserError("data: no validation pair has texts that fit into the model; give others with data.val=FILE")
    return found
