"""The folder of a run: free before a new run, and with the settings of the run when training begins."""

from __future__ import annotations

from pathlib import Path

from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.system.atomic import remove_unfinished, write_atomically
from nmt.system.run_files import (
    ATTENTION,
    CHECKPOINTS,
    CONFIG,
    LOG,
    METRICS,
    TRANSLATIONS,
    last_checkpoint,
    require_no_link,
)

WRITTEN = (LOG, CHECKPOINTS, ATTENTION, TRANSLATIONS)  # a file that grows, and folders


def check_folder(folder: Path, *, new: bool) -> None:
    """Raise UserError if a new run is to be in a folder that holds a run already.

    Also raise UserError for a link that the training would follow when it writes.
    """
    for name in WRITTEN:
        require_no_link(folder / name)
    if not new:
        return
    found = [name for name in (CONFIG, LOG, CHECKPOINTS, METRICS) if (folder / name).exists()]
    if found:
        more = f", or continue that run: resume={folder}" if last_checkpoint(folder).exists() else ""
        raise UserError(f"{folder} already holds a run ({found[0]}); name another folder{more}")


def begin_folder(recipe: Recipe) -> None:
    """Write a complete config.yaml into the folder of a run, and remove the partial files of killed writes."""
    folder = recipe.folder
    for place in (folder, *(folder / name for name in WRITTEN)):
        remove_unfinished(place)
    write_atomically(folder / CONFIG, recipe.to_yaml().encode())
