"""The README's table of results, made from docs/results: nobody types a score.

python scripts/results.py add RUN_FOLDER     keep a finished run's config.yaml and metrics.json in docs/results/NAME
python scripts/results.py table              write the table of all of them into README.md
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.training.hardware import summary

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
HEAD = ["model", "BLEU", "chrF", "parameters", "epochs", "minutes", "target tokens/s", "seed"]


def add(run: Path) -> None:
    """Copy what documents a run; the folder its data lay in is nobody else's and becomes `FOLDER`."""
    metrics = json.loads((run / "metrics.json").read_text("utf-8"))
    config = yaml.safe_load((run / "config.yaml").read_text("utf-8"))
    if config["data"]["path"]:
        config["data"]["path"] = "FOLDER"
    folder = RESULTS / metrics["name"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), "utf-8")
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2, ensure_ascii=False) + "\n", "utf-8")


def table() -> str:
    """Return the Markdown table of every result, best BLEU first, and what all of them share."""
    runs = [json.loads(path.read_text("utf-8")) for path in RESULTS.glob("*/metrics.json")]
    runs.sort(key=lambda run: -run["test"]["bleu"])
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}", *map(row, runs)]
    for what, values in (
        ("Command", {f"`python train.py experiment=NAME data.path=FOLDER seed={run['seed']}`" for run in runs}),
        ("BLEU", {f"`{run['test']['signature']}`" for run in runs}),
        ("chrF", {f"`{run['test']['chrf_signature']}`" for run in runs}),
        ("Search", {search(run["search"]) for run in runs}),
        ("Hardware", {summary(run["hardware"]) for run in runs}),
        ("Torch", {run["versions"]["torch"] for run in runs}),
    ):
        lines += ["", f"{what}: {'; '.join(sorted(values))}"]
    return "\n".join(lines)


def row(run: dict[str, Any]) -> str:
    """Return a run's line of the table."""
    test = run["test"]
    interval = test["bleu_interval"]["half_width"]
    cells = [
        f"[{run['name']}](docs/results/{run['name']}/config.yaml)", f"{test['bleu']:.1f} ± {interval:.1f}",
        f"{test['chrf']:.1f}", f"{run['parameters'] / 1e6:.1f} M", f"{run['epochs']:.1f}",
        f"{run['wall_seconds'] / 60:.0f}", f"{run['target_tokens_per_second']:,.0f}", str(run["seed"]),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def search(settings: dict[str, Any]) -> str:
    """Return how translations were searched for."""
    return f"beam {settings['beam_size']}, length penalty {settings['length_penalty']:g}"


def readme(text: str) -> str:
    """Return README text with the table between its two marks made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Do what the command line says; 2 where it says nothing that is known."""
    if len(arguments) == 2 and arguments[0] == "add":
        add(Path(arguments[1]))
    elif arguments != ["table"]:
        print(__doc__, file=sys.stderr)
        return 2
    path = ROOT / "README.md"
    path.write_text(readme(path.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
