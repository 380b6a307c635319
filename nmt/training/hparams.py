"""Settings and final scores of a run for TensorBoard's tab HPARAMS, which compares runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

GROUPS = ("model", "objective", "optimizer", "scheduler", "search", "tokenizer", "data", "trainer")


def write_hparams(folder: Path, config: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    """Write the settings of a run and its final scores as TensorBoard events in `folder`.

    `config` is the resolved config and `metrics` the content of metrics.json. The scores get names such as
    `final/test_bleu`. The tab has a column for each setting and each score, and says which settings differ. If the disk
    fails, this is logged.
    """
    from torch.utils.tensorboard.summary import hparams

    from nmt.system.events import Events

    settings = {"name": config["name"], "seed": config["seed"]}
    for group in GROUPS:
        settings |= _flat(config[group], group)
    for copy in [key for key in settings if key.replace("model.decoder.", "model.", 1) in settings.keys() - {key}]:
        del settings[copy]  # as model.decoder.attention, which is ${model.attention}
    # The first of these summaries fixes the columns for all runs in the tab; without it they come from every run.
    _, start, end = hparams(settings, {})  # type: ignore[no-untyped-call]
    with Events(folder, required=False) as writer:
        writer.file_writer.add_summary(start)
        writer.file_writer.add_summary(end)
        for name, value in _scores(metrics):
            writer.add_scalar(f"final/{name}", value, metrics["best_update"])


def _scores(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for split in ("val", "test"):
        for name, entry in metrics.get(split, {}).items():
            yield f"{split}_{name}", entry["value"]
    yield "parameters", metrics["parameters"]
    yield "minutes", metrics["wall_seconds"] / 60


def _flat(node: Any, key: str) -> dict[str, Any]:
    """Return the values below `node` under their dotted keys; a node with a class has the class's name as its value."""
    if not isinstance(node, Mapping):
        return {key: node if isinstance(node, bool | int | float | str) else str(node)}
    flat: dict[str, Any] = {}
    for name, value in node.items():
        if name == "_target_":
            flat[key] = value.rpartition(".")[2]
        elif name != "_partial_":
            flat |= _flat(value, f"{key}.{name}")
    return flat
