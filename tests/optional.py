"""The metrics of configs/scores that can be built here: some need an optional package."""

from __future__ import annotations

import importlib.util

from nmt.config.groups import groups

NEEDED = {"multi30k": "sacremoses"}
SCORES = tuple(name for name in groups()["scores"] if name not in NEEDED or importlib.util.find_spec(NEEDED[name]))
