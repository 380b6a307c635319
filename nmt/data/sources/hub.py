"""Corpora from the Hugging Face Hub (or a folder laid out like one), through the `datasets` library."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nmt.data.pair import SentencePair
from nmt.data.sources.base import Pairs, Source, note, reader
from nmt.data.sources.files import SPLIT_FILE_NAMES, require_language
from nmt.errors import ParameterError, UserError, one_line

ROWS = 1000  # read at once
HOST, CONNECT_SECONDS = "huggingface.co", 3.0


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
        """Return the data set's splits. They are downloaded, unless they are streamed or in the cache of the client.

        If the Hub is out of reach, only the cache is used. Raises UserError for an unknown data set, configuration or
        revision, for a data set that needs a script, and for one that is neither in the cache nor within reach. Reading
        a split raises UserError for an unknown language, and if the data set has two splits of this kind, such as
        validation and dev.
        """
        dataset = self._load()
        named = {split: [name for name in stems if name in dataset] for split, stems in SPLIT_FILE_NAMES.items()}
        if not any(named.values()):
            raise UserError(
                f"{self._where}: has the splits {', '.join(map(str, dataset))}; expected train, and optionally "
                "validation and test"
            )
        return {split: self._reader(dataset, split, names) for split, names in named.items() if names}

    @property
    def _where(self) -> str:
        settings = {"data.name": self.name, "data.config": self.config, "data.revision": self.revision}
        return " ".join(f"{key}={value}" for key, value in settings.items() if value)

    def _load(self) -> Mapping[str, Any]:
        # The client reads this at import. Without it, loading even a local data set sends a count over the network.
        os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
        import datasets
        import huggingface_hub

        # Offline, the client takes the data set from its cache, or says at once that it is not there.
        if not Path(self.name).exists() and out_of_reach():
            huggingface_hub.constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = True
        if not sys.stderr.isatty():
            datasets.disable_progress_bars()
        with self._client():
            loaded: Mapping[str, Any] = datasets.load_dataset(
                self.name, self.config, revision=self.revision, streaming=self.streaming
            )
        return loaded

    @contextmanager
    def _client(self) -> Iterator[None]:
        """Make a UserError of what the client raises for a wrong name or a failing network."""
        from datasets.exceptions import DatasetsError
        from huggingface_hub.errors import HfHubHTTPError

        try:
            yield
        except (DatasetsError, HfHubHTTPError, ValueError, RuntimeError, OSError) as error:
            message = one_line(error)
            hint = "check data.name, data.config and data.revision"
            if "scripts are no longer supported" in message:
                hint = "it needs a script, which the client refuses; try data.revision=refs/convert/parquet"
            raise UserError(
                f"{self._where}: {message[:300]} ({type(error).__name__}); {hint}, or name a local folder by "
                "data.path= (train.py also has an embedded corpus: experiment=demo)"
            ) from error

    def _reader(self, dataset: Mapping[str, Any], split: str, names: Sequence[str]) -> Pairs:
        where = f"{self._where} ({names[0]})"

        def rows() -> Iterator[Mapping[str, list[Any]]]:
            if len(names) > 1:  # an error only when it is read, because data.val=FILE can replace it
                raise UserError(
                    f"{self._where}: has more than one {split} split: {', '.join(names)}; name a file by data.{split}="
                )
            with self._client():  # a stream reads over the network
                yield from dataset[names[0]].iter(batch_size=ROWS)

        return reader(lambda: read_rows(rows(), *self.languages, where), where)


def out_of_reach() -> bool:
    """Return whether the Hub does not answer. Its client would need 25 seconds to notice.

    With a proxy or another address of the Hub, this cannot be told, and the result is False.
    """
    if any(os.environ.get(name) for name in ("HF_ENDPOINT", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return False
    try:
        socket.create_connection((HOST, 443), CONNECT_SECONDS).close()
    except OSError:
        return True
    return False


def read_rows(
    batches: Iterable[Mapping[str, list[Any]]], source_lang: str, target_lang: str, where: str
) -> Iterator[SentencePair]:
    """Yield the pairs of a split from `batches` of rows. A batch maps the name of a column to its values.

    Rows without text on one side are left out; at the end, a note with their number is logged. Raises UserError for a
    language that the data lacks and for values that are not text.
    """
    left_out, languages = 0, (source_lang, target_lang)
    for columns in batches:
        if "translation" in columns and not {*languages} <= {*columns}:
            texts = [row or {} for row in columns["translation"]]
            if not all(isinstance(row, Mapping) for row in texts):
                raise UserError(
                    f"{where}: the column 'translation' holds no texts by language, as in "
                    '{"en": "a dog", "de": "ein Hund"}; choose another data.name or data.config'
                )
            there = sorted({lang for row in texts for lang in row}) or languages
            columns = {lang: [row.get(lang) for row in texts] for lang in there}
        for lang in languages:
            require_language(lang, columns, where)
        for pair in zip(*(columns[lang] for lang in languages), strict=True):
            if None in pair:
                left_out += 1
            elif all(isinstance(text, str) for text in pair):
                yield SentencePair(*pair)
            else:
                raise UserError(f"{where}: got {pair!r:.60}, expected two texts; choose other language keys")
    if left_out:
        note(f"{where}: left out {left_out:,} rows without text on one side")
