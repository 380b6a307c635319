"""Check that two commits train the same models: the same losses, weights and translations at a fixed seed.

    python scripts/compare_commits.py OLD [NEW] [KEY=VALUE ...]

OLD and NEW are git revisions; without NEW, OLD is compared with the files of this checkout. Each commit's own train.py
trains each of the seven models on a CPU, for a few updates on the same small made-up corpus, in a temporary folder.
KEY=VALUE are overrides of train.py for both commits. The exit status is 0 if everything is equal, bit for bit, and 1 if
not.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.cli.program import program
from nmt.errors import UserError

ROOT = Path(__file__).resolve().parent.parent
MODELS = {
    "transformer": ["model=transformer"],
    "hybrid": ["model=hybrid"],
    "none": ["model=rnn", "model/attention=none"],
    "bahdanau": ["model=rnn", "model/attention=bahdanau"],
    "luong general": ["model=rnn", "model/attention=luong"],
    "luong dot": ["model=rnn", "model/attention=luong", "model.attention.score=dot"],
    "luong concat": ["model=rnn", "model/attention=luong", "model.attention.score=concat"],
}
SETTINGS = [
    *("data=files", "debug=fast", "data.limit=300", "data.batch_tokens=400", "seed=3", "trainer.accelerator=cpu"),
    *("search.beam_size=2", "trainer.max_steps=12", "trainer.max_epochs=null", "trainer.val_check_interval=4"),
    "scheduler.warmup_updates=3",
]
SCALARS = ("train/loss", "train/gradient_norm", "train/learning_rate", "val/loss", "val/bleu")
WORDS = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ist", "und", "ock")]


@dataclass(frozen=True)
class Outcome:
    """The results of one training: logged values by tag, weights by name, translations by file name."""

    scalars: dict[str, list[float]]
    weights: dict[str, Tensor]
    translations: dict[str, str]


def compare(old: Path, new: Path, overrides: list[str], folder: Path) -> bool:
    """Train every model with both checkouts, print a line for each, and return whether all are equal."""
    write_corpus(folder / "corpus")
    equal = True
    print(f"{'model':<14} {'losses':<10} {'weights':<10} {'translations':<13} largest difference of a weight")
    for name, words in MODELS.items():
        before, after = (
            outcome(checkout, [*words, *overrides], folder / "corpus", folder / f"{name} {side}".replace(" ", "_"))
            for side, checkout in (("old", old), ("new", new))
        )
        if missing := sorted(before.weights.keys() ^ after.weights.keys()):
            raise UserError(f"{name}: the weights have other names: {', '.join(missing[:8])}")
        largest = max(distance(before.weights[key], value) for key, value in after.weights.items())
        results = [before.scalars == after.scalars, largest == 0.0, before.translations == after.translations]
        shown = ["equal" if result else "DIFFERENT" for result in results]
        print(f"{name:<14} {shown[0]:<10} {shown[1]:<10} {shown[2]:<13} {largest:.3g}", flush=True)
        for tag in SCALARS:
            was, now = before.scalars.get(tag), after.scalars.get(tag)
            if was != now:
                print(f"    {tag}: {was} before, {now} after")
        equal = equal and all(results)
    return equal


def outcome(checkout: Path, overrides: list[str], corpus: Path, folder: Path) -> Outcome:
    """Train with the train.py of `checkout` in `folder` and return the results."""
    own = {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1", "NMT_CACHE": str(folder / "cache")}
    command = [sys.executable, "train.py", *SETTINGS, f"data.path={corpus}", f"hydra.run.dir={folder}", *overrides]
    done = subprocess.run(command, cwd=checkout, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{checkout}: train.py ended with status {done.returncode}: {done.stderr[-800:]}")
    events = EventAccumulator(str(folder))
    events.Reload()
    logged = events.Tags()["scalars"]
    if "train/loss" not in logged:
        raise UserError(f"{checkout}: train.py logged no losses to compare; leave out the settings of the logger")
    payload = torch.load(folder / "checkpoints" / "last.ckpt", map_location="cpu", weights_only=True)
    return Outcome(
        scalars={tag: [event.value for event in events.Scalars(tag)] for tag in SCALARS if tag in logged},
        weights=payload["state_dict"],
        translations={path.name: path.read_text("utf-8") for path in sorted((folder / "translations").glob("*.hyp.*"))},
    )


def distance(one: Tensor, other: Tensor) -> float:
    """Return the largest difference of two weights, infinity if their shapes differ."""
    return float((one - other).abs().max()) if one.shape == other.shape else float("inf")


def write_corpus(folder: Path) -> None:
    """Write train, val and test: random words, and as their translation the same characters in reverse order."""
    folder.mkdir()
    draw = random.Random(1)
    for split, count in (("train", 300), ("val", 40), ("test", 40)):
        sentences = [" ".join(draw.choices(WORDS, k=draw.randint(2, 14))) for _ in range(count)]
        (folder / f"{split}.en").write_text("".join(f"{line}\n" for line in sentences), "utf-8")
        (folder / f"{split}.de").write_text("".join(f"{line[::-1]}\n" for line in sentences), "utf-8")


@contextmanager
def checked_out(revision: str, folder: Path) -> Iterator[Path]:
    """Yield a temporary checkout of a git revision."""
    added = ["git", "-C", str(ROOT), "worktree", "add", "--quiet", "--detach", str(folder), revision]
    done = subprocess.run(added, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{revision}: git cannot check it out: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(folder)], check=True)


@program
def main(arguments: list[str]) -> None:
    """Compare the revisions on the command line. Exits with status 1 if something differs."""
    overrides = [word for word in arguments if "=" in word or word.startswith("~")]
    revisions = [word for word in arguments if word not in overrides]
    if not 1 <= len(revisions) <= 2:
        raise UserError(f"got {len(revisions)} revisions, expected OLD or OLD NEW; see --help")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        found = [stack.enter_context(checked_out(each, folder / str(n))) for n, each in enumerate(revisions)]
        old, new = found if len(found) == 2 else (found[0], ROOT)
        equal = compare(old, new, overrides, folder)
    if not equal:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
