"""Pairs as pieces with the links of a statistical aligner, and their parts that translate each other.

The recipes augment.py and glossary.py use them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from nmt.data.aligner import Aligner
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.text.languages import UNSPACED
from nmt.tokens import WORD_MARK

MOST_LINKS = 6_000_000  # possible links between pieces that the aligner learns from
_LETTER_WITHOUT_SPACES = regex.compile(rf"[\p{{Lo}}&&[{UNSPACED}]]", regex.V1)
_LEADING_VOWEL = regex.compile(r"\p{Logical_Order_Exception}\Z")  # of Thai and Lao: written before its consonant


@dataclass(frozen=True)
class Example:
    """A pair as pieces. `forward` has for each target piece the position of its source piece, `backward` the reverse.

    A pair without links has one piece on each side.
    """

    source: Sequence[str]
    target: Sequence[str]
    forward: Sequence[int] = ()
    backward: Sequence[int] = ()

    def words(self) -> list[range]:
        """Return the positions of the pieces of each source word."""
        starts = [place for place in range(len(self.source)) if begins_word(self.source, place)]
        return [range(*each) for each in zip(starts, [*starts[1:], len(self.source)], strict=True)]

    def translation(self, part: range) -> range | None:
        """Return the positions of the target pieces that translate a part of the source, or None.

        They translate it if no link leads out of the two parts (Och and Ney 2004, section 3.2), and if the aligner
        agrees in both directions on one link at least.
        """
        linked = [place for place, position in enumerate(self.forward) if position in part]
        linked += [self.backward[position] for position in part]
        translated = range(min(linked), max(linked) + 1)
        if any(self.forward[place] not in part for place in translated):
            return None
        if any(place in translated for position, place in enumerate(self.backward) if position not in part):
            return None
        return translated if any(self.forward[self.backward[position]] == position for position in part) else None

    def phrases(self, most_words: int, rng: random.Random) -> Iterator[tuple[range, range]]:
        """Yield random parts of one to `most_words` source words with their translations. It gives up after 8 tries."""
        words = self.words()
        for _ in range(8 if self.forward else 0):
            first = rng.randrange(len(words))
            part = range(words[first].start, words[min(first + rng.randrange(most_words), len(words) - 1)].stop)
            if (translated := self.translation(part)) and begins_word(self.target, translated.start):
                yield part, translated


def begins_word(pieces: Sequence[str], place: int) -> bool:
    """Return whether a word begins at this place or the text ends there. In Chinese, each letter begins a word."""
    if place in (0, len(pieces)) or pieces[place].startswith(WORD_MARK):
        return True
    return bool(_LETTER_WITHOUT_SPACES.match(pieces[place]) and not _LEADING_VOWEL.search(pieces[place - 1]))


def text(pieces: Sequence[str]) -> str:
    """Return the text of pieces, without spaces at its ends."""
    return "".join(pieces).replace(WORD_MARK, " ").strip()


def examples(pairs: Sequence[SentencePair], tokenizer: Tokenizer) -> Iterator[Example]:
    """Yield each pair as pieces with links, or without links if a side is empty or has characters without a piece."""
    sources = tokenizer.encode_source([pair.source for pair in pairs])
    targets = tokenizer.encode_target([pair.target for pair in pairs])
    ids = [(source[:-1], target[:-1]) for source, target in zip(sources, targets, strict=True)]
    filled = [sides for sides in ids if all(sides)]
    stride = 1 + sum(len(source) * len(target) for source, target in filled) // MOST_LINKS
    aligner = Aligner(filled[::stride]) if filled else None
    for pair, sides in zip(pairs, ids, strict=True):
        if aligner is None or not all(sides) or not all(map(frozenset.isdisjoint, tokenizer.unknown_ids, sides)):
            yield Example([pair.source], [pair.target])
            continue
        vocabularies = tokenizer.source_vocabulary, tokenizer.target_vocabulary
        source, target = ([names[index] for index in side] for names, side in zip(vocabularies, sides, strict=True))
        yield Example(source, target, *aligner.links(*sides))
