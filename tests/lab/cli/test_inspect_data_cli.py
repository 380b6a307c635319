"""The program that reports what a corpus holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.lab.cli import inspect_data
from tests.tiny_run import Run, save_other


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"a dog {number}\tein Hund {number}" for number in range(40)] + ["a dog 1\tein Hund 1", "\tleer", "Ja\tJa"]
    (tmp_path / "train.tsv").write_text("en\tde\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    (tmp_path / "test.tsv").write_text("a DOG 7\tein Hund: 7\nsnow\tSchnee\n", encoding="utf-8")
    return tmp_path


def test_text_json_and_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        f"data.path={folder}",
        "data.val_size=3",
        "data.seed=2",
        "filters=[duplicate]",
        "tokenizer.vocab_size=null",
    ]
    inspect_data.main([*words, f"out={folder}/re port"])
    out = capsys.readouterr().out
    report = json.loads((folder / "re port" / "data_report.json").read_text(encoding="utf-8"))
    train = report["splits"]["train"]
    found = {name: [each["where"] for each in finding["examples"]] for name, finding in train["findings"].items()}
    assert found["empty"] == ["line 43"] and found["identical"] == ["line 44"]  # the first line names the languages
    assert found["duplicate"] == ["line 42"] and found["leaked_pair"] == ["line 9"]
    assert report["dropped"][-1] == "duplicate" and report["splits"]["test"]["seen_pairs"] == 1
    text = (folder / "re port" / "data_report.txt").read_text(encoding="utf-8")
    assert out.startswith(text) and "leaked_pair, train: 1" in text and f"train: data.path={folder}" in text
    page = (folder / "re port" / "data_report.html").read_text(encoding="utf-8")
    assert "<h3>leaked_pair, train: 1</h3>" in page


def test_a_run_that_starts_from_a_checkpoint_has_its_tokenizer(run: Run, folder: Path) -> None:
    start = save_other(run, folder / "start.safetensors")
    inspect_data.main([f"data.path={folder}", "data.val_size=3", f"init={start}", f"out={folder}/own"])
    report = json.loads((folder / "own" / "data_report.json").read_text(encoding="utf-8"))
    pieces = sum(len(each) for each in run.translator.tokenizer.encode_source(["a DOG 7", "snow"]))
    assert report["splits"]["test"]["source"]["pieces"] == pieces - 2  # without the ends of the sentences
    with pytest.raises(UserError, match=r"^init=.*none: no such file or folder"):
        inspect_data.main([f"data.path={folder}", "init=none"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["data.path=/nowhere"], "/nowhere: no such folder"),
        (["data.filter=[script]"], "data.filter"),
        (["examples=many"], "examples: got 'many', expected a number of at least 0"),
    ],
)
def test_inspect_data_errors_are_one_line(words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        inspect_data.main(words)
