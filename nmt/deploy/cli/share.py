"""Make a small copy of a trained model, to give away.

  python scripts/share.py ckpt=RUN_FOLDER out=FOLDER      (installed: nmt-share)

{settings}

The copy has these files:

  checkpoints/best.safetensors   weights in float16, settings and tokenizer; safe to load for whoever gets it
  config.yaml                    the settings
  metrics.json                   the scores and the hardware of the run, unchanged
  attention/0.json               the attention map of the sentence text="..."
  README.md                      what the model is, how to install this program, and what to type

A program that loads it computes in float32. The paths of your data are left out of the settings: whoever evaluates the
model adds data.path=FOLDER, unless the data can be generated or downloaded. A metric that reads a file, such as a
glossary, is left out too.

  python scripts/share.py ckpt=outputs/demo/2026-01-31_12-00-00 out=my_model
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import yaml

from nmt import __version__
from nmt.cli.arguments import FreeText, PathText, Settings, configured
from nmt.config.schema import MetricsFile, read_json
from nmt.config.settings import corpora, shareable
from nmt.errors import UserError, printable
from nmt.system.atomic import write_atomically
from nmt.system.run_files import ATTENTION, CONFIG, METRICS, best_checkpoint, run_of

CARD = """\
# {name}: {languages}

A translation model ({architecture}), trained on {corpora}. Scores on its {split} sentences: {scores}.

You also need the program: `{wheel}`, from whoever gave you this folder. Put it
beside this README.md, open a terminal there, and install it with Python 3.11, 3.12 or 3.13. On Windows, write
`venv\\Scripts` in place of `venv/bin`. On Linux without a GPU, add `--extra-index-url
https://download.pytorch.org/whl/cpu`, which saves gigabytes.

    python3 -m venv venv
    venv/bin/pip install ./{wheel}

Translate a sentence, and a file with a sentence on each line:

    venv/bin/nmt-translate ckpt=. {text}
    venv/bin/nmt-translate ckpt=. input=YOUR_FILE output=NEW_FILE
"""
WHEEL = f"nmt_attention_lab-{__version__}-py3-none-any.whl"


@dataclass(kw_only=True)
class ShareConfig(Settings):
    """The settings of share.yaml."""

    ckpt: PathText
    out: PathText
    text: FreeText | None
    allow: list[str]


@configured(ShareConfig)
def main(config: ShareConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings, before anything is written."""
    from nmt.attention_map import load
    from nmt.build import architecture
    from nmt.checkpoint import Checkpoint, load_model, non_finite, save, weights_of
    from nmt.text.languages import bcp47, english_name
    from nmt.translation.loading import languages_of, load_translator

    folder = Path(config.out)
    if folder.exists():
        raise UserError(f"out: {folder} exists already; name another folder")
    loaded = load_model(config.ckpt, allow=config.allow)
    source = run_of(loaded.path)
    if not (source / METRICS).is_file():
        raise UserError(f"ckpt: {source} holds no {METRICS}; expected the folder of a finished run")
    if loaded.path.absolute() != best_checkpoint(source).absolute():
        raise UserError(f"ckpt: {loaded.path} has other scores than the {METRICS} of its run; expected ckpt={source}")
    metrics = read_json(source / METRICS, MetricsFile, remedy="restore the file")  # it may be a link to any file
    shown = min((source / ATTENTION).glob("*.json"), default=None)  # of the first validation sentence
    attention = None if shown is None else load(shown)
    if config.text is not None:
        attention = load_translator(loaded.path, allow=config.allow).attention_map(config.text)
    weights = weights_of(loaded.model.half())
    if (broken := non_finite(weights)) is not None:
        raise UserError(f"ckpt: {loaded.path}: the weight {broken} has values above 65,504, too large for float16")
    plain = shareable(loaded.config)
    contents = {
        folder / CONFIG: yaml.safe_dump(plain, sort_keys=False, allow_unicode=True).encode(),
        folder / METRICS: (source / METRICS).read_bytes(),
    }
    if attention is not None:
        contents[folder / ATTENTION / "0.json"] = attention.to_json().encode()
    split, scores = ("test", metrics["test"]) if "test" in metrics else ("validation", metrics.get("val", {}))
    card = CARD.format(
        name=plain["name"],
        languages=" to ".join(english_name(bcp47(code)) for code in languages_of(plain) or ()),
        architecture=architecture(plain["model"]),
        wheel=WHEEL,
        corpora=corpora(loaded.config),
        split=split,
        scores=", ".join(f"{each['label']} {each['value']:.1f}" for each in scores.values()),
        text=shlex.quote(f"text={config.text or (attention and attention.source) or '...'}"),
    )
    contents[folder / "README.md"] = printable(card, keep="\n").encode()
    save(Checkpoint(weights, plain, loaded.tokenizer, loaded.scores, loaded.update), best_checkpoint(folder))
    for path, content in contents.items():
        write_atomically(path, content)
    for path in (best_checkpoint(folder), *contents):
        print(f"written to {path} ({path.stat().st_size / 1000:,.0f} kB)")
    print(f"to send it, add {WHEEL} (make wheel writes it to dist); README.md says how to install and what to type")
