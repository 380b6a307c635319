"""One thread owns the models and translates the sentences of all requests, many at a time.

Sentences that arrive within 5 ms, or while the models are busy, are translated together if their settings are equal.
Requests take turns: a request of more than a batch gives way to the others after each batch. A request is accepted as
long as its answer is expected in time. If a batch fails, its two halves are tried alone. So a sentence that cannot be
translated makes no other request fail.
"""

from __future__ import annotations

import logging
import math
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from nmt.attention_map import AttentionMap
from nmt.deploy.serve.pace import Pace
from nmt.deploy.serve.waiting import Answer, Job, Pair, Waiting, Work, size
from nmt.errors import UserError
from nmt.search.base import Search
from nmt.spans import Spans
from nmt.translation.base import BaseTranslator
from nmt.translation.translation import Translation

logger = logging.getLogger(__name__)

WINDOW = 0.005  # seconds that the first sentence waits for others
PATIENCE = 1.2  # an accepted request fails if it has not begun after this many times `max_wait`
TOGETHER = {"cpu": 64}  # sentences in a batch; with more, a short request would wait longer
TOGETHER_ELSEWHERE = 256


class Busy(Exception):
    """The answer is not expected in time. A client may ask again after `seconds`."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Worker:
    """Translates with `translators`, which no other thread may use from now on.

    A request is accepted if its answer is expected within `max_wait` seconds, or if no other one waits.
    """

    def __init__(self, translators: Mapping[Pair, BaseTranslator], *, max_wait: float) -> None:
        self.pairs = tuple(translators)
        self.max_wait = max_wait
        self._translators = translators
        self._paces = {pair: Pace() for pair in translators}
        self._free = 0.0  # when the batch that is being translated is expected to end
        self._waiting = Waiting(self._room)
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
            return sum(len(job.sentences) - job.begun for job in self._waiting)

    def spans(self, pair: Pair) -> Spans:
        """Return the spans that the model of a pair keeps. Any thread may use them."""
        return self._translators[pair].tokenizer.spans

    def warm_up(self) -> None:
        """Translate a text with every model, which makes the first request fast. Raises what goes wrong there."""
        for pair in self._translators:
            self.submit(Work(pair), ["1"]).result()

    def submit(self, work: Work, sentences: Sequence[str], *, admitted: bool = False) -> Future[list[Answer]]:
        """Return the future of the answers to `sentences`. If it is cancelled, the rest is not translated.

        Raises Busy if the answers are not expected in time, unless the sentences are `admitted`: they belong to a
        request that was accepted before. The future raises Busy if the request was accepted but
        still has not begun long after that time. It also raises the error of a sentence that cannot be translated.
        """
        job = Job(work, sentences, time.monotonic() + PATIENCE * self.max_wait)
        if not sentences:
            job.future.set_result([])
            return job.future
        with self._changed:
            if not self.alive:
                raise Busy("the server is ending", self.max_wait)
            if not admitted and self._waiting and (expected := self._expected(job)) > self.max_wait:
                raise Busy(f"an answer takes {expected:.0f} s", expected - self.max_wait)
            self._waiting.put(job)
            self._changed.notify()
        job.future.add_done_callback(lambda _: self._forget(job))
        return job.future

    def _expected(self, new: Job) -> float:
        """Return the seconds until a new request has its answer, if as many sentences wait later as wait now.

        A turn is at most one batch. Each of the other requests has a turn before each turn of the new one.
        """
        room = self._room(new.work)
        turns = self._waiting.turns | {new.work: self._waiting.turns.get(new.work, 0) + min(new.left, room)}
        seconds = sum(self._seconds(work, total) for work, total in turns.items())
        return max(0.0, self._free - time.monotonic()) + math.ceil(new.left / room) * seconds

    def _seconds(self, work: Work, total: int) -> float:
        """Return the seconds that sentences of this total size take in full batches and a last smaller one."""
        room, pace = self._room(work), self._paces[work.pair]
        full, rest = divmod(total, room)
        return full * pace.seconds(room) + (pace.seconds(rest) if rest else 0.0)

    def _room(self, work: Work) -> int:
        return TOGETHER.get(self._translators[work.pair].device_type, TOGETHER_ELSEWHERE)

    def close(self) -> None:
        """Accept nothing more, translate what is waiting, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _forget(self, job: Job) -> None:
        with self._changed:
            self._waiting.remove(job)

    def _run(self) -> None:
        while True:
            if batch := self._next():
                self._translate(batch)
            elif self._closing:
                return

    def _next(self) -> list[tuple[Job, int]]:
        """Wait for requests, and return the sentences to translate now, each as its request and place there."""
        with self._changed:
            idle = not self._waiting and not self._closing
            self._changed.wait_for(lambda: self._waiting or self._closing)
        if idle:
            time.sleep(WINDOW)
        with self._changed:
            self._drop()
            return self._taken()

    def _drop(self) -> None:
        """Take out the requests that nobody waits for, and those that have waited too long, which fail."""
        now = time.monotonic()
        for job in [job for job in self._waiting if job.future.done() or (not job.begun and now > job.deadline)]:
            self._waiting.remove(job)
            job.fail(Busy("waited too long", self.max_wait))

    def _taken(self) -> list[tuple[Job, int]]:
        """Take sentences of the first request, and then of others with its settings, until the batch is full.

        If sentences of the first request are left, it goes to the end of the queue. A later request whose sentences do
        not all fit keeps its place.
        """
        if not self._waiting:
            return []
        work = next(iter(self._waiting)).work
        taken: list[tuple[Job, int]] = []
        left = room = self._room(work)
        for job in [each for each in self._waiting if each.work == work]:
            first = not taken
            while job.left and (not taken or size(job.sentences[job.begun]) <= left):
                left -= size(job.sentences[job.begun])
                taken.append((job, job.begin()))
            if first:
                self._waiting.remove(job)
            self._waiting.put(job)
            if job.left:
                break
        self._free = time.monotonic() + self._seconds(work, room - left)
        return taken

    def _translate(self, batch: Sequence[tuple[Job, int]]) -> None:
        work, sentences = batch[0][0].work, [job.sentences[place] for job, place in batch]
        begun = time.monotonic()
        answers = self._answers(work, sentences)
        with self._changed:  # another thread may be reading the pace
            self._paces[work.pair].note(sum(map(size, sentences)), time.monotonic() - begun)
        for (job, place), answer in zip(batch, answers, strict=True):
            job.add(place, answer)

    def _answers(self, work: Work, sentences: Sequence[str]) -> Sequence[Answer | Exception]:
        try:
            return self._search(work, sentences)
        except Exception as error:
            if len(sentences) == 1:
                _report(error)
                return [error]
            middle = len(sentences) // 2
            return [*self._answers(work, sentences[:middle]), *self._answers(work, sentences[middle:])]

    def _search(self, work: Work, sentences: Sequence[str]) -> list[Answer]:
        translator = self._translators[work.pair].with_terms(work.terms)
        found = translator.hypotheses(sentences, **_fields(translator.search, work.best))
        maps = _maps(translator, [translations[0] for translations in found]) if work.attention else {}
        return [Answer(translations[: work.best], maps.get(place)) for place, translations in enumerate(found)]


def _fields(search: Search, best: int) -> dict[str, Any]:
    """Return the settings with which the search finds `best` translations, or as many as its beam can hold."""
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
