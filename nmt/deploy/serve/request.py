"""What a client asks for: the fields of its request, read and checked as LibreTranslate does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from nmt.deploy.serve.languages import Languages
from nmt.errors import UserError
from nmt.languages import english_name
from nmt.terms import NO_TERMS, Terms

UNREADABLE = "The browser (or proxy) sent a request that this server could not understand."
MISSING = "Invalid request: missing {} parameter"
AUTO = "auto"
MOST_FIELDS = 20  # of a form
MOST_TERMS, MOST_CHARACTERS = 1_000, 20_000  # the terms of a request, and their characters together


class Refusal(Exception):
    """A request that gets no translation: the status of the answer, its words, and its own headers."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers or {}


@dataclass(frozen=True)
class Limits:
    """The most that one request may hold: characters of a text, texts, sentences, and bytes of the whole."""

    characters: int
    texts: int
    sentences: int
    body: int


@dataclass(frozen=True)
class Ask:
    """A request for translations.

    `several` says whether the texts came as a list, so that the answer is one too. `source` is None if it is to be
    detected. `alternatives` is the number of other translations of each text, and `details` asks for what the model
    says about each piece. `layer` and `head` choose the attention that this includes; they count from 1, and None means
    the mean of all. `terms` is a glossary for the texts.
    """

    texts: list[str]
    several: bool
    source: str | None
    target: str
    html: bool
    alternatives: int
    details: bool
    layer: int | None = None
    head: int | None = None
    terms: Terms = NO_TERMS


async def fields_of(request: Request, max_bytes: int) -> dict[str, Any]:
    """Return the fields of a request: of JSON, or else of a form and of the address.

    Raises Refusal for a body of more than `max_bytes`, as soon as so many have arrived. The time for a body grows with
    its length and no faster.
    """
    request = _bounded(request, max_bytes)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind == "application/json":
            return await asyncio.to_thread(_json, await request.body())
        pairs = request.query_params.multi_items()
        if kind == "application/x-www-form-urlencoded":
            # Not request.form(), which takes the letters of a program like curl, which are UTF-8, for Latin-1.
            text = (await request.body()).decode("utf-8", "replace")
            own = await asyncio.to_thread(parse_qsl, text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
            pairs = [*own, *pairs]
        elif kind == "multipart/form-data":
            async with request.form(max_files=0, max_fields=MOST_FIELDS, max_part_size=max_bytes) as form:
                pairs = [*((name, str(value)) for name, value in form.multi_items()), *pairs]
    except (HTTPException, ValueError, RecursionError):
        raise Refusal(400, UNREADABLE) from None
    return dict(reversed(pairs))  # of several with one name, the first counts


def _bounded(request: Request, max_bytes: int) -> Request:
    """Return the request with a body that ends in a Refusal after `max_bytes`."""
    left = max_bytes

    async def receive() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise Refusal(413, f"Invalid request: body exceeds limit ({max_bytes} bytes)")
        return message

    return Request(request.scope, receive)


def _json(body: bytes) -> dict[str, Any]:
    fields = json.loads(body)
    if not isinstance(fields, dict):
        raise Refusal(400, "Invalid JSON format")
    return fields


def ask_of(fields: Mapping[str, Any], languages: Languages, limits: Limits) -> Ask:
    """Return what the fields of a request ask for. Raises Refusal, in the words of LibreTranslate where it has any."""
    texts = texts_of(fields, limits)
    for name in ("source", "target"):
        if not fields.get(name):
            raise Refusal(400, MISSING.format(name))
    source = None if str(fields["source"]).lower() == AUTO else _language(fields["source"], languages)
    target = _language(fields["target"], languages)
    if source is not None:
        require_direction(source, target, languages)
    format = fields.get("format") or "text"
    if format not in ("text", "html"):
        raise Refusal(400, f"{format} format is not supported")
    details = str(fields.get("nmt", False)).lower() in ("true", "1")
    several = isinstance(fields["q"], list)
    alternatives, layer, head = (_count(name, fields.get(name)) for name in ("alternatives", "layer", "head"))
    html, terms = format == "html", _terms(fields.get("terms"))
    return Ask(texts, several, source, target, html, alternatives, details, layer or None, head or None, terms)


def texts_of(fields: Mapping[str, Any], limits: Limits) -> list[str]:
    """Return the texts of the field q. Raises Refusal for what is no text, and for too many or too long ones."""
    given = fields.get("q")
    if given is None or given == "" or given == []:
        raise Refusal(400, MISSING.format("q"))
    texts = given if isinstance(given, list) else [given]
    for text in texts:
        if not isinstance(text, str):
            raise Refusal(400, "Invalid request: q must be a text or a list of texts")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise Refusal(400, "Invalid request: q has half of a character (a lone surrogate)")
    if len(texts) > limits.texts:
        raise Refusal(400, f"Invalid request: request ({len(texts)}) exceeds text limit ({limits.texts})")
    longest = max(map(len, texts))
    if longest > limits.characters:
        raise Refusal(400, f"Invalid request: request ({longest}) exceeds text limit ({limits.characters})")
    return texts


def require_direction(source: str, target: str, languages: Languages) -> None:
    """Raise Refusal unless `source` is translated into `target`."""
    if target not in languages.targets(source):
        names = f"{english_name(target)} ({target})", f"{english_name(source)} ({source})"
        raise Refusal(400, f"{names[0]} is not available as a target language from {names[1]}")


def _language(given: Any, languages: Languages) -> str:
    found = languages.find(str(given))
    if found is None:
        raise Refusal(400, f"{str(given).lower()} is not supported")
    return found


def _terms(given: Any) -> Terms:
    """Return the glossary of a request: an object of terms and their translations, or in a form the JSON of one."""
    if not given:
        return NO_TERMS
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, dict) or not all(isinstance(translation, str) for translation in given.values()):
        raise Refusal(400, "Invalid request: terms must be an object of terms and their translations")
    if len(given) > MOST_TERMS:
        raise Refusal(400, f"Invalid request: terms ({len(given)}) exceed term limit ({MOST_TERMS})")
    if (letters := sum(len(term) + len(translation) for term, translation in given.items())) > MOST_CHARACTERS:
        raise Refusal(400, f"Invalid request: terms ({letters} characters) exceed character limit ({MOST_CHARACTERS})")
    try:
        return _glossary(tuple(sorted(given.items())))
    except UserError as error:
        raise Refusal(400, f"Invalid request: {error}") from None


@lru_cache(8)
def _glossary(translations: tuple[tuple[str, str], ...]) -> Terms:
    """Return a glossary. The last ones are kept, because a client sends its glossary with each request."""
    return Terms(dict(translations))


def _count(name: str, given: Any) -> int:
    try:
        return max(0, int(given or 0))
    except (TypeError, ValueError, OverflowError):
        raise Refusal(400, f"Invalid request: {name} must be a number") from None
