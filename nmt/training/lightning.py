"""The parts of Lightning that a run replaces or silences."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lightning_fabric.loggers.logger import rank_zero_experiment
from lightning_fabric.plugins import TorchCheckpointIO
from pytorch_lightning.loggers import TensorBoardLogger

from nmt.training.state import check_states, load_state, save_state

if TYPE_CHECKING:
    from nmt.training.events import Events


class AtomicCheckpointIO(TorchCheckpointIO):
    """Saves and loads with `nmt.training.state`: it writes complete files, and loading executes no code.

    `last` is the content of last.ckpt if it was read before. Lightning's first read returns it, and then it is released
    from memory.
    """

    def __init__(self, last: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.last = last

    def save_checkpoint(self, checkpoint: Mapping[str, Any], path: Any, storage_options: Any = None) -> None:
        """Write a checkpoint completely or not at all. Raises UserError for a state that could not be loaded again."""
        check_states(checkpoint)
        save_state(checkpoint, Path(path))

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        """Return a checkpoint's content on the CPU."""
        if self.last is None:
            return load_state(Path(path))
        last, self.last = dict(self.last), None
        return last


class EventLog(TensorBoardLogger):
    """Writes only TensorBoard's events. Lightning's hparams.yaml is left out: config.yaml has the same settings.

    If the disk fails, this is logged once, and the run goes on without its curves: no result depends on them.
    """

    @property
    @rank_zero_experiment
    def experiment(self) -> Events:
        from nmt.training.events import Events

        if self._experiment is None:
            self._experiment = Events(Path(self.log_dir), required=False)
        return cast("Events", self._experiment)

    def save(self) -> None:
        self.experiment.flush()


def quiet_lightning() -> None:
    """Keep Lightning's general tips off the terminal."""
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module=r"(pytorch_lightning|lightning_fabric|torch\.utils\._pytree)")
