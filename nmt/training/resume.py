"""The state that a stopped run is continued from."""

from __future__ import annotations

from typing import Any

from nmt import checkpoint
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.run_files import METRICS, checkpoint_folder, last_checkpoint

# Settings that must not change on resume, because last.ckpt depends on them.
REMEMBERED = ("seed", "tokenizer", "model", "optimizer", "callbacks", "scores")


def read_last(recipe: Recipe) -> dict[str, Any]:
    """Return the content of the run's last.ckpt.

    Raises UserError if the run is finished, if last.ckpt is missing or has no training state, and if settings have
    changed that the state depends on.
    """
    folder, path = recipe.folder, last_checkpoint(recipe.folder)
    if (folder / METRICS).is_file():
        raise UserError(f"resume={folder}: this run is finished (see its {METRICS}); start a new one")
    if not path.is_file():
        raise UserError(f"resume={folder}: it has no checkpoints/last.ckpt to continue from; start the run again")
    for unfinished in checkpoint_folder(folder).glob(".*.part"):  # a write that was killed
        unfinished.unlink(missing_ok=True)
    last = checkpoint.load(path)
    if "corpus_sha256" not in last:
        raise UserError(
            f"resume={folder}: its checkpoints/last.ckpt holds weights but not the state of training (is it a copy of "
            "best.ckpt?); restore the run's own last.ckpt, or start a new run"
        )
    changed = [key for key in REMEMBERED if recipe.plain.get(key) != last["nmt"]["config"].get(key)]
    if changed:
        raise UserError(
            f"resume={folder}: last.ckpt depends on settings that have changed in config.yaml: {', '.join(changed)}; "
            "change them back, or start a new run"
        )
    return last
