"""Corpora from the Hugging Face Hub (or a folder laid out like one), through the `datasets` library.

The tests use the real library with a local server in place of the Hub.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from nmt.data.pair import SentencePair
from nmt.data.sources.base import Pairs, Source, reader
from nmt.data.sources.files import SPLIT_FILE_NAMES, check_language
from nmt.errors import ParameterError, UserError, one_line

CONNECT_SECONDS = 3.0  # to wait for a connection to the Hub; the client alone would try for half a minute or longer
ROWS = 1000  # read at once
TRUE_VALUES = ("1", "ON", "YES", "TRUE")  # values that the client reads as true


class Hub(Source):
    """A data set of the Hub that needs no loading script; the languages are its columns, or keys of `translation`."""

    def __init__(
        self,
        *,
        source_lang: str,
        target_lang: str,
        name: str | None,
        config: str | None = None,
        revision: str | None = None,
        streaming: bool = False,
    ) -> None:
        """Take the data set's `name` (or a local folder), its configuration and its commit, branch or tag.

        With `streaming`, nothing is downloaded in advance or kept on disk: each pass reads the rows over the network.
        """
        if name is None:
            raise ParameterError(
                "name", "not given; name a data set of the Hub (data.name=...), or local files (data.path=FOLDER)"
            )
        self.languages = source_lang, target_lang
        self.name, self.config, self.revision, self.streaming = name, config, revision, streaming

    def origin(self, split: str) -> str:
        return f"the Hub's {self.name}"

    def splits(self) -> Mapping[str, Pairs]:
        """Return the data set's splits, downloaded unless they are in the client's cache or streamed.

        Without a network the cache is used. Raises UserError for a data set that is not in it, for an unknown data set,
        configuration, revision or language, and for data sets that need a script. If the data set has two splits of one
        kind, such as validation and dev, reading this kind raises UserError.
        """
        dataset = self._load()
        names = {split: [name for name in stems if name in dataset] for split, stems in SPLIT_FILE_NAMES.items()}
        if not any(names.values()):
            raise UserError(
                f"{self._where}: has the splits {', '.join(map(str, dataset))}; expected train, and optionally "
                "validation and test"
            )
        return {split: self._reader(dataset, split, found) for split, found in names.items() if found}

    @property
    def _where(self) -> str:
        settings = {"data.name": self.name, "data.config": self.config, "data.revision": self.revision}
        return " ".join(f"{key}={value}" for key, value in settings.items() if value)

    def _load(self) -> Mapping[str, Any]:
        # The client reads this at import. Without it, loading even a local data set sends a count over the network.
        os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
        offline = not Path(self.name).is_dir() and not _reachable()
        if offline and self.streaming:
            raise self._no_network("data.streaming=true reads over the network")
        import datasets

        try:
            with _client(offline):
                loaded: Mapping[str, Any] = datasets.load_dataset(
                    self.name, self.config, revision=self.revision, streaming=self.streaming
                )
                return loaded
        except _client_errors() as error:
            raise (self._no_network("it is not in the cache") if offline else self._mistake(error)) from error

    def _no_network(self, problem: str) -> UserError:
        reason = "HF_HUB_OFFLINE is set" if _told_offline() else f"no answer from {endpoint()}"
        return UserError(
            f"{self._where}: {reason} and {problem}; name a local folder by data.path= (train.py "
            "also has an embedded corpus: experiment=demo)"
        )

    def _mistake(self, error: Exception) -> UserError:
        message = one_line(error)
        hint = "check data.name, data.config and data.revision"
        if "scripts are no longer supported" in message:
            hint = "it needs a script, which the client refuses; try data.revision=refs/convert/parquet, or data.path="
        return UserError(f"{self._where}: {message[:300]} ({type(error).__name__}); {hint}")

    def _reader(self, dataset: Mapping[str, Any], split: str, names: Sequence[str]) -> Pairs:
        where = f"{self._where} ({names[0]})"

        def rows() -> Iterator[Mapping[str, list[Any]]]:
            if len(names) > 1:  # an error only when it is read, because data.val=FILE can replace it
                raise UserError(
                    f"{self._where}: has more than one {split} split: {', '.join(names)}; name a file by data.{split}="
                )
            try:
                yield from dataset[names[0]].iter(batch_size=ROWS)
            except _client_errors() as error:  # a stream reads over the network
                raise self._mistake(error) from error

        return reader(lambda note: read_rows(rows(), *self.languages, where, note), where)


def read_rows(
    batches: Iterable[Mapping[str, list[Any]]],
    source_lang: str,
    target_lang: str,
    where: str,
    note: Callable[[str], None],
) -> Iterator[SentencePair]:
    """Yield the pairs of a split from `batches` of rows. A batch maps the name of a column to its values.

    Rows without text on one side are left out; at the end, `note` gets a message with their number. Raises UserError
    for a language that the data lacks and for values that are not text.
    """
    first, left_out, languages = 0, 0, (source_lang, target_lang)
    for batch in batches:
        columns = batch
        if "translation" in batch and not all(lang in batch for lang in languages):
            rows = [{} if row is None else row for row in batch["translation"]]
            wrong = next((row for row in rows if not isinstance(row, Mapping)), None)
            if wrong is not None:
                raise UserError(
                    f"{where}: the column 'translation' holds {type(wrong).__name__}, expected a text for each "
                    'language, as in {"en": "a dog", "de": "ein Hund"}; choose another data.name or data.config'
                )
            there = sorted({lang for row in rows for lang in row}) or languages
            columns = {lang: [row.get(lang) for row in rows] for lang in there}
        for lang in languages:
            check_language(lang, columns, where)
        for row, texts in enumerate(zip(*(columns[lang] for lang in languages), strict=True), first):
            if None in texts:
                left_out += 1
                continue
            wrong = next((text for text in texts if not isinstance(text, str)), None)
            if wrong is not None:
                raise UserError(
                    f"{where}: row {row} holds {type(wrong).__name__}, expected text; choose other language keys"
                )
            yield SentencePair(*texts)
        first += len(columns[source_lang])
    if left_out:
        note(f"{where}: left out {left_out:,} rows without text on one side")


# The client and the network


def _client_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that the client raises for a wrong name or a failing network."""
    from datasets.exceptions import DatasetsError
    from huggingface_hub.errors import HfHubHTTPError

    return DatasetsError, HfHubHTTPError, ValueError, RuntimeError, OSError


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
    """Return whether the Hub takes a connection. Behind a proxy, only the client can tell."""
    if _told_offline():
        return False
    address = urlsplit(endpoint())
    if address.scheme in getproxies():
        return True
    try:
        socket.create_connection((address.hostname, address.port or 443), CONNECT_SECONDS).close()
    except (OSError, ValueError):
        return False
    return True
