"""One training run as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nmt.config.settings import TrainConfig


@dataclass(frozen=True)
class Recipe:
    """What a run is asked to do.

    `settings` are the checked settings; `plain` are the same, resolved, as the run's config.yaml and its checkpoints
    hold them; `folder` is where the run writes.
    """

    settings: TrainConfig
    plain: Mapping[str, Any]
    folder: Path
