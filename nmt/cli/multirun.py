"""`python train.py -m`: every job is checked before the first starts, then Hydra's launcher runs them."""

from __future__ import annotations

import functools
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.cli import program, session, sweep
from nmt.cli.processes import device_count
from nmt.cli.run_folder import check_free, check_start
from nmt.cli.sweep import common, differences, folder_name
from nmt.config.overrides import quoted
from nmt.config.recipe import Recipe
from nmt.config.yaml_files import own_folder
from nmt.errors import UserError
from nmt.system.atomic import try_lock
from nmt.system.cores import usable_cores
from nmt.system.run_files import METRICS, last_checkpoint
from nmt.training.interruption import stopped_by_signals

if TYPE_CHECKING:
    from omegaconf import DictConfig


SWEEP_DIR = "hydra.sweep.dir"
SWEEP_DIRS = (f"{SWEEP_DIR}=", "hydra.sweep.subdir=")
PICTURES = ("--samples_per_plugin", "images=1000000,text=1000000")  # TensorBoard drops all but ten by default
LOCK = ".lock"
HYDRAS_SUBFOLDER = "hydra.sweep.subdir=."  # Hydra would make folders of its own; `run_job` makes those of the recipes


@dataclass(frozen=True)
class Job:
    """One run of a multirun: its overrides in Hydra's grammar, and its recipe.

    `settings` are the settings that differ between the jobs, under short names.
    """

    number: int
    overrides: tuple[str, ...]
    settings: Mapping[str, str]
    recipe: Recipe

    @property
    def words(self) -> list[str]:
        """The overrides as a person would type them, without those of Hydra itself."""
        return _words(self.overrides)

    @property
    def finished(self) -> bool:
        """Whether the run has written its scores."""
        return (self.recipe.folder / METRICS).is_file()


@dataclass(frozen=True)
class Failure:
    """Why a job failed; `by_user` tells whether the user can correct it."""

    number: int
    reason: str
    by_user: bool


def multirun(overrides: Sequence[str]) -> None:
    """Run every combination of the values in `overrides`.

    Raises UserError for a job that cannot run, before the first one starts. If a job fails later, its error is
    printed at once, the other jobs still run, and the error at the end names the failed jobs. The table of results is
    printed at the end, also after Ctrl-C or another signal that stops a run. Then the commands for the unfinished jobs
    follow.
    """
    folder, jobs = plan(overrides)
    ended = False
    with claimed(folder, jobs), stopped_by_signals():  # joblib trains in other processes, and this one waits
        try:
            failures = _launch(
                [*(line for line in overrides if not line.startswith(SWEEP_DIRS)), _pinned(folder), HYDRAS_SUBFOLDER],
                functools.partial(run_job, jobs=jobs),
            )
            ended = True
        finally:
            _print_results(jobs, folder)
            if not ended:
                for job in jobs:
                    _print_remaining(job)
    if failures:
        reasons = ", ".join(f"{failure.number} ({failure.reason})" for failure in failures)
        message = f"{len(failures)} of {len(jobs)} jobs failed: {reasons}"
        raise UserError(message) if all(failure.by_user for failure in failures) else RuntimeError(message)


# Before the first job


def plan(overrides: Sequence[str]) -> tuple[Path, tuple[Job, ...]]:
    """Return the folder of a multirun and its jobs. Raises UserError for a job that cannot run."""
    from nmt.config.compose import sweep_folder
    from nmt.config.overrides import jobs

    for line in overrides:
        if line.startswith("hydra.run.dir="):
            raise UserError(f"hydra.run.dir: names the folder of one run; with -m, that of all runs: {SWEEP_DIR}=")
    listed = jobs(overrides)
    with _naming_job(0, listed[0]):  # the name may hold the time, which differs from job to job
        folder = sweep_folder(listed[0])
    planned: list[Job] = []
    for number, settings in enumerate(differences([_words(words) for words in listed])):
        with _naming_job(number, listed[number]):
            job = _plan_job(number, listed[number], settings, folder)
            twin = next((other.number for other in planned if other.recipe.to_yaml() == job.recipe.to_yaml()), None)
            if twin is not None:
                raise UserError(f"the same settings as job {twin}; give each value once")
            shared = next((other.number for other in planned if other.recipe.folder == job.recipe.folder), None)
            if shared is not None:
                raise UserError(
                    f"hydra.sweep.subdir: got {job.recipe.folder}, also the folder of job {shared}, expected a folder "
                    "for each job; use the default, or a name with ${hydra.job.num}"
                )
            planned.append(job)
    return folder, tuple(planned)


@contextmanager
def claimed(folder: Path, jobs: Sequence[Job]) -> Iterator[None]:
    """Make the folder of a multirun, and lock it during the block. It keeps the file with the lock.

    Raises UserError if the folder cannot be used, if another multirun has it, or if it holds a run.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("ab")
    except OSError as error:
        raise UserError(f"{SWEEP_DIR}: {folder} cannot be used ({error.strerror or error}); name another") from error
    with lock:
        if try_lock(lock) is False:
            raise UserError(f"{SWEEP_DIR}: another multirun is running in {folder}; name another folder")
        for job in jobs:
            with _naming_job(job.number, job.overrides):
                for earlier in [job.recipe.folder, *folder.glob(f"{job.number}_*")]:  # also a job of another multirun
                    check_free(replace(job.recipe, folder=earlier), SWEEP_DIR)
        yield


@contextmanager
def _naming_job(number: int, overrides: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        raise UserError(f"job {number} ({' '.join(_words(overrides))}): {error}") from error


def _plan_job(number: int, overrides: Sequence[str], settings: Mapping[str, str], folder: Path) -> Job:
    from nmt.config.compose import compose_run
    from nmt.config.explain import naming_files

    with naming_files(overrides):
        composed = compose_run([*overrides, _pinned(folder)], job=number, name=folder_name(number, settings))
        recipe, _ = session.checked_recipe(composed, overrides)
    trainer = recipe.settings.trainer
    if device_count(trainer) > 1:
        raise UserError(
            f"trainer.devices: got {trainer.devices} in a multirun (-m), which runs each job on one device; use "
            "trainer.devices=1, or start the runs one by one"
        )
    check_start(trainer)
    return Job(number, tuple(overrides), settings, recipe)


def _pinned(folder: Path) -> str:
    return f"{SWEEP_DIR}={quoted(str(folder))}"


def _own(overrides: Sequence[str]) -> list[str]:
    return [line for line in overrides if not line.startswith("hydra")]


def _words(overrides: Sequence[str]) -> list[str]:
    """Return the overrides as a person would type them: without Hydra's own, and without its backslashes.

    In quotes, lists and mappings, backslashes stay: there they may belong to the value.
    """
    return [re.sub(r"\\(.)", r"\1", line) if _is_bare(line) else line for line in _own(overrides)]


def _is_bare(override: str) -> bool:
    return override.partition("=")[2][:1] not in ("'", '"', "[", "{")


# The jobs


def _launch(overrides: list[str], job: Callable[[DictConfig], Failure | None]) -> list[Failure]:
    """Let Hydra's sweeper and launcher call `job` for each combination; return the failures."""
    import hydra
    from hydra.core.global_hydra import GlobalHydra

    from nmt.config.compose import search_path
    from nmt.config.yaml_files import config_dir

    with hydra.initialize_config_dir(str(config_dir()), job_name="train", version_base="1.3"):
        launcher = GlobalHydra.instance().hydra
        assert launcher is not None
        batches = launcher.multirun(
            "train", job, [*overrides, *search_path(), "hydra.mode=MULTIRUN"], with_log_configuration=False
        )
    outcomes = [outcome.return_value for batch in batches for outcome in batch]
    return [failure for failure in outcomes if failure is not None]


def run_job(config: DictConfig, *, jobs: Sequence[Job]) -> Failure | None:
    """Run one of the jobs. Hydra calls this function, perhaps in another process, and sets the number of the job.

    Hydra composes `config` again. It is not used, because the recipe in `jobs` is the one that was checked.
    """
    from hydra.core.hydra_config import HydraConfig

    job = jobs[int(HydraConfig.get().job.num)]
    at_once = jobs_at_once(HydraConfig.get().launcher, len(jobs))
    if at_once > 1:  # in a process that runs only jobs of this multirun
        os.environ["TTY_COMPATIBLE"] = "0"  # lines in place of progress bars, which would overwrite each other
    print(f"job {job.number} ({job.number + 1} of {len(jobs)}): {' '.join(job.words)}", flush=True)
    try:
        session.train(
            job.recipe,
            key=SWEEP_DIR,
            prefix=f"job {job.number}: " if at_once > 1 else "",
            threads=max(1, usable_cores() // at_once) if at_once > 1 else None,
        )
    except Exception as error:
        return _failure(job.number, error)
    return None


def jobs_at_once(launcher: Any, count: int) -> int:
    """Return how many of `count` jobs a launcher with this config runs at once on this machine (`n_jobs` of joblib)."""
    limit = int(launcher.get("n_jobs", 1))
    return max(1, min(count, limit if limit > 0 else usable_cores() + 1 + limit))


def _failure(number: int, error: Exception) -> Failure:
    """Print a job's error, and return it without the traceback, which would keep the job's memory."""
    reason = program.users_message(error)
    if reason is not None:
        program.print_error(f"job {number}: {reason}")
        return Failure(number, reason, by_user=True)
    traceback.print_exception(error)
    return Failure(number, f"{type(error).__name__}: {error}", by_user=False)


# At the end


def _print_results(jobs: Sequence[Job], folder: Path) -> None:
    finished = [sweep.read_result(job.number, job.settings, job.recipe.folder) for job in jobs if job.finished]
    if not finished:
        return
    results, shared = sweep.with_means(finished), common([job.words for job in jobs])
    written = sweep.write(results, shared, folder)
    print(sweep.summary(results, shared))
    print(f"written to {' and '.join(map(str, written))}")
    print(f"curves and pictures: {shlex.join(['tensorboard', '--logdir', str(folder), *PICTURES])}", flush=True)


def _print_remaining(job: Job) -> None:
    """Print the command that continues a job, or runs it alone in its own folder, unless it has finished."""
    folder = job.recipe.folder
    if job.finished:
        return
    if last_checkpoint(folder).is_file():
        print(f"to continue job {job.number}: {session.resume_command(job.recipe)}")
    else:
        own = own_folder()
        flags = [] if own is None else [f"--config-dir={own}"]
        words = [*flags, *_own(job.overrides), f"hydra.run.dir={quoted(str(folder))}"]
        print(f"to run job {job.number}: {session.train_command(*words)}")
    sys.stdout.flush()
