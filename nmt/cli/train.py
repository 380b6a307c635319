"""`python train.py`, `nmt-train`: one run, one folder; or many, with -m.

Everything a user can get wrong in the config is said before a folder exists. Then Hydra makes the folder (or those of
a multirun), and `nmt.training.run.train` does the work in it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from nmt.cli import program, sweep
from nmt.cli.arguments import quoted_paths, wants_help
from nmt.command import command
from nmt.errors import UserError

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from nmt.config.compose import Composed
    from nmt.config.settings import TrainConfig

CONFIG, LOG = "config.yaml", "train.log"
_MARKS = (CONFIG, LOG, "checkpoints", "metrics.json")  # a folder that has one of these holds a run


def main() -> None:
    """The entry point; see `nmt.cli.program.main` for the statuses."""
    program.main(run)


def run(arguments: Sequence[str]) -> None:
    """Train as the command line `arguments` say.

    Raises UserError for bad input, nothing overwritten. In a multirun (-m) a job that fails is reported at once and
    the others go on; the error at the end says which ones failed.
    """
    if wants_help(arguments):
        from nmt.cli.train_help import help_text

        print(help_text())
        return
    given = _parser().parse_intermixed_args(list(arguments))
    overrides = [line for line in quoted_paths(given.overrides, but=",\\") if line != "resume=null"]
    resumed = [line for line in overrides if line.lstrip("+").startswith("resume=")]
    if resumed:
        _resume(resumed[0].partition("=")[2], [word for word in arguments if word != resumed[0]])
    elif given.cfg:
        _check_run(overrides)
        _through_hydra(["--cfg", given.cfg, *(["--resolve"] if given.resolve else []), *overrides], _nothing)
    elif given.multirun:
        _multirun(overrides)
    else:
        _single(overrides)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(f"command line: {message}; see --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("overrides", nargs="*")
    parser.add_argument("-m", "--multirun", action="store_true")
    parser.add_argument("--cfg", choices=("job", "hydra", "all"))
    parser.add_argument("--resolve", action="store_true")
    return parser


# One run


def _single(overrides: list[str]) -> None:
    folder = _check_run(overrides).folder
    there = folder.exists()
    if _first_process():
        _check_free(folder, "hydra.run.dir")
    errors: list[Exception] = []

    def job(config: DictConfig) -> None:
        try:
            _run_job(config, keep_folder=there)
        except Exception as error:
            errors.append(error)  # raised below: Hydra would make it a status 1 of its own

    _through_hydra(overrides, job)
    if errors:
        raise errors[0]


def _check_run(overrides: Sequence[str], job: int | None = None) -> Composed:
    """Return a run (or a job of a multirun) as it will be; raise UserError for what is wrong with it."""
    from nmt.build import check_nodes
    from nmt.config.compose import compose_run
    from nmt.config.schema import validate

    composed = compose_run(overrides, job=job)
    settings = validate(composed.config)
    if job is not None and several_devices(settings):
        raise UserError(
            f"trainer.devices: got {settings.trainer.devices} in a multirun (-m), which runs on one device a job; "
            f"use trainer.devices=1, or start the runs one by one"
        )
    check_nodes(settings)
    return composed


def _check_free(folder: Path, key: str) -> None:
    """Raise UserError where a run cannot have `folder`: it holds one, or nothing can be written there."""
    ancestors = (folder.absolute(), *folder.absolute().parents)
    try:
        found = [name for name in _MARKS if (folder / name).exists()]
        resumable = "metrics.json" not in found and (folder / "checkpoints" / "last.ckpt").exists()
        with tempfile.TemporaryFile(dir=next(path for path in ancestors if path.exists())):
            pass
    except OSError as error:
        raise UserError(f"{key}: {folder} cannot be used ({error.strerror or error}); name another folder") from error
    if found:
        resume = f", or go on with that run: resume={folder}" if resumable else ""
        raise UserError(f"{key}: {folder} already holds a run ({found[0]}); name another folder{resume}")


def several_devices(settings: TrainConfig) -> bool:
    """Tell whether the settings ask for more than one device, so that Lightning starts more processes."""
    devices = settings.trainer.devices
    if isinstance(devices, list):
        return len(devices) > 1
    if devices in ("auto", "-1", -1):
        return settings.trainer.accelerator != "cpu"
    return isinstance(devices, int) and devices > 1


def _run_job(config: DictConfig, *, keep_folder: bool) -> None:
    """What Hydra calls for each run, its folder made; `keep_folder` tells that it was there before."""
    from hydra.core.hydra_config import HydraConfig

    from nmt.config.compose import plain, validate
    from nmt.config.paths import absolute_paths

    folder = Path(HydraConfig.get().runtime.output_dir)
    values = plain(config)
    values["data"] = absolute_paths(values["data"])  # config and checkpoint are used from other folders too
    settings = validate(values)
    if _first_process():
        _claim(folder, values)
    try:
        _train(settings, values, folder, resume=False)
    except (UserError, OSError, KeyboardInterrupt):
        if _first_process():
            _tidy(folder, keep_folder)
        raise


def _claim(folder: Path, values: dict[str, Any]) -> None:
    """Write the resolved config, which makes `folder` a run's; of two runs that want it one gets it."""
    from omegaconf import OmegaConf

    try:
        with (folder / CONFIG).open("x", encoding="utf-8") as file:
            file.write(OmegaConf.to_yaml(OmegaConf.create(values)))
    except FileExistsError:
        _check_free(folder, "hydra.run.dir")


def _tidy(folder: Path, keep_folder: bool) -> None:
    """Take back what a run wrote before it trained anything, so that the mended command can be given again."""
    if any((folder / "checkpoints").glob("*.ckpt")):
        return
    with suppress(OSError):
        (folder / "checkpoints").rmdir()
    for name in (CONFIG, LOG):
        (folder / name).unlink(missing_ok=True)
    if not keep_folder and not any(folder.iterdir()):
        folder.rmdir()


def _train(settings: TrainConfig, values: dict[str, Any], folder: Path, *, resume: bool) -> None:
    from nmt.cli.log import logged

    with _held(folder / LOG), logged(folder / LOG):
        from lightning_fabric.utilities.exceptions import MisconfigurationException
        from torch import OutOfMemoryError

        from nmt.training.checkpointing import Interrupted
        from nmt.training.run import train

        try:
            train(settings, values, folder, resume=resume)
        except Interrupted as stop:  # saved, and said how to go on; a multirun ends with it too
            # Lightning kills the first process, before it has said all, where another ends with a status of its own.
            raise SystemExit(128 + stop.number if _first_process() else 0) from stop
        except MisconfigurationException as error:  # a device or precision that this machine does not have
            raise UserError(f"trainer: {error}") from error
        except OutOfMemoryError as error:
            raise UserError(
                f"data.batch_tokens: got {settings.data.batch_tokens}, for which the device's memory is too small "
                f"({str(error).partition('.')[0]}); use fewer, or a smaller model"
            ) from error


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold a run's file for this process (and those it starts), so that no run goes on twice at once."""
    if not _first_process() or sys.platform == "win32":
        yield
        return
    import fcntl

    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(f"{path.parent}: this run is still going on in another process; wait for it") from error
        except OSError:
            pass  # a file system without locks
        yield


# Many runs


def _multirun(overrides: list[str]) -> None:
    from nmt.config.compose import jobs

    if any(line.startswith("hydra.run.dir=") for line in overrides):
        raise UserError(
            "hydra.run.dir: names one run's folder; with -m name the folder of all of them: hydra.sweep.dir="
        )
    planned = jobs(overrides)
    words = [[_unescaped(line) for line in job if not line.startswith("hydra.")] for job in planned]
    titles = [" ".join(job) for job in words]
    base, folders = _folders(planned, titles)
    if not any(line.startswith("hydra.sweep.dir=") for line in overrides):
        # Hydra itself cannot resolve the name before there is a job.
        overrides = [*overrides, f"hydra.sweep.dir={base}"]
    failed: dict[int, bool] = {}  # whether it is the user's to mend; an exception itself would keep the job's memory
    begun: list[int] = []
    there = [folder.exists() for folder in folders]

    def run_job(config: DictConfig) -> None:
        from hydra.core.hydra_config import HydraConfig

        number = int(HydraConfig.get().job.num)
        begun.append(number)
        print(f"job {number}, of {len(planned)}: {titles[number]}", flush=True)
        try:
            _run_job(config, keep_folder=there[number])
        except KeyboardInterrupt:  # before there was anything to go on from
            begun.remove(number)
            raise
        except Exception as error:
            failed[number] = isinstance(error, UserError | OSError)
            _report(number, error)

    try:
        _through_hydra(["--multirun", *overrides], run_job)
    finally:  # also where Ctrl-C ends it
        done = sweep.finished(folders, words)
        if done:
            written = sweep.write(done, base)
            print(f"{sweep.summary(done)}\nwritten to {written}", flush=True)
        for number in range(len(planned)):
            if number not in begun:
                print(f"not begun: {_alone(planned[number], folders[number])}", flush=True)
    if failed:
        numbers = ", ".join(map(str, failed))
        message = f"{len(failed)} of {len(planned)} jobs failed: {numbers}; why is above"
        if all(failed.values()):
            raise UserError(message)
        raise RuntimeError(message)


def _folders(planned: Sequence[Sequence[str]], titles: Sequence[str]) -> tuple[Path, list[Path]]:
    """Return the folder of all jobs and each job's own; raise UserError for a job that cannot run or lie there."""
    folders: list[Path] = []
    for number, job in enumerate(planned):
        try:
            composed = _check_run(job, number)
            _check_free(composed.folder, "hydra.sweep.dir")
        except UserError as error:
            raise UserError(f"job {number} ({titles[number]}): {error}") from error
        if number == 0:  # each is composed at a time of its own, but all lie in the first one's folder
            base = composed.base
        inside = composed.folder.is_relative_to(composed.base)
        folders.append(base / composed.folder.relative_to(composed.base) if inside else composed.folder)
    return base, folders


def _alone(job: Sequence[str], folder: Path) -> str:
    """Return the command that runs one of the jobs by itself, in its own folder."""
    lines = [line for line in job if not line.startswith("hydra.")]
    return command(*lines, *quoted_paths([f"hydra.run.dir={folder}"]))


def _unescaped(override: str) -> str:
    """Return an override of `jobs` as a person would type it, without the backslashes of Hydra's grammar."""
    return re.sub(r"\\(.)", r"\1", override)


def _report(number: int, error: Exception) -> None:
    if isinstance(error, UserError):
        program.print_error(f"job {number}: {error}")
    elif isinstance(error, OSError):
        program.print_error(f"job {number}: {program.of_system(error)}")
    else:
        traceback.print_exception(error)


# Going on


def _resume(name: str, others: Sequence[str]) -> None:
    """Go on in a run's folder with its own config."""
    folder = Path(os.path.expanduser(name))
    if not folder.exists() and name[:1] in ("'", '"') and name.endswith(name[0]):  # quoted as Hydra wants other values
        folder = Path(os.path.expanduser(name[1:-1]))
    if others:
        raise UserError(
            f"resume: got {' '.join(others)} beside it, expected resume=RUN_FOLDER alone; "
            f"everything else comes from the run's {CONFIG}"
        )
    if not (folder / CONFIG).is_file():
        raise UserError(f"resume: {folder} holds no run (there is no {CONFIG} in it); name a run's folder")
    from nmt.build import check_nodes
    from nmt.config.schema import validate

    values = _read(folder / CONFIG)
    try:
        settings = validate(values)
        check_nodes(settings)
    except UserError as error:
        raise UserError(f"{folder / CONFIG}: {error}") from error
    _train(settings, values, folder, resume=True)


def _read(path: Path) -> dict[str, Any]:
    from omegaconf import OmegaConf
    from yaml import YAMLError

    try:
        values = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (YAMLError, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read as YAML: {error}") from error
    if not values or not isinstance(values, dict):
        raise UserError(f"{path}: got no settings, expected the config of a run")
    return {str(key): value for key, value in values.items()}


# Hydra


def _through_hydra(arguments: Sequence[str], job: Callable[[DictConfig], None]) -> None:
    """Let Hydra compose, make the folders and call `job` in each; it reads the arguments from sys.argv."""
    import hydra

    from nmt.config.compose import config_dir

    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # what still fails in Hydra is a bug: show all of it
    with _as_command_line(arguments):
        hydra.main(config_path=str(config_dir()), config_name="train", version_base="1.3")(job)()


@contextmanager
def _as_command_line(arguments: Sequence[str]) -> Iterator[None]:
    before = sys.argv
    sys.argv = [before[0], *arguments]
    try:
        yield
    finally:
        sys.argv = before


def _nothing(config: DictConfig) -> None:
    """The job of a command that only shows the config."""


def _first_process() -> bool:
    from nmt.cli.log import process_rank

    return process_rank() == 0
