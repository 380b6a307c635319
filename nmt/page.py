"""HTML pages. A page is one file: it needs no network, and it can run no script but its own."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

TEMPLATES = Path(__file__).resolve().parent / "templates"


def render(template: str, *, script: str | None = None, **values: Any) -> str:
    """Return the page made from a file of nmt/templates. Texts are escaped: markup in them is shown and not used.

    `script` is the name of a file there that the page runs. The page tells the browser the digest of this script, and
    the browser refuses any other.
    """
    code = None if script is None else (TEMPLATES / script).read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256((code or "").encode()).digest()).decode()
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(script=code, digest=digest, **values)
