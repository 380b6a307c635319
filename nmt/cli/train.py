"""`python train.py`, `nmt-train`: one run in one folder; or many, with -m.

A command line is composed once into a recipe. Mistakes in it are reported before a folder is made. Then the run's
folder is made, and `nmt.training.run.train` does the work in it.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from nmt.cli import program as programs
from nmt.cli.arguments import quoted_paths, take_config_dir, wants_help
from nmt.config.yaml_files import also_in, own_folder
from nmt.errors import UserError

FOLDER_KEY = "hydra.run.dir"


def main() -> None:
    """The entry point; see `nmt.cli.program.main` for the statuses."""
    programs.main(run)


def run(arguments: Sequence[str], *, program: str | None = None) -> None:
    """Train as the command line `arguments` say.

    `program` is the path of the program in the command that continues a run, by default the one that is running.
    Raises UserError for bad input. No run is overwritten.
    """
    own, words = take_config_dir(arguments)
    with also_in(own):
        if wants_help(words):
            from nmt.cli.train_help import help_text

            print(help_text())
        else:
            _dispatch(words, program)


def _dispatch(arguments: Sequence[str], program: str | None) -> None:
    flags = _parser().parse_intermixed_args(list(arguments))
    overrides = quoted_paths(flags.overrides, but=",\\")
    resumed = [line for line in overrides if line.lstrip("+").startswith("resume=")]
    if flags.resolve and not flags.cfg:
        raise UserError("command line: --resolve changes only what --cfg prints; add --cfg job")
    if resumed:
        flagged = [word for word in arguments if word.startswith("-")] + ["--config-dir"] * (own_folder() is not None)
        if flagged or len(resumed) > 1:
            raise UserError(
                f"resume: got also {' '.join(flagged or resumed[1:])}, expected only resume=RUN_FOLDER and settings to "
                "change, as in trainer.max_epochs=60"
            )
        allow = [line for line in overrides if line.startswith("allow=")]
        changed = [line for line in overrides if line not in (*resumed, *allow)]
        _resume(resumed[0].partition("=")[2], changed, _values(allow[-1]) if allow else (), program)
    elif flags.cfg:
        _show(overrides, flags)
    elif flags.multirun:
        from nmt.cli.multirun import multirun

        multirun(overrides, program=program)
    else:
        _single(overrides, program)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are UserErrors."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"command line: {message}; see --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("-m", "--multirun", action="store_true")
    parser.add_argument("--cfg", choices=("job", "hydra", "all"))
    parser.add_argument("--resolve", action="store_true")
    return parser


def _single(overrides: Sequence[str], program: str | None) -> None:
    from nmt.cli.initial import checked
    from nmt.config.compose import compose_run
    from nmt.config.explain import naming_files

    with naming_files(overrides):
        recipe = checked(compose_run(overrides), overrides)
    from nmt.cli.processes import check_start, folder_of_first_process
    from nmt.cli.run import start
    from nmt.cli.run_folder import check_free

    check_start(recipe.settings.trainer)
    shared = folder_of_first_process()
    if shared is not None:  # the name may hold the time, which differs from process to process
        recipe = replace(recipe, folder=shared)
    else:
        check_free(recipe, FOLDER_KEY)
    start(recipe, FOLDER_KEY, existed=recipe.folder.exists(), program=program)


def _show(overrides: Sequence[str], flags: argparse.Namespace) -> None:
    """Print the config of the run, or of each job of a multirun, as a YAML document."""
    from nmt.config.compose import compose_run, show
    from nmt.config.explain import naming_files
    from nmt.config.overrides import jobs

    planned = list(enumerate(jobs(overrides))) if flags.multirun else [(None, overrides)]
    texts = []
    for number, words in planned:
        with naming_files(words):
            recipe = compose_run(words, job=number)
            from nmt.preflight import check_nodes  # here, because importing torch takes seconds

            check_nodes(recipe.settings)
        head = "" if number is None else f"---\n# job {number}: {' '.join(words)}\n"
        texts.append(head + show(words, flags.cfg, resolve=flags.resolve, job=number))
    print("".join(texts), end="")


def _values(override: str) -> Sequence[str]:
    """Return the list that an override gives, as in allow=[my_package]."""
    from nmt.config.overrides import parse

    value = parse([override])[0].value()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UserError(f"{override}: expected a list of names, as in allow=[my_package]")
    return value


def _resume(name: str, overrides: Sequence[str], allow: Sequence[str], program: str | None) -> None:
    """Continue the run in the folder `name` with its own config and `overrides`; `allow` names the user's packages."""
    from nmt.cli.processes import check_start
    from nmt.cli.run import resume
    from nmt.config.explain import is_about
    from nmt.config.overrides import parse
    from nmt.config.recipe import read_recipe
    from nmt.system.run_files import CONFIG

    folder = Path(os.path.expanduser(name))
    if not folder.exists() and name[:1] in ("'", '"') and name.endswith(name[0]):  # in quotes, as Hydra's values may be
        folder = Path(os.path.expanduser(name[1:-1]))
    if not folder.is_dir():
        raise UserError(f"resume: {folder}: no such folder; name the folder of a run")
    if not (folder / CONFIG).is_file():
        raise UserError(f"resume: {folder} holds no run (it has no {CONFIG}); name the folder of a run")
    from nmt.preflight import check_nodes

    recipe = read_recipe(folder, allow, overrides)
    try:
        check_nodes(recipe.settings)
    except UserError as error:
        typed = [override.key_or_group for override in parse(overrides)]
        raise UserError(
            *(text if is_about(text, typed) else f"{folder / CONFIG}: {text}" for text in error.problems)
        ) from error
    check_start(recipe.settings.trainer)
    resume(recipe, program=program)
