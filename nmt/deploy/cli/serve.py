"""Serve trained models: a page in the browser, and the HTTP interface of LibreTranslate.

  python scripts/serve.py ckpt=RUN_FOLDER_OR_FILE [key=value ...]      (installed: nmt-serve)

{settings}

The server understands what clients of LibreTranslate send: POST /translate, GET /languages and the other requests in
docs/deploying.md. It answers once it has translated a first text with every model. SIGTERM or Ctrl-C ends it after the
requests that it has accepted, and a second Ctrl-C at once. It writes no texts anywhere.

  python scripts/serve.py ckpt=outputs/demo/2026-01-31_12-00-00
  curl -d 'q=A dog runs.' -d source=en -d target=de http://127.0.0.1:5000/translate
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from nmt.cli.arguments import FreeText, PathText, SearchSettings, configured
from nmt.cli.output import print_stderr
from nmt.errors import UserError, missing_packages, one_line
from nmt.parameters import PositiveInt, Range

if TYPE_CHECKING:
    from nmt.deploy.serve.languages import Pair
    from nmt.translation.base import BaseTranslator

KEY = "NMT_API_KEY"  # an environment variable, which other users of the machine cannot read
LOCAL = ("127.0.0.1", "::1", "localhost")  # addresses that no other machine reaches


@dataclass(kw_only=True)
class ServeConfig(SearchSettings):
    """The settings of serve.yaml."""

    ckpt: PathText | list[PathText]
    host: str
    port: Annotated[int, Range(low=0, high=65535)]
    api_key: FreeText | None
    max_characters: PositiveInt
    max_texts: PositiveInt
    max_bytes: PositiveInt
    max_waiting: PositiveInt

    @property
    def key(self) -> str | None:
        """The key that clients have to send; None if they need none."""
        return self.api_key or os.environ.get(KEY) or None

    def contradictions(self) -> Iterator[str]:
        if self.host not in LOCAL and self.key is None:
            yield (
                f"host={self.host}: other machines may reach it, so it needs a key, which clients send as api_key; set "
                f"the variable {KEY}, or api_key=..."
            )
        if missing := missing_packages("starlette", "uvicorn", "python_multipart", "lxml", extra="deploy"):
            yield f"serve: {missing}"


@configured(ServeConfig)
def main(config: ServeConfig) -> None:
    """Run the program. Raises UserError for a mistake in the settings."""
    import uvicorn

    from nmt.deploy.serve.api import SERVER, Api
    from nmt.deploy.serve.languages import Languages
    from nmt.deploy.serve.worker import Worker
    from nmt.system import process

    with listening(config.host, config.port) as listener:
        process.speed_up()
        sys.setswitchinterval(0.0005)  # seconds that a search waits, at each of its products, for a thread that reads
        loaded = translators(config)
        worker = Worker(loaded, ThreadPoolExecutor(1), max_waiting=config.max_waiting)
        limits = config.max_characters, config.max_texts, config.max_bytes
        api = Api(worker, Languages(tuple(loaded)), config.key, *limits)
        logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # it warns of each broken form
        name = f"[{config.host}]" if ":" in config.host else config.host
        pairs = ", ".join(" to ".join(pair) for pair in loaded)
        print_stderr(f"translates {pairs} on http://{name}:{listener.getsockname()[1]}; Ctrl-C ends it")
        uvicorn.Server(uvicorn.Config(api.app(), **SERVER)).run(sockets=[listener])


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address of this machine. Raises UserError if it cannot be had."""
    family, both = socket.AF_INET6 if ":" in host else socket.AF_INET, host == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=both)
    except (OSError, UnicodeError) as error:
        raise UserError(
            f"host={host} port={port}: {one_line(error)}; expected an address of this machine, such as host=127.0.0.1, "
            "and a port that no other program uses"
        ) from error


def translators(config: ServeConfig) -> dict[Pair, BaseTranslator]:
    """Return the translator of each pair of languages. Raises UserError for two models of one pair, and for none."""
    from nmt.translation.loading import direction, directions_of, load

    found: dict[Pair, BaseTranslator] = {}
    for path in [config.ckpt] if isinstance(config.ckpt, str) else config.ckpt:
        engine, allow, search = config.engine, config.allow, config.search
        translator, (model,) = load(path, device=config.device, engine=engine, allow=allow, search=search)
        if translator.languages is None:
            raise UserError(f"ckpt: {path} does not say its languages; save it with data.source_lang and target_lang")
        translator.translate(["1"])  # the first translation takes longer than the others
        only = direction([model.config], config.source_lang, config.target_lang)
        for each in [only] if config.source_lang or config.target_lang else directions_of(model.config):
            source, target = (code.replace("_", "-") for code in each)  # clients write pt-BR
            if (source, target) in found:
                raise UserError(f"ckpt: {path} translates {source} to {target}, as a model before it; leave out one")
            found[source, target] = translator.in_direction(each)
    return found
