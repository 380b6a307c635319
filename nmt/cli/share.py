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
from typing import TYPE_CHECKING

from nmt.cli.arguments import FreeText, PathText, Settings, configured
from nmt.errors import UserError
from nmt.system.atomic import write_atomically
from nmt.system.run_files import ATTENTION, CONFIG, METRICS, best_checkpoint, inside, run_of, sample_map

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel

SAMPLE = "0.json"  # in the folder of attention maps


@dataclass(kw_only=True)
class ShareConfig(Settings):
    """The settings of share.yaml."""

    ckpt: PathText
    out: PathText
    text: FreeText | None
    allow: list[str]


@configured(ShareConfig)
def main(config: ShareConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    from nmt.checkpoint import load_model

    folder = Path(config.out)
    for path in (folder / CONFIG, folder / METRICS, best_checkpoint(folder), folder / ATTENTION / SAMPLE):
        if path.exists():
            raise UserError(f"out: {folder} already holds {path.relative_to(folder)}; name another folder")
    loaded = load_model(config.ckpt, allow=config.allow)
    source = run_of(loaded.path)
    if not (source / METRICS).is_file():
        raise UserError(f"ckpt: {source} holds no {METRICS}; expected the folder of a finished run")
    if loaded.path.absolute() != best_checkpoint(source).absolute():
        raise UserError(f"ckpt: {loaded.path} has other scores than the {METRICS} of its run; expected ckpt={source}")
    for path in share(loaded, source, folder, config):
        print(f"written to {path} ({path.stat().st_size / 1000:,.0f} kB)")


def share(loaded: LoadedModel, source: Path, folder: Path, settings: ShareConfig) -> list[Path]:
    """Write the copy of the run in the folder `source`, and return its files.

    Raises UserError, before anything is written, if a weight is too large for float16, or if a text is given and the
    model has no attention.
    """
    import yaml

    from nmt.attention_map import load
    from nmt.checkpoint import Checkpoint, non_finite, save, weights_of
    from nmt.config.schema import MetricsFile, read_json
    from nmt.config.settings import shareable
    from nmt.translation.loading import load_translator

    best, picture = inside(folder, *best_checkpoint(Path()).parts), inside(folder, ATTENTION, SAMPLE)
    read_json(source / METRICS, MetricsFile, remedy="restore the file")  # it may be a link to another file of the user
    metrics, kept = (source / METRICS).read_bytes(), sample_map(source)
    shown = None if kept is None else load(kept)
    if settings.text is not None:
        shown = load_translator(loaded.path, allow=settings.allow).attention_map(settings.text)
    config = shareable(loaded.config)
    weights = weights_of(loaded.model.half())
    broken = non_finite(weights)
    if broken is not None:
        raise UserError(f"ckpt: {loaded.path}: the weight {broken} has values above 65,504, too large for float16")
    save(Checkpoint(weights, config, loaded.tokenizer, loaded.scores, loaded.update), best)
    write_atomically(folder / CONFIG, yaml.safe_dump(config, sort_keys=False, allow_unicode=True).encode())
    write_atomically(folder / METRICS, metrics)
    written = [best, folder / CONFIG, folder / METRICS]
    if shown is not None:
        write_atomically(picture, shown.to_json().encode())
        written.append(picture)
    return written
