"""`python train.py -m`: many runs by one command, and a table of their results with means over seeds."""

from __future__ import annotations

import gc
import re
import shlex
import traceback
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite, nan
from pathlib import Path
from statistics import mean, stdev

from nmt.cli import program, session
from nmt.cli.output import Column, Table, to_markdown, to_text
from nmt.config.compose import SWEEP_DIR, compose_run, jobs, quoted
from nmt.config.groups import own_folder
from nmt.config.recipe import Recipe
from nmt.config.schema import MetricsFile, read_json
from nmt.errors import UserError, printable
from nmt.system.atomic import write_atomically
from nmt.system.place import place_of_process
from nmt.system.run_files import METRICS

SEED = "seed"  # jobs that differ only in this setting are runs of one system
LONGEST_VALUE, LONGEST_NAME = 30, 150  # characters, and bytes of UTF-8: file systems allow 255 bytes
TSV, MARKDOWN = "results.tsv", "results.md"
SIZES = {"parameters": ",.0f", "updates": ",.0f", "minutes": ".1f"}  # and how they are shown
PICTURES = ("--samples_per_plugin", "images=1000000,text=1000000")  # TensorBoard drops all but ten by default


@dataclass(frozen=True)
class Job:
    """One run of a multirun: the words of its command line and its recipe.

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


def multirun(words: Sequence[str]) -> None:
    """Run every combination of the values in `words`. A UserError before the first job names one that cannot run.

    In the folder of a multirun that was stopped or killed, it goes on. If a job fails, its error is printed at once,
    the other jobs still run, and the error at the end names the failed ones. The results, and the command that goes on
    with unfinished jobs, are printed at the end, also after Ctrl-C.
    """
    planned, others = plan(words), [word for word in words if not word.startswith(SWEEP_DIR)]
    folder = planned[0].recipe.folder.parent
    failed: list[str] = []
    jobs = in_folder(planned, folder)
    try:
        for job in jobs:
            if reason := run_job(job, len(jobs)):
                failed.append(f"{job.number} ({reason})")
    finally:
        own = own_folder()
        flags = ["-m", *([] if own is None else [f"--config-dir={own}"])]
        _print_results(jobs, folder, [*flags, *others, f"{SWEEP_DIR}={quoted(str(folder))}"])
    if failed:
        raise UserError(f"{len(failed)} of {len(planned)} jobs failed: {', '.join(failed)}")


def in_folder(planned: Sequence[Job], folder: Path) -> list[Job]:
    """Return the jobs with their places in `folder`.

    Raises UserError if the folder holds anything else, such as a job with other settings.
    """
    from nmt.training.state import check_folder

    folder.mkdir(parents=True, exist_ok=True)
    jobs = [replace(job, recipe=replace(job.recipe, folder=folder / job.recipe.folder.name)) for job in planned]
    known = {TSV, MARKDOWN, *(job.recipe.folder.name for job in jobs)}
    if strange := sorted(path.name for path in folder.glob("[!.]*") if path.name not in known):
        raise UserError(f"{SWEEP_DIR}: {folder} holds {strange[0]}, which is not of these jobs; name another folder")
    for job in jobs:
        check_folder(job.recipe, resume=None)
    return jobs


def plan(words: Sequence[str]) -> list[Job]:
    """Return the jobs of a multirun. Raises UserError for a job that cannot run."""
    if (place := place_of_process()).several:
        raise UserError(f"-m: a multirun is many runs, but {place.launcher} has started one run; leave -m out")
    listed = jobs(words)
    planned: list[Job] = []
    for number, (job, settings) in enumerate(zip(listed, differences(listed), strict=True)):
        try:
            recipe = compose_run(job, key=SWEEP_DIR)
            folder = planned[0].recipe.folder.parent if planned else recipe.folder  # the time may be in it
            own = replace(recipe, folder=folder / folder_name(number, settings))
            planned.append(Job(number, job, settings, session.checked_recipe(own, job)[0]))
        except UserError as error:
            raise UserError(f"job {number} ({' '.join(job)}): {error}") from error
    return planned


def run_job(job: Job, count: int) -> str | None:
    """Train a job, or what is left of it. If it fails, print its error and return the reason."""
    from nmt.build import build_objects

    done = f", finished in {job.recipe.folder}" if job.finished else ""
    _say(f"job {job.number} ({job.number + 1} of {count}): {' '.join(job.words)}{done}")
    if done:
        return None
    try:
        session.train(job.recipe, build_objects(job.recipe.settings), resume=None)
    except Exception as error:
        reason = program.users_message(error)
        if reason is None:
            traceback.print_exception(error)
        else:
            program.print_error(f"job {job.number}: {reason}")
        return reason or f"{type(error).__name__}: {error}"
    finally:
        gc.collect()  # Lightning's objects refer to each other, and would keep the model in memory
    return None


def _print_results(planned: Sequence[Job], folder: Path, words: Sequence[str]) -> None:
    finished = [job for job in planned if job.finished]
    metrics = [read_json(job.recipe.folder / METRICS, MetricsFile, remedy="train the job again") for job in finished]
    if finished:
        results = list(map(result_of, finished, metrics))
        _say(write(with_means(results), folder))
        _say(f"curves and pictures: {shlex.join(['tensorboard', '--logdir', str(folder), *PICTURES])}")
    if left := [str(job.number) for job in planned if not job.finished]:
        command = shlex.join(["python", "train.py", *words])
        _say(f"to go on with the unfinished jobs ({', '.join(left)}): {command}")


def _say(text: str) -> None:
    with suppress(OSError):  # without a terminal, the jobs still run
        print(text, flush=True)


# The differences between the jobs


def differences(jobs: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return for each job (its words key=value) the settings that differ between the jobs, under short names.

    The short name of `model/attention` is `attention`, unless another of these settings ends in the same word. The name
    `seed` is only for the key `seed`, not for `data.seed`.
    """
    settings = [{key.lstrip("+"): value for key, _, value in (word.partition("=") for word in words)} for words in jobs]
    keys = list(dict.fromkeys(key for each in settings for key in each))
    differing = [key for key in keys if len({each.get(key) for each in settings}) > 1]
    last = [re.split("[/.@]", key)[-1] for key in differing]
    unclear = {name for name in last if last.count(name) > 1} | {SEED}
    names = {key: key if name in unclear else name for key, name in zip(differing, last, strict=True)}
    return [{names[key]: each.get(key, "") for key in differing} for each in settings]


def folder_name(number: int, settings: Mapping[str, str]) -> str:
    """Return the name of a job's folder: "3_attention=luong,seed=2". TensorBoard shows it as the name of the run."""
    parts = [f"{_plain(key)}={_plain(value)[:LONGEST_VALUE]}" for key, value in settings.items()]
    label = ",".join(parts).encode()[:LONGEST_NAME].decode(errors="ignore")
    return f"{number}_{label}" if label else str(number)


def _plain(text: str) -> str:
    """Return `text` without characters that are special in paths, shells or Hydra's grammar."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")


# The table


@dataclass(frozen=True)
class Result:
    """The result of a finished job, or the mean or deviation of several."""

    job: str
    settings: Mapping[str, str]  # that differ between the jobs
    figures: Mapping[str, float]  # by the name of a column, such as "test BLEU" or "parameters"


def result_of(job: Job, metrics: MetricsFile) -> Result:
    """Return the result of a finished job from its metrics.json."""
    figures = dict(zip(SIZES, (metrics["parameters"], metrics["updates"], metrics["wall_seconds"] / 60), strict=True))
    for split, scores in (("val", metrics.get("val", {})), ("test", metrics.get("test", {}))):
        figures |= {f"{split} {each['label']}": each["value"] for each in scores.values()}
    return Result(str(job.number), job.settings, figures)


def with_means(results: Sequence[Result]) -> list[Result]:
    """Return the results, then mean and standard deviation of all jobs that differ only in their seed."""
    groups: dict[tuple[tuple[str, str], ...], list[Result]] = defaultdict(list)
    for result in results:
        groups[tuple((key, value) for key, value in result.settings.items() if key != SEED)].append(result)
    rows = [*results]
    for settings, group in groups.items():
        names = [name for name in group[0].figures if all(name in result.figures for result in group)]
        for job, measure in ((f"mean of {len(group)}", mean), ("deviation", deviation)) if len(group) > 1 else ():
            figures = {name: float(measure([result.figures[name] for result in group])) for name in names}
            rows.append(Result(job, dict(settings), figures))
    return rows


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of several values: NaN if one of them is NaN or infinite."""
    return stdev(values) if all(map(isfinite, values)) else nan


def write(results: Sequence[Result], folder: Path) -> str:
    """Write results.tsv (all digits) and results.md to `folder`; return the table for the terminal."""
    settings = list(results[0].settings)
    figures = [*SIZES, *dict.fromkeys(name for each in results for name in each.figures if name not in SIZES)]
    columns = [Column(name, number=False) for name in ("job", *settings)] + [Column(name) for name in figures]
    rows, exact = [], ["\t".join(column.heading for column in columns)]
    for each in results:
        texts = [each.job, *(each.settings.get(name, "") for name in settings)]
        values = {name: each.figures.get(name) for name in figures}
        rows.append([*texts, *("-" if n is None else f"{n:{SIZES.get(name, '.2f')}}" for name, n in values.items())])
        exact.append("\t".join(map(printable, [*texts, *("" if n is None else str(n) for n in values.values())])))
    table = Table(columns, rows)
    write_atomically(folder / TSV, "".join(f"{line}\n" for line in exact).encode())
    write_atomically(folder / MARKDOWN, to_markdown(table).encode())
    return f"{to_text(table)}\nwritten to {folder / TSV} and {folder / MARKDOWN}"
