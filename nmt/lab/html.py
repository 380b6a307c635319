"""HTML pages. A page is one file: it needs no network, and it can run no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from nmt.errors import printable

TEMPLATES = Path(__file__).resolve().parent / "templates"


def render(template: str, *, script: str | None = None, **values: Any) -> str:
    """Return the page made from a file of nmt/lab/templates. Texts are escaped: markup in them is shown and not used,
    and characters that change the order or the lines of a text are escaped as by `nmt.errors.printable`.

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
        finalize=_shown,
    )
    environment.policies["json.dumps_function"] = lambda value, **options: json.dumps(_shown(value), **options)
    return environment.get_template(template).render(script=code, digest=digest, **values)


def _shown(value: Any) -> Any:
    """Return a value of a page with its texts escaped, in JSON also the texts inside lists and mappings."""
    if type(value) is str:  # and not Markup, which is a part of the page
        return printable(value)
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    return list(map(_shown, value)) if isinstance(value, list | tuple) else value
