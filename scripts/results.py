"""Make the tables of results in both READMEs and docs/results, and the tables of claims in docs/lab.

python scripts/results.py add RUN_FOLDER [RUN_FOLDER ...]
    copy the config.yaml, the metrics.json and the test translations of finished runs to docs/results/NAME/seedN,
    compare all results of this folder as scripts/compare.py does, add the runs to runs.tsv, and write the tables; runs
    into Korean need the extra `ko`
python scripts/results.py table
    write the tables again, from docs/results/comparison.json, and judge the claims of docs/lab again, from the values
    of each seed in its claims.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.cli.program import program
from nmt.errors import UserError
from nmt.lab.claims.page import files, judged_again
from scripts.result_files import RESULTS, ROOT, add, comparisons
from scripts.result_tables import means_table, short_table, update_runs

LAB = ROOT / "docs" / "lab"


def with_table(text: str, table: str, mark: str = "results") -> str:
    """Return a page with `table` between its two marks."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{table}\n{end}{after}"


def pages() -> dict[Path, str]:
    """Return the text of each page with its tables."""
    claims = judged_again(json.loads((LAB / "claims.json").read_text("utf-8")))
    found = {LAB / name: text for name, text in files(claims).items()}
    for path in (ROOT / "README.md", ROOT / "README.ko.md"):
        found[path] = with_table(path.read_text("utf-8"), short_table())
    results = RESULTS / "README.md"
    found[results] = with_table(results.read_text("utf-8"), "\n\n".join(map(means_table, comparisons(RESULTS))))
    return found


@program
def main(arguments: list[str]) -> None:
    """Run the command `add` or `table`. Raises UserError for other arguments."""
    if len(arguments) >= 2 and arguments[0] == "add":
        add([Path(word) for word in arguments[1:]], RESULTS)
        update_runs(RESULTS)
    elif arguments != ["table"]:
        raise UserError(f"got '{' '.join(arguments)}', expected add RUN_FOLDER, or table; see --help")
    for path, text in pages().items():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
