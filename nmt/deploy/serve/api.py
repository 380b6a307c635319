"""The HTTP interface: that of LibreTranslate, with its addresses, fields, statuses and words, and a page at /.

docs/deploying.md says what is the same and what is not.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from nmt.deploy.serve.languages import Languages
from nmt.deploy.serve.request import AUTO, Limits, Refusal, ask_of, fields_of, texts_of
from nmt.deploy.serve.translation import FAILED, translated
from nmt.deploy.serve.worker import Worker
from nmt.languages import english_name

logger = logging.getLogger(__name__)

PAGE = Path(__file__).resolve().parent / "page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'"
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Expose-Headers": "Authorization",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Max-Age": "1728000",
}
NO_KEY = "Please contact the server operator to get an API key"
BODY_SECONDS = 20  # in which a request has to arrive
CLIENT_CLOSED = 499  # the status of an answer that nobody reads
CLOSED = "The client has closed the connection."

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
        handlers: list[tuple[str, str, Handler]] = [
            ("POST", "/translate", self._translate),
            ("POST", "/detect", self._detect),
            ("GET", "/languages", self._languages),
            ("GET", "/health", self._health),
            ("GET", "/frontend/settings", self._settings),
            ("POST", "/suggest", _never("Suggestions are disabled on this server.")),
            ("POST", "/translate_file", _never("Files translation are disabled on this server.")),
        ]
        routes = [Route(path, _answering(handler), methods=[verb, "OPTIONS"]) for verb, path, handler in handlers]
        routes += [Route("/" if file.stem == "index" else f"/{file.name}", _file(file)) for file in PAGE.iterdir()]
        return Starlette(routes=routes, exception_handlers={404: _unknown, 405: _unknown})

    async def _translate(self, request: Request) -> dict[str, Any]:
        fields = await self._fields(request)
        ask = await asyncio.to_thread(ask_of, fields, self.languages, self.limits)  # a glossary may take a second
        return await _unless_closed(request, translated(ask, self.worker, self.languages, self.limits.sentences))

    async def _detect(self, request: Request) -> list[dict[str, Any]]:
        texts = texts_of(await self._fields(request), self.limits)
        return [asdict(await asyncio.to_thread(self.languages.detect, "\n".join(texts)))]

    async def _languages(self, request: Request) -> list[dict[str, Any]]:
        languages = self.languages
        return [
            {"code": code, "name": english_name(code), "targets": languages.targets(code)} for code in languages.codes
        ]

    async def _health(self, request: Request) -> dict[str, str]:
        if not self.worker.alive:
            raise Refusal(503, "The server does not translate.")
        return {"status": "ok"}

    async def _settings(self, request: Request) -> dict[str, Any]:
        target = self.languages.pairs[0][1]
        return {
            "apiKeys": self.key is not None,
            "charLimit": self.limits.characters,
            "filesTranslation": False,
            "frontendTimeout": 500,
            "keyRequired": self.key is not None,
            "language": {
                "source": {"code": AUTO, "name": "Auto Detect"},
                "target": {"code": target, "name": english_name(target)},
            },
            "suggestions": False,
            "supportedFilesFormat": [],
        }

    async def _fields(self, request: Request) -> Mapping[str, Any]:
        """Return the fields of a request whose key is right."""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                fields = await fields_of(request, self.limits.body)
        except TimeoutError:
            raise Refusal(408, "The request did not arrive in time.") from None
        except ClientDisconnect:
            raise Refusal(CLIENT_CLOSED, CLOSED) from None
        if self.key is not None:
            given = fields.get("api_key")
            if not given:
                raise Refusal(400, NO_KEY)
            if not hmac.compare_digest(str(given).encode("utf-8", "replace"), self.key.encode()):
                raise Refusal(403, "Invalid API key")
        return fields


async def _unless_closed(request: Request, answer: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer, or stop the work on it when the client has gone."""
    work, gone = asyncio.ensure_future(answer), asyncio.ensure_future(_closed(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        raise Refusal(CLIENT_CLOSED, CLOSED)
    finally:
        work.cancel()
        gone.cancel()


async def _closed(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answering(handler: Handler) -> Handler:
    """Return a route that answers with the JSON that `handler` returns, or with why there is none."""

    async def route(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(headers=CORS, media_type="text/html")
        try:
            return _json(await handler(request))
        except Refusal as refusal:
            return _json({"error": refusal.message}, refusal.status, refusal.headers)
        except Exception as error:
            logger.error(f"{request.url.path}: {type(error).__name__}")
            return _json({"error": FAILED}, 500)

    return route


def _json(content: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    # A message may quote half of a character (a lone surrogate), which has no code in UTF-8.
    return Response(body.encode("utf-8", "replace"), status, {**CORS, **(headers or {})}, media_type="application/json")


def _never(reason: str) -> Handler:
    async def handler(request: Request) -> None:
        raise Refusal(403, reason)

    return handler


def _file(path: Path) -> Handler:
    content = path.read_bytes()
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}

    async def handler(request: Request) -> Response:
        return Response(content, headers=headers, media_type=TYPES[path.suffix])

    return handler


async def _unknown(request: Request, error: Exception) -> Response:
    """Answer a request for an address that there is not, or not with its method."""
    assert isinstance(error, HTTPException)
    title = f"{error.status_code} {error.detail}"
    page = f"<!doctype html>\n<html lang=en>\n<title>{title}</title>\n<h1>{error.detail}</h1>\n"
    return Response(page, error.status_code, error.headers, media_type="text/html")
