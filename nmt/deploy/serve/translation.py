"""From the fields of a request to its answer: texts become sentences, and their translations become texts again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from starlette.exceptions import HTTPException
from torch import Tensor

from nmt.attention_map import KINDS
from nmt.deploy.documents.base import Document, Joined, paragraphs
from nmt.deploy.documents.html import marked_up
from nmt.deploy.serve.languages import Languages, Pair
from nmt.deploy.serve.worker import Answer, Task, Worker, apart
from nmt.text.languages import english_name
from nmt.text.protect import NO_SPANS
from nmt.text.terms import Terms

MOST_DRAWN = 2_000  # characters of a request with attention: 16 heads need 0.2 MB for a sentence of 100 characters
MISSING = "Invalid request: missing {} parameter"


@dataclass(frozen=True)
class Ask:
    """A request for translations.

    If `several`, the texts came as a list, so the answer is a list. `source` is None if it is to be detected. `details`
    asks for what the model says about each piece, with its attention if the texts are not too long for a picture.
    """

    texts: list[str]
    several: bool
    source: str | None
    target: str
    html: bool
    alternatives: int
    details: bool
    terms: Terms

    @property
    def size(self) -> int:
        """The number of characters of the texts, and of the translations of the terms."""
        return sum(map(len, chain(self.texts, self.terms.translations)))

    @property
    def attention(self) -> bool:
        """Whether the answer has the attention of all layers and heads."""
        return self.details and self.size <= MOST_DRAWN


@dataclass(frozen=True)
class AskedText:
    """A text of a request. `detected` is empty if the request names the source language."""

    document: Document
    pair: Pair
    detected: dict[str, Any]


def ask_of(fields: Mapping[str, Any], texts: list[str], languages: Languages) -> Ask:
    """Return what fields ask for. Raises HTTPException, in the words of LibreTranslate where it has any."""
    for name in ("source", "target"):
        if not fields.get(name):
            raise HTTPException(400, MISSING.format(name))
    for name in ("source", "target", "format"):
        if not isinstance(fields.get(name) or "", str):
            raise HTTPException(400, f"Invalid request: {name} must be a text")
    format, terms = fields.get("format") or "text", fields.get("terms") or {}
    if format not in ("text", "html"):
        raise HTTPException(400, f"{format[:40]} format is not supported")
    if not isinstance(terms, dict) or not all(isinstance(each, str) for each in terms.values()):
        raise HTTPException(400, "Invalid request: terms must be an object of terms and their translations")
    try:
        alternatives = min(max(0, int(fields.get("alternatives") or 0)), 1000)
    except (TypeError, ValueError, OverflowError):
        raise HTTPException(400, "Invalid request: alternatives must be a number") from None
    return Ask(
        texts,
        several=isinstance(fields["q"], list),
        source=None if fields["source"].lower() == "auto" else languages.find(fields["source"]),
        target=languages.find(fields["target"]),
        html=format == "html",
        alternatives=alternatives,
        details=str(fields.get("nmt", False)).lower() in ("true", "1"),
        terms=Terms(terms),
    )


def texts_of(fields: Mapping[str, Any], max_characters: int, max_texts: int) -> list[str]:
    """Return the texts of the field q. Raises HTTPException for what is no text, and for too many or too long ones."""
    given = fields.get("q")
    if given is None or given == "" or given == []:
        raise HTTPException(400, MISSING.format("q"))
    texts = given if isinstance(given, list) else [given]
    if not all(isinstance(text, str) for text in texts):
        raise HTTPException(400, "Invalid request: q must be a text or a list of texts")
    terms = fields["terms"].items() if isinstance(fields.get("terms"), dict) else ()
    characters = sum(len(each) for each in chain(texts, *terms) if isinstance(each, str))
    for size, most in ((len(texts), max_texts), (characters, max_characters)):
        if size > most:
            raise HTTPException(400, f"Invalid request: request ({size}) exceeds text limit ({most})")
    return texts


async def translated(ask: Ask, worker: Worker, languages: Languages) -> dict[str, Any]:
    """Return the answer to a request. Raises HTTPException if there is none. If this is cancelled, so is the work."""
    texts = [await apart(ask.size, partial(_read, text, ask, worker, languages)) for text in ask.texts]
    tasks = list(dict.fromkeys(_tasks(texts, ask)))
    found = dict(zip(tasks, await worker.answers(tasks), strict=True)) if tasks else {}
    rows = [await apart(ask.size, partial(_row, text, ask, found)) for text in texts]
    answer = {name: [row[name] for row in rows] if ask.several else value for name, value in rows[0].items()}
    if ask.terms and not all(worker.translators[task.pair].tokenizer.spans for task in found):
        answer["warnings"] = ["The terms are ignored, because the model was trained without spans."]
    return answer


def _read(text: str, ask: Ask, worker: Worker, languages: Languages) -> AskedText:
    detected: dict[str, Any] = {}
    if ask.source is None:
        read = " ".join(map(str, marked_up(text, NO_SPANS).sentences)) if ask.html else text
        detected = languages.detect(read, ask.target)
    pair = source, target = ask.source or detected["language"], ask.target
    if target not in languages.targets(source):
        names = [f"{english_name(code)} ({code})" for code in (target, source)]
        raise HTTPException(400, " is not available as a target language from ".join(names))
    if source == target:
        return AskedText(Joined([text]), pair, detected)
    spans = worker.translators[pair].tokenizer.spans
    document = marked_up(text, spans, ask.terms, pair) if ask.html else paragraphs(text, spans, ask.terms)
    return AskedText(document, pair, detected)


def _tasks(texts: Sequence[AskedText], ask: Ask) -> list[Task]:
    settings = 1 + ask.alternatives, ask.attention, ask.terms
    return [Task(sentence, text.pair, *settings) for text in texts for sentence in text.document.sentences]


def _row(text: AskedText, ask: Ask, found: Mapping[Task, Answer]) -> dict[str, Any]:
    """Return the answer to a text, as JSON."""
    answers = [found[task] for task in _tasks([text], ask)]
    ranks = list(zip(*([each.target for each in answer.translations] for answer in answers), strict=False))
    best, *others = dict.fromkeys(map(text.document.filled, ranks or [()]))  # without sentences, there is one
    row: dict[str, Any] = {"translatedText": best}
    if ask.alternatives:
        row["alternatives"] = others
    if ask.source is None:
        row["detectedLanguage"] = text.detected
    if ask.details:
        row["nmt"] = [_details(answer) for answer in answers]
    return row


def _details(answer: Answer) -> dict[str, Any]:
    best, drawn = answer.translations[0], answer.attention
    return {
        "source": best.source,
        "translation": best.text,
        "score": round(best.score, 4),
        "doubts": best.doubts,
        "pieces": best.pieces,
        "log_probs": [round(value, 4) for value in best.token_log_probs],
        "source_pieces": None if drawn is None else [piece.label for piece in drawn.source_pieces],
        "attention": None if drawn is None else {kind: _rounded(getattr(drawn, kind)) for kind in KINDS},
    }


def _rounded(weights: Tensor | None) -> list[Any] | None:
    return None if weights is None else weights.double().round(decimals=4).tolist()
