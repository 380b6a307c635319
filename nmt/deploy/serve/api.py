"""The HTTP interface: that of LibreTranslate, with its addresses, fields, statuses and words, and a page at /.

docs/deploying.md says what is the same and what is not.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from python_multipart.multipart import Field, File, create_form_parser
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from nmt.deploy.page import page
from nmt.deploy.serve.languages import Languages
from nmt.deploy.serve.translation import ask_of, texts_of, translated
from nmt.deploy.serve.worker import Worker, apart
from nmt.errors import UserError
from nmt.text.languages import english_name

logger = logging.getLogger(__name__)

WITHOUT_FILES = {"filesTranslation": False, "frontendTimeout": 500, "suggestions": False, "supportedFilesFormat": []}
MOST_FIELDS = 20  # of a form
BODY_SECONDS = 5  # the longest time until a body is there
CLOSED_SECONDS = 0.5  # between two checks whether a client has gone
UNREADABLE = "The browser (or proxy) sent a request that this server could not understand."
FAILED = "The server encountered an internal error and was unable to complete your request."


# Settings that uvicorn would choose by the packages and variables that it finds, or limits that it would not set.
SERVER: dict[str, Any] = {"http": "h11", "loop": "asyncio", "ws": "none", "lifespan": "off", "workers": 1}
SERVER |= {"log_config": None, "log_level": "error", "access_log": False}  # errors alone, and no addresses of clients
SERVER |= {"proxy_headers": False, "server_header": False, "limit_concurrency": 1000}  # connections; more get a 503
SERVER |= {"timeout_graceful_shutdown": 60}  # seconds for the accepted requests, after the server was told to stop


@dataclass(frozen=True)
class Api:
    """The application that answers requests. `key` is None if everybody may translate.

    A request has at most `max_bytes`, and `max_texts` texts which have, with its terms, at most `max_characters`.
    """

    worker: Worker
    languages: Languages
    key: str | None
    max_characters: int
    max_texts: int
    max_bytes: int

    def app(self) -> Starlette:
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
            Route("/", HTMLResponse(page())),
        ]
        everyone: dict[str, Any] = {"allow_origins": "*", "allow_headers": "*", "allow_methods": ["GET", "POST"]}
        return Starlette(routes=routes, middleware=[Middleware(CORSMiddleware, **everyone, max_age=1_728_000)])

    async def _translate(self, request: Request) -> dict[str, Any]:
        """Return the answer, or stop the work on it when the client has gone."""
        work = asyncio.create_task(self._answer(await self._fields(request)))
        while not (await asyncio.wait([work], timeout=CLOSED_SECONDS))[0]:
            if await request.is_disconnected():
                work.cancel()
                raise HTTPException(499, "The client has closed the connection.")
        return work.result()

    async def _answer(self, fields: dict[str, Any]) -> dict[str, Any]:
        texts = texts_of(fields, self.max_characters, self.max_texts)
        size = self.max_characters if fields.get("terms") else 0
        ask = await apart(size, partial(ask_of, fields, texts, self.languages))
        return await translated(ask, self.worker, self.languages)

    async def _detect(self, request: Request) -> list[dict[str, Any]]:
        text = "\n".join(texts_of(await self._fields(request), self.max_characters, self.max_texts))
        return [await apart(len(text), partial(self.languages.detect, text))]

    async def _fields(self, request: Request) -> dict[str, Any]:
        """Return the fields of a request: those of JSON, or else those of a form and of the address.

        Raises HTTPException for a wrong key, and for a body that cannot be read, is too large or does not come in time.
        """
        body, kind, address = bytearray(), request.headers.get("content-type", ""), request.query_params.multi_items()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > self.max_bytes:
                        raise HTTPException(413, f"Invalid request: body exceeds limit ({self.max_bytes} bytes)")
            fields = await apart(len(body), partial(_parsed, bytes(body), kind, address))
        except TimeoutError:
            late = "Invalid request: its body did not come in time"
            raise HTTPException(408, late, {"connection": "close"}) from None
        except (ValueError, RecursionError, ClientDisconnect):
            raise HTTPException(400, UNREADABLE) from None
        if self.key is not None:
            if not fields.get("api_key"):
                raise HTTPException(400, "Please contact the server operator to get an API key")
            if not hmac.compare_digest(str(fields["api_key"]).encode(), self.key.encode()):
                raise HTTPException(403, "Invalid API key")
        return fields


def _parsed(body: bytes, content_type: str, address: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the fields of a body, in a time that grows as its length does. Raises ValueError for a broken body."""
    kind, pairs = content_type.partition(";")[0].strip().lower(), list[tuple[str, str]]()
    if kind == "application/json":
        fields = json.loads(body)
        if not isinstance(fields, dict):
            raise HTTPException(400, "Invalid JSON format")
        json.dumps(fields, ensure_ascii=False).encode()  # ValueError for half of a character (a lone surrogate)
        return fields
    if kind == "application/x-www-form-urlencoded":
        # Not python-multipart, which takes the letters of a program like curl, which are UTF-8, for Latin-1.
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    elif kind == "multipart/form-data":

        def add(field: Field | File) -> None:
            if isinstance(field, File) or len(pairs) == MOST_FIELDS:
                raise ValueError("a file, or too many fields")
            name, value = field.field_name or b"", field.value or b""
            pairs.append((name.decode("utf-8", "replace"), value.decode("utf-8", "replace")))

        limits = {"MAX_MEMORY_FILE_SIZE": len(body)}  # no file on disk
        create_form_parser({"Content-Type": content_type.encode()}, add, add, limits).write(body)
    return dict(reversed(pairs + address))  # of several with one name, the first counts


def _answering(handler: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that answers with the JSON that `handler` returns, or with why there is none."""

    async def route(request: Request) -> Response:
        try:
            return JSONResponse(await handler(request))
        except HTTPException as refusal:
            return JSONResponse({"error": refusal.detail}, refusal.status_code, refusal.headers)
        except UserError as error:
            return JSONResponse({"error": f"Invalid request: {error}"}, 400)
        except Exception as error:
            logger.error(f"{request.url.path}: {type(error).__name__}")  # its message may quote the text
            return JSONResponse({"error": FAILED}, 500)

    return route
