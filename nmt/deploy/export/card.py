"""The card of an exported model: README.md, in the form that the Hugging Face Hub shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import nmt
from nmt.build import architecture
from nmt.config.settings import FILES_SOURCE, shareable
from nmt.deploy.export.base import Exportable, Format
from nmt.deploy.export.check import Report
from nmt.errors import printable
from nmt.system.atomic import write_atomically
from nmt.system.run_files import EXPORTED
from nmt.tokens import CAPITALS, ELEMENT_MARKS, SPAN_MARKS


def write_card(format: Format, model: Exportable, report: Report, folder: Path) -> None:
    """Write README.md: what the model is, an example, scores, limits, and the comparison with the checkpoint."""
    parts = [
        _head(format, model),
        _about(format, model),
        format.example(model).strip(),
        _scores(model),
        _check(format, report),
        _limits(format, model),
    ]
    write_atomically(folder / "README.md", ("\n\n".join(parts) + "\n").encode())


def _head(format: Format, model: Exportable) -> str:
    """Return what the Hub reads. The code `no` would be a boolean without the quotes that YAML's own writer sets."""
    found = {
        "language": list(model.languages),
        "library_name": format.library,
        "pipeline_tag": "translation",
        "tags": ["translation", "nmt-attention-lab"],
    }
    return f"---\n{yaml.safe_dump(found, sort_keys=False)}---"


def _about(format: Format, model: Exportable) -> str:
    loaded, (source, target) = model.loaded, model.languages
    weights = sum(each.numel() for each in loaded.model.parameters())
    data = shareable(loaded.config)["data"]
    own = "local files" if data["_target_"] == FILES_SOURCE else data["_target_"].rpartition(".")[2]
    more = loaded.config["data"].get("more") or ()
    corpora = ", ".join(printable(str(each)) for each in (data.get("name") or own, *more))
    other = "another model, whose training data are not named here"
    begun = f"\nIt started from the weights of {other}." if loaded.config.get("init") else ""
    return f"""# {printable(loaded.config["name"])}: {source} to {target}

A translation model ({architecture(loaded.config["model"])}, {weights:,} weights, {loaded.update:,} updates), trained
with nmt-attention-lab {nmt.__version__} and written as `{format.name}`. Its training data: {corpora}.{begun}"""


def _scores(model: Exportable) -> str:
    rows = list(_score_rows(model.loaded.scores))
    if not rows:
        return "## Scores\n\nThe checkpoint has none."
    return "\n".join(
        ["## Scores of the checkpoint", "", "| data | metric | value | signature |", "|---|---|---|---|", *rows]
    )


def _score_rows(scores: Mapping[str, Any]) -> Iterator[str]:
    for split, entries in scores.items():
        if not isinstance(entries, Mapping):  # the kind of the weights
            continue
        for name, entry in entries.items():
            found = entry if isinstance(entry, Mapping) else {"value": entry}
            signature = str(found.get("signature") or "").replace("|", r"\|")
            label = printable(str(found.get("label", name)))
            yield f"| {split} | {label} | {found['value']:.2f} | {printable(signature)} |"


def _check(format: Format, report: Report) -> str:
    rows = [f"| {name} | {ours} | {theirs} |" for name, ours, theirs in report.rows()]
    signatures = [f"- `{each.signature}`" for each in report.ours.scores.values() if each.signature]
    return "\n".join(
        [
            "## The same model as the checkpoint?",
            "",
            f"On {report.sentences:,} validation pairs, {report.equal:.1%} of the greedy translations are equal, and",
            f"no log-probability of a token differs by more than {report.log_prob:.1e}. With beam search:",
            "",
            f"| | checkpoint | {format.name} |",
            "|---|---|---|",
            *rows,
            *(["", "The signatures of these scores:", "", *signatures] if signatures else []),
        ]
    )


def _limits(format: Format, model: Exportable) -> str:
    trained = model.loaded.config["data"].get("max_length")
    search = model.search
    chosen = f"is fixed in {format.library}" if format.fixed_search else "was chosen on validation data"
    return f"""## Limits

- A source may have {model.source_limit:,} tokens, and a translation {model.target_limit:,}. The model was trained on
  sources of at most {trained or "an unknown number of"} tokens: split longer texts into sentences.
- Beam search with {search.beam_size} beams and a length penalty of {search.length_penalty:g} {chosen}:
  the score of a translation is log P divided by length ** {search.length_penalty:g}.
{_alignment(model)}{_spans(model)}\
- The tokenizer normalizes texts to Unicode NFC and joins spaces by itself.
- `{EXPORTED}` has all settings of the model and of this export."""


def _alignment(model: Exportable) -> str:
    head = model.alignment_head
    if head is None:
        return ""
    place = f"Head {head.head + 1} of layer {head.layer + 1} of the cross-attention"
    return f"""- {place} aligns best: on {head.agreement:.0%} of the target pieces, its
  highest weight is where a statistical aligner has its link. An engine that returns one head's weights returns these.
"""


def _spans(model: Exportable) -> str:
    spans = model.loaded.tokenizer.spans
    if not spans:
        return ""
    return f"""- The model was trained on texts with marks in place of spans that a translation must keep
  ({", ".join(map(printable, spans.patterns))}):
  {SPAN_MARKS[0]} for the first span of the source, {SPAN_MARKS[1]} for the second, and so on up to {SPAN_MARKS[-1]};
  {" and ".join(ELEMENT_MARKS[0])} for the first start tag and its end tag, up to {" and ".join(ELEMENT_MARKS[-1])}.
  A word with a given translation has a mark as well, in place of which the translation gets the given one.
  A text in capitals was written as {CAPITALS}, a space and the text in small letters (its first letter is a capital).
  A space before a start tag was written after it: `a{ELEMENT_MARKS[0][0]} word{ELEMENT_MARKS[0][1]}`.
  nmt-attention-lab does this, and undoes it in translations, in translate.py and serve.py. Other
  programs must do it themselves, with the regular expressions in `{EXPORTED}` (`config`, `spans`).
"""
