"""Negation: which of two clauses does "not" belong to?"""

from __future__ import annotations

from random import Random

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import PhrasesTask

PEOPLE = ("i", "you", "he", "she", "we", "they")
MARKS = range(50, 100)
GOALS = ("get in", "pass", "stay", "travel", "win", "celebrate", "go home", "join the team")


class Negation(PhrasesTask):
    """Sources as "although i did not get 95 , i could get in"; the target lists both events: "95 no , get in yes".

    "not" is in the first clause or in the second, and all other words are the same. The measure is the number of
    phrases between the two clauses.
    """

    def draw(self, rng: Random) -> SentencePair:
        who, mark, goal = rng.choice(PEOPLE), rng.choice(MARKS), rng.choice(GOALS)
        first = rng.random() < 0.5
        did, could = ("did not get", "could") if first else ("did get", "could not")
        answers = ("no", "yes") if first else ("yes", "no")
        between = self.phrases(rng)
        return SentencePair(
            f"although {who} {did} {mark}{between} , {who} {could} {goal}", f"{mark} {answers[0]} , {goal} {answers[1]}"
        )
