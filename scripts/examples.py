"""Make the models of examples/ anew, and the table of examples/README.md.

python scripts/examples.py
    train the three small models in outputs/examples (a few minutes each, no network), put a copy of each in examples/,
    print how many validation translations the copies change, and write the table
python scripts/examples.py multi30k=FOLDER
    the same for the two models of Multi30k (almost five hours with one thread); the folder has the files train, val
    and test
python scripts/examples.py table
    write the table again, from the metrics.json of every model in examples/
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt import load_translator
from nmt.cli import program, share, train
from nmt.cli.arguments import take, wants_help
from nmt.errors import UserError
from nmt.lines import as_line
from nmt.run_files import CONFIG, METRICS, best_checkpoint
from nmt.system.atomic import write_atomically

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES, RUNS = ROOT / "examples", Path("outputs") / "examples"
BEGIN, END = "<!-- models -->", "<!-- end of models -->"
RECURRENT = [
    "experiment=demo_rnn",
    "model.encoder.embedding_width=64",
    "model.encoder.hidden_width=64",
    "model.decoder.embedding_width=64",
    "model.decoder.width=128",
    "model.decoder.readout_width=64",
]
LENGTH = ["trainer.max_time=null", "trainer.max_steps=2500"]
SMALL = {
    "bahdanau": [*RECURRENT, "model/attention=bahdanau", "model.attention.width=64", *LENGTH],
    "luong": [*RECURRENT, "model/attention=luong", *LENGTH],
    "transformer": ["experiment=demo", "model.encoder.block.width=64", *LENGTH],
}
MULTI30K = {
    "multi30k_bahdanau": ["experiment=multi30k_bahdanau", "seed=1"],
    "multi30k_transformer": ["experiment=multi30k_continued", "seed=2"],
}
FIRST = {
    "multi30k_transformer": ["experiment=multi30k_transformer", "seed=2"]
}  # the training before, whose weights it starts from
CAPTION = "A dog runs on the beach."  # our own, because the captions of Multi30k are not ours to publish


def make(name: str, path: str | None) -> None:
    """Train a model, with the data in the folder `path`, and replace its copy in examples/."""
    run, first, copy = RUNS / name, RUNS / f"{name}_first", EXAMPLES / name
    data, start = [f"data.path={path}"] if path else [], []
    if name in FIRST:
        train.run([*FIRST[name], *data, f"hydra.run.dir={first}"])
        start = [f"init={first}"]
    train.run([*settings(name), *data, *start, f"hydra.run.dir={run}"])
    shutil.rmtree(copy, ignore_errors=True)
    share.run([f"ckpt={run}", f"out={copy}", *([f"text={CAPTION}"] if name in MULTI30K else [])])
    print(f"{name}: the copy changes {changed(run, copy)} validation translations")


def settings(name: str) -> list[str]:
    """Return the overrides that train a model."""
    return [f"name={name}", *SMALL[name]] if name in SMALL else MULTI30K[name]


def changed(run: Path, copy: Path) -> str:
    """Return how many of the run's validation translations its copy changes, as "2 of 1,000"."""
    sources, before = (lines(run, side) for side in ("src", "hyp"))
    after = [as_line(found.text) for found in load_translator(copy, device="cpu").translate(sources)]
    return f"{sum(map(str.__ne__, before, after))} of {len(before):,}"


def lines(run: Path, side: str) -> list[str]:
    """Return the sources ("src") or the translations ("hyp") of the validation."""
    (file,) = (run / "translations").glob(f"val.*.{side}.*")
    return file.read_text("utf-8").removesuffix("\n").split("\n")


def table() -> str:
    """Return a Markdown table with a row for each model."""
    rows = [row(folder.parent) for folder in sorted(EXAMPLES.glob(f"*/{METRICS}"))]
    head = ["folder", "data", "model", "test BLEU", "test chrF", "parameters", "updates", "size"]
    return "\n".join(f"| {' | '.join(each)} |" for each in (head, ["---"] * len(head), *rows))


def row(folder: Path) -> list[str]:
    """Return the row of a model."""
    metrics: dict[str, Any] = json.loads((folder / METRICS).read_text("utf-8"))
    config = yaml.safe_load((folder / CONFIG).read_text("utf-8"))
    data, attention = config["data"], config["model"].get("attention", {}).get("_target_", "Transformer")
    size = best_checkpoint(folder).stat().st_size
    return [
        f"[{folder.name}]({folder.name})",
        f"{data.get('name') or data['_target_'].rpartition('.')[2]}, {data['source_lang']} to {data['target_lang']}",
        attention.rpartition(".")[2].removesuffix("Attention"),
        *(f"{metrics['test'][key]['value']:.1f}" for key in ("bleu", "chrf")),
        f"{metrics['parameters']:,}",
        f"{metrics['updates']:,}",
        f"{size / 1000:,.0f} kB",
    ]


def write_table() -> None:
    """Write the table in examples/README.md anew."""
    page = EXAMPLES / "README.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    write_atomically(page, f"{before}{BEGIN}\n{table()}\n{END}{after}".encode())


def run(arguments: list[str]) -> None:
    """Run the command. Raises UserError for other arguments, and where a training was made before."""
    if wants_help(arguments):
        print(__doc__)
        return
    path, rest = take(arguments, "multi30k")
    if rest not in ([], ["table"]) or (path and rest):
        raise UserError(f"got '{' '.join(arguments)}', expected nothing, multi30k=FOLDER, or table; see --help")
    if not rest:
        for name in MULTI30K if path else SMALL:
            make(name, path)
    write_table()


if __name__ == "__main__":
    program.main(run)
