"""The text of `python train.py --help`. Its groups and options are read from the folder of configs."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from nmt.config.yaml_files import groups, options_with, read_file, summary

_INTRO = """\
Train a translation model, evaluate it on the test split, and write all results to one folder.

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
"""

_OUTRO = """\
Flags:
  -m, --multirun      run every combination of the values given with commas, in multirun/<name>/<time>/<n>;
                      if a job fails, the error is printed and the other jobs still run
  --cfg job           print the config (with -m, the config of each job) and stop; --resolve resolves interpolations
  --config-dir FOLDER add your YAML files, in groups such as FOLDER/experiment/, to the shipped ones
  -h, --help          print this text
"""


def help_text() -> str:
    """Return the help. It must appear at once, so nothing here imports torch or Hydra."""
    name = Path(sys.argv[0]).name
    program = f"python {name}" if name.endswith(".py") else name
    return "\n".join((_INTRO.format(program=program), _group_lines(), _OUTRO.format(program=program).rstrip()))


def _group_lines() -> str:
    lines = ["Groups and their options (* the default):"]
    for group, options in groups().items():
        lines.append(f"  {group}=")
        chosen, width = _default(group), max(map(len, options))
        for option in options:
            mark = "*" if option in chosen else " "
            words = textwrap.shorten(summary(group, option), 100, placeholder=" ...")
            lines.append(f"    {mark} {option:{width}}  {words}".rstrip())
    return "\n".join(lines) + "\n"


def _default(group: str) -> list[str]:
    """Return the default options of a group; those of model/attention are in the options of model."""
    parent, _, child = group.rpartition("/")
    lists = [f"{parent}/{option}" for option in options_with(group)] if parent else ["train"]
    return [option for name in lists for option in re.findall(r"\w+", read_file(name).chosen.get(child, ""))]
