"""Run the cells of docs/attention.ipynb, and store their outputs in it.

python scripts/notebook.py
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
from matplotlib.figure import Figure

from nmt.cli.program import program
from nmt.errors import UserError
from nmt.system.atomic import write_atomically

NOTEBOOK = Path(__file__).resolve().parent.parent / "docs" / "attention.ipynb"
DPI = 80

Output = dict[str, Any]


def read() -> dict[str, Any]:
    """Return the notebook."""
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text("utf-8"))
    return notebook


def outputs(notebook: dict[str, Any]) -> list[list[Output]]:
    """Run the code cells in the folder of the notebook, as Jupyter would, and return the outputs of each."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    try:
        with contextlib.chdir(NOTEBOOK.parent), torch.random.fork_rng(devices=[]), torch.enable_grad():
            return [output("".join(cell["source"]), names) for cell in cells]
    finally:
        torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]


def output(source: str, names: dict[str, Any]) -> list[Output]:
    """Run a cell with the variables `names`. Return its printed output, and the figure of its last line."""
    *body, last = ast.parse(source).body
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
        else:
            exec(compile(ast.Module([last], []), str(NOTEBOOK), "exec"), names)
    found: list[Output] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if isinstance(value, Figure):
        found.append({"data": {"image/png": png(value)}, "metadata": {}, "output_type": "display_data"})
    return found


def png(drawn: Figure) -> str:
    """Return a figure as a picture in Base64."""
    picture = io.BytesIO()
    drawn.savefig(picture, format="png", dpi=DPI, bbox_inches="tight", metadata={"Software": None})
    return base64.b64encode(picture.getvalue()).decode() + "\n"


@program
def main(arguments: list[str]) -> None:
    """Run the program. Raises UserError for any argument."""
    if arguments:
        raise UserError(f"got '{' '.join(arguments)}', expected nothing; see --help")
    notebook = read()
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, found) in enumerate(zip(cells, outputs(notebook), strict=True), start=1):
        cell.update(execution_count=number, outputs=found)
    write_atomically(NOTEBOOK, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode())
    print(f"written to {NOTEBOOK} ({NOTEBOOK.stat().st_size / 1000:,.0f} kB)")


if __name__ == "__main__":
    main()
