"""The program that pairs the paragraphs of LibreOffice's help, and the recipes of prepared corpora."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nmt.config.compose import compose
from nmt.errors import UserError
from scripts.recipes import iwslt14, office_help


def write_page(folder: Path, language: str, name: str, paragraphs: str) -> None:
    path = folder / language / "text" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<html><body>{paragraphs}</body></html>", "utf-8")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """The help in English and Korean: 60 plain pages and one with all oddities."""
    folder = tmp_path / "help"
    for number in range(60):
        for language, text in (("en-US", f"Cell {number} is open."), ("ko", f"셀 {number}이 열려 있습니다.")):
            write_page(folder, language, f"scalc/{number:02}.html", f'<p id="par_{number}" class="x">{text}</p>')
    english = [
        ("p1", "<b>Tom</b> &amp; Jerry<br/>run\n fast."), ("p2", "Calc"), ("p3", "Only here."), ("p4", "Twice"),
        ("p4", "Twice more"), ("p5", "word " * 101), ("p6", ""), ("p7", "Cell 7 is open."), ("p8", "Not yet."),
    ]  # fmt: skip
    korean = [("p8", " "), ("p7", "셀"), ("p6", "빈"), ("p5", "긴"), ("p4", "둘"), ("p2", "Calc"), ("p1", "톰&#39;")]
    for language, rows in (("en-US", english), ("ko", korean)):
        text = "".join(f'<h2 class="x" id="{key}">{words}</h2>' for key, words in rows)
        write_page(folder, language, "zoo.html", text)
    write_page(folder, "en-US", "english.html", '<p id="q">No page in Korean.</p>')
    return folder


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_paragraphs_with_the_same_page_and_id_are_pairs(pages: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    office_help.main([str(pages), "./ko/", str(out)])
    splits = {split: read(out / f"{split}.jsonl") for split in ("train", "val", "test")}
    plain = [{"en": f"Cell {number} is open.", "ko": f"셀 {number}이 열려 있습니다."} for number in range(60)]
    found = [row for rows in splits.values() for row in rows]
    assert sorted(found, key=str) == sorted([*plain, {"en": "Tom & Jerry run fast.", "ko": "톰'"}], key=str)
    assert len(splits["train"]) > len(splits["val"]) + len(splits["test"])
    with pytest.raises(UserError, match=r"^/.*train\.jsonl: exists already; give another"):
        office_help.main([str(pages), "ko", str(out)])


@pytest.mark.parametrize("recipe", ["office_help_en_ko", "office_help_ko_en", "iwslt14"])
def test_a_recipe_reads_the_folder_that_its_program_writes(recipe: str) -> None:
    program = iwslt14 if recipe == "iwslt14" else office_help
    assert compose("train", [f"experiment={recipe}"])["data"]["path"] == program.OUT
