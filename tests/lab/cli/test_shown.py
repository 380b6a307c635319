"""What a terminal would obey in a stranger's names and values reaches no page and no table of a comparison."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from nmt import checkpoint
from nmt.attention_map import AttentionMap, Origin
from nmt.errors import printable
from nmt.lab.attention.figure import save
from nmt.lab.cli import attend, heads, report
from nmt.lab.html import render
from nmt.system.run_files import best_checkpoint
from nmt.tokens import Piece
from tests.tiny_run import Run

EVIL = "a\x1b[2J\x07\tb\nc\x9b1m\u202ed $x^{2 <b>"
SHOWN = r"a\x1b[2J\x07\tb\nc\x9b1m\u202ed $x^{2 <b>"
QUICK = ["device=cpu", "search.beam_size=1", "search.max_length_extra=1", "search.max_length_factor=0.2"]


def safe(*texts: str) -> None:
    """Check that nothing in these texts but line feeds must be escaped, and that they tell what was."""
    for text in texts:
        assert printable(text, keep="\n") == text
    assert any(SHOWN in text or SHOWN.replace("<b>", "&lt;b&gt;") in text for text in texts)


def test_a_page_shows_texts_and_json_with_escapes(tmp_path: Path) -> None:
    from nmt.lab.attention.page import page

    pieces = [Piece(EVIL), Piece("</s>")]
    weights = torch.full((1, 1, 2, 2), 0.5)
    found = AttentionMap(
        *(tuple(pieces), tuple(pieces), (Piece("<s>"), pieces[0]), weights, None, None, EVIL, EVIL),
        origin=Origin(model=EVIL),
    )
    html = page([[found]])
    assert printable(html, keep="\n") == html
    assert r"\\x1b[2J" in html and r"\u202e" not in html.replace(r"\\u202e", "") and r"\u001b" not in html
    for suffix in ("svg", "png", "pdf", "json"):
        save(found, tmp_path / f"map.{suffix}")
    ET.parse(tmp_path / "map.svg")
    trace = SimpleNamespace(attention=found, position=1, layers=1, heads=1)
    chosen = {"pieces": [EVIL], "position": 1, "choice": {"layer": 1, "head": 1}}
    html = render("trace.html", steps="", data={}, details=EVIL, trace=trace, **chosen)
    assert printable(html, keep="\n") == html and html.count(r"a\x1b[2J") == 4


def programs_of(run: Run, folder: Path) -> Path:
    """Return a stranger's run folder, whose names are evil."""
    path = folder / f"run \x1b]0;\x07{'e' * 9}"
    shutil.copytree(run.folder / "checkpoints", path / "checkpoints")
    found = checkpoint.load(best_checkpoint(path))
    scores = {**found.config["scores"], EVIL: found.config["scores"]["bleu"]}
    checkpoint.save(replace(found, config={**found.config, "name": EVIL, "scores": scores}), best_checkpoint(path))
    return path


@pytest.mark.slow
def test_programs_show_the_names_of_a_strangers_model(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = programs_of(run, tmp_path).name
    report.main([f"ckpt='{folder}'", *QUICK, "bootstrap=0", "rarity=false"])
    heads.main([f"ckpt='{folder}'", *QUICK, "importance=false", "rarity=false", "out=heads"])
    (page,) = Path(folder, "translations").glob("*.html")
    safe(page.read_text("utf-8"))
    attend.main([f"ckpt='{folder}'", *QUICK, f"text={EVIL}", "out=maps", "format=svg"])
    attend.main([f"ckpt='{folder}'", *QUICK, f"text={EVIL}", "out=maps", "trace=1"])
    for name in ("attention.html", "trace.html", "1.svg"):
        text = Path("maps", name).read_text("utf-8")
        assert printable(text, keep="\n") == text and r"\x1b[2J" in text
    ET.parse("maps/1.svg")
