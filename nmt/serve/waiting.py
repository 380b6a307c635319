"""The requests that wait for the models: their sentences, their order, and what each has in a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from nmt.attention_map import AttentionMap
from nmt.translation.translation import Translation

LONG = 200  # characters of a sentence; each further time, it counts as one more

Pair = tuple[str, str]


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


def size(sentence: str) -> int:
    """Return for how many a sentence counts: one without an end would otherwise keep all others waiting."""
    return 1 + len(sentence) // LONG


@dataclass(eq=False)
class Job:
    """The sentences of one request; those before `begun` are translated or being translated.

    If it has not begun at the time `deadline`, it fails. `left` is the size of the sentences that wait.
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
        """Return the place of the first sentence that waits, which waits no longer."""
        self.left -= size(self.sentences[self.begun])
        self.begun += 1
        return self.begun - 1

    def add(self, place: int, answer: Answer | Exception) -> None:
        """Note the answer to a sentence. With the last one, the request has its result; with an exception it fails."""
        if isinstance(answer, Exception):
            self.refuse(answer)
            return
        self.answers[place] = answer
        if len(self.answers) == len(self.sentences) and self._open():
            self.future.set_result([self.answers[place] for place in range(len(self.sentences))])

    def refuse(self, error: Exception) -> None:
        """Let the request fail."""
        if self._open():
            self.future.set_exception(error)

    def _open(self) -> bool:
        """Return whether somebody still waits for the result; from then on, the future cannot be cancelled."""
        return not self.future.done() and self.future.set_running_or_notify_cancel()


class Waiting:
    """The requests with sentences that wait, first the one whose turn it is. `room` is the size of a batch.

    `turns` holds for each work the size of the sentences that its requests translate until each had one turn, which is
    at most a batch. All methods take the same time however many requests wait.
    """

    def __init__(self, room: Callable[[Work], int]) -> None:
        self.turns: dict[Work, int] = {}
        self._room = room
        self._jobs: dict[Job, int] = {}  # and what each counts in `turns`

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, job: Job) -> None:
        """Put a request at the end; one that is there already keeps its place, if sentences of it still wait."""
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
