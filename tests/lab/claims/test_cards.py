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


def test_each_training_has_a_folder_of_its_own(facts: list[dict[str, Any]]) -> None:
    page = html.unescape(files(facts)["index.html"])
    words = [word for command in re.findall(r"<pre>(.*)</pre>", page) for word in shlex.split(command)]
    folders = [word.removeprefix("hydra.run.dir=") for word in words if word.startswith("hydra.run.dir=")]
    assert len(set(folders)) == len(folders) == page.count("<pre>python train.py")
    assert all(re.fullmatch(r"outputs/lab/try/\w+/\w+", each) for each in folders)


def test_the_intervals_stay_in_their_picture(facts: list[dict[str, Any]]) -> None:
    fact = facts[0]
    fact["contrasts"] = [{**fact["contrasts"][0], "mean": mean, "half_width": half} for mean, half in ((2, 1), (-1, 9))]
    places = re.findall(r'class="whole" x1="([-\d.]+)" x2="([-\d.]+)"', files([fact])["index.html"])
    assert [tuple(map(float, each)) for each in places] == [(25, 75), (-100, 100)]


def test_a_line_has_no_dot_where_it_has_no_value(facts: list[dict[str, Any]]) -> None:
    fact = next(each for each in facts if each["name"] == "faithful")
    dots = files([fact])["index.html"].count("<circle")
    assert dots == sum(len(line) for line in fact["curves"].values()) == 3 * 7 + 3 * 5


def test_only_numbers_are_joined_by_lines(facts: list[dict[str, Any]], chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(files(facts)["index.html"], "utf-8")
    chromium.open(tmp_path / "index.html", width=1300)
    for name, joined in (("fixed_vector", True), ("scores", False)):
        line = f"document.querySelector('#{name} figure polyline')"
        assert (chromium.run(f"getComputedStyle({line}).display") != "none") == joined


def test_a_table_of_further_figures_is_shown(facts: list[dict[str, Any]]) -> None:
    page = html.unescape(files(facts)["index.html"])
    for fact in facts:
        table = fact["table"]
        assert ("<table>" in page.split(f'<article id="{fact["name"]}"')[1].split("</article>")[0]) == bool(table)
        for name, *cells in table["rows"] if table else []:
            assert f"<tr><td>{name}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) in page
