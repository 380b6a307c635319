"""Train a translation model, evaluate it on the test split, and write all results to one folder.

usage: {program} [-m] [group=option ...] [key=value ...]
       {program} resume=RUN_FOLDER [key=value ...]

Without arguments: Multi30k, English to German, with a Transformer (configs/train.yaml).
group=option chooses a YAML file, as in model/attention=luong (with a slash).
key=value sets one value, as in model.attention.score=dot (with dots).

Common keys (any key in configs/ can be set; a misspelt key is an error):
  data.path=FOLDER                            local files instead of the Hub: train.en + train.de, .tsv, .jsonl
  data.source_lang=de data.target_lang=en     the other direction
  tokenizer.vocab_size=4000                   number of pieces in the vocabulary
  model.encoder.layers=2                      configs/model has all sizes and dropouts
  optimizer.lr=0.001 scheduler.warmup_updates=2000
  trainer.max_time=00:00:40:00                40 minutes (days:hours:minutes:seconds)
  trainer.max_epochs=10 trainer.max_steps=8000            further limits; the first one that is reached ends the run
  trainer.accelerator=cpu trainer.precision=bf16-mixed
  search.beam_size=5 search.length_penalty=1.0
  scores=[bleu,chrf,ter] scores.bleu.tokenize=char        the metrics and their settings
  allow=[my_package]                          a _target_ may name classes of your package
  seed=2 name=my_run hydra.run.dir=FOLDER     without hydra.run.dir: outputs/<name>/<time>

Examples:
  {program} experiment=demo                   the embedded corpus: no network, three minutes
  {program} model=rnn model/attention=luong model.attention.score=dot
  {program} experiment=multi30k_bahdanau data.path=FOLDER
  {program} -m model=rnn model/attention=none,bahdanau,luong seed=1,2,3
  {program} -m hydra/launcher=joblib hydra.launcher.n_jobs=2 seed=1,2     two jobs at once (the extra `parallel`)
  {program} debug=fast                        two updates; writes every file of a run

{groups}

Flags:
  -m, --multirun      run every combination of the values given with commas, in multirun/<name>/<time>/<n>;
                      if a job fails, the error is printed and the other jobs still run
  --cfg job           print the config (with -m, the config of each job) and stop; --resolve resolves interpolations
  --config-dir FOLDER add your YAML files, in groups such as FOLDER/experiment/, to the shipped ones
  -h, --help          print this text
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from nmt.cli.arguments import take_config_dir, train_overrides
from nmt.cli.program import Program
from nmt.config.yaml_files import also_in, groups_of, options_with, own_folder, read_file, summary
from nmt.errors import UserError
from nmt.system.launch import launch

if TYPE_CHECKING:
    from nmt.config.recipe import Recipe

RUN_DIR = "hydra.run.dir"
OF_MULTIRUNS = ("hydra.sweep.", "hydra/launcher", "hydra.launcher.", "hydra.mode=MULTIRUN", "hydra.job.name=")
UNUSED = ("hydra.job.chdir=", "hydra.output_subdir=", "hydra.verbose=")


def help_text(argv: Sequence[str]) -> str:
    """Return the help. It must appear at once, so nothing here imports torch or Hydra."""
    name = Path(sys.argv[0]).name
    program = f"python {name}" if name.endswith(".py") else name
    own, _ = take_config_dir(argv)
    with also_in(own):
        return (__doc__ or "").replace("{program}", program).replace("{groups}", "\n".join(_group_lines()))


def _group_lines() -> Iterator[str]:
    yield "Groups and their options (* the default):"
    for group, options in groups_of("train").items():
        yield f"  {group}="
        chosen, width = _default(group), max(map(len, options))
        for option in options:
            mark = "*" if option in chosen else " "
            words = textwrap.shorten(summary(group, option), 100, placeholder=" ...")
            yield f"    {mark} {option:{width}}  {words}".rstrip()


def _default(group: str) -> list[str]:
    """Return the default options of a group; those of model/attention are in the options of model."""
    parent, _, child = group.rpartition("/")
    lists = [f"{parent}/{option}" for option in options_with(group)] if parent else ["train"]
    return [option for name in lists for option in re.findall(r"\w+", read_file(name).chosen.get(child, ""))]


def _train(argv: Sequence[str]) -> None:
    """Train as the command line says. Raises UserError for bad input. No run is overwritten."""
    own, words = take_config_dir(argv)
    with also_in(own), _all_processes():
        _dispatch(words, argv)


@contextmanager
def _all_processes() -> Iterator[None]:
    """Join the other processes of the run if a launcher has started several."""
    if not launch().several:
        yield
        return
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # read by torch: it reports a lost connection on its own
    from nmt.training.processes import joined  # here, because importing torch takes seconds

    with joined():
        yield


def _dispatch(arguments: Sequence[str], argv: Sequence[str]) -> None:
    """Do what `arguments` say. `argv` are those of the command line, with --config-dir."""
    flags = _parser().parse_intermixed_args(list(arguments))
    overrides = train_overrides(flags.overrides)
    resumed = [line for line in overrides if line.lstrip("+").startswith("resume=")]
    if flags.resolve and flags.cfg != "job":
        raise UserError("command line: --resolve changes only what --cfg job prints; use --cfg job --resolve")
    if resumed:
        flagged = [word for word in arguments if word.startswith("-")] + ["--config-dir"] * (own_folder() is not None)
        if flagged or len(resumed) > 1:
            raise UserError(
                f"resume: got also {' '.join(flagged or resumed[1:])}, expected only resume=RUN_FOLDER and settings to "
                "change, as in trainer.max_epochs=60"
            )
        allow = [line for line in overrides if line.startswith("allow=")]
        changed = [line for line in overrides if line not in (*resumed, *allow)]
        _resume(resumed[0].partition("=")[2], changed, _values(allow[-1]) if allow else (), argv)
    elif flags.cfg:
        _show(overrides, flags)
    elif flags.multirun:
        if launch().several:
            raise UserError(
                f"-m: a multirun is many runs, but {launch().launcher} has started {launch().size} processes for one "
                "run; start python train.py -m without it, or each run with it"
            )
        from nmt.cli.multirun import multirun

        multirun(overrides)
    else:
        _single(overrides, argv)


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


def _single(overrides: Sequence[str], argv: Sequence[str]) -> None:
    from nmt.cli.session import checked_recipe
    from nmt.config.compose import compose_run
    from nmt.config.explain import naming_files

    for line in overrides:
        if line.lstrip("+").startswith(OF_MULTIRUNS):
            instead = f"use {RUN_DIR}=FOLDER for one run" if "hydra.sweep." in line else "leave it out"
            raise UserError(f"{line}: has an effect only in a multirun; add -m, or {instead}")
        if line.lstrip("+").startswith(UNUSED):
            raise UserError(f"{line}: has no effect on a single run; leave it out")
    with naming_files(overrides):
        recipe, components = checked_recipe(compose_run(overrides), overrides)
    from nmt.cli.run_folder import agreed, check_start
    from nmt.cli.session import train

    check_start(recipe.settings.trainer)
    if _trained_by_processes(recipe, argv):
        return
    train(agreed(recipe, RUN_DIR), components, key=RUN_DIR)


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
            from nmt.cli.session import checked_recipe  # here, because importing torch takes seconds
            from nmt.preflight import build_components, needs_init

            final = recipe
            if needs_init(recipe.settings):
                build_components(recipe.settings)  # only a check
            else:
                final, _ = checked_recipe(recipe, words)
        head = "" if number is None else f"---\n# job {number}: {' '.join(words)}\n"
        changed = {key: value for key, value in final.plain.items() if value != recipe.plain[key]}
        texts.append(head + show(words, flags.cfg, changed, resolve=flags.resolve, job=number))
    print("".join(texts), end="")


def _values(override: str) -> Sequence[str]:
    """Return the list that an override gives, as in allow=[my_package]."""
    from nmt.config.overrides import parse

    value = parse([override])[0].value()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UserError(f"{override}: expected a list of names, as in allow=[my_package]")
    return value


def _resume(name: str, overrides: Sequence[str], allow: Sequence[str], argv: Sequence[str]) -> None:
    """Continue the run in the folder `name` with its own config and `overrides`; `allow` names the user's packages."""
    from nmt.cli.run_folder import check_start
    from nmt.cli.session import train
    from nmt.config.recipe import naming_config, read_recipe
    from nmt.system.run_files import CONFIG

    folder = Path(os.path.expanduser(name))
    if not folder.exists() and name[:1] in ("'", '"') and name.endswith(name[0]):  # in quotes, as Hydra's values may be
        folder = Path(os.path.expanduser(name[1:-1]))
    if not folder.is_dir():
        raise UserError(f"resume: {folder}: no such folder; name the folder of a run")
    if not (folder / CONFIG).is_file():
        raise UserError(f"resume: {folder} holds no run (it has no {CONFIG}); name the folder of a run")
    from nmt.preflight import build_components

    recipe = read_recipe(folder, allow, overrides)
    with naming_config(folder / CONFIG, overrides):
        components = build_components(recipe.settings)
    check_start(recipe.settings.trainer)
    if not _trained_by_processes(recipe, argv):
        train(recipe, components)


def _trained_by_processes(recipe: Recipe, argv: Sequence[str]) -> bool:
    """Return whether the run uses several devices. Then it has run the command line `argv` in a process for each."""
    from nmt.cli.processes import device_count, start_processes
    from nmt.cli.session import train_path

    trainer = recipe.settings.trainer
    if launch().several or device_count(trainer) == 1:
        return False
    start_processes([train_path(), *argv], trainer)
    return True


main = Program(_train, help_text)
