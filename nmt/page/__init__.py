"""The parts of a page that translates and explains: its scripts, its style and its words, without any Python.

They are plain scripts in one scope. A page is always put together as one text, so it needs no other file.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


def text(*names: str) -> str:
    """Return the files with these names, one after another."""
    return "".join((FOLDER / name).read_text("utf-8") for name in names)


def digest(script: str) -> str:
    """Return what a content policy calls a script: the browser runs no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def words(language: str) -> dict[str, Any]:
    """Return the words of a page in "en" or "ko", by their keys."""
    return dict(json.loads(text("words.json"))[language])
