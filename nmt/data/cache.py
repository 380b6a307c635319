"""The folder in which tokenizers and encoded corpora are cached."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return $NMT_CACHE, or `nmt` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(os.environ.get("NMT_CACHE") or f"{base}/nmt"))
