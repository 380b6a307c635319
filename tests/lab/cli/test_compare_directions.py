"""Comparisons of runs that were evaluated in both directions (data.both_directions=true)."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.lab.compare.runs import read_runs
from tests.finished_runs import write_run, write_translations

ENGLISH, GERMAN = ([f"{word} {number}" for number in range(20)] for word in ("dog", "Hund"))
BACK = ("de", "en")


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.chdir(tmp_path)
    return [write_run(tmp_path / name) for name in ("one", "two")]


def evaluate(run: Path, digest: str, data: str, languages: tuple[str, str] = ("en", "de")) -> None:
    lines = (ENGLISH, GERMAN) if languages == ("en", "de") else (GERMAN, ENGLISH)
    write_translations(run, *lines, lines[1], label=f"test.beam3.lp1.{digest * 8}", data=data, languages=languages)


def test_test_sets_of_different_directions_are_not_pooled(runs: list[Path], tmp_path: Path) -> None:
    for run in runs:
        evaluate(run, "a", f"data.test=[{tmp_path}/x.en,{tmp_path}/x.de]")
        evaluate(run, "b", f"data.test=[{tmp_path}/y.de,{tmp_path}/y.en]", BACK)
    with pytest.raises(
        UserError, match=r"directions \(x\.en is en to de, y\.de is de to en\); compare each direction alone$"
    ):
        read_runs(runs, "test", ["x.en", "y.de"])
    assert read_runs(runs, "test", ["y.de"])[0].hypotheses == tuple(ENGLISH)


def test_both_files_of_a_pair_that_was_translated_in_both_directions_name_a_test_set(
    runs: list[Path], tmp_path: Path
) -> None:
    files = {"en": f"{tmp_path}/s.en", "de": f"{tmp_path}/s.de"}
    for run, order in zip(runs, ("ab", "ba"), strict=True):
        evaluate(run, order[0], f"data.test=[{files['en']},{files['de']}]")
        evaluate(run, order[1], f"data.test=[{files['de']},{files['en']}]", BACK)
    for language, expected in (("en", GERMAN), ("de", ENGLISH)):
        assert all(run.hypotheses == tuple(expected) for run in read_runs(runs, "test", [f"s.{language}"]))


def test_a_folder_names_the_test_set_in_the_direction_of_the_runs(runs: list[Path], tmp_path: Path) -> None:
    for run in runs:
        evaluate(run, "a", f"data.path={tmp_path}/alt", BACK)
    assert read_runs(runs, "test", ["alt"])[0].hypotheses == tuple(ENGLISH), "there is no other"
    for run in runs:
        evaluate(run, "b", f"data.path={tmp_path}/alt")
    assert read_runs(runs, "test", ["alt"])[0].hypotheses == tuple(GERMAN)
