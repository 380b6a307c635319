"""What is shipped: the metadata, the pins, the Makefile, and a wheel that carries the configs."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests import own_package

HOUSES = ("lab", "deploy")


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    text = Path(__file__).resolve().parent.parent.joinpath("pyproject.toml").read_text("utf-8")
    return dict(tomllib.loads(text)["project"])


@pytest.fixture(scope="module")
def pins() -> dict[str, Version]:
    lines = Path(__file__).resolve().parent.parent.joinpath("constraints.txt").read_text("utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {normal(name): Version(version) for name, version in pairs}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_requirement_is_pinned_within_its_range(project: dict[str, Any], pins: dict[str, Version]) -> None:
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    for line in [*project["dependencies"], *extras]:
        requirement = Requirement(line)
        assert pins[normal(requirement.name)] in requirement.specifier, line


@pytest.mark.parametrize(
    "room", ["nmt.cli", *(pytest.param(f"nmt.{name}.cli", marks=getattr(pytest.mark, name)) for name in HOUSES)]
)
def test_programs_exist_and_end_with_a_status(project: dict[str, Any], room: str) -> None:
    programs = {name: target for name, target in project["scripts"].items() if target.startswith(f"{room}.")}
    assert programs
    for name, target in programs.items():
        module, _, attribute = target.partition(":")
        assert callable(getattr(importlib.import_module(module), attribute)), name


def test_every_import_of_the_package_is_a_declared_dependency(project: dict[str, Any], root: Path) -> None:
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {normal(Requirement(line).name) for line in [*project["dependencies"], *extras]}
    # our own package, and packages that a declared one brings with it
    come_with = {"nmt", "lightning-fabric", "huggingface-hub", "fsspec", "pillow", "pyarrow"}
    provides = packages_distributions()
    for path in (root / "nmt").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            for name in {module.partition(".")[0] for module in modules} - sys.stdlib_module_names:
                assert {normal(each) for each in [name, *provides.get(name, ())]} & (declared | come_with), (
                    f"{path}: {name}"
                )


def test_make_install_says_why_no_python_can_be_used(root: Path, tmp_path: Path) -> None:
    for name, answer in (("python3.12", "lacks venv (apt-get ...)"), ("python3", "is 3.14")):
        (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    command = [str(shutil.which("make")), "install", f"VENV={tmp_path}/venv"]
    done = subprocess.run(command, cwd=root, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 2 and "; python3.12 lacks venv (apt-get ...); python3 is 3.14; install one" in done.stderr


def test_python_files_have_at_most_400_lines(root: Path) -> None:
    long = {path.name: len(path.read_text("utf-8").splitlines()) for path in (root / "nmt").rglob("*.py")}
    assert {name: lines for name, lines in long.items() if lines > 400} == {}


@pytest.mark.slow
def test_a_wheel_and_its_source_carry_the_configs_and_run_from_an_empty_folder(root: Path, tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(root)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (source,) = (tmp_path / "dist").glob("*.tar.gz")
    configs = {path.relative_to(root).as_posix() for path in (root / "configs").rglob("*.yaml")}
    files = {path for path in (root / "nmt").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    package = {path.relative_to(root).as_posix() for path in files}  # modules, templates, pages, a splitter
    assert {path.suffix for path in files} >= {".py", ".html", ".css", ".js", ".onnx"}
    with zipfile.ZipFile(wheel) as archive:  # built from the source archive, so that is whole as well
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == {f"nmt/{name}" for name in configs} | package
    with tarfile.open(source) as archive:
        unpacked = {name.partition("/")[2] for name in archive.getnames()}
    assert configs | package | {"pyproject.toml", "LICENSE", "README.md", "constraints.txt", "Makefile"} <= unpacked

    installed, empty, own = tmp_path / "installed", tmp_path / "empty", tmp_path / "own"
    install = ["-m", "pip", "install", "--no-deps", "--no-index", "--target", str(installed), str(wheel)]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    empty.mkdir()
    own_package.write(own)
    for name, *words in (
        ("nmt-train", "experiment=demo", "debug=fast", "hydra.run.dir=run"),
        ("nmt-report", "ckpt=run", "examples=1"),
        ("nmt-translate", "ckpt=run", "text=June 5"),
        ("nmt-train", f"--config-dir={own}/configs", "allow=[acme_nmt]", "experiment=acme", "debug=fast",
         "hydra.run.dir=own", *own_package.SMALL),
        ("nmt-translate", "ckpt=own", "allow=[acme_nmt]", "text=June 5"),
    ):  # fmt: skip
        result = subprocess.run(
            [sys.executable, str(installed / "bin" / name), *words],
            cwd=empty,
            env={**os.environ, "PYTHONPATH": f"{installed}:{own}/packages"},
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in empty.iterdir()) == ["own", "run"]
    assert all((empty / folder / "metrics.json").is_file() for folder in ("own", "run"))
