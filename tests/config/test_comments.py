"""The YAML files explain their keys, as the README says."""

from __future__ import annotations

import re
from pathlib import Path

from nmt.cli.arguments import settings_help

SPECIAL = {"_target_", "_partial_"}  # the head of train.yaml explains them


def test_every_key_has_a_comment_in_one_of_the_files(root: Path) -> None:
    values = re.compile(r"^ *(\w+): +[^#\s].*?(#.*)?$")  # not the names of nodes, and not the items of defaults lists
    found = [
        (match[1], bool(match[2]))
        for path in sorted((root / "configs").rglob("*.yaml"))
        for match in map(values.match, path.read_text("utf-8").splitlines())
        if match is not None
    ]
    explained = {key for key, comment in found if comment}
    for program in sorted((root / "configs").glob("*.yaml")):  # in these, lines that --help prints stand above the keys
        explained |= set(re.findall(r"\b(\w+)[.=]", " ".join(settings_help(program.stem))))
    assert {key for key, _ in found} - explained == SPECIAL
