"""The folder of a run, and its file last.ckpt: the complete state of a training, as Lightning and torch write it.

Resume only runs of your own. Loading executes no code from the file, but a manipulated file can need much memory or end
in an error. To give a model away, use the checkpoint (`nmt.checkpoint`), which is safe to load.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from lightning_fabric.plugins import TorchCheckpointIO

from nmt.checkpoint import load
from nmt.config.recipe import NOTHING, Recipe, changes
from nmt.config.schema import read_yaml
from nmt.config.settings import with_absolute_paths
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, one_line
from nmt.parameters import shown
from nmt.system.atomic import replacing, write_atomically
from nmt.system.run_files import CHECKPOINTS, CONFIG, METRICS, best_checkpoint, last_checkpoint
from nmt.text.protect import Spans

logger = logging.getLogger(__name__)

FORMAT = 5
# Settings that must not change on resume, because the state in last.ckpt depends on them: the weights, the tokenizer
# with its spans, the optimizer's copy of its settings (except optimizer.lr), or the figures of earlier validations.
FIXED = (
    *("seed", "init", "init_tokenizer", "init_parts", "freeze", "embeddings", "tokenizer", "spans", "model"),
    *("objective", "optimizer", "scores", "callbacks.monitor", "callbacks.extra"),
)


def check_folder(recipe: Recipe, *, resume: bool | None) -> bool:
    """Return whether a run continues from the last.ckpt in its folder.

    With True, it continues. With False, the folder must not hold a run. With None, a run with the same settings
    continues; if it was killed before its state was saved, it starts again. Raises UserError if the folder holds
    another run.
    """
    folder = recipe.folder
    found = [name for name in (CONFIG, CHECKPOINTS, METRICS) if (folder / name).exists()]
    if resume is None and CONFIG in found:
        stored = read_yaml(folder / CONFIG, dict[str, Any], remedy="name another folder")
        if changed := _changes(stored, recipe):
            raise UserError(
                f"{folder} holds a run with other settings: {'; '.join(changed.values())}; name another folder"
            )
        return last_checkpoint(folder).is_file()
    if not resume and found:
        more = f", or continue that run: resume={folder}" if last_checkpoint(folder).exists() else ""
        raise UserError(f"{folder} already holds a run ({found[0]}); name another folder{more}")
    return bool(resume)


def begin_folder(recipe: Recipe, *, new: bool) -> None:
    """Write a complete config.yaml into the folder of a run.

    If the run is new, also remove the best weights of an earlier start that was killed before it saved a state.
    """
    folder = recipe.folder
    if new:
        best_checkpoint(folder).unlink(missing_ok=True)
    write_atomically(folder / CONFIG, recipe.to_yaml().encode())


# The state


def state_entry(config: Mapping[str, Any], tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the entry `nmt` of a state: the format, and what is needed to build the same run again."""
    models = {"source": tokenizer.source_model, "target": tokenizer.target_model}
    return {"format": FORMAT, "config": dict(config), "tokenizer": models}


def stored_tokenizer(state: Mapping[str, Any]) -> Tokenizer:
    """Return the tokenizer in a state that `load_state` returned."""
    models, config = state["nmt"]["tokenizer"], state["nmt"]["config"]
    return Tokenizer(models["source"], models["target"], spans=Spans(config.get("spans", {})))


class StateFiles(TorchCheckpointIO):
    """Lets Lightning save with `save_state` and load with `load_state`."""

    def save_checkpoint(self, checkpoint: Mapping[str, Any], path: Any, storage_options: Any = None) -> None:
        """Save the state. Raises OSError if it cannot be written; the file then stays as it was."""
        save_state(checkpoint, Path(path))

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        """Return a checkpoint's content on the CPU."""
        return load_state(Path(path))


def save_state(payload: Mapping[str, Any], path: Path) -> None:
    """Write `payload` to `path` completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        try:
            torch.save(dict(payload), file)
        except RuntimeError as error:  # if a write fails, torch hides the OSError with the cause
            raise (error.__context__ if isinstance(error.__context__, OSError) else error) from None


def load_state(path: Path) -> dict[str, Any]:
    """Return the content that `save_state` wrote, with tensors on the CPU. No code in the file is executed.

    Raises UserError if the file is damaged or does not hold the state of a training.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()  # torch would load a flipped bit
        if broken is not None:
            raise UserError(f"{path}: damaged ({broken}); use another copy, or start the run again")
        state = torch.load(path, map_location="cpu", weights_only=True)
        found = state["nmt"]["format"]
    except (UserError, OSError):
        raise
    except Exception as error:  # zipfile and torch raise many types of exceptions for other files
        reason = one_line(error)[:100]
        raise UserError(f"{path}: not the state of a training, or damaged ({reason}); use another copy") from error
    if found != FORMAT:
        raise UserError(f"{path}: got format {found}, expected {FORMAT}; use the version that wrote the file")
    return dict(state)


def read_last(recipe: Recipe) -> dict[str, Any]:
    """Return the content of the run's last.ckpt, and log each setting that has changed since it was written.

    Raises UserError if last.ckpt is missing, if settings have changed that the state depends on, and for a finished run
    without changed settings.
    """
    folder, path = recipe.folder, last_checkpoint(recipe.folder)
    if not path.is_file():
        raise UserError(f"resume={folder}: it has no {path.relative_to(folder)} to continue from; start the run again")
    last = load_state(path)
    epochs = last["loops"]["fit_loop"]["epoch_progress"]["current"]["started"]
    for name, count in (("max_steps", last["global_step"]), ("max_epochs", epochs)):
        if 0 < (limit := getattr(recipe.settings.trainer, name) or 0) < count:
            raise UserError(f"resume={folder}: trainer.{name}: got {limit}, expected at least {count}, which are done")
    changed = _changes(last["nmt"]["config"], recipe)
    names = tuple(f"{name}." for name in FIXED)
    fixed = [text for key, text in changed.items() if f"{key}.".startswith(names) and key != "optimizer.lr"]
    if fixed:
        raise UserError(
            f"resume={folder}: last.ckpt depends on settings that have changed: {'; '.join(fixed)}; "
            f"change them back, or start a new run from its weights: init={folder}"
        )
    # A run that was only scored again, with another search, has its settings in the best checkpoint.
    if (folder / METRICS).is_file() and not _changes(load(best_checkpoint(folder)).config, recipe):
        raise UserError(
            f"resume={folder}: this run is finished (see its {METRICS}); raise a limit, as in trainer.max_epochs=60, "
            "or start a new run"
        )
    for text in changed.values():
        logger.info(f"resume: {text}")
    return last


def _changes(before: Mapping[str, Any], recipe: Recipe) -> dict[str, str]:
    """Return what is said of each setting that differs from those in the config `before`, by its dotted key."""
    changed = changes(*map(with_absolute_paths, (before, recipe.plain)))
    changed.pop("allow", None)
    return {key: f"{key}: {_shown(now)} (was {_shown(old)})" for key, (old, now) in changed.items()}


def _shown(value: Any) -> str:
    return "nothing" if value is NOTHING else shown(value)
