"""The text of `python train.py --help`. Its groups and options are read from the folder of configs."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from nmt.config.folder import defaults, groups, summary

_INTRO = """\
Train a translation model, evaluate it on the test split, and write all results to one folder.

usage: {program} [-m] [group=option ...] [key=value ...]
       {program} resume=RUN_FOLDER [key=value ...]

Without arguments: Multi30k, English to German, with a Transformer (configs/train.yaml).
"""

_OUTRO = """\
Common keys (any key in configs/ can be set; a misspelt key is an error):
  data.path=FOLDER                            local files instead of the Hub: train.en + train.de, .tsv, .jsonl
  data.source_lang=de data.target_lang=en     the other direction
  tokenizer.vocab_size=4000                   number of pieces in the vocabulary
  model.encoder.layers=2                      configs/model has all sizes and dropouts
  optimizer.lr=0.001 scheduler.warmup_updates=2000
  trainer.max_epochs=10 trainer.max_time=00:00:40:00     the first limit ends the run, and cosine ends with it
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
