"""The folder in which tokenizers, encoded corpora and data reports are cached, and its small files."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from nmt.system.atomic import write_atomically

T = TypeVar("T")

logger = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return $NMT_CACHE, or `nmt` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(os.environ.get("NMT_CACHE") or f"{base}/nmt"))


def read_entry(path: Path, subject: str, parse: Callable[[bytes], T]) -> T | None:
    """Return the result of `parse` for the content of a file of the cache, or None if there is no usable file.

    A file that cannot be read or is damaged is logged; the message begins with `subject`. A file is damaged if its
    digest is wrong, or if `parse` raises ValueError.
    """
    try:
        entry = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        logger.info(f"{subject}: {path} cannot be read ({error.strerror}); making it again")
        return None
    digest, content = entry[:32], entry[32:]
    try:
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("wrong digest")
        return parse(content)
    except ValueError:
        logger.info(f"{subject}: {path} is damaged; making it again")
        return None


def write_entry(path: Path, content: bytes, subject: str) -> bool:
    """Write `content` to a file of the cache, and return whether that was possible. If not, log it."""
    try:
        write_atomically(path, hashlib.sha256(content).digest() + content)
    except OSError as error:
        logger.info(f"{subject}: {path} cannot be written ({error.strerror}); continuing without a cache")
        return False
    return True
