"""The commands that compare.py proposes for translations that a run lacks."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from nmt.cli.arguments import quoted_paths
from nmt.config.compose import parse
from nmt.errors import UserError
from nmt.lab.compare.runs import read_runs
from tests.finished_runs import write_run


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("news.en.gz", "news.de.gz"),
        ("data.en/news.en", "data.en/news.de"),
        ("a, b/it's.en", "a, b/it's.de"),
        ('"[1]".en', '"[1]".de'),
        ("news.english", "TARGET_FILE"),
        ("a,b.jsonl", None),
        ("'a'.tsv", None),
    ],
)
def test_a_proposed_command_names_the_files_that_were_meant(tmp_path: Path, name: str, target: str | None) -> None:
    with pytest.raises(UserError) as error:
        read_runs([write_run(tmp_path / "run")], "test", [name])
    word = shlex.split(str(error.value).partition("make them: ")[2])[-1]
    assert parse(*quoted_paths([word], ["data.test"])).value() == (name if target is None else [name, target])
