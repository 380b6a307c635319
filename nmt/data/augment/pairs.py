"""The training pairs of an epoch, some of them changed."""

from __future__ import annotations

import bisect
import functools
import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nmt.data.aligner import Aligner
from nmt.data.augment.base import Augmentation, Example
from nmt.data.encoded import CorpusWriter, Encoded, EncodedPairs, Mixture, number_type
from nmt.data.progress import PassProgress
from nmt.data.tokenizer import Tokenizer
from nmt.spans import MARK
from nmt.system.temporary import temporary_folder
from nmt.tokens import CAPITALS, ELEMENT_MARKS, SPAN_MARKS

KIND = 100  # the number of a mark modulo 100 tells what it stands for: a start tag, an end tag or another span
CHUNK = 1_000  # pairs that are encoded by one call
MOST_LINKS = 6_000_000  # possible links between pieces that the aligner learns from

Texts = tuple[str, str]


@dataclass(eq=False)
class Augmenter:
    """Changes a share of the pairs of each epoch. The result depends only on the pairs and the random generator.

    The rates of the augmentations sum to 1 at most. `max_length` limits the ids of a changed side. The aligner learns
    from the pairs of `corpus`, when it is needed first.
    """

    tokenizer: Tokenizer
    augmentations: Sequence[Augmentation]
    max_length: int
    corpus: EncodedPairs

    def __call__(self, pairs: EncodedPairs, rng: random.Random) -> EncodedPairs:
        """Return the pairs in another order: the changed ones last. These are in temporary files, mapped to memory."""
        bounds = list(itertools.accumulate(each.rate for each in self.augmentations))
        kinds = [bisect.bisect(bounds, rng.random()) for _ in range(len(pairs))]
        chosen = [place for place, kind in enumerate(kinds) if kind < len(self.augmentations)]
        dtype, changed = number_type(self.tokenizer, self.max_length), list[int]()
        with (
            temporary_folder() as folder,
            CorpusWriter(folder, dtype, linked=False) as writer,
            PassProgress("augmenting", len(chosen)) as progress,
        ):
            for start in range(0, len(chosen), CHUNK):
                places = chosen[start : start + CHUNK]
                found = self._changed(pairs, {place: self.augmentations[kinds[place]] for place in places}, rng)
                writer.add(list(found.values()))
                changed += found
                progress.advance(len(places))
            if not changed:
                return pairs
            corpus = writer.finish({})
        rest = np.delete(np.arange(len(pairs)), changed)
        return Mixture([pairs, corpus], [rest, np.arange(len(corpus))])

    def _changed(
        self, pairs: EncodedPairs, kinds: Mapping[int, Augmentation], rng: random.Random
    ) -> dict[int, Encoded]:
        """Return new pairs by the places of the old ones. One that cannot be changed or is too long is left out."""
        texts = dict[int, Texts]()
        for place, augmentation in kinds.items():
            example = self._example(pairs[place], linked=augmentation.reads_links)
            another = functools.partial(self._another, pairs, pairs.same_direction(place), rng)
            made = None if example is None else augmentation(example, rng, another)
            if made is not None and (numbered := with_numbers(*made, rng)) is not None:
                texts[place] = numbered
        as_read = self.tokenizer.spans.as_read
        sources = self.tokenizer.encode_source([as_read(source) for source, _ in texts.values()])
        targets = self.tokenizer.encode_target([as_read(target) for _, target in texts.values()])
        encoded = zip(texts, map(Encoded, sources, targets), strict=True)
        return {place: pair for place, pair in encoded if self._fits(pair)}

    def _fits(self, pair: Encoded) -> bool:
        lengths = len(pair.source), len(pair.target)
        return min(lengths) > 1 and max(lengths) <= self.max_length

    def _example(self, pair: Encoded, *, linked: bool) -> Example | None:
        ids = pair.source[:-1], pair.target[:-1]
        return as_pieces(self.tokenizer, *ids, aligner=self._aligner if linked else None)

    def _another(self, pairs: EncodedPairs, places: range, rng: random.Random) -> Example:
        while (found := self._example(pairs[rng.choice(places)], linked=False)) is None:
            pass  # it ends, because the first pair itself has pieces for all its characters
        return found

    @functools.cached_property
    def _aligner(self) -> Aligner:
        """The aligner, which learns from every n-th pair if the corpus is large."""
        corpus = self.corpus
        sources, targets = corpus.lengths
        possible = int(np.dot(sources.astype(np.int64), targets))
        chosen = map(corpus.__getitem__, range(0, len(corpus), 1 + possible // MOST_LINKS))
        return Aligner((pair.source[:-1], pair.target[:-1]) for pair in chosen)


def as_pieces(
    tokenizer: Tokenizer, source: Sequence[int], target: Sequence[int], *, aligner: Aligner | None = None
) -> Example | None:
    """Return a pair of ids without eos as pieces, with the links of an `aligner`.

    A pair with an empty side, in capitals, or with characters that have no piece, gives None.
    """
    sides, vocabularies = (source, target), (tokenizer.source_vocabulary, tokenizer.target_vocabulary)
    unusual = (not unknown.isdisjoint(side) for unknown, side in zip(tokenizer.unknown_ids, sides, strict=True))
    if not all(sides) or any(unusual):
        return None
    texts = [[pieces[index] for index in side] for pieces, side in zip(vocabularies, sides, strict=True)]
    if any(CAPITALS in side[:2] for side in texts):  # "▁" may stand before it
        return None
    links = ((), ()) if aligner is None else aligner.links(source, target)
    return Example(texts[0], texts[1], *links)


def with_numbers(source: str, target: str, rng: random.Random) -> Texts | None:
    """Return a pair with the marks that every vocabulary has, or None if it needs more of them.

    The marks are in the order of the source. Half of the pairs get the first marks, as real texts do. The others get
    random ones, so that the model learns all of them.
    """
    numbers = [int(mark[1:-1]) for mark in MARK.findall(source)]
    single = [number for number in numbers if number % KIND < len(SPAN_MARKS)]
    elements = list(dict.fromkeys(number - number % 2 for number in numbers if number % KIND >= len(SPAN_MARKS)))
    if len(single) > len(SPAN_MARKS) or len(elements) > len(ELEMENT_MARKS):
        return None
    anywhere = rng.random() < 0.5
    names = dict[int, str]()
    for place, number in zip(_places(len(single), SPAN_MARKS, rng, anywhere=anywhere), single, strict=True):
        names[number] = SPAN_MARKS[place]
    for place, number in zip(_places(len(elements), ELEMENT_MARKS, rng, anywhere=anywhere), elements, strict=True):
        names[number], names[number + 1] = ELEMENT_MARKS[place]
    texts = (MARK.sub(lambda found: names.get(int(found[0][1:-1]), found[0]), side) for side in (source, target))
    return next(texts), next(texts)


def _places(count: int, marks: Sequence[Any], rng: random.Random, *, anywhere: bool) -> Sequence[int]:
    """Return the places of the first `count` marks, or of random ones in their order."""
    return sorted(rng.sample(range(len(marks)), count)) if anywhere else range(count)
