"""Make the models of examples/ anew, and the table of examples/README.md.

python scripts/examples.py
    train the four small models in outputs/examples (a few minutes each, no network), put a copy of each in examples/,
    translate the test set with them, so that compare.py can read them, and write the table
python scripts/examples.py table
    write the table again, from the metrics.json of every model in examples/

docs/results has the commands for the other models: README.md, distillation.md and office_help.md.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.build import architecture
from nmt.cli import evaluate, train
from nmt.cli.output import Column, Table, to_markdown
from nmt.cli.program import program
from nmt.errors import UserError
from nmt.system.atomic import write_atomically
from nmt.system.run_files import CONFIG, METRICS, best_checkpoint
from scripts.results import with_table

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES, RUNS = ROOT / "examples", Path("outputs") / "examples"
RECURRENT = [
    *("experiment=demo_rnn", "model.encoder.embedding_width=64", "model.encoder.hidden_width=64"),
    *("model.decoder.embedding_width=64", "model.decoder.width=128", "model.decoder.readout_width=64"),
]
LENGTH = ["trainer.max_time=null", "trainer.max_steps=2500"]
SMALL = {  # the overrides that train each model
    "no_attention": [*RECURRENT, "name=no_attention", "model/attention=none", *LENGTH],
    "bahdanau": [*RECURRENT, "name=bahdanau", "model/attention=bahdanau", "model.attention.width=64", *LENGTH],
    "luong": [*RECURRENT, "name=luong", "model/attention=luong", *LENGTH],
    "transformer": ["experiment=demo", "name=transformer", "model.encoder.block.width=64", *LENGTH],
}
CORPORA = {"multi30k": "Multi30k", "captions": "Multi30k", "office": "LibreOffice's help"}  # by how a name begins


def make(name: str) -> None:
    """Train a small model and replace its copy in examples/, which also translates the test set."""
    run, copy = RUNS / name, EXAMPLES / name
    train.main([*SMALL[name], f"hydra.run.dir={run}"])
    from nmt.deploy.cli import share  # imported here, so that the table can be made without nmt/deploy

    shutil.rmtree(copy, ignore_errors=True)
    share.main([f"ckpt={run}", f"out={copy}"])
    evaluate.main([f"ckpt={copy}", "split=test"])


def config_of(run: Path) -> dict[str, Any]:
    """Return the settings of a run."""
    found: dict[str, Any] = yaml.safe_load((run / CONFIG).read_text("utf-8"))
    return found


def table() -> str:
    """Return a Markdown table with a row for each model."""
    rows = [row(folder.parent) for folder in sorted(EXAMPLES.glob(f"*/{METRICS}"))]
    head = ["folder", "data", "model", "test BLEU", "test chrF", "parameters", "updates", "size"]
    return to_markdown(Table([Column(name, number=False) for name in head], rows)).rstrip()


def row(folder: Path) -> list[str]:
    """Return the row of a model."""
    metrics: dict[str, Any] = json.loads((folder / METRICS).read_text("utf-8"))
    config = config_of(folder)
    data = config["data"]
    corpus = "embedded corpus" if folder.name in SMALL else CORPORA.get(folder.name.partition("_")[0], "own data")
    size = best_checkpoint(folder).stat().st_size
    return [
        f"[{folder.name}]({folder.name})",
        f"{corpus}, {data['source_lang']} to {data['target_lang']}",
        architecture(config["model"]),
        *(f"{metrics['test'][key]['value']:.1f}" for key in ("bleu", "chrf")),
        f"{metrics['parameters']:,}",
        f"{metrics['updates']:,}",
        f"{size / 1000:,.0f} kB",
    ]


@program
def main(arguments: list[str]) -> None:
    """Run the command. Raises UserError for other arguments, and if a training was made before."""
    if arguments not in ([], ["table"]):
        raise UserError(f"got '{' '.join(arguments)}', expected nothing, or table; see --help")
    for name in [] if arguments else SMALL:
        make(name)
    page = EXAMPLES / "README.md"
    write_atomically(page, with_table(page.read_text("utf-8"), table(), "models").encode())


if __name__ == "__main__":
    main()
