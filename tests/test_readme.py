"""The README says what is so: its table comes from the results, its commands are commands."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from statistics import fmean
from types import ModuleType

import pytest
import yaml

from nmt.config.compose import compose, jobs
from nmt.config.folder import also_in, groups
from nmt.config.settings import TrainConfig
from nmt.evaluation.metrics.bleu import BLEU
from nmt.lab.attention.examples import EXAMPLES
from scripts.result_files import Group, add, comparisons
from scripts.result_tables import whole_table
from tests.finished_runs import write_run, write_translations
from tests.script import load_script
from tests.tiny_run import sentences

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FAMILIES = (ROOT / "docs" / "attention_families.md").read_text("utf-8")
TUTORIAL = (ROOT / "docs" / "attention.md").read_text("utf-8")
KOREAN = {"README.ko.md": README, "docs/attention.ko.md": TUTORIAL}  # each is a translation of this page
PAGES = (README + FAMILIES + TUTORIAL).replace("\\\n", "")
TRAIN = list(dict.fromkeys(re.findall(r"^python train\.py(.*)$", PAGES, re.MULTILINE)))
GROUPS = [ROOT / "docs" / name for name in ("results", "ablation")]
RUNS = sorted(path.parent for group in GROUPS for path in group.glob("*/*/metrics.json"))


@pytest.fixture(scope="module")
def results() -> ModuleType:
    return load_script("results")


def test_the_tables_are_what_the_results_say(results: ModuleType) -> None:
    assert all(path.read_text("utf-8") == text for path, text in results.pages().items())


@pytest.mark.parametrize("line", [line for line in TRAIN if "--help" not in line and "resume=" not in line])
def test_training_commands_compose(line: str) -> None:
    words = shlex.split(line, comments=True)
    runs = jobs(words[1:]) if words[:1] == ["-m"] else [words]
    for job in {0, len(runs) - 1}:  # of a multirun the first and the last
        assert compose("train", runs[job])["model"]


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_result_names_the_commit_that_its_config_belongs_to(folder: Path) -> None:
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    assert re.fullmatch("[0-9a-f]{40}", metrics["commit"])
    assert (metrics["name"], f"seed{metrics['seed']}") == (folder.parent.name, folder.name)
    assert yaml.safe_load((folder / "config.yaml").read_text("utf-8"))["seed"] == metrics["seed"]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_the_scores_of_the_tables_are_those_of_the_runs(group: Path) -> None:
    for comparison in json.loads((group / "comparison.json").read_text("utf-8")).values():
        runs = [run for system in comparison["systems"] for run in system["runs"]]
        for run in runs:
            scores = json.loads((group / run["folder"] / "metrics.json").read_text("utf-8"))["test"]
            assert run["scores"]["bleu"]["value"] == pytest.approx(scores["bleu"]["value"])
        assert {group / run["folder"] for run in runs} <= set(RUNS)


@pytest.mark.parametrize(
    "page", ["README.md", "README.ko.md", "docs/attention.md", "docs/attention.ko.md", "examples/README.md"]
)
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


def test_results_are_added_without_their_test_set_and_compared(tmp_path: Path) -> None:
    sources, facts = sentences(30, seed=5), json.loads((RUNS[0] / "metrics.json").read_text("utf-8"))
    runs = []
    for name, seed, kept in (("one", 1, 20), ("two", 1, 25), ("two", 2, 26)):
        run = write_run(tmp_path / f"{name}{seed}", seed=seed, layers=1 if name == "one" else 2, name=name)
        own = json.loads((run / "metrics.json").read_text("utf-8"))
        (run / "metrics.json").write_text(json.dumps(facts | own | {"test": {}}), "utf-8")
        runs.append(write_translations(run, sources, sources, [*sources[:kept], *["nothing"] * (30 - kept)]))
    for run in runs[1:]:
        config = yaml.safe_load((run / "config.yaml").read_text("utf-8"))
        config["data"]["more"] = {"translated": {"train": [f"{run}/a.en", f"{run}/a.de"], "weight": 2}}
        (run / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    group = Group(tmp_path / "results", "one")
    add(runs[:1], group)
    add(runs[1:], group)
    added = tmp_path / "results" / "two" / "seed2"
    files = {path.name for path in (added / "translations").iterdir()}
    assert files == {"test.beam3.lp1.hyp.de", "test.beam3.lp1.scores.json"}
    data = yaml.safe_load((added / "config.yaml").read_text("utf-8"))["data"]
    assert data["path"] == "FOLDER" and data["more"] == {"translated": {"train": "FILE", "weight": 2}}
    (found,) = comparisons(group)
    assert [(system["name"], len(system["runs"])) for system in found["systems"]] == [("two", 2), ("one", 1)]
    table = whole_table(group)
    for run in runs:
        value = BLEU().score((run / "translations" / "test.beam3.lp1.hyp.de").read_text().splitlines(), sources).value
        assert f"| {value:.1f} ± " in table
    assert "| two | mean of 2 |" in table and "| [one](one/seed1/config.yaml) | 1 |" in table


@pytest.mark.parametrize(("page", "between"), [("README.md", " to "), ("README.ko.md", "~")])
def test_the_words_on_short_and_long_captions_are_what_the_files_say(page: str, between: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    claims = json.loads((ROOT / "docs" / "lab" / "claims.json").read_text("utf-8"))
    captions = next(each["curves"] for each in claims if each["name"] == "fixed_vector_multi30k")["no attention"]
    others = [value for group, values in captions.items() for value in values if group != "10"]
    for values in (others, captions["10"]):
        assert f"{min(values):.1f}{between}{max(values):.1f}" in text
    systems = next(iter(json.loads((GROUPS[0] / "comparison.json").read_text("utf-8")).values()))["systems"]
    by_length = {system["name"]: system["by_length"] for system in systems}
    for name in ("multi30k_rnn", "multi30k_bahdanau"):
        shortest, *_, longest = by_length[name]
        assert re.search(rf"{shortest:.1f}\D+{longest:.1f}", text)


@pytest.mark.parametrize("page", ["docs/attention.md", "docs/attention.ko.md"])
def test_the_figures_of_the_tutorial_are_what_the_files_say(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    claims = {each["name"]: each for each in json.loads((ROOT / "docs" / "lab" / "claims.json").read_text("utf-8"))}
    curves = {name: each["curves"] for name, each in claims.items()}
    systems = next(iter(json.loads((GROUPS[0] / "comparison.json").read_text("utf-8")).values()))["systems"]
    by_length = {system["name"]: system["by_length"] for system in systems}
    attention, far = ("no attention", "Bahdanau", "Transformer"), [str(distance) for distance in range(5, 9)]
    budgets = {system["system"]: system["ms"] for system in claims["fixed_vector"]["systems"]}
    rates = curves["alignment"]["alignment error rate"]
    expected = {
        "`parallel`": [f"{fmean(curves['parallel'][f'{name}, training']['160']):.1f}" for name in attention[1:]],
        "`agreement`": [f"{fmean(fmean(curves['agreement'][name][place]) for place in far):.0f}" for name in attention],
        "`gradient`": [f"{fmean(curves['gradient'][name]['40']):.1f}" for name in attention],
        "`multi30k_rnn`": [
            f"{by_length[f'multi30k_{name}'][place]:.1f}"
            for name in ("rnn", "bahdanau", "transformer")
            for place in (0, -1)
        ],
        "`fixed_vector`": [budgets[name] for name in attention],
        "`alignment`": [f"{fmean(rates[name]):.1f}" for name in ("diagonal", "eflomal", "Bahdanau", "Transformer")],
    }
    for source, values in expected.items():
        row = next(line for line in text.splitlines() if line.startswith("| ") and source in line)
        assert [value for value in values if not re.search(rf"\b{re.escape(value)}\b", row)] == []
    decoding = [f"{fmean(curves['parallel'][f'{name}, decoding']['160']):.1f}" for name in attention[1:]]
    assert f"| {decoding[0]} | {decoding[1]} |" in text
    recalled = [f"{fmean(values):.1f}" for values in curves["memory"]["no attention, left to right"].values()]
    assert ", ".join(recalled[:3]) in text and recalled[3] in text
    assert f"{fmean(curves['positions']['none']['1']):.0f}" in text
    assert EXAMPLES["order"]() in text


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
