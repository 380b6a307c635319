"""Test claims of tutorials about attention: train small models with several seeds, and write a page of findings.

  python scripts/lab.py [key=value ...]      (installed: nmt-lab; in a checkout: make lab)

{settings}

Each claim is a file in nmt/lab/claims. It predicts that some differences are above 0. A difference is supported by
these runs if its complete 95 % interval is above 0, and contradicted if the interval is below 0. An interval within
the margin that the claim names is "no difference". The intervals are corrected for the number of differences of all
claims together (Holm). A model with less than 95 % in the easy form of its task, on average over its seeds, is "not
learned here".
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

from nmt.cli.arguments import PathText, Settings, configured
from nmt.config.compose import quoted
from nmt.errors import UserError, did_you_mean
from nmt.parameters import PositiveInt, Range
from nmt.system.atomic import require_writable
from nmt.system.place import usable_cores
from nmt.system.run_files import METRICS, last_checkpoint

if TYPE_CHECKING:
    from nmt.lab.claims.claim import Claim
    from nmt.lab.claims.page import Measured

MAIN = ("fixed_vector", "gradient", "alignment", "positions", "scaling")  # the claims that quick=true measures
IN_THE_NAME = ("data", "model", "model/attention", "model/positions")  # of the folder of a training


@dataclass(kw_only=True)
class LabConfig(Settings):
    """The settings of lab.yaml."""

    quick: bool
    claims: list[str] | None
    seeds: list[Annotated[int, Range(low=0)]]
    runs: PathText
    out: PathText
    jobs: PositiveInt | None


@dataclass(frozen=True)
class Training:
    """One training: the settings of its system, and its seed. `folder` is where its run is kept."""

    folder: Path
    settings: tuple[str, ...]
    seed: int


@configured(LabConfig)
def main(config: LabConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    if config.quick:
        config = replace(config, claims=list(MAIN) if config.claims is None else config.claims, seeds=config.seeds[:3])
    claims = [claim for claim in claims_of(config) if is_possible(claim)]
    if not claims:
        raise UserError("claims: none of them can be measured; choose others, or give what is missing")
    if not 2 <= len(set(config.seeds)) == len(config.seeds) <= 10:
        raise UserError(f"seeds: got {config.seeds}, expected 2 to 10 different seeds: an interval needs at least two")
    if Path(config.out, "README.md").exists() and not Path(config.out, "claims.json").exists():
        raise UserError(f"out={config.out}: has a README.md that is not of this program; name another folder")
    require_writable(Path(config.out))
    trainings = {claim.name: planned(claim, config.seeds[: claim.seeds], Path(config.runs)) for claim in claims}
    train_all(
        list(dict.fromkeys(each for systems in trainings.values() for runs in systems.values() for each in runs)),
        config.jobs,
    )
    found = [measured(claim, trainings[claim.name]) for claim in claims]
    write(found, Path(config.out))


def claims_of(config: LabConfig) -> list[Claim]:
    """Return the claims that are to be measured. Raises UserError for an unknown or repeated name, and for no name."""
    from nmt.lab.claims import CLAIMS

    names = list(CLAIMS) if config.claims is None else config.claims
    if not names:
        raise UserError(f"claims: got an empty list, expected some of {', '.join(CLAIMS)}, or null for all")
    for name in names:
        if name not in CLAIMS:
            near = did_you_mean(name, CLAIMS)
            raise UserError(f"claims: got '{name}', expected some of {', '.join(CLAIMS)}{near}")
    if len(set(names)) < len(names):
        raise UserError(f"claims: got {', '.join(names)}, expected different claims; name each of them once")
    return [CLAIMS[name]() for name in names]


def is_possible(claim: Claim) -> bool:
    """Return whether the claim can be measured. If not, print what is missing."""
    missing = claim.missing()
    if missing is not None:
        print(f"{claim.name}: left out; it needs {missing}", flush=True)
    return missing is None


def planned(claim: Claim, seeds: Sequence[int], folder: Path) -> dict[str, list[Training]]:
    """Return the trainings of each system of a claim. Their folder is named after their settings."""
    plan = {}
    for system, settings in claim.systems().items():
        values = dict(setting.split("=", 1) for setting in settings)
        digest = hashlib.sha256("\n".join(settings).encode()).hexdigest()[:8]
        own = folder / "-".join([*(values[key] for key in IN_THE_NAME if key in values), digest])
        plan[system] = [Training(own / f"seed{seed}", tuple(settings), seed) for seed in seeds]
    return plan


def train_all(trainings: Sequence[Training], jobs: int | None) -> None:
    """Train the unfinished trainings, `jobs` at a time. Raises UserError if a training fails."""
    missing = [each for each in trainings if not (each.folder / METRICS).is_file()]
    print(f"{len(trainings)} trainings, {len(trainings) - len(missing)} of them finished", flush=True)
    begun = time.monotonic()
    context = get_context("forkserver")  # which has loaded torch already: that saves seconds of each training
    context.set_forkserver_preload(["nmt.training.run"])
    with ProcessPoolExecutor(jobs or usable_cores(), context, max_tasks_per_child=1) as pool:
        pending = [pool.submit(train, each) for each in missing]
        try:
            for number, (each, future) in enumerate(zip(missing, pending, strict=True), start=1):
                future.result()
                minutes = (time.monotonic() - begun) / 60
                print(f"{number} of {len(missing)} trained in {minutes:.0f} min: {each.folder}", flush=True)
        except BrokenProcessPool as error:
            raise UserError("a training was killed, perhaps for its memory; train fewer at a time: jobs=1") from error
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def arguments_of(training: Training) -> list[str]:
    """Return the arguments of train.py; a training that has begun goes on."""
    if last_checkpoint(training.folder).is_file():
        return [f"resume={training.folder}"]
    return [*training.settings, f"seed={training.seed}", f"hydra.run.dir={quoted(str(training.folder))}"]


def train(training: Training) -> None:
    """Train to the end with one thread, in a process of its own. Raises UserError with the last line of its output."""
    import torch

    from nmt.cli.train import main

    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    Thread(target=stop_with_the_program, daemon=True).start()
    sys.argv = ["train.py", *arguments_of(training)]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        try:
            main()
        except SystemExit as end:
            if end.code:
                sys.stderr.flush()
                output.seek(0)
                last = output.read().strip().splitlines()[-1:]
                message = f"{training.folder}: the training ended with status {end.code}: {' '.join(last)}"
                raise UserError(message) from None


def stop_with_the_program() -> None:
    """Wait for the end of the program, then let this training save its checkpoint and stop, as SIGTERM does."""
    program = parent_process()
    assert program is not None
    program.join()
    os.kill(os.getpid(), signal.SIGTERM)


def measured(claim: Claim, trainings: Mapping[str, Sequence[Training]]) -> Measured:
    """Return the measurement for a claim on its finished trainings."""
    from nmt.lab.claims.page import Measured
    from nmt.lab.compare.runs import read_runs

    runs = {system: read_runs([each.folder for each in own], "test") for system, own in trainings.items()}
    return Measured(claim, claim.measure(runs), runs)


def write(found: Sequence[Measured], folder: Path) -> None:
    """Write the pages, the figures and claims.json, and print the table."""
    from nmt.lab.claims import page

    for each in page.write(found, folder):
        print(f"\n{each['claim']['en']}")
        for contrast in each["contrasts"]:
            difference = f"{contrast['mean']:.1f} ± {contrast['half_width']:.1f}"
            print(f"  {contrast['verdict']:16} {difference:>16}  {contrast['text']['en']}")
    print(f"\nwritten to {folder}: index.html, README.md, README.ko.md, claims.json and {len(found)} figures")
