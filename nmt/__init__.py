"""Attention-based translation models: train, evaluate, translate, and see what they look at."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nmt.translation.loading import load_translator

# The threads of a product wait for each other in a loop. Beside another busy program, the default length of this wait
# makes two threads twenty times slower than one. With this one they soon sleep. OpenMP reads it when torch is imported.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")

__version__ = "0.2.0"
__all__ = ["__version__", "load_translator"]


def __getattr__(name: str) -> Any:
    # Late, so that `import nmt` and every program's --help do without torch.
    if name == "load_translator":
        from nmt.translation.loading import load_translator

        return load_translator
    raise AttributeError(f"module 'nmt' has no attribute '{name}'")
