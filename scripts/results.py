"""Make the tables of results in both READMEs and docs/results, and the tables of claims in docs/lab.

python scripts/results.py add RUN_FOLDER [RUN_FOLDER ...] [to=FOLDER]
    copy the config.yaml, the metrics.json and the test translations of finished runs to FOLDER/NAME/seedN, compare all
    results of this folder as scripts/compare.py does, and write the tables; runs into Korean need the extra `ko`.
    FOLDER is docs/results, or docs/ideas/multi30k or docs/ideas/office_help for new ideas
python scripts/results.py table
    write the tables again, from docs/results/comparison.json, and judge the claims of docs/lab again, from the values
    of each seed in its claims.json

techniques.yaml in such a folder names the row of each technique, and the row that it is compared with.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.cli.arguments import take
from nmt.cli.program import program
from nmt.errors import UserError
from nmt.lab.claims.page import files, judged_again
from scripts.idea_tables import IDEAS, ideas_table
from scripts.result_files import RESULTS, ROOT, add
from scripts.result_tables import office_help_table, short_table, techniques_table, whole_table

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
    text = with_table(results.read_text("utf-8"), whole_table(RESULTS))
    found[results] = with_table(text, techniques_table(), "techniques")
    ideas = IDEAS / "README.md"
    found[ideas] = with_table(ideas.read_text("utf-8"), ideas_table())
    for name in ("office_help.md", "office_help.ko.md"):
        found[RESULTS / name] = with_table((RESULTS / name).read_text("utf-8"), office_help_table())
    return found


def write_tables() -> None:
    """Write all tables anew."""
    for path, text in pages().items():
        path.write_text(text, "utf-8")


@program
def main(arguments: list[str]) -> None:
    """Run the command `add` or `table`. Raises UserError for other arguments."""
    to, words = take(arguments, "to")
    if len(words) >= 2 and words[0] == "add":
        add([Path(word) for word in words[1:]], RESULTS if to is None else Path(to).resolve())
    elif arguments != ["table"]:
        raise UserError(f"got '{' '.join(arguments)}', expected add RUN_FOLDER, or table; see --help")
    write_tables()


if __name__ == "__main__":
    main()
