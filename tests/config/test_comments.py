"""The YAML files explain their keys, as the README says."""

from __future__ import annotations

import itertools
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from nmt.cli.arguments import settings_files, settings_help
from nmt.config.groups import config_dir
from nmt.config.nodes import class_of
from nmt.config.settings import TokenizerConfig, TrainerConfig
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import annotations_of, options

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


def choices_of(node: Any, key: str, group: str) -> set[str]:
    """Return the words that the annotation of a key in a YAML mapping accepts."""
    values = {each.value: value.value for each, value in node.value}
    section = {"tokenizer": TokenizerConfig, "trainer": TrainerConfig, "model": Seq2Seq}.get(group)
    kind = class_of({"_target_": values["_target_"]}, "", within=["nmt", "torch"]) if "_target_" in values else section
    annotation = annotations_of(kind)[key] if kind else None
    literals = [each for each in options(annotation) if typing.get_origin(each) is Literal]
    return {str(choice) for each in literals for choice in typing.get_args(each)}


def mappings(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from mappings(value)


def test_choices_in_comments_are_those_of_the_annotations() -> None:
    compared = 0
    for path in sorted(config_dir().glob("*/**/*.yaml")):
        text = path.read_text("utf-8")
        for node in mappings(yaml.compose(text)):
            for key, _ in node.value:
                comment = text.splitlines()[key.start_mark.line].partition("#")[2]
                plain = re.sub(r" \([^)]*\)", "", comment)
                told = {*re.findall(r"([\w-]+) \|", plain), *re.findall(r"\| ([\w-]+)", plain)}
                choices = choices_of(node, key.value, path.relative_to(config_dir()).parts[0]) if told else set()
                if choices:
                    assert told == choices, f"{path.name}, {key.value}"
                    compared += 1
    assert compared > 30


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_explains_every_setting_of_a_program_in_one_place(program: str) -> None:
    keys = {key for text in settings_files(program) for key in yaml.safe_load(text)} - {"defaults"}
    lines = "\n".join(settings_help(program))
    assert {key for key in keys if not re.search(rf"\b{key}[.=]", lines)} <= {"runs"}  # compare.py: RUN ...
    places = [key for key, _ in itertools.groupby(re.findall(r"^  (\w+)[.=]", lines, re.M))]
    assert sorted(places) == sorted(set(places))
