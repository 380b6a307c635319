"""Serve trained models: a page in the browser, and the HTTP interface of LibreTranslate.

  python scripts/serve.py ckpt=RUN_FOLDER_OR_FILE [key=value ...]      (installed: nmt-serve)

{settings}

The server understands what clients of LibreTranslate send: POST /translate, GET /languages and the others of
docs/deploying.md. It answers once it has translated a first text with every model. SIGTERM or Ctrl-C ends it after the
requests that it has accepted, and a second one at once. It writes no texts anywhere.

  python scripts/serve.py ckpt=outputs/demo/2026-01-31_12-00-00
  curl -d 'q=A dog runs.' -d source=en -d target=de http://127.0.0.1:5000/translate
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from nmt.cli.arguments import FreeText, PathText, SearchSettings, configured
from nmt.cli.engine import load
from nmt.cli.output import print_stderr
from nmt.errors import UserError, missing_packages
from nmt.parameters import PositiveInt, Range

if TYPE_CHECKING:
    from nmt.deploy.serve.waiting import Pair
    from nmt.translation.base import BaseTranslator

KEY = "NMT_API_KEY"  # a variable of the environment, which other users of the machine do not see


@dataclass(kw_only=True)
class ServeConfig(SearchSettings):
    """The settings of serve.yaml."""

    opens_exported = True
    ckpt: PathText | list[PathText]
    host: str
    port: Annotated[int, Range(low=0, high=65535)]
    api_key: FreeText | None
    max_characters: PositiveInt
    max_texts: PositiveInt
    max_sentences: PositiveInt
    max_bytes: PositiveInt
    max_wait: Annotated[float, Range(above=0)]

    @property
    def key(self) -> str | None:
        """The key that clients have to send; None if they need none."""
        return self.api_key or os.environ.get(KEY) or None

    def contradictions(self) -> Iterator[str]:
        if not _is_local(self.host) and self.key is None:
            yield (
                f"host={self.host}: other machines may reach it, so it needs a key, which clients send as api_key; set "
                f"the variable {KEY}, or api_key=..."
            )
        if missing := missing_packages("starlette", "uvicorn", "python_multipart", extra="deploy"):
            yield f"serve: {missing}"


@configured(ServeConfig)
def main(config: ServeConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    from nmt.deploy.serve.api import Api
    from nmt.deploy.serve.languages import Languages
    from nmt.deploy.serve.request import Limits
    from nmt.deploy.serve.server import bound, serve
    from nmt.deploy.serve.worker import Worker
    from nmt.system import process

    with bound(config.host, config.port) as listener:
        process.speed_up()
        process.allow_many_files()
        # Torch starts helper threads for each thread that computes, and they end with it. If the main thread loaded the
        # models, its helpers and those of the worker would be more than the cores: a batch took 1.7 times as long.
        with ThreadPoolExecutor(1) as loader:
            loaded = loader.submit(translators, config).result()
        worker = Worker(loaded, max_wait=config.max_wait)
        worker.warm_up()
        limits = Limits(config.max_characters, config.max_texts, config.max_sentences, config.max_bytes)
        languages = Languages(worker.pairs)
        api = Api(worker, languages, limits, config.key)
        name = f"[{config.host}]" if ":" in config.host else config.host
        pairs = ", ".join(" to ".join(pair) for pair in worker.pairs)
        listener.listen()  # before the message, so that whoever reads it can connect
        message = f"translates {pairs} on http://{name}:{listener.getsockname()[1]}; Ctrl-C ends it"
        serve(api.app(), listener, lambda: print_stderr(message), worker.close)


def translators(config: ServeConfig) -> dict[Pair, BaseTranslator]:
    """Return the translator of each pair. Raises UserError for a model of unknown languages, and for two of a pair."""
    from nmt.deploy.serve.languages import tag

    found: dict[Pair, BaseTranslator] = {}
    paths: dict[Pair, str] = {}
    for path in [config.ckpt] if isinstance(config.ckpt, str) else config.ckpt:
        translator, _ = load(path, device=config.device, allow=config.allow, search=config.search)
        if translator.languages is None:
            raise UserError(f"ckpt: {path} does not say its languages; save it with data.source_lang and target_lang")
        pair = tag(translator.languages[0]), tag(translator.languages[1])
        if pair in paths:
            raise UserError(f"ckpt: {paths[pair]} and {path} both translate {' to '.join(pair)}; leave out one of them")
        found[pair], paths[pair] = translator, path
    return found


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
