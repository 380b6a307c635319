"""A report as a self-contained HTML page."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import regex

from nmt.attention_map import UNSPACED_CHARACTER
from nmt.evaluation.metrics.base import labels
from nmt.lab.attention.caption import BYTE, SPACE
from nmt.lab.attention.figure import content, draw
from nmt.lab.attention.view import View, view
from nmt.lab.compare.table import ZERO
from nmt.lab.html import COLORS, chart, render
from nmt.lab.report.errors import FAULTS
from nmt.lab.report.examples import Example
from nmt.lab.report.report import Report
from nmt.tokens import SPECIAL, WORD_MARK

ERRORS = {
    "search error": "the model gives the reference a higher score, so the search has missed it",
    "model error": "the model gives the reference a lower score than the translation",
    "same": "the translation equals the reference",
    "no source": "not compared: the source is empty",
    "too long": "not compared: the source or the reference is too long for the model",
    "cut": "not compared: the translation was cut at the limit of its length, so its end may be missing",
}
SIGNALS = {"mean_log_prob": "mean log P of a token", "lowest_log_prob": "lowest log P of a token"}
CSS_DPI = 96  # pixels of a browser in one inch
DARKEST = 0.7  # of the colour behind a piece with a probability of 0


def page(report: Report) -> str:
    """Return the HTML of a report."""
    evaluation = report.evaluation
    size = len(evaluation.references)
    faults = {name: round(share * size) for name, share in report.faults.items()}
    shown_labels = labels(evaluation.scores.metrics)
    examples = {each.number: each for found in report.examples.values() for each in found}
    shown = {number: _example(each) for number, each in examples.items()}  # an example may be in several lists
    return render(
        "report.html",
        zero=ZERO,
        report=report,
        evaluation=evaluation,
        subject=evaluation.subject,
        labels=shown_labels,
        label=shown_labels[report.metric],
        size=size,
        faults=faults,
        meanings={**FAULTS, **ERRORS},
        examples={name: [shown[each.number] for each in found] for name, found in report.examples.items()},
        source_lang=_tag(evaluation.subject.source_lang),
        target_lang=_tag(evaluation.subject.target_lang),
        chart=chart,
        signals=SIGNALS,
        colors=COLORS,
    )


def _tag(language: str) -> str:
    """Return a code of a language as HTML wants it: pt-BR."""
    return language.replace("_", "-")


def _example(example: Example) -> dict[str, Any]:
    """Return the data of a sentence for the page: its facts, the differing words, its pieces and its pictures."""
    translation = example.translation
    reference, hypothesis = differing(example.reference, example.hypothesis)
    facts = [f"chrF {example.chrf:.1f}", f"log P {translation.log_prob:.2f}", f"score {translation.score:.2f}"]
    drawn = [] if example.attention is None else [view(example.attention)]
    drawn += [each.view() for each in example.views.values()]
    facts += [*filter(None, [example.kind]), *(name.replace("_", " ") for name in example.faults)]
    return {
        "number": example.number,
        "facts": ", ".join(facts),
        "source": example.source,
        "reference": reference,
        "hypothesis": hypothesis,
        "pieces": [_piece(*each) for each in zip(translation.pieces, translation.token_log_probs, strict=True)],
        "n_best": example.n_best,
        "pictures": list(map(_picture, drawn)),
    }


def _piece(label: str, log_prob: float) -> dict[str, Any]:
    """Return a piece with its probability; a word mark becomes a space before the piece."""
    probability = math.exp(log_prob)
    text = label.removeprefix(WORD_MARK)
    return {
        "mark": label in SPECIAL or BYTE.fullmatch(label) is not None,  # its brackets are not mirrored
        "space": label.startswith(WORD_MARK),
        "text": text or SPACE,
        "probability": f"{probability:.1%}",
        "doubt": round(100 * DARKEST * (1 - probability)),
    }


def _picture(seen: View) -> dict[str, Any]:
    """Return the mean of a view as a PNG in base64, with its title and its width in CSS pixels."""
    drawn = draw([seen])
    data, width = base64.b64encode(content(drawn)).decode(), round(drawn.get_size_inches()[0] * CSS_DPI)
    return {"title": seen.title, "question": seen.question, "data": data, "width": width}


# Differences of two texts

# A word is a run of letters and digits, a single other character, or a character of a script without spaces.
_WORD = regex.compile(rf"(?V1){UNSPACED_CHARACTER}\p{{M}}*|[\w--{UNSPACED_CHARACTER}]+|[^\s\w]")

Segment = tuple[str, bool]  # a text, and whether it differs


def differing(one: str, other: str) -> tuple[list[Segment], list[Segment]]:
    """Return both texts as parts that alternate between equal and different words.

    The parts of a text give the text again. In scripts without spaces between words, each character is a word.
    """
    ones, others = (list(_WORD.finditer(text)) for text in (one, other))
    matcher = SequenceMatcher(None, [word[0] for word in ones], [word[0] for word in others], autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _parts(one, [ones[first:last] for _, first, last, _, _ in changes]),
        _parts(other, [others[first:last] for _, _, _, first, last in changes]),
    )


def _parts(text: str, changes: Sequence[Sequence[Any]]) -> list[Segment]:
    """Return the parts of a text, in which the words (matches of a pattern) of each change differ."""
    parts, done = [], 0
    for words in changes:
        if words:
            start, end = words[0].start(), words[-1].end()
            parts += [(text[done:start], False), (text[start:end], True)]
            done = end
    parts.append((text[done:], False))
    return [part for part in parts if part[0]]
