"""Corpora from the Hugging Face Hub (or a folder laid out like one), through the `datasets` library."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nmt.data.sources.base import SPLIT_FILE_NAMES, Pairs, Row, Source, reader, text_of
from nmt.errors import ParameterError, UserError, one_line

SAVED = ("dataset_dict.json", "state.json")  # in a folder that save_to_disk of `datasets` wrote


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
        strict: bool = False,
    ) -> None:
        """Take the data set's `name` (or a local folder), its configuration and its commit, branch or tag.

        With `streaming`, each pass reads over the network and keeps nothing. With `strict`, a bad row is an error.
        """
        if name is None:
            raise ParameterError("name", "not given; name a data set (data.name=...) or local files (data.path=FOLDER)")
        self.languages, self.strict = (source_lang, target_lang), strict
        self.name, self.config, self.revision, self.streaming = name, config, revision, streaming

    def origin(self, split: str) -> str:
        return f"the Hub's {self.name}"

    def splits(self) -> Mapping[str, Pairs]:
        """Return the data set's splits. They are downloaded, unless they are streamed or in the cache of the client.

        If the Hub is out of reach, only the cache is used. Raises UserError for an unknown data set, configuration or
        revision, for a data set that needs a script, and for one that is neither in the cache nor within reach. Reading
        a split raises UserError for an unknown language. Of validation and dev, the first in `SPLIT_FILE_NAMES` counts.
        """
        dataset = self._load()
        named = {split: [name for name in stems if name in dataset] for split, stems in SPLIT_FILE_NAMES.items()}
        if not any(named.values()):
            there = ", ".join(map(str, dataset))
            raise UserError(f"{self._where}: has the splits {there}; expected train, and perhaps validation and test")
        return {split: self._reader(dataset, names[0]) for split, names in named.items() if names}

    @property
    def _where(self) -> str:
        settings = {"data.name": self.name, "data.config": self.config, "data.revision": self.revision}
        return " ".join(f"{key}={value}" for key, value in settings.items() if value)

    def _load(self) -> Mapping[str, Any]:
        # The client reads this at import. Without it, loading even a local data set sends a count over the network.
        os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
        import datasets

        if not sys.stderr.isatty():
            datasets.disable_progress_bars()
        with self._client():
            if any((Path(self.name) / file).is_file() for file in SAVED):
                loaded = datasets.load_from_disk(self.name)
            else:
                options = {"revision": self.revision, "streaming": self.streaming}
                loaded = datasets.load_dataset(self.name, self.config, **options)
        return loaded if isinstance(loaded, Mapping) else {"train": loaded}

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

    def _reader(self, dataset: Mapping[str, Any], name: str) -> Pairs:
        where = f"{self._where} ({name})"

        def rows() -> Iterator[Row]:
            with self._client():  # a stream reads over the network
                one, other = self.languages
                batches = dataset[name].iter(batch_size=1000)  # row by row, it would be 25 times slower
                values = ((batch, row) for batch in batches for row in zip(*batch.values(), strict=True))
                for number, (columns, row) in enumerate(values, 1):
                    texts = dict(zip(columns, row, strict=True))
                    yield number, text_of(texts, one), text_of(texts, other)

        return reader(rows, where, strict=self.strict)
