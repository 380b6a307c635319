"""From a request to its answer: texts become sentences, and their translations become texts again."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

from torch import Tensor

from nmt.deploy.documents.base import Document, Joined
from nmt.deploy.documents.html import marked_up
from nmt.deploy.documents.html_tokens import text_of
from nmt.deploy.documents.paragraphs import paragraphs
from nmt.deploy.serve.languages import Detected, Languages
from nmt.deploy.serve.request import Ask, Refusal, require_direction
from nmt.deploy.serve.waiting import Answer, Pair, Work
from nmt.deploy.serve.worker import Busy, Worker
from nmt.errors import UserError

BUSY = "The server has too much to do; try again later."
TERMS_IGNORED = "The terms are ignored, because the model was trained without spans."
FAILED = (
    "The server encountered an internal error and was unable to complete your request. Either the server is overloaded "
    "or there is an error in the application."
)


async def translated(ask: Ask, worker: Worker, languages: Languages, max_sentences: int) -> dict[str, Any]:
    """Return the answer to a request. Raises Refusal if there is none. If this is cancelled, so is the work."""
    # In a thread of its own: the parser of HTML can take seconds for a text that was written to be slow.
    sources, documents, detected = await asyncio.to_thread(_read, ask, worker, languages)
    found = await _answers(ask, worker, sources, [document.sentences for document in documents], max_sentences)
    documents, found = await _revised(ask, worker, sources, documents, found)
    answer = await asyncio.to_thread(_answer, ask, documents, found, detected)  # a text's language takes time
    if ask.terms and not all(worker.spans((source, ask.target)) for source in sources if source != ask.target):
        answer["warnings"] = [TERMS_IGNORED]
    return answer


def _read(ask: Ask, worker: Worker, languages: Languages) -> tuple[list[str], list[Document], list[Detected]]:
    """Return the language and the document of each text, and the languages as they were detected, if they were."""
    texts = map(text_of, ask.texts) if ask.html else ask.texts
    detected = [languages.detect(text) for text in texts] if ask.source is None else []
    sources = [each.language for each in detected] or [str(ask.source)] * len(ask.texts)
    documents = [_document(*pair, ask, worker, languages) for pair in zip(ask.texts, sources, strict=True)]
    return sources, documents, detected


def _document(text: str, source: str, ask: Ask, worker: Worker, languages: Languages) -> Document:
    require_direction(source, ask.target, languages)
    if source == ask.target:
        return Joined([text])
    spans = worker.spans((source, ask.target))
    try:
        return marked_up(text, spans, ask.terms) if ask.html else paragraphs(text, spans, ask.terms)
    except UserError as error:
        raise Refusal(400, str(error)) from None


async def _revised(
    ask: Ask, worker: Worker, sources: Sequence[str], documents: Sequence[Document], found: Sequence[Sequence[Answer]]
) -> tuple[list[Document], list[list[Answer]]]:
    """Return the documents revised after their best translations, and the answers to their sentences."""
    pairs = list(zip(documents, found, strict=True))
    known = [dict(zip(document.sentences, answers, strict=True)) for document, answers in pairs]
    revised = [document.revised([answer.translations[0].text for answer in answers]) for document, answers in pairs]
    new = [[each for each in after.sentences if each not in old] for after, old in zip(revised, known, strict=True)]
    added = await _answers(ask, worker, sources, new, admitted=True)
    for old, sentences, answers in zip(known, new, added, strict=True):
        old |= zip(sentences, answers, strict=True)
    return revised, [[old[each] for each in after.sentences] for after, old in zip(revised, known, strict=True)]


async def _answers(
    ask: Ask,
    worker: Worker,
    sources: Sequence[str],
    texts: Sequence[list[str]],
    max_sentences: float = math.inf,
    *,
    admitted: bool = False,
) -> list[list[Answer]]:
    """Return the answers to the sentences of each text, which may be of different languages."""
    by_pair: dict[Pair, list[str]] = {}
    for source, sentences in zip(sources, texts, strict=True):
        by_pair.setdefault((source, ask.target), []).extend(sentences)
    count = sum(map(len, by_pair.values()))
    if count > max_sentences:
        raise Refusal(400, f"Invalid request: request ({count} sentences) exceeds sentence limit ({max_sentences})")
    futures: list[asyncio.Future[list[Answer]]] = []
    try:
        for pair, sentences in by_pair.items():
            work = Work(pair, 1 + ask.alternatives, ask.details, ask.terms)
            futures.append(asyncio.wrap_future(worker.submit(work, sentences, admitted=admitted)))
        answers = dict(zip(by_pair, map(iter, await asyncio.gather(*futures)), strict=True))
    except Busy as busy:
        raise Refusal(503, BUSY, {"Retry-After": str(max(1, math.ceil(busy.seconds)))}) from None
    except UserError as error:
        raise Refusal(400, str(error)) from None
    finally:
        for future in futures:
            future.cancel()
    return [list(islice(answers[source, ask.target], len(own))) for source, own in zip(sources, texts, strict=True)]


def _answer(
    ask: Ask, documents: Sequence[Document], found: Sequence[Sequence[Answer]], detected: Sequence[Detected]
) -> dict[str, Any]:
    """Return the answer as JSON. Each of its lists has an entry for each text of a list, and else there are none."""
    pairs = list(zip(documents, found, strict=True))
    columns: dict[str, list[Any]] = {"translatedText": [_texts(*pair, 1)[0] for pair in pairs]}
    if ask.alternatives:
        columns["alternatives"] = [_texts(*pair, 1 + ask.alternatives)[1:] for pair in pairs]
    if detected:
        columns["detectedLanguage"] = [vars(each) for each in detected]
    if ask.details:
        columns["nmt"] = [
            [_sentence(*each, ask) for each in zip(document.sentences, answers, strict=True)]
            for document, answers in pairs
        ]
    return {name: column if ask.several else column[0] for name, column in columns.items()}


def _texts(document: Document, answers: Sequence[Answer], count: int) -> list[str]:
    """Return at most `count` different translations of a document, best first; one if it has no sentences.

    An alternative that would leave an element empty is left out. The best translation was revised in this case.
    """
    most = min([count, *(len(answer.translations) for answer in answers)]) if answers else 1
    best, *others = [[answer.translations[rank].text for answer in answers] for rank in range(most)]
    kept = [each for each in others if document.revised(each).sentences == document.sentences]
    return list(dict.fromkeys(map(document.filled, [best, *kept])))


def _sentence(sentence: str, answer: Answer, ask: Ask) -> dict[str, Any]:
    """Return what the model says about a sentence of a document."""
    best, drawn = answer.translations[0], answer.attention
    cross = None if drawn is None else drawn.cross  # (L, H, T, S)
    return {
        "source": sentence,
        "translation": best.text,
        "score": round(best.score, 4),
        "doubts": best.doubts,
        "pieces": best.pieces,
        "log_probs": [round(value, 4) for value in best.token_log_probs],
        "source_pieces": None if drawn is None else [piece.label for piece in drawn.source_pieces],
        "layers": 0 if cross is None else cross.shape[0],
        "heads": 0 if cross is None else cross.shape[1],
        "attention": None if cross is None else _weights(cross, ask),
    }


def _weights(cross: Tensor, ask: Ask) -> list[list[float]]:
    """Return the attention (T, S) of the layer and head that a request chooses, means where it chooses none."""
    for name, chosen, count in (("layer", ask.layer, cross.shape[0]), ("head", ask.head, cross.shape[1])):
        if chosen is not None and chosen > count:
            raise Refusal(400, f"Invalid request: {name} must be at most {count}")
    layers = cross if ask.layer is None else cross[ask.layer - 1 : ask.layer]
    heads = layers if ask.head is None else layers[:, ask.head - 1 : ask.head]
    return [[round(weight, 4) for weight in row] for row in heads.mean((0, 1)).tolist()]
