"""One training run as the programs execute it: a checked recipe, the log, and a message at the end."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from logging.handlers import MemoryHandler
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from nmt.cli.output import Terminal
from nmt.config.compose import with_checkpoint_settings
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.system.atomic import try_lock
from nmt.system.place import place_of_process
from nmt.system.run_files import LOG, METRICS, best_checkpoint, find_checkpoint, last_checkpoint

if TYPE_CHECKING:
    from nmt.build import Objects

logger = logging.getLogger(__name__)

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_OURS = ("nmt", "pytorch_lightning", "lightning_fabric")


def checked_recipe(recipe: Recipe, overrides: Sequence[str]) -> tuple[Recipe, Objects]:
    """Return the recipe that the command line `overrides` describes, and its parts that need no data.

    With `init`, the recipe takes settings of that checkpoint (`with_checkpoint_settings`). Raises the UserErrors of
    `nmt.build.build_objects`, and for a checkpoint that cannot be read.
    """
    from nmt.build import build_objects  # here, because importing torch takes seconds
    from nmt.checkpoint import load

    if recipe.settings.init is not None:
        start = load(find_checkpoint(recipe.settings.init, key="init"))
        recipe = replace(recipe, plain=with_checkpoint_settings(recipe.plain, start.config, overrides))
    return recipe, build_objects(recipe.settings)


def train(recipe: Recipe, objects: Objects, *, resume: bool | None = False) -> None:
    """Train a run (see `nmt.training.run.train`), and say at the end how an unfinished run can be used."""
    from nmt.training import run
    from nmt.training.callbacks.resuming import Interrupted
    from nmt.training.module import Diverged

    log = RunLog(quiet=place_of_process().rank > 0)
    try:
        run.train(recipe, objects, resume=resume, begin=log.begin)
    except Exception as error:
        folder = log.folder or recipe.folder
        if isinstance(error, Diverged):  # it would diverge again
            if best_checkpoint(folder).is_file():
                logger.info(f"{best_checkpoint(folder)} can be used; init={folder} starts a new run from it")
        elif last_checkpoint(folder).is_file() and not (folder / METRICS).is_file():
            when = "" if isinstance(error, Interrupted) else " when the error below is solved"
            logger.info(f"to continue this run{when}: python train.py resume={folder}")
        if isinstance(error, Interrupted):
            raise SystemExit(128 + error.number) from error
        raise
    finally:
        log.close()


class RunLog:
    """The messages of a run: on the terminal at once, and in the file train.log when the run has a folder.

    The terminal shows the messages of this package and of Lightning. The file gets these messages and also Python's
    warnings and the messages of other packages, each with its time. `folder` is None until the run has a folder. With
    `quiet`, nothing is shown or kept.
    """

    def __init__(self, *, quiet: bool) -> None:
        self.folder: Path | None = None
        terminal = Terminal(sys.stdout)
        terminal.addFilter(lambda record: record.name.partition(".")[0] in _OURS)
        self._kept = MemoryHandler(10_000, flushLevel=logging.CRITICAL + 1, flushOnClose=False)
        self._handlers: list[logging.Handler] = [logging.NullHandler()] if quiet else [terminal, self._kept]
        for handler in self._handlers:
            logging.getLogger().addHandler(handler)
        for name in _OURS:
            logging.getLogger(name).setLevel(logging.INFO)
        logging.captureWarnings(True)

    def begin(self, folder: Path) -> None:
        """Make the folder, and write all messages since the start and from now on to its log.

        Raises UserError if another process writes to the log.
        """
        folder.mkdir(parents=True, exist_ok=True)
        file = logging.FileHandler(folder / LOG, encoding="utf-8")
        self._handlers.append(file)  # so that it is closed
        if not try_lock(cast("IO[bytes]", file.stream)):
            raise UserError(f"{folder}: another process is training this run; wait until it has ended")
        file.setFormatter(logging.Formatter(FORMAT))
        self.folder = folder
        self._kept.setTarget(file)
        self._kept.flushLevel = logging.NOTSET  # keep nothing from now on
        self._kept.flush()

    def close(self) -> None:
        """Write the error that is being handled, if any, to the log, and end it. A user's mistake has no traceback."""
        error = sys.exc_info()[1]
        if self.folder is not None and isinstance(error, Exception):
            trace = None if isinstance(error, UserError) else sys.exc_info()
            self._kept.handle(logging.LogRecord("nmt", logging.ERROR, __file__, 0, str(error), None, trace))
        logging.captureWarnings(False)
        for name in _OURS:
            logging.getLogger(name).setLevel(logging.NOTSET)
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            with suppress(OSError):  # the disk is full, as a message has said
                handler.close()
