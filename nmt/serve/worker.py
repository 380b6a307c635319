"""One thread owns the models and translates the sentences of all requests, many at a time.

Sentences that arrive within 5 ms, or while the models are busy, are translated together if their settings are equal.
Requests take turns: one of many sentences does not keep the others waiting until its end. If a batch fails, its halves
are tried, so that a sentence that cannot be translated fails alone.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from nmt.attention_map import AttentionMap
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.translation.base import BaseTranslator
from nmt.translation.translation import Translation

logger = logging.getLogger(__name__)

Pair = tuple[str, str]
WINDOW = 0.005  # seconds that the first sentence waits for company
PATIENCE = 15.0  # seconds after which a request that has not begun fails; Weblate waits 20 s for the whole answer
TOGETHER = {"cpu": 64}  # sentences that are translated at a time; more let a short request wait longer
TOGETHER_ELSEWHERE = 256


class Busy(Exception):
    """There is no place for more sentences, or they have waited too long."""


@dataclass(frozen=True)
class Work:
    """What is to be done with sentences: only those with equal settings share a batch.

    `best` is the number of translations of each sentence, and `attention` asks for the attention of the best one.
    """

    pair: Pair
    best: int = 1
    attention: bool = False


@dataclass(frozen=True)
class Answer:
    """The translations of one sentence, best first, and the attention of the best one if asked for and possible."""

    translations: list[Translation]
    attention: AttentionMap | None


Answers = list[Answer | Exception]
"""One for each sentence: an exception if it cannot be translated."""


@dataclass(eq=False)
class _Job:
    """The sentences of one request; those before `begun` are translated or being translated."""

    work: Work
    sentences: Sequence[str]
    deadline: float
    future: Future[Answers] = field(default_factory=Future)
    begun: int = 0

    def __post_init__(self) -> None:
        self.answers: dict[int, Answer | Exception] = {}

    def add(self, place: int, answer: Answer | Exception) -> None:
        """Note the answer to a sentence; with the last one, the request has its result."""
        self.answers[place] = answer
        if len(self.answers) == len(self.sentences) and self.future.set_running_or_notify_cancel():
            self.future.set_result([self.answers[place] for place in range(len(self.sentences))])

    def refuse(self, error: Exception) -> None:
        """Let the request fail."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class Worker:
    """Translates with `translators`, which no other thread may use from now on.

    At most `capacity` sentences wait.
    """

    def __init__(self, translators: Mapping[Pair, BaseTranslator], *, capacity: int = 1000) -> None:
        self.pairs = tuple(translators)
        self._translators = translators
        self.capacity = capacity
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="translations", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether requests are still accepted."""
        return self._thread.is_alive() and not self._closing

    @property
    def waiting(self) -> int:
        """The number of sentences that have not begun."""
        with self._changed:
            return sum(len(job.sentences) - job.begun for job in self._jobs)

    def warm_up(self) -> None:
        """Translate a text with every model, which makes the first request fast. Raises what goes wrong there."""
        for pair in self._translators:
            for answer in self.submit(Work(pair), ["1"]).result():
                if isinstance(answer, Exception):
                    raise answer

    def submit(self, work: Work, sentences: Sequence[str]) -> Future[Answers]:
        """Return the future answers to `sentences`; cancelling it gives their places to others.

        Raises Busy if there is no place for them. The future raises Busy if they have waited too long.
        """
        job = _Job(work, sentences, time.monotonic() + PATIENCE)
        if not sentences:
            job.future.set_result([])
            return job.future
        with self._changed:
            if not self.alive:
                raise Busy("the server is ending")
            if self.waiting + len(sentences) > self.capacity:
                raise Busy(f"{self.waiting} sentences are waiting")
            self._jobs.append(job)
            self._changed.notify()
        job.future.add_done_callback(lambda _: self._forget(job))
        return job.future

    def close(self) -> None:
        """Accept nothing more, translate what is waiting, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _forget(self, job: _Job) -> None:
        with self._changed, suppress(ValueError):
            self._jobs.remove(job)

    def _run(self) -> None:
        while True:
            if batch := self._next():
                self._translate(batch)
            elif self._closing:
                return

    def _next(self) -> list[tuple[_Job, int]]:
        """Wait for requests, and return the sentences to translate now, each as its request and place there."""
        with self._changed:
            idle = not self._jobs and not self._closing
            self._changed.wait_for(lambda: self._jobs or self._closing)
        if idle:
            time.sleep(WINDOW)
        with self._changed:
            self._drop()
            return self._taken()

    def _drop(self) -> None:
        """Take out the requests that nobody waits for, and those that have waited too long, which fail."""
        now = time.monotonic()
        dropped = [job for job in self._jobs if job.future.cancelled() or (not job.begun and now > job.deadline)]
        for job in dropped:
            self._jobs.remove(job)
            job.refuse(Busy("waited too long"))

    def _taken(self) -> list[tuple[_Job, int]]:
        """Take sentences of the first request, and of others with its settings; what is left goes to the end."""
        if not self._jobs:
            return []
        work = self._jobs[0].work
        taken: list[tuple[_Job, int]] = []
        room = TOGETHER.get(self._translators[work.pair].device_type, TOGETHER_ELSEWHERE)
        for job in [each for each in self._jobs if each.work == work]:
            if len(taken) == room:
                break
            stop = min(job.begun + room - len(taken), len(job.sentences))
            taken += [(job, place) for place in range(job.begun, stop)]
            job.begun = stop
            self._jobs.remove(job)
            if stop < len(job.sentences):
                self._jobs.append(job)
        return taken

    def _translate(self, batch: Sequence[tuple[_Job, int]]) -> None:
        answers = self._answers(batch[0][0].work, [job.sentences[place] for job, place in batch])
        for (job, place), answer in zip(batch, answers, strict=True):
            job.add(place, answer)

    def _answers(self, work: Work, sentences: Sequence[str]) -> Answers:
        try:
            return list(self._search(work, sentences))
        except Exception as error:
            if len(sentences) == 1:
                _report(error)
                return [error]
            middle = len(sentences) // 2
            return self._answers(work, sentences[:middle]) + self._answers(work, sentences[middle:])

    def _search(self, work: Work, sentences: Sequence[str]) -> list[Answer]:
        translator = self._translators[work.pair]
        found = translator.hypotheses(sentences, **_fields(translator.search, work.best))
        maps = _maps(translator, [translations[0] for translations in found]) if work.attention else {}
        return [Answer(translations[: work.best], maps.get(place)) for place, translations in enumerate(found)]


def _fields(search: Search, best: int) -> dict[str, Any]:
    """Return the settings of the search that let it find `best` translations, as far as its beam has room for them."""
    size, own = getattr(search, "beam_size", None), getattr(search, "n_best", 1)
    if size is None or best <= own or getattr(search, "utility", None) is not None:
        return {}  # with a utility, n_best would change which translation is the best
    return {"n_best": min(best, size)}


def _maps(translator: BaseTranslator, translations: Sequence[Translation]) -> dict[int, AttentionMap]:
    """Return the attention of those translations that have one, by their place."""
    places = [place for place, each in enumerate(translations) if each.tokens and not each.parts]
    try:
        maps = translator.attention_maps([translations[place] for place in places])
    except UserError:  # the model has no attention, or the engine cannot show it
        return {}
    return dict(zip(places, maps, strict=True))


def _report(error: Exception) -> None:
    """Log where an error comes from, without its message, which may quote the text."""
    if not isinstance(error, UserError):
        frames = "".join(traceback.format_tb(error.__traceback__))
        logger.error(f"a text could not be translated: {type(error).__name__}\n{frames.rstrip()}")
