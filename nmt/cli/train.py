"""Train a translation model, evaluate it on the test split, and write all results to one folder.

  python train.py [-m] [group=option ...] [key=value ...]      (installed: nmt-train)
  python train.py resume=RUN_FOLDER [key=value ...]

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
  seed=2 name=my_run hydra.run.dir=FOLDER     without hydra.run.dir: outputs/<name>/<time>; with -m: hydra.sweep.dir

Examples:
  python train.py experiment=demo                   the embedded corpus: no network, three minutes
  python train.py model=rnn model/attention=luong model.attention.score=dot
  python train.py experiment=multi30k_bahdanau data.path=FOLDER
  python train.py -m model=rnn model/attention=none,bahdanau,luong seed=1,2,3
  python train.py debug=fast                        two updates; writes every file of a run

{groups}

Flags:
  -m, --multirun      run every combination of the values given with commas, in multirun/<name>/<time>/<n>_<settings>;
                      if a job fails, the error is printed and the other jobs still run
  --cfg job           print the config (with -m, the config of each job) and stop
  --config-dir FOLDER add your YAML files, in groups such as FOLDER/experiment/, to the shipped ones
  -h, --help          print this text
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from nmt.cli import session
from nmt.cli.arguments import take_config_dir
from nmt.cli.program import Program
from nmt.config.compose import RUN_DIR, SWEEP_DIR, compose_run, jobs, parse
from nmt.config.groups import own_folder, training_groups
from nmt.config.recipe import Recipe, read_recipe
from nmt.config.settings import absolute
from nmt.errors import UserError
from nmt.system.run_files import CONFIG


def help_text(argv: Sequence[str]) -> str:
    """Return the help, with the groups of --config-dir."""
    take_config_dir(argv)
    return (__doc__ or "").replace("{groups}", "\n".join(_group_lines()))


def _group_lines() -> Iterator[str]:
    yield "Groups and their options (each is a file of configs/, which begins with what it is for):"
    for group, options in training_groups().items():
        yield textwrap.fill(" ".join(options), 116, initial_indent=f"  {group}= ", subsequent_indent="      ")


def _train(argv: Sequence[str]) -> None:
    """Train as the command line says. Raises UserError for bad input. No run is overwritten."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("-m", "--multirun", action="store_true")
    parser.add_argument("--cfg", choices=("job",))
    flags = parser.parse_intermixed_args(take_config_dir(argv))
    words: list[str] = flags.overrides
    resumes = sum(word.lstrip("+").startswith("resume=") for word in words)
    if resumes and (resumes > 1 or flags.multirun or flags.cfg or own_folder() is not None):
        raise UserError("resume: expected only resume=RUN_FOLDER and settings to change, as in trainer.max_epochs=60")
    if flags.cfg:
        for number, job in enumerate(jobs(words) if flags.multirun else [words]):
            shown = compose_run(job, key=SWEEP_DIR if flags.multirun else RUN_DIR)
            if shown.settings.init is not None:
                shown, _ = session.checked_recipe(shown, job)
            head = f"---\n# job {number}: {' '.join(job)}\n" if flags.multirun else ""
            print(head + shown.to_yaml(), end="")
    elif flags.multirun:
        from nmt.cli import multirun  # here, because a single run needs nothing of it

        multirun.multirun(words)
    elif resumes:
        recipe = _resumed(words)
        from nmt.build import build_objects  # here, because importing torch takes seconds

        session.train(recipe, build_objects(recipe.settings), resume=True)
    else:
        session.train(*session.checked_recipe(compose_run(words), words))


def _resumed(words: Sequence[str]) -> Recipe:
    """Return the recipe of the run that `resume=FOLDER` names, with the other words in place of its settings."""
    overrides = {override.key_or_group: override for override in map(parse, words)}
    folder = Path(absolute(str(overrides.pop("resume").value())))
    if not (folder / CONFIG).is_file():
        raise UserError(f"resume: {folder} holds no run (it has no {CONFIG}); name the folder of a run")
    allow = overrides.pop("allow").value() if "allow" in overrides else []
    if not isinstance(allow, list) or not all(isinstance(name, str) for name in allow):
        raise UserError(f"allow: got {allow}, expected a list of names, as in allow=[my_package]")
    return read_recipe(folder, allow, [*overrides.values()])


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are UserErrors."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"command line: {message}; see --help")


main = Program(_train, help_text)
