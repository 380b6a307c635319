"""Folders of finished runs, written without any training."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from nmt.system.lines import digest
from nmt.system.run_files import best_checkpoint
from tests.tiny_run import data_config, stack

SCORES = {
    "bleu": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": None},
    "chrf": {"_target_": "nmt.evaluation.metrics.chrf.ChrF"},
    "exact_match": {"_target_": "nmt.evaluation.metrics.exact_match.ExactMatch"},
}
SEARCH = {"_target_": "nmt.search.beam.BeamSearch", "beam_size": 3}


def spoiled(lines: Sequence[str], share: float, seed: int) -> list[str]:
    """Return the lines with this share of their words exchanged."""
    draw = random.Random(seed)
    return [" ".join("x" if draw.random() < share else word for word in line.split()) for line in lines]


def write_run(folder: Path, *, seed: int = 1, layers: int = 2, name: str = "tiny") -> Path:
    """Write config.yaml, metrics.json and an empty checkpoint of a finished run with this seed and size."""
    model = {"encoder": {**stack("Encoder"), "layers": layers}, "decoder": stack("Decoder")}
    config = {"name": name, "seed": seed, "model": model, "scores": SCORES, "data": data_config(folder)}
    config["data"]["path"] = "FOLDER"
    metrics = {"name": name, "seed": seed, "search": SEARCH, "parameters": 1000 * layers}
    metrics |= {"updates": 100, "best_update": 100}
    best_checkpoint(folder).parent.mkdir(parents=True, exist_ok=True)
    best_checkpoint(folder).touch()
    (folder / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    (folder / "metrics.json").write_text(
        json.dumps({**metrics, "wall_seconds": 90.0, "target_tokens_per_second": 2000.0}), "utf-8"
    )
    return folder


def write_translations(
    run: Path,
    sources: Sequence[str],
    references: Sequence[str],
    hypotheses: Sequence[str],
    *,
    label: str = "test.beam3.lp1",
    data: str = "data.path=FOLDER",
    search: Mapping[str, Any] = SEARCH,
    update: int | None = None,
    languages: tuple[str, str] = ("en", "de"),
) -> Path:
    """Write the lines and the score file of an evaluation; return the run."""
    folder = run / "translations"
    folder.mkdir(exist_ok=True)
    source, target = languages
    for name, lines in ((f"src.{source}", sources), (f"hyp.{target}", hypotheses), (f"ref.{target}", references)):
        (folder / f"{label}.{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    facts: dict[str, Any] = {"source_lang": source, "target_lang": target, "sentences": len(sources), "seconds": 2.0}
    facts |= {"scores": {}, "commands": {}} | ({} if update is None else {"update": update})
    facts["data_sha256"] = digest(*languages, *sources, *references)
    (folder / f"{label}.scores.json").write_text(json.dumps({**facts, "data": data, "search": search}), "utf-8")
    return run
