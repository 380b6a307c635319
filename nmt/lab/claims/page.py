"""The findings as Markdown, HTML, JSON and figures."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from nmt.lab.claims import CLAIMS
from nmt.lab.claims.claim import (
    LEARNED,
    MARGIN,
    TEXTS,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    Text,
    corrected,
    over_seeds,
)
from nmt.lab.claims.models import BATCH_TOKENS
from nmt.lab.compare.runs import FinishedRun
from nmt.lab.html import COLORS, chart, render
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Language = Literal["en", "ko"]
Facts = Sequence[Mapping[str, Any]]  # the content of claims.json: one mapping for each claim
DECIDED = ("supported", "contradicted", "no difference")
TRY = "outputs/lab/try"  # the folder of the runs that a reader trains
STYLES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Measured:
    """A claim, its measurement, and the runs that were measured."""

    claim: Claim
    curves: Curves
    runs: Runs


def write(found: Sequence[Measured], folder: Path) -> Facts:
    """Write the pages, claims.json and the figures to `folder`, and return the facts of claims.json."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in found:
        write_atomically(folder / f"{each.claim.name}.png", _picture(each.curves))
    facts = to_facts(found)
    for name, text in files(facts).items():
        write_atomically(folder / name, text.encode())
    return facts


def files(facts: Facts) -> dict[str, str]:
    """Return the names of the pages and of claims.json, each with its text."""
    return {
        "README.md": page(facts, "en"),
        "README.ko.md": page(facts, "ko"),
        "index.html": cards(facts),
        "claims.json": json.dumps(facts, ensure_ascii=False, indent=1) + "\n",
    }


def page(facts: Facts, language: Language) -> str:
    """Return the page in one language."""
    return render("claims.md", facts=facts, language=language, words=_words(), verdicts=TEXTS["verdicts"])


def cards(facts: Facts) -> str:
    """Return an HTML page in both languages: a card for each claim with its verdicts, its figure and its commands."""
    words, verdicts = _words(), [each["verdict"] for fact in facts for each in fact["contrasts"]]
    return render(
        "claims.html",
        words=words,
        count=words["count"].filled(decided=sum(each in DECIDED for each in verdicts), all=len(verdicts)),
        colors=COLORS,
        verdicts=TEXTS["verdicts"],
        claims=[_card(each) for each in facts],
    )


def _card(fact: Mapping[str, Any]) -> dict[str, Any]:
    places = list(next(iter(fact["curves"].values())))
    lines = {
        name: [fmean(line[place]) if place in line else None for place in places]
        for name, line in fact["curves"].items()
    }
    systems = CLAIMS[fact["name"]]().systems()
    return {
        **{key: fact[key] for key in ("name", "claim", "remember", "table", "joined", "contrasts")},
        "caption": {language: text.replace("`", "").rstrip(".") for language, text in fact["method"].items()},
        "chart": chart(places, lines),
        "commands": {
            name: [shlex.join(["python", *words]) for words in _commands(fact, name, settings)]
            for name, settings in systems.items()
        },
    }


def _commands(fact: Mapping[str, Any], system: str, settings: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words of the commands that train a system and translate the examples with it."""
    folder = "/".join([TRY, fact["name"], re.sub(r"\W+", "_", system).lower()])
    yield ["train.py", *settings, "seed=1", f"hydra.run.dir={folder}"]
    for each in fact["examples"]:
        yield ["scripts/translate.py", f"ckpt={folder}", f"text={each}"]


def _words() -> dict[str, Text]:
    """Return the texts of the pages, with the numbers that they name."""
    numbers = {"batch_tokens": BATCH_TOKENS, "margin": f"{MARGIN:.0f}", "learned": LEARNED}
    return {name: text.filled(**numbers) for name, text in TEXTS["page"].items()}


def to_facts(found: Sequence[Measured]) -> list[dict[str, Any]]:
    """Return the findings as plain values: texts, the value of each seed, intervals, verdicts, and budgets."""
    return judged_again(
        [
            {
                "name": each.claim.name,
                "curves": each.curves.lines,
                "joined": each.curves.joined,
                "more": each.curves.more,
                "systems": [_budget(name, runs) for name, runs in each.runs.items()],
                "examples": _examples(each.runs),
            }
            for each in found
        ]
    )


def judged_again(facts: Facts) -> list[dict[str, Any]]:
    """Return the facts of claims.json with the current texts and verdicts, from the values of each seed.

    The differences of all claims are corrected together.
    """
    claims = [CLAIMS[each["name"]]() for each in facts]
    values = [(_lines(each["curves"]), _per_seed(each["more"])) for each in facts]
    predicted = [claim.contrasts(*each) for claim, each in zip(claims, values, strict=True)]
    judged = iter(corrected([contrast for contrasts in predicted for contrast in contrasts]))
    return [
        {
            **_judged(claim, [next(judged) for _ in contrasts]),
            "table": _table(claim, *own),
            **{key: each[key] for key in ("curves", "joined", "more", "systems", "examples")},
        }
        for each, claim, own, contrasts in zip(facts, claims, values, predicted, strict=True)
    ]


def _lines(curves: Mapping[str, Any]) -> Lines[str]:
    return {name: _per_seed(line) for name, line in curves.items()}


def _per_seed(values: Mapping[str, Sequence[float]]) -> dict[str, PerSeed]:
    return {name: tuple(each) for name, each in values.items()}


def _table(claim: Claim, lines: Lines[str], more: Mapping[str, PerSeed]) -> dict[str, Any] | None:
    table = claim.table(lines, more)
    if table is None:
        return None
    rows = [[name, *map(_cell, row)] for name, row in table.rows.items()]
    return {"columns": [vars(column) for column in table.columns], "rows": rows}


def _cell(values: PerSeed) -> str:
    return str(over_seeds(values)) if len(values) > 1 else f"{values[0]:.1f}"


def _judged(claim: Claim, contrasts: Sequence[Contrast]) -> dict[str, Any]:
    lost = [contrast.loss for contrast in contrasts if contrast.loss is not None]
    return {
        "name": claim.name,
        **{key: vars(claim.text(key)) for key in ("claim", "method", "remember")},
        "contrasts": [
            {
                "text": vars(contrast.text),
                "values": list(contrast.values),
                "mean": contrast.interval.mean,
                "half_width": contrast.interval.half_width,
                "comparisons": contrast.comparisons,
                "verdict": contrast.verdict,
            }
            for contrast in contrasts
        ],
        "loss": {"near": fmean(lost[0].near), "far": fmean(lost[0].far)} if lost else None,
    }


def _budget(system: str, runs: Sequence[FinishedRun]) -> dict[str, Any]:
    metrics = [run.metrics for run in runs]
    return {
        "system": system,
        "parameters": metrics[0]["parameters"],
        "updates": metrics[0]["updates"],
        "minutes": f"{fmean(one['wall_seconds'] for one in metrics) / 60:.1f}",
        "ms": f"{fmean(one['wall_seconds'] / one['updates'] for one in metrics) * 1000:.0f}",
        "seeds": [run.seed for run in runs],
    }


def _examples(runs: Runs) -> list[str]:
    """Return the shortest and the longest test source of a claim whose models are trained."""
    sources = [source for system in runs.values() for source in system[0].test_set.sources]
    return [min(sources, key=len), max(sources, key=len)] if sources else []


def plot(curves: Curves) -> Figure:
    """Return the figure of the curves: the means of each system, joined by a line, and a small point for each seed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for number, (name, line) in enumerate(curves.lines.items()):
        style = STYLES[number % len(STYLES)] if curves.joined else "none"
        means = list(map(fmean, line.values()))
        # Overlapping lines stay visible, because later lines are thinner.
        width, size = max(1.2, 3 - 0.6 * number), max(3.5, 7.5 - 1.2 * number)
        (joined,) = axes.plot(
            list(line), means, linestyle=style, marker="o", linewidth=width, markersize=size, label=name
        )
        for place, values in line.items():
            axes.plot([place] * len(values), values, ".", color=joined.get_color(), alpha=0.4, markersize=4)
    axes.set(xlabel=curves.axis.en, ylabel=curves.height.en)
    axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    axes.spines[["top", "right"]].set_visible(False)
    if len(curves.lines) > 1:
        axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    if not curves.joined:
        axes.tick_params(axis="x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    return figure


def _picture(curves: Curves) -> bytes:
    buffer = BytesIO()
    plot(curves).savefig(buffer, format="png", dpi=120)
    return buffer.getvalue()
