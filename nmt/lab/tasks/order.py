"""Order: who does it, and to whom? The words are the same, only their order differs."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import Task
from nmt.parameters import PositiveInt

NAMES = (
    *("anna", "ben", "clara", "david", "emma", "felix", "greta", "hugo", "ida", "jonas"),
    *("karin", "leo", "mina", "nora", "oskar", "paula", "quentin", "rosa", "simon", "tina"),
)
VERBS = {
    "follows": "followed",
    "sees": "seen",
    "calls": "called",
    "helps": "helped",
    "finds": "found",
    "likes": "liked",
}


class Order(Task):
    """Sources as "anna follows ben , clara sees anna"; the target is their passive: "ben is followed by anna , ...".

    A source has 1 to `max_clauses` clauses. The alignment of a pair links the names, the verbs and the commas; "is" and
    "by" are possible links of the verb.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], max_clauses: PositiveInt) -> None:
        """Take the sizes [train, val, test] and the largest number of clauses, at least 1."""
        super().__init__(seed=seed, sizes=sizes)
        self.max_clauses = max_clauses

    def draw(self, rng: Random) -> SentencePair:
        active, passive, links = [], [], []
        for clause in range(rng.randint(1, self.max_clauses)):
            (subject, other), verb = rng.sample(NAMES, 2), rng.choice(list(VERBS))
            active.append(f"{subject} {verb} {other}")
            passive.append(f"{other} is {VERBS[verb]} by {subject}")
            i, j = 4 * clause, 6 * clause  # the first words of the clause
            links += [f"{i - 1}-{j - 1}"] if clause else []  # the comma before it
            links += [f"{i}-{j + 4}", f"{i + 1}?{j + 1}", f"{i + 1}-{j + 2}", f"{i + 1}?{j + 3}", f"{i + 2}-{j}"]
        return SentencePair(" , ".join(active), " , ".join(passive), alignment=" ".join(links))
