"""The counts that are compared with the budgets."""

from pathlib import Path

from scripts.budget import Size, houses, measured

TEXT = '''"""A docstring
of two lines."""
from os import (path,
)

def f():  # a function
    # a comment
    """A docstring."""
    return """a text
that counts"""
'''


def test_code_is_counted_without_docstrings_comments_and_imports(tmp_path: Path) -> None:
    files = "nmt/a.py nmt/lab/b.py nmt/deploy/inner/c.py nmt/page/inner/d.js scripts/e.py tests/f.py tests/g.txt"
    for name in files.split():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXT, "utf-8")
    size = Size(lines=10, code=3, files=1)
    expected = dict.fromkeys(houses(tmp_path), size) | {"javascript": Size(lines=10, code=0, files=1)}
    assert {name: measured(paths) for name, paths in houses(tmp_path).items()} == expected
