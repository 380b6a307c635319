"""The YAML files explain their keys, as the README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from nmt.cli.arguments import settings_files, settings_help
from nmt.config.yaml_files import config_dir

PROGRAMS = sorted(path.stem for path in config_dir().glob("[a-z]*.yaml") if path.stem != "train")
SPECIAL = {"_target_", "_partial_"}  # the head of train.yaml explains them


def test_every_key_has_a_comment_in_one_of_the_files(root: Path) -> None:
    values = re.compile(r"^ *(\w+): +[^#\s].*?(#.*)?$")  # not the names of nodes, and not the items of defaults lists
    found = [
        (match[1], bool(match[2]))
        for path in sorted((root / "configs").rglob("*.yaml"))
        if path.parent.name != "configs" or path.stem == "train"
        for match in map(values.match, path.read_text("utf-8").splitlines())
        if match is not None
    ]
    explained = {key for key, comment in found if comment}
    assert {key for key, _ in found} - explained == SPECIAL


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_explains_every_setting_of_a_program(program: str) -> None:
    keys = {key for text in settings_files(program) for key in yaml.safe_load(text)} - {"defaults"}
    lines = "\n".join(settings_help(program))
    assert {key for key in keys if not re.search(rf"\b{key}[.=]", lines)} <= {"runs"}  # compare.py: RUN ...
