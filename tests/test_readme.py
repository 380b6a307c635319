"""The README says what is so: its table comes from the results, its commands are commands."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from nmt.config.compose import compose, jobs
from nmt.config.folder import also_in, groups
from nmt.config.settings import TrainConfig

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FAMILIES = (ROOT / "docs" / "attention_families.md").read_text("utf-8")
TUTORIAL = (ROOT / "docs" / "attention.md").read_text("utf-8")
KOREAN = {"README.ko.md": README, "docs/attention.ko.md": TUTORIAL}  # each is a translation of this page
PAGES = (README + FAMILIES + TUTORIAL).replace("\\\n", "")
TRAIN = list(dict.fromkeys(re.findall(r"^python train\.py(.*)$", PAGES, re.MULTILINE)))
RUNS = sorted(path.parent for path in (ROOT / "docs" / "results").glob("*/metrics.json"))


@pytest.fixture(scope="module")
def results() -> ModuleType:
    spec = importlib.util.spec_from_file_location("results", ROOT / "scripts" / "results.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_what_the_results_say(results: ModuleType) -> None:
    assert results.with_table(README, results.short_table()) == README
    page = (ROOT / "docs" / "results" / "README.md").read_text("utf-8")
    assert results.with_table(page, results.whole_table()) == page


@pytest.mark.parametrize("line", [line for line in TRAIN if "--help" not in line and "resume=" not in line])
def test_training_commands_compose(line: str) -> None:
    words = shlex.split(line, comments=True)
    runs = jobs(words[1:]) if words[:1] == ["-m"] else [words]
    for job in {0, len(runs) - 1}:  # of a multirun the first and the last
        assert compose("train", runs[job])["model"]


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_a_result_names_the_commit_that_its_config_belongs_to(folder: Path) -> None:
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert re.fullmatch("[0-9a-f]{40}", metrics["commit"]) and metrics["name"] == folder.name
    assert yaml.safe_load((folder / "config.yaml").read_text("utf-8"))["seed"] == metrics["seed"]


@pytest.mark.parametrize("page", ["README.md", "README.ko.md", "docs/attention.md", "docs/attention.ko.md"])
def test_links_lead_somewhere(page: str) -> None:
    names = re.findall(r"\]\(([\w./-]+)\)", (ROOT / page).read_text("utf-8"))
    assert names and [name for name in names if not ((ROOT / page).parent / name).exists()] == []


@pytest.mark.parametrize("page", KOREAN)
def test_the_korean_pages_have_the_same_commands(page: str) -> None:
    assert commands((ROOT / page).read_text("utf-8")) == commands(KOREAN[page])


def commands(page: str) -> list[str]:
    """Return the lines of all blocks of code, without their comments."""
    blocks = re.findall(r"^```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.splitlines()]


def test_the_page_of_attention_families_has_every_one() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", FAMILIES, re.MULTILINE)) == set(groups()["model/attention"])


def test_a_result_is_added_without_the_folder_of_its_data(
    results: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, run = RUNS[0], tmp_path / "run"
    run.mkdir()
    metrics = (shown / "metrics.json").read_text("utf-8")
    (run / "metrics.json").write_text(metrics, "utf-8")
    (run / "config.yaml").write_text((shown / "config.yaml").read_text("utf-8").replace("FOLDER", "/home/a b"), "utf-8")
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    results.add(run)
    added = tmp_path / "results" / shown.name
    assert (added / "metrics.json").read_text("utf-8") == metrics
    assert yaml.safe_load((added / "config.yaml").read_text("utf-8"))["data"]["path"] == "FOLDER"


def test_settings_have_a_default_in_the_shipped_yaml() -> None:
    assert compose("train").keys() == TrainConfig.__dataclass_fields__.keys()


def test_the_experiment_of_ones_own_composes(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text(text, "utf-8")
    with also_in(str(tmp_path)):
        found = compose("train", ["experiment=mine", "data.limit=5"])
    assert (found["name"], found["data"]["batch_tokens"], found["optimizer"]["lr"]) == ("mine", 2000, 0.002)
    assert found["model"]["attention"]["_target_"].endswith("LuongAttention")
