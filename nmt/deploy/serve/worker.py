"""One thread owns the models and translates the sentences of all requests, many at a time.

Sentences that arrive within 5 ms, or while the models are busy, are translated together if their settings are equal.
A request has at most one batch of its sentences in the queue: the rest comes behind the other requests. If a batch
fails, each half of it is tried alone. So a sentence that cannot be translated makes no other request fail.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any

from starlette.exceptions import HTTPException

from nmt.attention_map import AttentionMap
from nmt.deploy.serve.languages import Pair
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.text.protect import Segment
from nmt.text.terms import NO_TERMS, Terms
from nmt.translation.base import BaseTranslator
from nmt.translation.translation import Translation

logger = logging.getLogger(__name__)

WINDOW = 0.005  # seconds that the first sentence waits for others
BATCH = 8_000  # cost of a batch: about 64 sentences; with more, a short request would wait longer
BUSY = "The server has too much to do; try again later."


@dataclass(frozen=True)
class Task:
    """A sentence to translate; those with equal settings share a batch.

    `best` is the number of translations, and `attention` asks for the attention of the best one.
    """

    sentence: str | Segment
    pair: Pair
    best: int = 1
    attention: bool = False
    terms: Terms = NO_TERMS

    @property
    def settings(self) -> tuple[Any, ...]:
        return self.pair, self.best, self.attention, self.terms

    @property
    def cost(self) -> int:
        """The bytes of the sentence, and some for its end. A sentence has at most as many pieces as bytes."""
        text = self.sentence if isinstance(self.sentence, str) else self.sentence.text
        return 50 + len(text.encode())


@dataclass(frozen=True)
class Answer:
    """The translations of one sentence, best first, and the attention of the best one if asked for and possible."""

    translations: list[Translation]
    attention: AttentionMap | None


class Worker:
    """Translates with `translators`. From now on, only `thread` may use them: an executor of one thread.

    If the sentences in the queue cost more than `max_waiting`, new requests are refused.
    """

    def __init__(self, translators: Mapping[Pair, BaseTranslator], thread: Executor, *, max_waiting: int) -> None:
        self.translators = translators
        self.max_waiting = max_waiting
        self._thread = thread
        self._waiting: list[tuple[Task, asyncio.Future[Answer]]] = []
        self._running: asyncio.Task[None] | None = None

    async def answers(self, tasks: Sequence[Task]) -> list[Answer]:
        """Return the answers to the sentences of a request. If this is cancelled, those that wait are not translated.

        Raises HTTPException (503) if too many others wait, and the error of a sentence that cannot be translated.
        """
        if sum(task.cost for task, answer in self._waiting if not answer.done()) > self.max_waiting:
            raise HTTPException(503, BUSY)
        found: list[Answer] = []
        costs = accumulate(task.cost for task in tasks)
        for _, turn in groupby(zip(tasks, costs, strict=True), lambda pair: pair[1] // BATCH):
            waiting = [(task, asyncio.get_running_loop().create_future()) for task, _ in turn]
            self._waiting += waiting
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
            found += await asyncio.gather(*[answer for _, answer in waiting])
        return found

    async def _run(self) -> None:
        """Translate batches until no sentence waits."""
        await asyncio.sleep(WINDOW)
        while batch := self._next():
            tasks = [task for task, _ in batch]
            found = await asyncio.get_running_loop().run_in_executor(self._thread, self._translated, tasks)
            for (_, answer), each in zip(batch, found, strict=True):
                if isinstance(each, Answer) and not answer.done():
                    answer.set_result(each)
                elif isinstance(each, Exception) and not answer.done():
                    answer.set_exception(each)
            await asyncio.sleep(0)  # the requests add their next sentences

    def _next(self) -> list[tuple[Task, asyncio.Future[Answer]]]:
        """Take the first sentence off the queue, and others with its settings as long as the batch has room."""
        waiting = [each for each in self._waiting if not each[1].done()]  # nobody waits for the others
        batch, self._waiting, left = waiting[:0], [], BATCH
        for task, answer in waiting:
            if not batch or (task.settings == batch[0][0].settings and task.cost <= left):
                batch.append((task, answer))
                left -= task.cost
            else:
                self._waiting.append((task, answer))
        return batch

    def _translated(self, tasks: Sequence[Task]) -> Sequence[Answer | Exception]:
        try:
            return self._search(tasks)
        except Exception as error:
            if len(tasks) == 1:
                if not isinstance(error, UserError):
                    where = "".join(traceback.format_tb(error.__traceback__)).rstrip()  # its message may quote the text
                    logger.error(f"a text could not be translated: {type(error).__name__}\n{where}")
                return [error]
            middle = len(tasks) // 2
            return [*self._translated(tasks[:middle]), *self._translated(tasks[middle:])]

    def _search(self, tasks: Sequence[Task]) -> list[Answer]:
        task = tasks[0]
        translator = self.translators[task.pair].with_terms(task.terms)
        found = translator.hypotheses([each.sentence for each in tasks], **_fields(translator.search, task.best))
        maps = _maps(translator, [translations[0] for translations in found]) if task.attention else {}
        return [Answer(translations[: task.best], maps.get(place)) for place, translations in enumerate(found)]


def _fields(search: Search, best: int) -> dict[str, Any]:
    """Return the settings with which the search finds `best` translations, or as many as its beam can hold."""
    if best <= getattr(search, "n_best", best) or getattr(search, "utility", None) is not None:
        return {}  # with a utility, n_best would change which translation is the best
    return {"n_best": min(best, getattr(search, "beam_size", 1))}


def _maps(translator: BaseTranslator, translations: Sequence[Translation]) -> dict[int, AttentionMap]:
    """Return the attention of those translations that have one, by their place."""
    places = [place for place, each in enumerate(translations) if each.tokens and not each.parts]
    try:
        maps = translator.attention_maps([translations[place] for place in places])
    except UserError:  # the model has no attention, or the engine cannot show it
        return {}
    return dict(zip(places, maps, strict=True))
