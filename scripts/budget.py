"""Count the lines of each part of the program and compare them with its budget, so that the program stays readable.

    python scripts/budget.py

Prints a table. The exit status is 1 if a part is over its budget. "Code" is what is left without docstrings, comments,
blank lines and imports.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Size:
    """The size of some files. As a budget, None stands for a number that has no limit."""

    lines: int | None
    code: int | None = None
    files: int | None = None


BUDGETS = {
    "core": Size(16_500, 9_600, 135),
    "deploy": Size(3_150, None, 27),
    "lab": Size(9_850, None, 90),
    "javascript": Size(1_575),
    "scripts": Size(2_980),
    "tests": Size(24_000),
}


def houses(root: Path) -> dict[str, list[Path]]:
    """Return the files of each part of the program, by its name in BUDGETS: Python, but for "javascript"."""
    nmt = root / "nmt"
    inner = {name: sorted((nmt / name).rglob("*.py")) for name in ("deploy", "lab")}
    apart = {path for paths in inner.values() for path in paths}
    core = [path for path in sorted(nmt.rglob("*.py")) if path not in apart]
    outer = {name: sorted((root / name).rglob("*.py")) for name in ("scripts", "tests")}
    scripts = [path for room in ("page", "lab/templates") for path in sorted((nmt / room).rglob("*.js"))]
    return {"core": core, **inner, "javascript": scripts, **outer}


def measured(paths: Sequence[Path]) -> Size:
    """Return the size of the files together."""
    texts = [path.read_text("utf-8") for path in paths]
    code = sum(code_lines(text) for path, text in zip(paths, texts, strict=True) if path.suffix == ".py")
    return Size(sum(text.count("\n") for text in texts), code, len(texts))


def code_lines(text: str) -> int:
    """Return how many lines of a Python file are code, without docstrings, comments, blank lines and imports."""
    rows = text.splitlines()
    kept = {number for number, row in enumerate(rows, 1) if row.strip() and not row.lstrip().startswith("#")}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kept.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, BLOCKS) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            kept.difference_update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return len(kept)


def main() -> None:
    over = False
    print(f"{'':10}{'lines':>17}{'code':>17}{'files':>13}")
    for name, paths in houses(ROOT).items():
        size, budget = measured(paths), BUDGETS[name]
        cells = []
        for value, limit in ((size.lines, budget.lines), (size.code, budget.code), (size.files, budget.files)):
            over |= limit is not None and value is not None and value > limit
            cells.append(f"{value:,}" if limit is None else f"{value:,} of {limit:,}")
        print(f"{name:10}{cells[0]:>17}{cells[1]:>17}{cells[2]:>13}")
    if over:
        sys.exit("error: over the budget; make it smaller, or say in the commit why the budget has to grow")


if __name__ == "__main__":
    main()
