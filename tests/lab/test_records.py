"""The rules of docs/records.md that a program can check, and its tables."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml

from nmt.errors import UserError
from scripts.records import FIRST, PAGE, main, problems, tables
from scripts.result_files import RESULTS

RUNS = [RESULTS / FIRST / f"seed{seed}" for seed in (1, 2, 3)]


@pytest.fixture
def runs() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    configs = [yaml.safe_load((run / "config.yaml").read_text("utf-8")) for run in RUNS]
    return configs, [json.loads((run / "metrics.json").read_text("utf-8")) for run in RUNS]


def test_the_tables_are_those_of_the_stored_runs() -> None:
    assert tables(PAGE.read_text("utf-8")) == PAGE.read_text("utf-8")


def test_the_stored_runs_of_the_first_recipe_break_no_rule(runs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(problems(*runs)) == []
    main(["verify", *map(str, RUNS), "first=4721"])  # a machine of half the speed takes twice the minutes
    assert "| 50.1 | 1.00 | 39.03 ± 0.29 | 28.9 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("seed", 2),
        ("init", "RUN_FOLDER"),
        ("optimizer.lr", 0.1),
        ("data.more", {"other": {"train": "FILE"}}),
        ("data.train", "FILE"),
        ("data.target_lang", "fr"),
        ("data.name", "other/data"),
    ],
)
def test_a_run_with_another_setting_is_refused(runs: Any, path: str, value: object) -> None:
    section = runs[0][0]
    *above, key = path.split(".")
    for name in above:
        section = section[name]
    section[key] = value
    assert any(key in problem or above[:1] == [problem.partition(":")[0]] for problem in problems(*runs))


def test_three_runs_below_the_goal_and_runs_of_other_models_are_refused(runs: Any) -> None:
    low = copy.deepcopy(runs[1])
    low[0]["test"]["bleu"]["value"] -= 0.3
    assert any("38.93" in problem for problem in problems(runs[0], low))
    with pytest.raises(UserError, match=r"model\.decoder\._target_"):
        main(["verify", *map(str, RUNS[:2]), str(RESULTS / "multi30k_bahdanau" / "seed3"), "first=9442"])
