"""Corpora from the Hugging Face Hub (or a folder laid out like one), through the `datasets` library.

Written against the library and tested against local stand-ins of the Hub.
"""

from __future__ import annotations

import http.client
import importlib
import os
import queue
import re
import ssl
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nmt.config.settings import DataConfig
from nmt.data.pair import SentencePair
from nmt.data.sources.files import SPLIT_FILE_NAMES, check_language, splits_to_read
from nmt.errors import UserError

PROBE_SECONDS = 1.5
TRUE_VALUES = ("1", "ON", "YES", "TRUE")  # what the client itself takes for true


def load_hub(config: DataConfig, wanted: Sequence[str], *, say: Callable[[str], None]) -> dict[str, list[SentencePair]]:
    """Return those of the `wanted` splits that `data.name` has, and train if val is wanted and there is none.

    Without a network the client's cache is used; what is not in it raises UserError within about two seconds, where the
    client alone would try for half a minute. Columns are found by language key, or in a `translation` column. Raises
    UserError for an unknown data set, configuration, revision or language, and for data sets that need a script.
    """
    if config.name is None:
        raise UserError("data.name is not set; name a data set of the Hub, as in data.name=Helsinki-NLP/opus_books")
    dataset = _load(config)
    where = _where(config)
    names = {split: name for split, stems in SPLIT_FILE_NAMES.items() for name in stems if name in dataset}
    if not names:
        raise UserError(
            f"{where}: has the splits {', '.join(map(str, dataset))}; expected train, and validation and test if any"
        )
    return {
        split: _pairs(dataset[names[split]], config, f"{where} ({names[split]})", say)
        for split in splits_to_read(wanted, names)
    }


def _where(config: DataConfig) -> str:
    parts = [f"data.name={config.name}"]
    parts += [f"data.config={config.config}"] if config.config else []
    parts += [f"data.revision={config.revision}"] if config.revision else []
    return " ".join(parts)


def _load(config: DataConfig) -> Mapping[str, Any]:
    assert config.name is not None
    # Read when the client is imported; without it, even a local data set calls out for a download counter.
    os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
    offline = False
    if not Path(config.name).is_dir():
        cached = _is_cached(config.name)
        if cached:  # importing the client takes as long as the network may: do both at once
            threading.Thread(target=importlib.import_module, args=("datasets",)).start()
        offline = not _reachable()
        if offline and not cached:
            raise _no_network(config)
    import datasets
    from huggingface_hub.errors import HfHubHTTPError

    mistakes = (datasets.exceptions.DatasetsError, HfHubHTTPError, ValueError, RuntimeError, OSError)
    try:
        with _client(offline):
            loaded: Mapping[str, Any] = datasets.load_dataset(config.name, config.config, revision=config.revision)
            return loaded
    except mistakes as error:
        raise (_no_network(config) if offline else _mistake(config, error)) from error


@contextmanager
def _client(offline: bool) -> Iterator[None]:
    """Keep the client from the network if `offline`, and from drawing progress bars into files."""
    import datasets
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE, datasets.are_progress_bars_disabled()
    constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = offline
    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE = before[:2]
        if not before[2]:
            datasets.enable_progress_bars()


def endpoint() -> str:
    """Return the address of the Hub: HF_ENDPOINT or the public one."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or "https://huggingface.co"


def _told_offline() -> bool:
    return any(os.environ.get(name, "").upper() in TRUE_VALUES for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"))


def _reachable() -> bool:
    """Return whether the Hub answers within PROBE_SECONDS; in a thread, as looking up a name ignores every timeout."""
    if _told_offline():
        return False
    answers: queue.Queue[bool] = queue.Queue()
    threading.Thread(target=lambda: answers.put(_answers(endpoint())), daemon=True).start()
    try:
        return answers.get(timeout=PROBE_SECONDS)
    except queue.Empty:
        return False


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=PROBE_SECONDS):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except (OSError, http.client.HTTPException, ValueError) as error:
        # A certificate that only the client can check (it has its own list) still means that somebody is there.
        return isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError)


def _is_cached(name: str) -> bool:
    """Return whether the client may have cached this data set; it decides itself whether it has what is asked for."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{cache}/huggingface"
    root = Path(os.path.expanduser(os.environ.get("HF_DATASETS_CACHE") or f"{home}/datasets"))
    # Its folders are called namespace___data_set, the latter in snake case.
    return root.is_dir() and any(_plain(entry.name) == _plain(name) for entry in root.iterdir() if entry.is_dir())


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _no_network(config: DataConfig) -> UserError:
    why = "HF_HUB_OFFLINE is set" if _told_offline() else f"no answer from {endpoint()}"
    return UserError(
        f"{_where(config)}: {why} and it is not in the cache; name a local folder by data.path=, or train on the "
        "embedded corpus by experiment=demo"
    )


def _mistake(config: DataConfig, error: Exception) -> UserError:
    message = " ".join(str(error).split())
    hint = "check data.name, data.config and data.revision"
    if "scripts are no longer supported" in message:
        hint = "it loads by a script, which the client refuses; try data.revision=refs/convert/parquet, or data.path="
    return UserError(f"{_where(config)}: {message[:300]} ({type(error).__name__}); {hint}")


def _pairs(dataset: Any, config: DataConfig, where: str, say: Callable[[str], None]) -> list[SentencePair]:
    """Return the pairs of one split; rows without text on a side are left out and counted."""
    languages = (config.source_lang, config.target_lang)
    columns = dataset.column_names
    if "translation" in columns and not all(lang in columns for lang in languages):
        rows = dataset["translation"]
        known = sorted({key for row in rows[:1] for key in row})
        for lang in languages:
            check_language(lang, known, where)
        texts = [(row[config.source_lang], row[config.target_lang]) for row in rows]
    else:
        for lang in languages:
            check_language(lang, columns, where)
        texts = list(zip(dataset[config.source_lang], dataset[config.target_lang], strict=True))
    return _checked(texts, where, say)


def _checked(texts: list[tuple[Any, Any]], where: str, say: Callable[[str], None]) -> list[SentencePair]:
    pairs = []
    for row, (source, target) in enumerate(texts):
        if source is None or target is None:
            continue
        if not (isinstance(source, str) and isinstance(target, str)):
            got = source if not isinstance(source, str) else target
            raise UserError(f"{where}: row {row} holds {type(got).__name__}, expected text; choose other language keys")
        pairs.append(SentencePair(source, target))
    if len(pairs) < len(texts):
        say(f"{where}: left out {len(texts) - len(pairs):,} rows without text on one side")
    if not pairs:
        raise UserError(f"{where}: empty corpus; expected at least one sentence pair")
    return pairs
