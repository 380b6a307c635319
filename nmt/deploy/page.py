"""The page that translates while one types: the page of the server, or a file that holds its models."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

from nmt.page import digest, text

ENGINE = ("numbers", "transformer", "recurrent", "tokenizer", "search", "worker")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; script-src '{}'; {}"


def page(models: Sequence[bytes] = ()) -> str:
    """Return the HTML of the page. It holds the given models, and asks nobody; without any, it asks its own server."""
    scripts = ("base", "maps", "steps", "sentences", "offline" if models else "server", "page")
    script = '"use strict";\n' + text(*(f"{name}.js" for name in scripts))
    parts = {
        "POLICY": POLICY.format(digest(script), "worker-src blob:" if models else "connect-src 'self'"),
        "STYLE": text("style.css", "maps.css", "page.css"),
        "WORDS": text("words.json"),
        "STEPS": text("steps.json"),
        "MAPS": text("maps.html"),
        "MODELS": held(models) if models else "",
        "SCRIPT": script,
    }
    found = text("page.html")
    for name, content in parts.items():
        found = found.replace(f"{{{{{name}}}}}", content)
    return found


def held(models: Sequence[bytes]) -> str:
    """Return the elements with the engine and the models, which the browser does not run."""
    engine = '"use strict";\n' + text(*(f"engine/{name}.js" for name in ENGINE))
    packed = (base64.b64encode(_deflated(model)).decode() for model in models)
    return "\n".join(
        [
            f'<script type="text/plain" id="engine">{engine}</script>',
            *(f'<script type="text/plain" class="model">{each}</script>' for each in packed),
        ]
    )


def _deflated(content: bytes) -> bytes:
    """Return the content as a browser's `deflate-raw` reads it."""
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(content) + packer.flush()
