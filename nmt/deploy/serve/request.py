"""What a client asks for: the fields of its request, read and checked as LibreTranslate does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from nmt.deploy.serve.languages import Languages
from nmt.terms import NO_TERMS, Terms

UNREADABLE = "The browser (or proxy) sent a request that this server could not understand."
MISSING = "Invalid request: missing {} parameter"
MOST_FIELDS = 20  # of a form
MOST_TERMS = 20_000  # characters of a glossary


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
    says about each piece. `layer` and `head` choose the attention that this includes; they count from 1, and 0 means
    the mean of all. `terms` is a glossary for the texts.
    """

    texts: list[str]
    several: bool
    source: str | None
    target: str
    html: bool
    alternatives: int
    details: bool
    layer: int
    head: int
    terms: Terms


async def fields_of(request: Request, max_bytes: int) -> dict[str, Any]:
    """Return the fields of a request: of JSON, or else of a form and of the address.

    The time for a body grows with its length and no faster. Raises HTTPException as soon as more than `max_bytes` of it
    have arrived.
    """
    request = _bounded(request, max_bytes)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    pairs = request.query_params.multi_items()
    try:
        if kind == "application/json":
            fields = await asyncio.to_thread(json.loads, await request.body())
            if not isinstance(fields, dict):
                raise HTTPException(400, "Invalid JSON format")
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


def _bounded(request: Request, max_bytes: int) -> Request:
    """Return the request with a body that ends in an HTTPException after `max_bytes`."""
    left = max_bytes

    async def receive() -> Message:
        nonlocal left
        message = await request.receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, f"Invalid request: body exceeds limit ({max_bytes} bytes)")
        return message

    return Request(request.scope, receive)


def ask_of(fields: Mapping[str, Any], languages: Languages, limits: Limits) -> Ask:
    """Return what fields ask for. Raises HTTPException, in the words of LibreTranslate where it has any."""
    texts = texts_of(fields, limits)
    for name in ("source", "target"):
        if not fields.get(name):
            raise HTTPException(400, MISSING.format(name))
    format = fields.get("format") or "text"
    if format not in ("text", "html"):
        raise HTTPException(400, f"{format} format is not supported")
    alternatives, layer, head = (_count(name, fields.get(name)) for name in ("alternatives", "layer", "head"))
    return Ask(
        texts,
        several=isinstance(fields["q"], list),
        source=None if str(fields["source"]).lower() == "auto" else languages.find(fields["source"]),
        target=languages.find(fields["target"]),
        html=format == "html",
        alternatives=alternatives,
        details=str(fields.get("nmt", False)).lower() in ("true", "1"),
        layer=layer,
        head=head,
        terms=_terms(fields.get("terms")),
    )


def texts_of(fields: Mapping[str, Any], limits: Limits) -> list[str]:
    """Return the texts of the field q. Raises HTTPException for what is no text, and for too many or too long ones."""
    given = fields.get("q")
    if given is None or given == "" or given == []:
        raise HTTPException(400, MISSING.format("q"))
    texts = given if isinstance(given, list) else [given]
    if not all(isinstance(text, str) for text in texts):
        raise HTTPException(400, "Invalid request: q must be a text or a list of texts")
    for size, most in ((len(texts), limits.texts), (max(map(len, texts)), limits.characters)):
        if size > most:
            raise HTTPException(400, f"Invalid request: request ({size}) exceeds text limit ({most})")
    if any("\ud800" <= character <= "\udfff" for text in texts for character in text):
        raise HTTPException(400, "Invalid request: q has half of a character (a lone surrogate)")
    return texts


def _terms(given: Any) -> Terms:
    """Return the glossary of a request in JSON: an object of terms and their translations."""
    if not given:
        return NO_TERMS
    if not isinstance(given, dict) or not all(isinstance(translation, str) for translation in given.values()):
        raise HTTPException(400, "Invalid request: terms must be an object of terms and their translations")
    if (letters := sum(len(term) + len(translation) for term, translation in given.items())) > MOST_TERMS:
        raise HTTPException(400, f"Invalid request: terms ({letters} characters) exceed limit ({MOST_TERMS})")
    return Terms(given)


def _count(name: str, given: Any) -> int:
    try:
        return max(0, int(given or 0))
    except (TypeError, ValueError, OverflowError):
        raise HTTPException(400, f"Invalid request: {name} must be a number") from None
