"""Coreference: which of two nouns does "it" mean?"""

from __future__ import annotations

from random import Random

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import PhrasesTask

ANIMALS = ("animal", "dog", "cat", "horse", "fox", "bear", "goat", "wolf", "sheep", "donkey")
PLACES = ("street", "river", "bridge", "field", "valley", "square", "lake", "road")
OF_ANIMALS = ("tired", "hungry", "weak", "scared", "sleepy", "thirsty")
OF_PLACES = ("wide", "long", "steep", "crowded", "muddy", "icy")


class Coreference(PhrasesTask):
    """Sources as "the animal did not cross the street because it was too tired"; the target names what "it" means:
    "the animal was too tired". Only the last word decides: tired is said of animals, wide of places.

    The measure is the number of phrases between the two nouns and "because".
    """

    def draw(self, rng: Random) -> SentencePair:
        animal, place = rng.choice(ANIMALS), rng.choice(PLACES)
        meant, quality = rng.choice(((animal, rng.choice(OF_ANIMALS)), (place, rng.choice(OF_PLACES))))
        between = self.phrases(rng)
        return SentencePair(
            f"the {animal} did not cross the {place}{between} because it was too {quality}",
            f"the {meant} was too {quality}",
        )
