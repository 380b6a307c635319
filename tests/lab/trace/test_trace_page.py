"""The page of a trace: clicks lead from step to step, and each shows the numbers of the trace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nmt.lab.attention.caption import shown
from nmt.lab.trace.page import trace_page
from nmt.lab.trace.terminal import lines
from nmt.lab.trace.texts import equation, sentence, texts_of
from nmt.lab.trace.trace import Trace, trace_position
from nmt.page import text
from nmt.text.protect import Spans
from nmt.translation.translator import Translator
from tests.browser import Browser
from tests.html_page import Page
from tests.tiny_run import Run

EVIL = "<script>document.title = 'evil'</script> & <img src=x onerror=alert(1)> {{ 1 + 1 }}"


def traced(run: Run, source: str = "two dogs, a man", **choice: Any) -> Trace:
    (translation,) = run.translator.score([source], [f"ein Mann {source}"])
    return trace_position(run.translator, translation, 3, **choice)


def number(text: str) -> float:
    return float(text.replace("\u2212", "-").replace("∞", "inf"))


@pytest.fixture
def opened(run: Run, chromium: Browser, tmp_path: Path) -> Iterator[tuple[Browser, Trace]]:
    """The page of a trace of the decoder's self-attention, open in a browser, and the trace."""
    trace = traced(run, kind="decoder_self")
    path = tmp_path / "trace.html"
    path.write_text(trace_page(trace, layer=1, head=2), "utf-8")
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(path)
    yield chromium, trace
    assert chromium.errors == [] and chromium.requests == [path.as_uri()]


def numbers(page: Browser) -> list[list[float]]:
    """The numbers that the page shows, by rows; those of the step before are left out."""
    script = "[...document.querySelectorAll('.stepper tbody tr')].map(row => [...row.querySelectorAll("
    rows = page.run(f"{script}'td:not(.before, .bar)')].map(cell => cell.textContent))")
    return [[number(text) for text in row] for row in rows]


def test_every_step_shows_the_numbers_of_the_trace(opened: tuple[Browser, Trace]) -> None:
    page, trace = opened
    steps = trace.steps(1, 2)
    assert page.texts(".stepper button") == [f"{i}. {step.name}" for i, step in enumerate(steps, start=1)]
    for index, step in enumerate(steps, start=1):
        page.click(f".stepper li:nth-child({index}) button")
        assert page.run("document.querySelector('h3').textContent") == f"{index}. {step.name}"
        assert page.run("document.querySelector('.sentence:not(dl)').textContent") == step.sentence
        assert page.run("document.querySelector('.equation').textContent") == re.sub(r"[_^](\w)", r"\1", step.equation)
        rows = step.values.reshape(len(step.labels) or 1, -1)[:, :8].tolist()
        assert numbers(page) == [pytest.approx(row, abs=6e-4) for row in rows]
        assert page.texts(".stepper tbody th") == ([shown(label) for label in step.labels] or [""])
        cut = not step.columns and step.values.dim() > bool(step.labels) and step.shape[-1] > 8
        assert ("the first 8 of" in page.run("document.querySelector('.stepper .note').textContent")) == cut


def test_the_equations_are_those_of_python(opened: tuple[Browser, Trace]) -> None:
    page, trace = opened
    tables = json.loads(text("steps.json"))
    english, korean = (
        {(name, step): {*re.findall(r"{\w+}", said)} for name, table in found.items() for step, said in table.items()}
        for found in tables["sentences"].values()
    )
    assert english == korean
    for classes in (["AdditiveAttention", "CoverageAttention", "between"], ["MultiHeadAttention"]):
        for names in ([], ["normalized query", "rotated query", "position bias", "gate"]):
            page.run(f"Object.assign(steps, {json.dumps({'classes': classes, 'names': names})})")
            for name in texts_of(tables["sentences"]["en"], classes):
                found = page.run(f"element('p', {{}}, ...steps.equation({{name: '{name}'}})).textContent")
                assert found == re.sub(r"[_^](\w)", r"\1", equation(name, classes, names))
    for rank in (1, 1234):
        step = f"{{name: 'next token', labels: [steps.token], values: [[2, 0.5]], shape: [6000], rank: {rank}}}"
        expected = sentence("next token", (), piece=shown(trace.piece), probability="0.500", rank=rank, vocabulary=6000)
        assert page.run(f"steps.sentence({step})") == expected


def test_arrow_keys_lead_from_step_to_step_and_a_head_keeps_the_step(opened: tuple[Browser, Trace]) -> None:
    page, trace = opened
    for key in ("ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown"):
        page.press(key)
    name = trace.steps(1, 2)[2].name
    assert page.texts("[aria-current]") == [f"3. {name}"]
    page.choose("head", "1")
    assert page.texts("[aria-current]") == [f"3. {name}"]
    assert numbers(page)[0] == pytest.approx(trace.steps(1, 1)[2].values.reshape(-1)[:8].tolist(), abs=6e-4)
    page.click("#language")
    assert page.texts("h3")[0] == page.texts("[aria-current]")[0] != f"3. {name}"


def test_the_token_has_the_label_of_its_row_in_the_map(run: Run, chromium: Browser, tmp_path: Path) -> None:
    tokenizer = run.translator.tokenizer.with_spans(Spans({"braces": r"\{\{\w+\}\}"}))
    translator = Translator(run.translator.model, tokenizer, run.translator.search)
    (translation,) = translator.score(["a dog {{x}} two"], ["🙂 {{x}} Mann"])
    labels = translation.pieces
    assert "{{x}}" in labels and "🙂" in labels
    for position, label in enumerate(labels, start=1):
        trace = trace_position(translator, translation, position)
        assert (trace.piece, trace.steps()[-1].labels.count(label)) == (label, 1)
        assert next(lines(trace, 100)).startswith(f"position {position} of {len(labels)}: “{shown(label)}”")
        assert f"“{shown(label)}”" in trace.steps()[-1].sentence
    span = trace_position(translator, translation, labels.index("{{x}}") + 1)
    (tmp_path / "trace.html").write_text(trace_page(span), "utf-8")
    chromium.open(tmp_path / "trace.html")
    chromium.click(".stepper li:last-child button")
    assert chromium.texts(".stepper tr.now th") == chromium.texts("#tokens .now") == ["{{x}}"]


def test_only_the_pages_script_runs_and_markup_is_text(run: Run, chromium: Browser, tmp_path: Path) -> None:
    html = trace_page(traced(run, EVIL))
    assert not re.search(r"https?://|@import|url\(|<img|<script>document", html) and Page(html).addresses == []
    (tmp_path / "trace.html").write_text(html, "utf-8")
    chromium.open(tmp_path / "trace.html")
    assert chromium.run("document.title") == "Attention, step by step" and chromium.run("document.images.length") == 0
    assert chromium.texts("dl dd")[0] == EVIL
