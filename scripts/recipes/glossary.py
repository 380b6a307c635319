"""Make a glossary of the terms that only the test set has, to see whether a model uses terms that it has never seen.

  python scripts/recipes/glossary.py RUN_FOLDER OUT [data.path=FOLDER]

  RUN_FOLDER   a run, whose data and tokenizer are used; with data.path=, the data in this folder
               (its files train, val and test)
  OUT          the file for the glossary: on each line a term, a tab and its translation

A statistical aligner finds which parts of the test pairs translate each other. A part of one to three words is a term
if it has the same translation in most of its places, begins and ends with a word that is not frequent, and if no
training pair has both the term and this translation. Then a model is scored without and with the glossary:

  python scripts/evaluate.py ckpt=RUN_FOLDER scores=[chrf,bleu,terms] scores.terms.file=OUT
  python scripts/evaluate.py ckpt=RUN_FOLDER scores=[chrf,bleu] terms=OUT
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import regex

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from nmt.build import build_source
from nmt.cli.arguments import take
from nmt.cli.evaluate import data_of
from nmt.cli.output import new_file
from nmt.cli.program import program
from nmt.data.corpus import load_corpus
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, counted
from nmt.system.atomic import write_atomically
from nmt.translation.loading import load_models
from scripts.recipes.aligned import Example, begins_word, examples, text

WORDS = 3  # the most words of a term
FREQUENT = 150  # a term neither begins nor ends with one of so many most frequent words
LETTERS = 3  # of a term and of its translation
HANGUL = regex.compile(r"\p{Hangul}")
AGREEMENT = 0.6  # the least share of the places of a term that have its translation


@program
def main(argv: list[str]) -> None:
    """Run the program with the arguments `argv`. Raises UserError for a mistake in them."""
    path, words = take(argv, "data.path")
    if len(words) != 2:
        raise UserError(f"command line: got {counted(len(words), 'argument')}, expected RUN_FOLDER OUT")
    out = new_file(words[1], key="")
    assert out is not None
    (loaded,) = load_models(words[0], "cpu")
    data = data_of(loaded, {} if path is None else {"path": path})
    corpus = load_corpus(build_source(data), data, ("train", "test"))
    terms = unseen(list(corpus["train"]), list(corpus["test"]), loaded.tokenizer)
    write_atomically(out, "".join(f"{term}\t{translation}\n" for term, translation in terms).encode())
    print(f"{counted(len(terms), 'term')} written to {out}")


def unseen(train: Sequence[SentencePair], test: Sequence[SentencePair], tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Return the terms of `test` with their translations, of which no pair of `train` has both."""
    frequent = Counter(word for pair in train for word in pair.source.lower().split())
    usual = {word for word, _ in frequent.most_common(FREQUENT)}
    found: dict[str, Counter[str]] = {}
    for example in itertools.islice(examples([*test, *train], tokenizer), len(test)):
        for term, translation in {*parts(example)}:
            words = term.lower().split()
            if words[0] not in usual and words[-1] not in usual:
                found.setdefault(term.lower(), Counter())[translation] += 1
    best = {term: each.most_common(1)[0] for term, each in found.items()}
    sure = {term: text for term, (text, count) in best.items() if count >= AGREEMENT * found[term].total()}
    sides = [(pair.source.lower(), pair.target) for pair in train]
    known = {term for term, text in sure.items() if any(term in source and text in target for source, target in sides)}
    return sorted((term, text) for term, text in sure.items() if term not in known)


def parts(example: Example) -> Iterator[tuple[str, str]]:
    """Yield the parts of one to three words that can be terms, with their translations."""
    words = example.words()
    for first, start in enumerate(words):
        for last in words[first : first + WORDS]:
            part = range(start.start, last.stop)
            if not example.forward or (place := example.translation(part)) is None:
                continue
            part, place = without_punctuation(example.source, part), without_punctuation(example.target, place)
            sides = text(example.source[part.start : part.stop]), text(example.target[place.start : place.stop])
            if all(map(usable, sides)) and is_whole(example.target, place) and sides[0].lower() != sides[1].lower():
                yield sides


def without_punctuation(side: Sequence[str], part: range) -> range:
    """Return a part without the pieces at its end that have no letter and no digit."""
    while len(part) > 1 and not any(map(str.isalnum, side[part.stop - 1])):
        part = part[:-1]
    return part


def is_whole(side: Sequence[str], part: range) -> bool:
    """Return whether a part consists of whole words. If it ends in Hangul, letters may follow, such as a particle."""
    may_go_on = HANGUL.match(side[part.stop - 1][-1:]) is not None
    ends = may_go_on or begins_word(side, part.stop) or not any(map(str.isalnum, side[part.stop]))
    return ends and begins_word(side, part.start)


def usable(term: str) -> bool:
    """Return whether a term has enough letters, and no punctuation but hyphens. A Hangul syllable counts as two."""
    letters = sum(2 if HANGUL.match(character) else 1 for character in term if character.isalpha())
    return letters >= LETTERS and all(character.isalnum() or character in " -" for character in term)


if __name__ == "__main__":
    main()
