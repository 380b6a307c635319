"""The HTML page of the claims: a card for each, in one of two languages, with commands that can be typed."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from nmt.config.compose import compose
from nmt.lab.claims.page import files
from tests.browser import Browser

FILE = Path(__file__).resolve().parents[3] / "docs/lab/claims.json"


@pytest.fixture
def facts() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
    return found


@pytest.mark.parametrize("width", [390, 1300])
def test_one_language_is_shown(facts: list[dict[str, Any]], chromium: Browser, tmp_path: Path, width: int) -> None:
    (tmp_path / "index.html").write_text(files(facts)["index.html"], "utf-8")
    chromium.open(tmp_path / "index.html", width=width)
    for chosen, language, other in ((None, "en", "ko"), ("#korean", "ko", "en"), ("#english", "en", "ko")):
        if chosen:
            chromium.click(chosen)
        shown = chromium.run("document.body.innerText")
        for fact in facts:
            assert fact["claim"][language] in shown and fact["claim"][other] not in shown
            assert all(contrast["text"][language] in shown for contrast in fact["contrasts"])
    assert chromium.run("document.documentElement.scrollWidth") <= width
    assert not chromium.errors


def test_the_commands_train_the_systems_and_translate_the_sentences(facts: list[dict[str, Any]]) -> None:
    fact = next(each for each in facts if each["name"] == "positions")
    fact["examples"] = ['say "a"', "a b c"]
    page = html.unescape(files([fact])["index.html"])
    commands = [shlex.split(each) for each in re.findall(r"<pre>python (.*)</pre>", page)]
    folders = []
    for training, *translations in zip(*[iter(commands)] * 3, strict=True):
        program, *words, folder = training
        assert program == "train.py"
        compose("train", words)
        folders.append(folder.removeprefix("hydra.run.dir="))
        assert translations == [
            ["scripts/translate.py", f"ckpt={folders[-1]}", f"text={each}"] for each in fact["examples"]
        ]
    assert len(folders) == len(fact["curves"])
