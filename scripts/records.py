"""Check three runs against the rules of docs/records.md, and make the tables of this page.

python scripts/records.py verify RUN RUN RUN first=SPEED
    check three finished runs, and print their row of the table. SPEED: target tokens in a second of the first recipe
    on the same quiet machine (`python scripts/benchmark.py data.path=FOLDER experiment=multi30k_transformer`)
python scripts/records.py table
    check the runs of all entries of docs/records.yaml, and write the tables again
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.cli.arguments import take
from nmt.cli.program import program
from nmt.errors import UserError
from nmt.lab.compare.runs import OWN_TO_A_RUN, differences
from nmt.system.run_files import CONFIG, METRICS
from scripts.result_files import RESULTS, ROOT, SPEEDS, scores_of
from scripts.result_tables import markdown
from scripts.results import with_table

PAGE, ENTRIES = ROOT / "docs" / "records.md", ROOT / "docs" / "records.yaml"
GOAL, SEEDS = 39.0, 3
FIRST = "multi30k_transformer"
HEAD = ["date", "minutes", "ratio", "BLEU", "epochs", "what changed", "machine", "commit"]
MORE_PAIRS = ("more", "pairs", "train", "limit", "val", "test")  # settings of `data` that replace or add sentence pairs


def problems(configs: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for each rule that the configs and metrics of the runs break."""
    if len({each["seed"] for each in configs}) < SEEDS:
        yield f"seed: got {', '.join(str(each['seed']) for each in configs)}, expected {SEEDS} different seeds"
    for other in configs[1:]:
        if changed := sorted(differences(configs[0], other) - OWN_TO_A_RUN):
            yield f"{', '.join(changed)}: the runs differ, expected the same settings but for the seed"
    if configs[0].get("init"):
        yield "init: the run began with other weights, expected none"
    data = configs[0]["data"]
    yield from (f"data.{key}: got {data[key]}, expected nothing but Multi30k" for key in MORE_PAIRS if data.get(key))
    if "multi30k" not in str(data.get("name")) or (data["source_lang"], data["target_lang"]) != ("en", "de"):
        yield "data: expected data=multi30k from en to de"
    if not all("test" in each for each in metrics):
        yield "test: a run has no scores of a test set"
        return
    for each in metrics:
        signature = each["test"]["bleu"]["signature"]
        if not {"case:mixed", "tok:13a"} <= set(signature.split("|")):
            yield f"BLEU: got the signature {signature}, expected case:mixed and tok:13a"
    mean = fmean(each["test"]["bleu"]["value"] for each in metrics)
    if mean < GOAL:
        yield f"BLEU: got a mean of {mean:.2f} on test 2016, expected at least {GOAL}"


def row(runs: Sequence[Path], first: float, changed: str) -> dict[str, str]:
    """Return the cells of the runs' row. Raises UserError with all rules that the runs break.

    `first` is the speed of the first recipe on their machine. Its own runs were not alone, so their minutes follow
    from their tokens.
    """
    configs, metrics = ([yaml.safe_load((run / name).read_text("utf-8")) for run in runs] for name in (CONFIG, METRICS))
    found = list(problems(configs, metrics))
    if len({scores_of(run)["data_sha256"] for run in (*runs, RESULTS / FIRST / "seed1")}) > 1:
        found.append("test: the runs have another test set, expected test 2016")
    if found:
        raise UserError("; ".join(found))
    last = max(metrics, key=lambda each: str(each["finished"]))
    before = yaml.safe_load((RESULTS / SPEEDS).read_text("utf-8"))[FIRST]["tokens"] / first / 60
    minutes = before if last["name"] == FIRST else fmean(each["wall_seconds"] for each in metrics) / 60
    bleu = [each["test"]["bleu"]["value"] for each in metrics]
    score, epochs = f"{fmean(bleu):.2f} ± {stdev(bleu):.2f}", fmean(each["epochs"] for each in metrics)
    cells = [last["finished"][:10], f"{minutes:.1f}", f"{minutes / before:.2f}", score, f"{epochs:.1f}", changed]
    machine = ", ".join(last["hardware"]["gpus"]) or f"{last['hardware']['cpu']}, {last['hardware']['cores']} cores"
    return dict(zip(HEAD, [*cells, machine, last["commit"][:8]], strict=True))


def tables(text: str) -> str:
    """Return the text of the page with the tables of all entries, each checked."""
    rows: dict[str, list[list[str]]] = {"two cores": [], "one gpu": []}
    for entry in yaml.safe_load(ENTRIES.read_text("utf-8")):
        runs = [RESULTS / entry["runs"] / f"seed{seed}" for seed in range(1, SEEDS + 1)]
        cells = row(runs, entry["first"], entry["changed"]) | {"machine": entry["machine"]}
        rows[entry["table"]].append(list(cells.values()))
    for mark, cells_of_all in rows.items():
        text = with_table(text, markdown(HEAD, cells_of_all), mark)
    return text


@program
def main(arguments: list[str]) -> None:
    """Run the command `verify` or `table`. Raises UserError for other arguments, and for runs that break a rule."""
    first, words = take(arguments, "first")
    if words == ["table"] and first is None:
        PAGE.write_text(tables(PAGE.read_text("utf-8")), "utf-8")
    elif words[:1] == ["verify"] and len(words) == 1 + SEEDS and re.fullmatch(r"[1-9]\d*(\.\d+)?", first or ""):
        print(markdown(HEAD, [list(row([Path(word) for word in words[1:]], float(first or 0), "?").values())]))
    else:
        raise UserError(f"got '{' '.join(arguments)}', expected verify RUN RUN RUN first=SPEED, or table; see --help")


if __name__ == "__main__":
    main()
