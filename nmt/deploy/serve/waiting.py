"""The requests that wait for the models: their sentences and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from nmt.attention_map import AttentionMap
from nmt.terms import NO_TERMS, Terms
from nmt.translation.translation import Translation

LONG = 200  # characters; a sentence counts as one more for each time that it has so many

Pair = tuple[str, str]


@dataclass(frozen=True)
class Work:
    """What is to be done with sentences: only those with equal settings share a batch.

    `best` is the number of translations of each sentence, and `attention` asks for the attention of the best one.
    `terms` is the glossary of the sentences.
    """

    pair: Pair
    best: int = 1
    attention: bool = False
    terms: Terms = NO_TERMS


@dataclass(frozen=True)
class Answer:
    """The translations of one sentence, best first, and the attention of the best one if asked for and possible."""

    translations: list[Translation]
    attention: AttentionMap | None


def size(sentence: str) -> int:
    """Return as how many sentences one counts. A very long one takes the time of many."""
    return 1 + len(sentence) // LONG


@dataclass(eq=False)
class Job:
    """The sentences of one request. `begun` is the number of those that are translated or being translated.

    The request fails if it has not begun at the time `deadline`. `left` is the total size of the sentences that wait.
    """

    work: Work
    sentences: Sequence[str]
    deadline: float
    future: Future[list[Answer]] = field(default_factory=Future)
    begun: int = 0

    def __post_init__(self) -> None:
        self.answers: dict[int, Answer] = {}
        self.left = sum(map(size, self.sentences))

    def begin(self) -> int:
        """Let the next sentence begin, and return its place."""
        self.left -= size(self.sentences[self.begun])
        self.begun += 1
        return self.begun - 1

    def add(self, place: int, answer: Answer | Exception) -> None:
        """Note the answer to a sentence. With the last one, the request has its result; with an exception it fails."""
        if isinstance(answer, Exception):
            self.fail(answer)
            return
        self.answers[place] = answer
        if len(self.answers) == len(self.sentences) and self._open():
            self.future.set_result([self.answers[place] for place in range(len(self.sentences))])

    def fail(self, error: Exception) -> None:
        """Let the request fail."""
        if self._open():
            self.future.set_exception(error)

    def _open(self) -> bool:
        """Return whether somebody still waits for the result; from then on, the future cannot be cancelled."""
        return not self.future.done() and self.future.set_running_or_notify_cancel()


class Waiting:
    """The queue of requests whose sentences wait. `room` returns the size of a batch of a work.

    In a turn, a request has its waiting sentences translated, but at most a batch of them. `turns` holds for each work
    the total size of the next turns of all its requests. The time of a method does not depend on their number.
    """

    def __init__(self, room: Callable[[Work], int]) -> None:
        self.turns: dict[Work, int] = {}
        self._room = room
        self._jobs: dict[Job, int] = {}  # each with its part of `turns`

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, job: Job) -> None:
        """Put a request at the end. One that is there keeps its place, or is taken out if none of it waits."""
        self._count(job, min(job.left, self._room(job.work)))

    def remove(self, job: Job) -> None:
        """Take out a request, if it is there."""
        self._count(job, 0)

    def _count(self, job: Job, now: int) -> None:
        turn = self.turns.pop(job.work, 0) + now - self._jobs.get(job, 0)
        if turn:
            self.turns[job.work] = turn
        if now:
            self._jobs[job] = now
        else:
            self._jobs.pop(job, None)
