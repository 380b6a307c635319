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
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message

from nmt.deploy.serve.languages import Languages
from nmt.deploy.serve.translation import ask_of, texts_of, translated
from nmt.deploy.serve.worker import Worker
from nmt.errors import UserError
from nmt.text.languages import english_name

logger = logging.getLogger(__name__)

PAGE = Path(__file__).resolve().parent / "page"
WITHOUT_FILES = {"filesTranslation": False, "frontendTimeout": 500, "suggestions": False, "supportedFilesFormat": []}
MOST_FIELDS = 20  # of a form
CLOSED_SECONDS = 0.5  # between two checks whether a client has gone
NO_KEY = "Please contact the server operator to get an API key"
UNREADABLE = "The browser (or proxy) sent a request that this server could not understand."
FAILED = "The server encountered an internal error and was unable to complete your request."


@dataclass(frozen=True)
class Api:
    """The application that answers requests. `key` is None if everybody may translate.

    A request has at most `max_bytes`, and `max_texts` texts of at most `max_characters`.
    """

    worker: Worker
    languages: Languages
    key: str | None
    max_characters: int
    max_texts: int
    max_bytes: int

    def app(self) -> Starlette:
        """Return the application."""
        codes, targets = self.languages.codes, self.languages.targets
        target = {"code": self.languages.pairs[0][1], "name": english_name(self.languages.pairs[0][1])}
        chosen = {"source": {"code": "auto", "name": "Auto Detect"}, "target": target}
        key = {"apiKeys": self.key is not None, "keyRequired": self.key is not None}
        settings = {**WITHOUT_FILES, **key, "charLimit": self.max_characters, "language": chosen}
        languages = [{"code": code, "name": english_name(code), "targets": targets(code)} for code in codes]
        routes = [
            Route("/translate", _answering(self._translate), methods=["POST"]),
            Route("/detect", _answering(self._detect), methods=["POST"]),
            Route("/languages", JSONResponse(languages)),
            Route("/health", JSONResponse({"status": "ok"})),
            Route("/frontend/settings", JSONResponse(settings)),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ]
        cors = Middleware(CORSMiddleware, allow_origins=["*"], allow_headers=["*"], max_age=1_728_000)
        return Starlette(routes=routes, middleware=[cors])

    async def _translate(self, request: Request) -> dict[str, Any]:
        fields = await self._fields(request)
        texts = texts_of(fields, self.max_characters, self.max_texts)
        ask = await asyncio.to_thread(ask_of, fields, texts, self.languages)  # a glossary may take a second
        return await _unless_closed(request, translated(ask, self.worker, self.languages))

    async def _detect(self, request: Request) -> list[dict[str, Any]]:
        texts = texts_of(await self._fields(request), self.max_characters, self.max_texts)
        return [await asyncio.to_thread(self.languages.detect, "\n".join(texts))]

    async def _fields(self, request: Request) -> dict[str, Any]:
        """Return the fields of a request whose key is right."""
        fields = await fields_of(request, self.max_bytes)
        if self.key is not None:
            if not fields.get("api_key"):
                raise HTTPException(400, NO_KEY)
            if not hmac.compare_digest(str(fields["api_key"]).encode(), self.key.encode()):
                raise HTTPException(403, "Invalid API key")
        return fields


async def fields_of(request: Request, max_bytes: int) -> dict[str, Any]:
    """Return the fields of a request: of JSON, or else of a form and of the address.

    The time for a body grows with its length and no faster. Raises HTTPException as soon as `max_bytes` are exceeded.
    """
    receive, left = request.receive, max_bytes

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, f"Invalid request: body exceeds limit ({max_bytes} bytes)")
        return message

    request = Request(request.scope, bounded)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    pairs = request.query_params.multi_items()
    try:
        if kind == "application/json":
            fields = await asyncio.to_thread(json.loads, await request.body())
            if not isinstance(fields, dict):
                raise HTTPException(400, "Invalid JSON format")
            json.dumps(fields, ensure_ascii=False).encode()  # ValueError for half of a character (a lone surrogate)
            return fields
        if kind == "application/x-www-form-urlencoded":
            # Not request.form(), which takes the letters of a program like curl, which are UTF-8, for Latin-1.
            text = (await request.body()).decode("utf-8", "replace")
            own = await asyncio.to_thread(parse_qsl, text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
            pairs = own + pairs
        elif kind == "multipart/form-data":
            form = await request.form(max_files=0, max_fields=MOST_FIELDS, max_part_size=max_bytes)
            pairs = [(name, str(value)) for name, value in form.multi_items()] + pairs
    except (ValueError, RecursionError, ClientDisconnect):
        raise HTTPException(400, UNREADABLE) from None
    return dict(reversed(pairs))  # of several with one name, the first counts


async def _unless_closed(request: Request, answer: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """Return the answer, or stop the work on it when the client has gone."""
    work = asyncio.create_task(answer)
    while not (await asyncio.wait([work], timeout=CLOSED_SECONDS))[0]:
        if await request.is_disconnected():
            work.cancel()
            raise HTTPException(499, "The client has closed the connection.")
    return work.result()


def _answering(handler: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that answers with the JSON that `handler` returns, or with why there is none."""

    async def route(request: Request) -> Response:
        try:
            return JSONResponse(await handler(request))
        except HTTPException as refusal:
            return JSONResponse({"error": refusal.detail}, refusal.status_code)
        except UserError as error:
            return JSONResponse({"error": f"Invalid request: {error}"}, 400)
        except Exception as error:
            logger.error(f"{request.url.path}: {type(error).__name__}")  # its message may quote the text
            return JSONResponse({"error": FAILED}, 500)

    return route
