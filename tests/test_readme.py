"""The README and the pages of docs: links resolve, commands are commands, and both languages have the same ones."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest

from nmt.config.compose import compose, jobs
from nmt.config.groups import groups, use_configs_of
from nmt.config.settings import TrainConfig

pytestmark = [pytest.mark.lab, pytest.mark.deploy]  # the pages name their files, modules and options

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/*/README*.md"),
        ROOT / "examples/README.md",
    )
)
TRANSLATED = {"README.ko.md": "README.md", "docs/attention.ko.md": "docs/attention.md"}


@cache
def text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def commands(page: str) -> list[str]:
    """Return the lines of all blocks of code, without their comments."""
    blocks = re.findall(r"^```\w+\n(.*?)^```", text(page), re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s+# .*", "", line) for block in blocks for line in block.splitlines()]


def training_commands() -> list[str]:
    """Return the arguments of each train.py command whose settings are those of the project alone, each once."""
    joined = "\n".join(line for page in PAGES for line in commands(page)).replace("\\\n", "")
    found = re.findall(r"^python train\.py(.*)$", joined, re.MULTILINE)
    return [line for line in dict.fromkeys(found) if not re.search(r"--help|--config-dir|resume=", line)]


def anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ["README.md", "README.ko.md"])
def test_readme_has_at_most_180_lines(page: str) -> None:
    assert len(text(page).splitlines()) <= 180


@pytest.mark.parametrize("page", PAGES)
def test_links_resolve(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text(page)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path.resolve().relative_to(ROOT).as_posix()), target


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_names_of_files_and_modules_exist(page: str) -> None:
    for name in re.findall(r"`((?:nmt|configs|scripts|docs|tests|examples)/[\w./-]*)`", text(page)):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\bnmt(?:\.\w+)+", text(page)):
        assert resolve_name(name) is not None


@pytest.mark.parametrize("line", training_commands())
def test_training_commands_compose(line: str) -> None:
    words = shlex.split(line, comments=True)
    runs = jobs(words[1:]) if words[:1] == ["-m"] else [words]
    for job in {0, len(runs) - 1}:  # of a multirun the first and the last
        assert compose("train", runs[job])["model"]


@pytest.mark.parametrize("page", TRANSLATED)
def test_korean_pages_have_the_same_commands(page: str) -> None:
    assert commands(page) == commands(TRANSLATED[page])


def test_page_of_attention_families_has_every_attention() -> None:
    names = re.findall(r"^\| `(\w+)` \|", text("docs/attention_families.md"), re.MULTILINE)
    assert set(names) == set(groups()["model/attention"])


def test_settings_have_a_default_in_the_shipped_yaml() -> None:
    assert compose("train").keys() == TrainConfig.__dataclass_fields__.keys()


def test_experiment_of_ones_own_composes(tmp_path: Path) -> None:
    (experiment,) = re.findall(r"^```yaml\n(.*?)^```", text("docs/training.md"), re.MULTILINE | re.DOTALL)
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text(experiment, "utf-8")
    use_configs_of(str(tmp_path))
    found = compose("train", ["experiment=mine", "data.limit=5"])
    assert (found["name"], found["data"]["batch_tokens"], found["optimizer"]["lr"]) == ("mine", 2000, 0.002)
    assert found["model"]["attention"]["_target_"].endswith("LuongAttention")
