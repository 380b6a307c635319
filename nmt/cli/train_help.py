"""The words of `python train.py --help`, its groups and options read from the folder of configs."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from nmt.config.folder import defaults, groups, summary

_INTRO = """\
Train a translation model, evaluate it on the test split and keep all of it in one folder.

usage: {program} [-m] [group=option ...] [key=value ...]
       {program} resume=RUN_FOLDER

Without arguments: Multi30k, English to German, with a Transformer (configs/train.yaml).
"""

_OUTRO = """\
Keys often set (every key of the configs can be; a misspelt one is refused):
  data.path=FOLDER                            local files in place of the Hub: train.en + train.de, .tsv, .jsonl
  data.source_lang=de data.target_lang=en     the other direction
  tokenizer.vocab_size=4000                   pieces in the vocabulary
  model.encoder.layers=2                      sizes, dropouts: see configs/model
  optimizer.lr=0.001 scheduler.warmup_updates=2000
  trainer.max_epochs=10 trainer.max_time=00:00:40:00     whichever comes first; cosine honours both
  trainer.accelerator=cpu trainer.precision=bf16-mixed
  search.beam_size=5 search.length_penalty=1.0
  scores=[bleu,chrf,ter] scores.bleu.tokenize=char        which metrics, and their settings
  allow=[my_package]                          classes of your own package may be named as _target_
  seed=2 name=my_run hydra.run.dir=FOLDER     the folder is outputs/<name>/<time> unless it is named

Examples:
  {program} experiment=demo                   the embedded corpus: no network, three minutes
  {program} model=rnn model/attention=luong model.attention.score=dot
  {program} experiment=multi30k_bahdanau data.path=FOLDER
  {program} -m model=rnn model/attention=none,bahdanau,luong seed=1,2,3
  {program} -m hydra/launcher=joblib hydra.launcher.n_jobs=2 seed=1,2     two jobs at once (the extra `parallel`)
  {program} debug=fast                        two updates, every file of a run

Flags:
  -m, --multirun      run every combination of the values given with commas, in multirun/<name>/<time>/<n>;
                      a job that fails is reported, the others are run
  --cfg job           print the config (with -m, that of each job) and stop; --resolve resolves interpolations
  --config-dir FOLDER YAML files of your own in groups such as FOLDER/experiment/, beside the shipped ones
  -h, --help          this text
"""


def help_text() -> str:
    """Return the help, without importing anything heavy."""
    name = Path(sys.argv[0]).name
    program = f"python {name}" if name.endswith(".py") else name
    return "\n".join((_INTRO.format(program=program), _group_lines(), _OUTRO.format(program=program).rstrip()))


def _group_lines() -> str:
    chosen = defaults()
    lines = ["Groups and their options (* the default):"]
    for group, options in groups().items():
        lines.append(f"  {group}=")
        width = max(map(len, options))
        for option in options:
            mark = "*" if option in re.findall(r"\w+", chosen.get(group, "")) else " "
            words = textwrap.shorten(summary(group, option), 100, placeholder=" ...")
            lines.append(f"    {mark} {option:{width}}  {words}".rstrip())
    return "\n".join(lines) + "\n"
