"""`python train.py -m`: every job is checked before the first one starts."""

from __future__ import annotations

import multiprocessing
import os
import shlex
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from nmt.cli import program, session, sweep
from nmt.config.compose import RUN_DIR, SWEEP_DIR, compose_run, jobs, quoted
from nmt.config.groups import own_folder
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.system.place import place_of_process, usable_cores
from nmt.system.run_files import METRICS, last_checkpoint

PICTURES = ("--samples_per_plugin", "images=1000000,text=1000000")  # TensorBoard drops all but ten by default


@dataclass(frozen=True)
class Job:
    """One run of a multirun: the words of its command line, and its recipe.

    `settings` are the settings that differ between the jobs, under short names.
    """

    number: int
    words: Sequence[str]
    settings: Mapping[str, str]
    recipe: Recipe

    @property
    def finished(self) -> bool:
        """Whether the run has written its scores."""
        return (self.recipe.folder / METRICS).is_file()


def multirun(words: Sequence[str], at_once: int = 1) -> None:
    """Run every combination of the values in `words`, `at_once` of them at the same time.

    Raises UserError for a job that cannot run, before the first one starts. If a job fails later, its error is
    printed at once, the other jobs still run, and the error at the end names the failed jobs. The table of results and
    the commands for the unfinished jobs are printed at the end, also after Ctrl-C.
    """
    planned = plan(words)
    folder = planned[0].recipe.folder.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise UserError(f"{SWEEP_DIR}: {folder} cannot be used ({error.strerror or error}); name another") from error
    if taken:
        raise UserError(f"{SWEEP_DIR}: {folder} is not empty; name another folder")
    run = partial(run_job, count=len(planned), at_once=min(at_once, len(planned)))
    try:
        if at_once == 1:
            reasons = [*map(run, planned)]
        else:
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(at_once, mp_context=spawn, max_tasks_per_child=1) as pool:
                reasons = [*pool.map(run, planned)]
    finally:
        _print_results(planned, folder)
    failed = [f"{job.number} ({reason})" for job, reason in zip(planned, reasons, strict=True) if reason]
    if failed:
        raise UserError(f"{len(failed)} of {len(planned)} jobs failed: {', '.join(failed)}")


def plan(words: Sequence[str]) -> list[Job]:
    """Return the jobs of a multirun. Raises UserError for a job that cannot run."""
    if (place := place_of_process()).several:
        raise UserError(f"-m: a multirun is many runs, but {place.launcher} has started one run; leave -m out")
    listed = jobs(words)
    composed: list[Recipe] = []
    for number, job in enumerate(listed):  # all of them first: their objects need torch, which takes seconds to import
        with _naming_job(number, job):
            composed.append(compose_run(job, key=SWEEP_DIR))
    folder = composed[0].folder  # its name may hold the time, which differs from job to job
    planned: list[Job] = []
    texts: dict[str, int] = {}
    for number, (job, settings) in enumerate(zip(listed, sweep.differences(listed), strict=True)):
        with _naming_job(number, job):
            recipe = replace(composed[number], folder=folder / sweep.folder_name(number, settings))
            recipe, _ = session.checked_recipe(recipe, job)
            if (twin := texts.setdefault(recipe.to_yaml(), number)) != number:
                raise UserError(f"the same settings as job {twin}; give each value once")
        planned.append(Job(number, job, settings, recipe))
    return planned


@contextmanager
def _naming_job(number: int, words: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except UserError as error:
        raise UserError(f"job {number} ({' '.join(words)}): {error}") from error


def run_job(job: Job, *, count: int, at_once: int) -> str | None:
    """Train a job, perhaps in a process of its own. If it fails, print its error and return the reason."""
    if at_once > 1:
        os.environ["TQDM_DISABLE"] = "1"  # lines in place of progress bars, which would overwrite each other
    print(f"job {job.number} ({job.number + 1} of {count}): {' '.join(job.words)}", flush=True)
    prefix = f"job {job.number}: " if at_once > 1 else ""
    threads = max(1, usable_cores() // at_once) if at_once > 1 else None
    try:
        session.train(job.recipe, prefix=prefix, threads=threads)
    except Exception as error:
        reason = program.users_message(error)
        if reason is None:
            traceback.print_exception(error)
        else:
            program.print_error(f"job {job.number}: {reason}")
        return reason or f"{type(error).__name__}: {error}"
    return None


def _print_results(planned: Sequence[Job], folder: Path) -> None:
    results = [sweep.read_result(job.number, job.settings, job.recipe.folder) for job in planned if job.finished]
    if results:
        print(sweep.write(sweep.with_means(results), sweep.common([job.words for job in planned]), folder))
        print(f"curves and pictures: {shlex.join(['tensorboard', '--logdir', str(folder), *PICTURES])}")
    own = own_folder()
    flags = [] if own is None else [f"--config-dir={own}"]
    for job in planned:
        place = str(job.recipe.folder)
        if not job.finished and last_checkpoint(job.recipe.folder).is_file():
            print(f"to continue job {job.number}: {shlex.join(['python', 'train.py', f'resume={place}'])}")
        elif not job.finished:
            words = [
                *flags,
                *(word for word in job.words if not word.startswith(SWEEP_DIR)),
                f"{RUN_DIR}={quoted(place)}",
            ]
            print(f"to run job {job.number}: {shlex.join(['python', 'train.py', *words])}", flush=True)
