"""Make the models of examples/ anew, and the table of examples/README.md.

python scripts/examples.py
    train the four small models in outputs/examples (a few minutes each, no network), put a copy of each in examples/,
    translate the test set with them, so that compare.py can read them, and write the table
python scripts/examples.py multi30k=FOLDER
    the same for two models of Multi30k (six hours with one thread); the folder has the files train, val and test.
    docs/results/distillation.md has the commands for the third one, multi30k_distilled, and docs/results/office_help.md
    has those for the two models of LibreOffice's help
python scripts/examples.py table
    write the table again, from the metrics.json of every model in examples/
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.build import architecture
from nmt.cli import evaluate, train, translate
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


@dataclass(frozen=True)
class Group:
    """The models of one corpus: the corpus as the table names it, and the overrides that train each model.

    The trainings in `before` are made first, and are not copied to examples/. A model in `init` starts from the
    weights of another training. A model in `teachers` also learns from the translations of other trainings. The
    attention map of `text` becomes part of the copies. The default is a validation sentence.
    """

    corpus: str
    models: dict[str, list[str]]
    before: dict[str, list[str]] = field(default_factory=dict)
    init: dict[str, str] = field(default_factory=dict)
    teachers: dict[str, list[str]] = field(default_factory=dict)
    text: str | None = None


SMALL = Group(
    "embedded corpus",
    {
        "no_attention": [*RECURRENT, "name=no_attention", "model/attention=none", *LENGTH],
        "bahdanau": [*RECURRENT, "name=bahdanau", "model/attention=bahdanau", "model.attention.width=64", *LENGTH],
        "luong": [*RECURRENT, "name=luong", "model/attention=luong", *LENGTH],
        "transformer": ["experiment=demo", "name=transformer", "model.encoder.block.width=64", *LENGTH],
    },
)
MULTI30K = Group(
    "Multi30k",
    {
        "multi30k_transformer": ["experiment=multi30k_bit", "seed=2", "name=multi30k_transformer"],
        "multi30k_bahdanau": [
            *("experiment=multi30k_bahdanau", "seed=1", "name=multi30k_bahdanau"),
            *("trainer.check_val_every_n_epoch=null", "trainer.val_check_interval=830"),
        ],
    },
    before={
        "multi30k_both_directions": ["experiment=multi30k_both_directions", "seed=2"],
        "multi30k_teacher": ["experiment=multi30k_bahdanau", "seed=1"],
    },
    init={"multi30k_transformer": "multi30k_both_directions"},
    teachers={"multi30k_bahdanau": ["multi30k_transformer", "multi30k_teacher"]},
    text="A dog runs on the beach.",  # our own: the captions of Multi30k are not ours to publish
)
GROUPS = (SMALL, MULTI30K)
OTHERS = {  # the corpus of models that were trained by hand; docs/results has the commands
    **dict.fromkeys(["captions_bahdanau", "captions_luong", "captions_transformer", "multi30k_distilled"], "Multi30k"),
    "office_help_en_ko": "LibreOffice's help",
    "office_help_ko_en": "LibreOffice's help",
}


def make(group: Group, path: str | None) -> None:
    """Train the models of a group, with the data in the folder `path`, and replace their copies in examples/."""
    data = [f"data.path={path}"] if path else []
    for name, overrides in (group.before | group.models).items():
        start = [f"init={RUNS / group.init[name]}"] if name in group.init else []
        if path and name in group.teachers:
            start.append(teachers_pairs([RUNS / teacher for teacher in group.teachers[name]], Path(path)))
        train.main([*overrides, *data, *start, f"hydra.run.dir={RUNS / name}"])
        if name in group.models:
            publish(name, group)


def publish(name: str, group: Group) -> None:
    """Replace the copy of a model in examples/ by its finished run. A small one also translates its test set."""
    run, copy = RUNS / name, EXAMPLES / name
    shutil.rmtree(copy, ignore_errors=True)
    from nmt.deploy.cli import share  # imported here, so that the table can be made without nmt/deploy

    share.main([f"ckpt={run}", f"out={copy}", *([f"text={group.text}"] if group.text else [])])
    if group is SMALL:
        evaluate.main([f"ckpt={copy}", "split=test"])


def teachers_pairs(teachers: list[Path], data: Path) -> str:
    """Translate the training sources in the folder `data` with each teacher, and with their ensemble.

    Returns the override that adds the pairs to the corpus.
    """
    source = config_of(teachers[0])["data"]["source_lang"]
    # The file of the source language, or the only file.
    train_file = max(data.expanduser().glob("train.*"), key=lambda file: f".{source}" in file.suffixes)
    pairs = []
    for name, members in [*((teacher.name, [teacher]) for teacher in teachers), ("ensemble", teachers)]:
        output = RUNS / f"{name}.jsonl"
        translate.main([f"ckpt=[{','.join(map(str, members))}]", f"input={train_file}", f"output={output}"])
        pairs.append(f"{name}: {{train: '{output}'}}")
    return f"data.more={{{', '.join(pairs)}}}"


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
    corpus = next((group.corpus for group in GROUPS if folder.name in group.models), None) or OTHERS[folder.name]
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
    key, _, path = arguments[0].partition("=") if len(arguments) == 1 else ("", "", "")
    if arguments not in ([], ["table"]) and not (key == "multi30k" and path):
        raise UserError(f"got '{' '.join(arguments)}', expected nothing, multi30k=FOLDER, or table; see --help")
    if arguments != ["table"]:
        make(MULTI30K if path else SMALL, path or None)
    page = EXAMPLES / "README.md"
    write_atomically(page, with_table(page.read_text("utf-8"), table(), "models").encode())


if __name__ == "__main__":
    main()
