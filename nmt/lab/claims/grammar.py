"""Heads of self-attention look at the word that grammar asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple

from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, accuracies, minus
from nmt.lab.claims.heads import AFTER, BEFORE, SENTENCES, SYSTEM, before_and_after, of_best_head
from nmt.lab.claims.models import AGREEMENT, EXACT, SLOTS
from nmt.lab.compare.runs import FinishedRun
from nmt.lab.tasks.agreement import Agreement
from nmt.lab.tasks.slots import PLACES
from nmt.translation.translator import Translator

COLOR, NOUN, VERB = 2, 3, 4  # the slots of these words in the task `slots`
Places = Callable[[str], tuple[int, int] | None]
TASKS = {"agreement": AGREEMENT, "slots": SLOTS}


class Relation(NamedTuple):
    """A relation of two words in the sources of a `task`.

    `places` returns the place of a word and that of the word which it should look at, None if one of them is missing.
    """

    task: str
    places: Places


def _subject(source: str) -> tuple[int, int] | None:
    """Return the places of the verb and of its subject if another noun is between them."""
    return (source.split().index("will"), 1) if Agreement.measure(source) else None


def _slots(*kinds: int) -> Places:
    def places(source: str) -> tuple[int, int] | None:
        found = {PLACES[word]: place for place, word in enumerate(source.split())}
        row, column = (found.get(kind) for kind in kinds)
        return None if row is None or column is None else (row, column)

    return places


RELATIONS = {
    "verb to subject": Relation("agreement", _subject),  # "the keys near the box will be old"
    "adjective to noun": Relation("slots", _slots(COLOR, NOUN)),  # "cats two sit red"
    "verb to noun": Relation("slots", _slots(VERB, NOUN)),
}


class HeadGrammar(Claim):
    """How often the highest weight of a head is on the word that grammar asks for, before and after training."""

    name = "head_grammar"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES}

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {task: (*settings, *EXACT[SYSTEM]) for task, settings in TASKS.items()}

    def measure(self, runs: Runs) -> Curves:
        lines: dict[str, dict[str, PerSeed]] = {BEFORE: {}, AFTER: {}}
        for name, relation in RELATIONS.items():
            own = runs[relation.task]
            models = list(map(before_and_after, own))
            for when, line in lines.items():
                line[name] = tuple(
                    looks(each[when], run, relation.places) for each, run in zip(models, own, strict=True)
                )
        learned = {task: accuracies(each) for task, each in runs.items()}
        return Curves(self.text("relation"), self.text("rows"), lines, joined=False, more=learned)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(
            Contrast(
                self.text("more", relation=self.text(name)),
                minus(lines[AFTER][name], lines[BEFORE][name]),
                easy=(more[relation.task],),
            )
            for name, relation in RELATIONS.items()
        )


def looks(translator: Translator, run: FinishedRun, places: Places) -> float:
    """Return how often (in %) the highest weight of a word is on the word that it should look at, of the best head."""
    test = run.test_set
    pairs = zip(test.sources, test.references, strict=True)
    asked = [(*pair, found) for pair in pairs if (found := places(pair[0])) is not None][:SENTENCES]
    sources, references, cells = zip(*asked, strict=True)
    right = []
    for each, (row, column) in zip(
        translator.attention_maps(translator.score(sources, references)), cells, strict=True
    ):
        weights = each.words().encoder_self
        assert weights is not None
        right.append(weights[:, :, row].argmax(-1) == column)
    return 100 * of_best_head(right)
