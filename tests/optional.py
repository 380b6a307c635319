"""The metrics of configs/scores that can be built here: some need an optional package or a network."""

from __future__ import annotations

import importlib.util

from nmt.config.groups import groups

NEEDED = {"multi30k": "sacremoses", "spbleu": "file_of_the_network"}
SCORES = tuple(name for name in groups()["scores"] if name not in NEEDED or importlib.util.find_spec(NEEDED[name]))
