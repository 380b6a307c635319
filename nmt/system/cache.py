"""The folder in which tokenizers, encoded corpora and data reports are cached, and its small files."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from nmt.system.atomic import write_atomically

logger = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return $NMT_CACHE, or `nmt` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(os.environ.get("NMT_CACHE") or f"{base}/nmt"))


def read_entry(path: Path, subject: str) -> bytes | None:
    """Return the content of a file of the cache, or None if there is no usable file.

    A file that cannot be read or has a wrong digest is logged; the message begins with `subject`.
    """
    try:
        entry = path.read_bytes()
        if hashlib.sha256(entry[32:]).digest() == entry[:32]:
            return entry[32:]
        problem = "is damaged"
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    logger.info(f"{subject}: {path} {problem}; making it again")
    return None


def write_entry(path: Path, content: bytes, subject: str) -> bool:
    """Write `content` to a file of the cache, and return whether that was possible. If not, log it."""
    try:
        write_atomically(path, hashlib.sha256(content).digest() + content)
    except OSError as error:
        logger.info(f"{subject}: {path} cannot be written ({error.strerror}); continuing without a cache")
        return False
    return True
