"""What differs between the jobs of a multirun: the columns of its table, and the names of its folders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

SEED = "seed"  # jobs that differ only in this setting are runs of one system
LONGEST_VALUE, LONGEST_NAME = 30, 150  # characters, and bytes of UTF-8: file systems allow 255 bytes


def differences(jobs: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return for each job the settings whose values differ between the jobs, under short names.

    `jobs` holds the overrides of each job (key=value). The short name of `model/attention` is `attention`, unless
    another of these settings ends in the same word. Only `seed` itself is called so, not `data.seed`.
    """
    settings = [dict(_parted(word) for word in words) for words in jobs]
    keys = list(dict.fromkeys(key for each in settings for key in each))
    differing = [key for key in keys if len({each.get(key) for each in settings}) > 1]
    last = [re.split("[/.@]", key)[-1] for key in differing]
    unclear = {name for name in last if last.count(name) > 1} | {SEED}
    names = {key: key if name in unclear else name for key, name in zip(differing, last, strict=True)}
    return [{names[key]: each.get(key, "") for key in differing} for each in settings]


def common(jobs: Sequence[Sequence[str]]) -> list[str]:
    """Return the overrides that all jobs have."""
    return [word for word in jobs[0] if all(word in words for words in jobs)]


def folder_name(number: int, settings: Mapping[str, str]) -> str:
    """Return the name of a job's folder: "3_attention=luong,seed=2". TensorBoard shows it as the name of the run."""
    parts = [f"{_plain(key)}={_plain(value)[:LONGEST_VALUE]}" for key, value in settings.items()]
    label = ",".join(parts).encode()[:LONGEST_NAME].decode(errors="ignore")
    return f"{number}_{label}" if label else str(number)


def _parted(word: str) -> tuple[str, str]:
    key, _, value = word.partition("=")
    return key.lstrip("+"), value


def _plain(text: str) -> str:
    """Return `text` without characters that are special in paths, shells or Hydra's grammar."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")
