"""The card of an exported model: README.md, in the form that the Hugging Face Hub shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import yaml

import nmt
from nmt.build import architecture
from nmt.config.settings import corpora
from nmt.deploy.export.base import Exportable, Format
from nmt.deploy.export.check import Report
from nmt.errors import printable
from nmt.system.atomic import write_atomically
from nmt.text.languages import argos_code, bcp47
from nmt.translation.loading import directions_of

CARD = """---
{head}---

# {name}: {source} to {target}

A translation model ({architecture}, {weights:,} weights, {model.loaded.update:,} updates), trained
with nmt-attention-lab {version} and written as `{format.name}`. Its training data: {corpora}.

{example}

## Scores of the checkpoint

| metric | value on validation data |
|---|---|
{scores}

## The same model as the checkpoint?

On {report.sentences:,} validation pairs, {report.equal:.1%} of the greedy translations are equal, and
no log-probability of a token differs by more than {report.log_prob:.1e}. With beam search:

| | checkpoint | {format.name} |
|---|---|---|
{rows}

{signatures}

## Limits

- A source may have {model.source_limit:,} tokens, and a translation {model.target_limit:,}. The model was trained on
  sources of at most {model.loaded.config[data][max_length]} tokens: split longer texts into sentences.
- Beam search with {model.search.beam_size} beams and a length penalty of {model.search.length_penalty:g} {chosen}:
  the score of a translation is log P divided by length ** {model.search.length_penalty:g}.
- The tokenizer normalizes texts to Unicode NFC and joins spaces by itself.
{directions}{spans}- `export.json` has all settings of the model and of this export.
"""

ENCODE = "source.encode(lines, out_type=str)"
DIRECTIONS_NOTE = """\
- It translates {}. The first piece of a source is the tag of the language to translate to, such as `{}`.
"""
SPANS_NOTE = """\
- The model was trained on texts with pieces in place of parts that stay ({names}) and of tags. Our programs do this and
  undo it; other programs must do it themselves (docs/text.md).
"""


def write_card(format: Format, model: Exportable, report: Report, folder: Path) -> None:
    """Write README.md: what the model is, an example, scores, limits, and the comparison with the checkpoint."""
    loaded, (source, target), spans = model.loaded, model.languages, model.loaded.tokenizer.spans
    scores: Mapping[str, float] = loaded.scores.get("val", {})
    is_tagged = loaded.tokenizer.tag and format.name != "argos"  # its engine writes the tag
    tag, directions = f">>{target}<< " if is_tagged else "", directions_of(loaded.config)
    tags, codes = ["translation", "nmt-attention-lab"], [bcp47(source), bcp47(target)]
    short = list(dict.fromkeys(code.partition("-")[0] for code in codes))  # the Hub wants ISO 639 as language
    about = {"language": short, "library_name": format.library, "pipeline_tag": "translation", "tags": tags}
    about |= {"language_bcp47": codes} if codes != short else {}
    text = CARD.format(
        head=yaml.safe_dump(about, sort_keys=False),  # which writes quotes around the code `no`, else a boolean
        name=printable(loaded.config["name"]),
        source=source,
        target=target,
        architecture=architecture(loaded.config["model"]),
        weights=sum(each.numel() for each in loaded.model.parameters()),
        version=nmt.__version__,
        corpora=corpora(loaded.config),
        example=format.example.format(
            model=model,
            sample=json.dumps(model.sample, ensure_ascii=False),
            tagged=json.dumps(tag + model.sample, ensure_ascii=False),
            encode=f"[['{tag.strip()}', *pieces] for pieces in {ENCODE}]" if tag else ENCODE,
            codes=[argos_code(source), argos_code(target)],
        ).strip(),
        scores="\n".join(f"| {printable(name)} | {value:.2f} |" for name, value in scores.items())
        or "| not validated in this direction | |",
        rows="\n".join(f"| {name} | {ours} | {theirs} |" for name, ours, theirs in report.rows()),
        signatures="\n".join(f"- `{each.signature}`" for each in report.scores[0].values() if each.signature),
        chosen=f"is fixed in {format.library}" if format.fixed_search else "comes from the search of the checkpoint",
        directions=DIRECTIONS_NOTE.format(", ".join(map(" to ".join, directions)), tag.strip()) if tag else "",
        spans=SPANS_NOTE.format(names=", ".join(map(printable, spans.patterns))) if spans else "",
        format=format,
        model=model,
        report=report,
    )
    write_atomically(folder / "README.md", text.encode())
