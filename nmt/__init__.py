"""Attention-based translation models: train, evaluate, translate, and see what they look at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nmt.translation.loading import load_translator

# Threads that compute together wait for each other in a loop. Beside another busy program, two threads are twenty times
# slower than one if the loop has its default length. With this length, they soon sleep. Importing torch reads it.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

__version__ = "0.2.0"
__all__ = ["__version__", "load_translator"]


def __getattr__(name: str) -> Any:
    # Late, so that `import nmt` and every program's --help do without torch.
    if name == "load_translator":
        from nmt.translation.loading import load_translator

        return load_translator
    raise AttributeError(f"module 'nmt' has no attribute '{name}'")
