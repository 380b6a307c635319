"""The file last.ckpt: the complete state of a training, as Lightning and torch write it.

Resume only runs of your own. Loading executes no code from the file, but a manipulated file can need much memory or end
in an error. To give a model away, use the checkpoint (`nmt.checkpoint`), which is safe to load.
"""

from __future__ import annotations

import logging
import re
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import Any

import torch

from nmt.checkpoint import load
from nmt.config.recipe import NOTHING, Recipe, changes
from nmt.config.settings import TrainConfig, with_absolute_paths
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, one_line
from nmt.parameters import shown
from nmt.system.atomic import replacing
from nmt.system.launch import launch
from nmt.system.run_files import METRICS, best_checkpoint, last_checkpoint
from nmt.text.protect import Spans
from nmt.training.limits import Limits

logger = logging.getLogger(__name__)

FORMAT = 4
FIELDS = {"format": int, "config": dict, "tokenizer": dict, "update": int}  # of the entry `nmt`
MARK = b"PK\x03\x04"  # the first bytes of a zip file, which torch writes
# Settings that must not change on resume, because the state in last.ckpt depends on them: the weights, the tokenizer
# with its spans, the optimizer's own copy of its settings, or the figures of earlier validations.
FIXED = (
    "seed",
    "init",
    "tokenizer",
    "spans",
    "model",
    "objective",
    "optimizer",
    "scores",
    "callbacks.monitor",
    "callbacks.extra",
)
LIMITS = ("trainer.max_epochs", "trainer.max_steps", "trainer.max_time", "callbacks.early_stopping.patience")
PLAIN = (  # what `load_state` reads, without containers
    *(NoneType, bool, int, float, complex, str, bytes, bytearray),
    *(torch.Tensor, torch.nn.Parameter, torch.Size, torch.dtype, torch.device),
)
RATES = ("lr", "peak_lr")  # of a group of parameters in the state of the optimizer
STATE = {"state_dict", "optimizer_states", "callbacks", "loops", "epoch", "global_step", "corpus_sha256", "totals"}


def state_entry(config: Mapping[str, Any], tokenizer: Tokenizer, update: int) -> dict[str, Any]:
    """Return the entry `nmt` of a state: the values that are needed to make the parts of the run again."""
    models = {"source": tokenizer.source_model, "target": tokenizer.target_model}
    return {"format": FORMAT, "config": dict(config), "tokenizer": models, "update": update}


def stored_tokenizer(state: Mapping[str, Any]) -> Tokenizer:
    """Return the tokenizer in a state that `load_state` returned. Raises UserError if it is damaged."""
    models, config = state["nmt"]["tokenizer"], state["nmt"]["config"]
    return Tokenizer(models["source"], models["target"], spans=Spans(config.get("spans", {})))


def save_state(payload: Mapping[str, Any], path: Path) -> None:
    """Write `payload` to `path` completely or not at all. The file is checked before it replaces `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        try:
            torch.save(dict(payload), file)
        except RuntimeError as error:  # if a write fails, torch hides the OSError with the cause
            raise (error.__context__ if isinstance(error.__context__, OSError) else error) from None
        file.flush()
        with zipfile.ZipFile(file.name) as archive:
            broken = archive.testzip()
        if broken is not None:
            raise OSError(f"the file was damaged while it was written (in {broken})")


def check_states(checkpoint: Mapping[str, Any]) -> None:
    """Raise UserError if the state of a callback or the optimizer has a value that `load_state` would refuse."""
    states = {f"callbacks: the state of {name}": state for name, state in checkpoint.get("callbacks", {}).items()}
    states["optimizer: the state of the optimizer"] = checkpoint.get("optimizer_states", [])
    for owner, state in states.items():
        for value in _values(state):
            if type(value) not in PLAIN:
                kind = f"{type(value).__module__}.{type(value).__qualname__}"
                raise UserError(
                    f"{owner} holds a {kind}, which last.ckpt cannot hold; expected None, bool, int, float, str, "
                    "bytes, tensors, and dict, list, tuple and set of these (for a number of NumPy, use float(...))"
                )


def _values(state: Any) -> Iterator[Any]:
    """Yield all values in nested containers, and the keys of mappings."""
    if type(state) in (dict, OrderedDict, Counter):
        state = [*state.keys(), *state.values()]
    if type(state) in (list, tuple, set):
        for value in state:
            yield from _values(value)
    else:
        yield state


def load_state(path: Path) -> dict[str, Any]:
    """Return the content that `save_state` wrote, with tensors on the CPU. No code in the file is executed.

    Raises UserError if the file is damaged or does not hold the state of a training. Raises OSError if it cannot be
    read.
    """
    problem = _damage(path)
    if problem is not None:
        raise UserError(f"{path}: damaged ({problem}); use another copy, or start the run again")
    try:
        payload = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many types of exceptions for other files
        found = re.search(r"GLOBAL (\S+)", str(error))
        reason = f"it names {found[1]}" if found else type(error).__name__
        raise UserError(f"{path}: cannot be read safely ({reason}); use another copy") from error
    about = payload.get("nmt") if isinstance(payload, dict) else None
    if not isinstance(about, dict) or not all(type(about.get(name)) is kind for name, kind in FIELDS.items()):
        raise UserError(f"{path}: it does not hold the state of a training; restore the run's own {path.name}")
    if about["format"] != FORMAT:
        raise UserError(f"{path}: got format {about['format']}, expected {FORMAT}; use the version that wrote the file")
    return dict(payload)


@contextmanager
def restoring(folder: Path, *, ended: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn an error in the block into a UserError that blames last.ckpt, because its state may hold anything.

    An error after the state has been used is not changed; `ended` returns whether it has been used.
    """
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        if isinstance(error, UserError | torch.OutOfMemoryError) or ended():
            raise
        raise UserError(
            f"resume={folder}: the state in its last.ckpt cannot be restored ({type(error).__name__}: "
            f"{one_line(error)[:200]}); restore the run's own last.ckpt, or start a new run"
        ) from error


def _damage(path: Path) -> str | None:
    """Check the bytes of a file that torch.save wrote. No part is compressed, so none is larger than its bytes."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(MARK)) != MARK:
            return "not a file of torch, or an incomplete one"
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                if any(each.compress_type != zipfile.ZIP_STORED for each in members):
                    return "its content is compressed"
                if sum(each.file_size for each in members) > size:
                    return "its parts are larger than the file"
                broken = archive.testzip()
        except Exception as error:  # zipfile raises many types of exceptions for damaged headers
            return one_line(error)[:200] or type(error).__name__
    return None if broken is None else f"{broken} does not match its checksum"


def read_last(recipe: Recipe) -> dict[str, Any]:
    """Return the content of the run's last.ckpt, and log each setting that has changed since it was written.

    A finished run is continued only with changed settings. Raises UserError if a finished run has no changed settings,
    if last.ckpt is missing or has no training state, if settings have changed that the state depends on, and for a new
    limit on the length of the run while another limit is used up.
    """
    last = _read_whole(recipe.folder)
    with restoring(recipe.folder):
        _check_figures(last)
        changed = changes(*map(with_absolute_paths, (last["nmt"]["config"], recipe.plain)))
        changed.pop("allow", None)
        _check_changes(recipe, last, changed)
        before, now = len(last["callbacks"]["Generators"]["ranks"]), launch().size
    for key, pair in changed.items():
        logger.info(f"resume: {_change(key, *pair)}")
    if before != now:
        logger.info(f"resume: processes: {now} (was {before}), so an update has other numbers of tokens")
    return last


def _read_whole(folder: Path) -> dict[str, Any]:
    """Return the content of last.ckpt."""
    path = last_checkpoint(folder)
    if not path.is_file():
        again = "start the run again"
        if best_checkpoint(folder).is_file():
            again = f"start a new run from its weights, in another folder: init={folder}"
        raise UserError(f"resume={folder}: it has no {path.relative_to(folder)} to continue from; {again}")
    last = load_state(path)
    if not last.keys() >= STATE:
        raise UserError(
            f"resume={folder}: its checkpoints/last.ckpt does not hold the whole state of training; "
            "restore the run's own last.ckpt, or start a new run"
        )
    return last


def _check_figures(last: Mapping[str, Any]) -> None:
    """Raise TypeError or LookupError unless counts, times and learning rates are numbers; nothing else checks them."""
    rates = [group[key] for state in last["optimizer_states"] for group in state["param_groups"] for key in RATES]
    figures = [last["loops"], last["callbacks"]["Timer"]["time_elapsed"], *rates]
    while figures:
        value = figures.pop()
        if isinstance(value, dict | list):
            figures += value.values() if isinstance(value, dict) else value
        elif not isinstance(value, int | float):
            raise TypeError(f"got {shown(value)}, expected a number")


def _check_changes(recipe: Recipe, last: Mapping[str, Any], changed: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise UserError unless the run can be continued with these changes of its settings."""
    folder = recipe.folder
    fixed = [
        _change(key, *pair) for key, pair in changed.items() if f"{key}.".startswith(tuple(f"{k}." for k in FIXED))
    ]
    if fixed:
        raise UserError(
            f"resume={folder}: last.ckpt depends on settings that have changed: {'; '.join(fixed)}; "
            "change them back, or start a new run"
        )
    used_up = _used_up(recipe.settings, last)
    if (folder / METRICS).is_file() and not _differs_from_scored(recipe, changed):
        ended = f"the limit that ended it (now {' and '.join(used_up)})"
        limit = ended if used_up else "a limit, as in trainer.max_epochs=60"
        raise UserError(f"resume={folder}: this run is finished (see its {METRICS}); raise {limit}, or start a new run")
    if used_up and any(key in changed for key in LIMITS):
        from_start = any(each.startswith("trainer.") for each in used_up)
        raise UserError(
            f"resume={folder}: the run has used up {' and '.join(used_up)}, so another limit changes nothing; raise "
            f"this one too{' (its value counts from the start of the run)' if from_start else ''}"
        )


def _differs_from_scored(recipe: Recipe, changed: Mapping[str, tuple[Any, Any]]) -> bool:
    """Return whether settings differ from those that a finished run was scored with.

    They are in best.safetensors. Those in last.ckpt are older if the run was only scored again, with another search.
    """
    best = best_checkpoint(recipe.folder)
    if not best.is_file():
        return bool(changed)
    scored = changes(*map(with_absolute_paths, (load(best).config, recipe.plain)))
    return bool(scored.keys() - {"allow"})


def _used_up(settings: TrainConfig, last: Mapping[str, Any]) -> list[str]:
    """Return the limits of the settings that a run with this last.ckpt has reached, as "trainer.max_steps=9"."""
    trainer, patience = settings.trainer, (settings.callbacks.early_stopping or {}).get("patience")
    loops = last["loops"]["fit_loop"]
    unfinished = not loops["epoch_loop.batch_progress"]["is_last_batch"]
    epochs = loops["epoch_progress"]["current"]["started"] - unfinished
    limits = Limits.of(trainer).or_default(loops["state_dict"]["combined_loader"][0]["pairs"])
    seconds = last["callbacks"]["Timer"]["time_elapsed"]["train"] if limits.seconds is not None else 0.0
    waited = last["callbacks"].get("EarlyStopping", {}).get("waited", 0)
    done = (
        (epochs, limits.epochs, f"trainer.max_epochs={limits.epochs}"),
        (last["global_step"], limits.updates, f"trainer.max_steps={trainer.max_steps}"),
        (seconds, limits.seconds, f"trainer.max_time={trainer.max_time}"),
        (waited, patience, f"callbacks.early_stopping.patience={patience}"),
    )
    return [setting for used, limit, setting in done if limit is not None and used >= limit]


def _change(key: str, before: Any, now: Any) -> str:
    old, new = ("nothing" if value is NOTHING else shown(value) for value in (before, now))
    return f"{key}: {new} (was {old})"
