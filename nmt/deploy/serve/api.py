"""The HTTP interface: that of LibreTranslate, with its addresses, fields, statuses and words, and a page at /.

docs/deploying.md says what is the same and what is not.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from nmt.deploy.serve.languages import Languages
from nmt.deploy.serve.request import Limits, ask_of, fields_of, texts_of
from nmt.deploy.serve.translation import translated
from nmt.deploy.serve.worker import Worker
from nmt.errors import UserError
from nmt.languages import english_name

logger = logging.getLogger(__name__)

PAGE = Path(__file__).resolve().parent / "page"
NO_KEY = "Please contact the server operator to get an API key"
FAILED = "The server encountered an internal error and was unable to complete your request."

Handler = Callable[[Request], Awaitable[Any]]


@dataclass(frozen=True)
class Api:
    """What answers requests. `key` is None if everybody may translate."""

    worker: Worker
    languages: Languages
    limits: Limits
    key: str | None

    def app(self) -> Starlette:
        """Return the application."""
        codes, targets = self.languages.codes, self.languages.targets
        target = self.languages.pairs[0][1]
        settings = {
            "apiKeys": self.key is not None,
            "charLimit": self.limits.characters,
            "filesTranslation": False,
            "frontendTimeout": 500,
            "keyRequired": self.key is not None,
            "language": {
                "source": {"code": "auto", "name": "Auto Detect"},
                "target": {"code": target, "name": english_name(target)},
            },
            "suggestions": False,
            "supportedFilesFormat": [],
        }
        languages = [{"code": code, "name": english_name(code), "targets": targets(code)} for code in codes]
        routes = [
            Route("/translate", _answering(self._translate), methods=["POST"]),
            Route("/detect", _answering(self._detect), methods=["POST"]),
            Route("/languages", _json(languages)),
            Route("/health", _json({"status": "ok"})),
            Route("/frontend/settings", _json(settings)),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ]
        cors = Middleware(CORSMiddleware, allow_origins=["*"], allow_headers=["*"], max_age=1_728_000)
        return Starlette(routes=routes, middleware=[cors], exception_handlers={HTTPException: _refused})

    async def _translate(self, request: Request) -> dict[str, Any]:
        fields = await self._fields(request)
        ask = await asyncio.to_thread(ask_of, fields, self.languages, self.limits)  # a glossary may take a second
        return await _unless_closed(request, translated(ask, self.worker, self.languages, self.limits.sentences))

    async def _detect(self, request: Request) -> list[dict[str, Any]]:
        texts = texts_of(await self._fields(request), self.limits)
        return [await asyncio.to_thread(self.languages.detect, "\n".join(texts))]

    async def _fields(self, request: Request) -> dict[str, Any]:
        """Return the fields of a request whose key is right."""
        fields = await fields_of(request, self.limits.body)
        if self.key is not None:
            given = fields.get("api_key")
            if not given:
                raise HTTPException(400, NO_KEY)
            if not hmac.compare_digest(str(given).encode("utf-8", "replace"), self.key.encode()):
                raise HTTPException(403, "Invalid API key")
        return fields


async def _unless_closed(request: Request, answer: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Return the answer, or stop the work on it when the client has gone."""
    work, closed = asyncio.create_task(answer), asyncio.create_task(_closed(request))
    await asyncio.wait([work, closed], return_when=asyncio.FIRST_COMPLETED)
    closed.cancel()
    if not work.done():
        work.cancel()
        raise HTTPException(499)  # nobody reads it
    return work.result()


async def _closed(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answering(handler: Handler) -> Handler:
    """Return a route that answers with the JSON that `handler` returns, or with why there is none."""

    async def route(request: Request) -> Response:
        try:
            return _json(await handler(request))
        except HTTPException:
            raise
        except UserError as error:
            raise HTTPException(400, f"Invalid request: {error}") from None
        except Exception as error:
            logger.error(f"{request.url.path}: {type(error).__name__}")  # its message may quote the text
            raise HTTPException(500, FAILED) from None

    return route


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, HTTPException)
    return _json({"error": refusal.detail}, refusal.status_code)


def _json(content: Any, status: int = 200) -> Response:
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    # A message may quote half of a character (a lone surrogate), which has no code in UTF-8.
    return Response(body.encode("utf-8", "replace"), status, media_type="application/json")
