"""One thread owns the models and translates the sentences of all requests, many at a time.

A sentence is encoded first. If it is too long for the model, it has several parts, else one. Parts that arrive
within 5 ms, or while the models are busy, share a batch if their searches are equal, but a short part does not wait for
the steps of a long one. A request has at most one batch of parts in the queue: its turn. The cheapest turn is next. But
if it overtakes an older turn, the oldest turn follows it. So a short text waits for two batches at most, and a long one
gets every second batch. If a batch fails, each half of it is tried alone. So a sentence that cannot be translated makes
no other request fail.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, islice
from typing import TypeVar

from starlette.exceptions import HTTPException

from nmt.attention_map import AttentionMap
from nmt.build import override
from nmt.deploy.serve.languages import Pair
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.text.protect import Segment
from nmt.text.terms import NO_TERMS, Terms
from nmt.translation.base import BaseTranslator, SearchRequest, rejoined
from nmt.translation.translation import EncodedSource, Translation

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
WINDOW = 0.005  # seconds that the first sentence waits for others
BATCH = 64.0  # cost of a batch, in sentences of 14 pieces with a beam of 5; with more, requests would wait longer
SHORT_STEPS = 100  # a part with no more steps may join any batch
SMALL = 2_000  # characters; a text of no more is read at once
READER = ThreadPoolExecutor(1)  # reads larger texts; with five threads, a search took ten times as long as with one


@dataclass(frozen=True)
class Task:
    """A sentence, how many of its `best` translations are wanted, and whether the `attention` of the first one is."""

    sentence: str | Segment
    pair: Pair
    best: int = 1
    attention: bool = False
    terms: Terms = NO_TERMS


@dataclass(frozen=True)
class Answer:
    """The translations of one sentence, best first, and the attention of the best one if asked for and possible."""

    translations: list[Translation]
    attention: AttentionMap | None


@dataclass(frozen=True, eq=False)
class Part:
    """A sentence, or a part of a long one, in the queue. `turn` is the cost of all parts of its request there."""

    task: Task
    request: SearchRequest
    search: Search
    cost: float
    turn: float
    answer: asyncio.Future[Answer]


class Worker:
    """Translates with `translators`. Only `thread`, an executor of one thread, may search with them from now on.

    A request is refused if turns that cost more than `max_waiting` come before it.
    """

    def __init__(self, translators: Mapping[Pair, BaseTranslator], thread: Executor, *, max_waiting: float) -> None:
        self.translators = translators
        self.max_waiting = max_waiting
        self._thread = thread
        self._waiting: list[Part] = []
        self._overtook = False
        self._running: asyncio.Task[None] | None = None

    async def answers(self, tasks: Sequence[Task]) -> list[Answer]:
        """Return the answers to the sentences of a request. If it is cancelled, sentences that wait are not translated.

        Raises HTTPException (503) if too many others wait, and the error of a sentence that cannot be translated.
        """
        size = sum(len(task.sentence if isinstance(task.sentence, str) else task.sentence.text) for task in tasks)
        sources = await apart(size, lambda: list(map(self._searches, tasks)))
        costs = [cost for _, own in sources for *_, cost in own]
        first, found = min(BATCH, sum(costs)), list[Answer]()
        if sum(part.cost for part in self._left() if part.turn <= first) > self.max_waiting:
            raise HTTPException(503, "The server has too much to do; try again later.")
        searches = zip(chain.from_iterable(own for _, own in sources), accumulate(costs), strict=True)
        for _, group in groupby(searches, lambda each: each[1] // BATCH):
            turn = [search for search, _ in group]
            whole, loop = sum(cost for *_, cost in turn), asyncio.get_running_loop()
            parts = [Part(*search, whole, loop.create_future()) for search in turn]
            self._waiting += parts
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
            found += await asyncio.gather(*[part.answer for part in parts])
        rest, answers = iter(found), list[Answer]()
        for source, own in sources:
            several = list(islice(rest, len(own)))
            attention = several[0].attention if len(own) == 1 else None  # several parts have no common map
            answers.append(Answer(rejoined(source, [each.translations for each in several]), attention))
        return answers

    def _searches(self, task: Task) -> tuple[EncodedSource, list[tuple[Task, SearchRequest, Search, float]]]:
        """Return a sentence, encoded, and the searches that it needs, with their costs."""
        translator = self.translators[task.pair].with_terms(task.terms)
        search = translator.search
        if task.best > getattr(search, "n_best", task.best) and getattr(search, "utility", None) is None:
            # With a utility, n_best would change which translation is the best.
            search = override(search, {"n_best": min(task.best, getattr(search, "beam_size", 1))})
        ((source, requests),) = translator.requests([task.sentence], search)
        # A step takes longer than the one before it, because it looks at all earlier steps.
        costs = (each.limit * (each.limit + 50) * search.width / 16_750 for each in requests)
        return source, [(task, request, search, cost) for request, cost in zip(requests, costs, strict=True)]

    async def _run(self) -> None:
        """Translate batches until no sentence waits."""
        await asyncio.sleep(WINDOW)
        while batch := self._next():
            found = await asyncio.get_running_loop().run_in_executor(self._thread, self._translated, batch)
            for part, each in zip(batch, found, strict=True):
                if isinstance(each, Answer) and not part.answer.done():
                    part.answer.set_result(each)
                elif isinstance(each, Exception) and not part.answer.done():
                    part.answer.set_exception(each)
            await asyncio.sleep(0)  # the requests add their next sentences

    def _left(self) -> list[Part]:
        """Return the parts in the queue that somebody waits for."""
        return [part for part in self._waiting if not part.answer.done()]

    def _next(self) -> list[Part]:
        """Take the next batch off the queue: the first part of the next turn, and others that fit in with it."""
        waiting = self._left()
        order = waiting if self._overtook else sorted(waiting, key=lambda part: part.turn)
        self._overtook = order[:1] != waiting[:1]
        batch, left = order[:0], BATCH
        for part in order:
            first = (batch or order)[0]
            fits = part.cost <= left and part.request.limit <= max(SHORT_STEPS, first.request.limit)
            if not batch or (fits and (part.task.pair, part.search) == (first.task.pair, first.search)):
                batch.append(part)
                left -= part.cost
        taken = set(batch)
        self._waiting = [part for part in waiting if part not in taken]
        return batch

    def _translated(self, parts: Sequence[Part]) -> Sequence[Answer | Exception]:
        try:
            return self._search(parts)
        except Exception as error:
            if len(parts) == 1:
                if not isinstance(error, UserError):
                    where = "".join(traceback.format_tb(error.__traceback__)).rstrip()  # its message may quote the text
                    logger.error(f"a text could not be translated: {type(error).__name__}\n{where}")
                return [error]
            middle = len(parts) // 2
            return [*self._translated(parts[:middle]), *self._translated(parts[middle:])]

    def _search(self, parts: Sequence[Part]) -> list[Answer]:
        translator = self.translators[parts[0].task.pair]
        found = translator.search_all([part.request for part in parts], parts[0].search)
        shown = [each[0] for part, each in zip(parts, found, strict=True) if part.task.attention and each[0].tokens]
        try:
            maps = dict(zip(map(id, shown), translator.attention_maps(shown) if shown else [], strict=True))
        except UserError:  # the model has no attention, or the engine cannot show it
            maps = {}
        return [Answer(each[: part.task.best], maps.get(id(each[0]))) for part, each in zip(parts, found, strict=True)]


async def apart(size: int, read: Callable[[], Result]) -> Result:
    """Return what `read` makes of a text of `size`. A small text is read at once, so that it waits for no large one."""
    return read() if size <= SMALL else await asyncio.get_running_loop().run_in_executor(READER, read)
