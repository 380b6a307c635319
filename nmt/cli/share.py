"""Make a small copy of a trained model, to give away.

  python scripts/share.py ckpt=RUN_FOLDER out=FOLDER      (installed: nmt-share)

{settings}

The copy has these files:

  checkpoints/best.safetensors   weights in float16, settings and tokenizer; safe to load for whoever gets it
  config.yaml                    the settings
  metrics.json                   the scores and the hardware of the run, unchanged
  attention/0.json               the attention map of the sentence text="..."

A program that loads it computes in float32. The paths of your data are left out of the settings: whoever evaluates the
model adds data.path=FOLDER, unless the data can be generated or downloaded. So is a metric that reads a file, such as
a glossary.

  python scripts/share.py ckpt=outputs/demo/2026-01-31_12-00-00 out=my_model
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from nmt.cli.arguments import FreeText, PathText, Settings, configured
from nmt.config.schema import MetricsFile, read_json
from nmt.config.settings import shareable
from nmt.errors import UserError
from nmt.system.atomic import write_atomically
from nmt.system.run_files import ATTENTION, CONFIG, METRICS, best_checkpoint, run_of, sample_map


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
    from nmt.checkpoint import Checkpoint, load_model, non_finite, save, weights_of
    from nmt.translation.loading import load_translator

    folder = Path(config.out)
    if folder.exists():
        raise UserError(f"out: {folder} exists already; name another folder")
    loaded = load_model(config.ckpt, allow=config.allow)
    source = run_of(loaded.path)
    if not (source / METRICS).is_file():
        raise UserError(f"ckpt: {source} holds no {METRICS}; expected the folder of a finished run")
    if loaded.path.absolute() != best_checkpoint(source).absolute():
        raise UserError(f"ckpt: {loaded.path} has other scores than the {METRICS} of its run; expected ckpt={source}")
    read_json(source / METRICS, MetricsFile, remedy="restore the file")  # it may be a link to another file of the user
    shown = sample_map(source)
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
    save(Checkpoint(weights, plain, loaded.tokenizer, loaded.scores, loaded.update), best_checkpoint(folder))
    for path, content in contents.items():
        write_atomically(path, content)
    for path in (best_checkpoint(folder), *contents):
        print(f"written to {path} ({path.stat().st_size / 1000:,.0f} kB)")
