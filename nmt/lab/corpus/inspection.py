"""Looks at every pair of a corpus once and counts."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from nmt.config.settings import DataConfig
from nmt.data.encoded import encode
from nmt.data.filters import CorpusContext, Filter, Filters, LeakedPair, simplified, target_counts
from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress
from nmt.data.tokenizer import Tokenizer
from nmt.lab.corpus.defects import DEFECTS
from nmt.lab.corpus.report import MORE, DataReport, Example, Finding, Side, SplitFigures, place_of, visible

CHUNK_PAIRS = 2_000
BLOCK = 100  # neighbouring pairs of a sample
BOUNDS = (8, 16, 32, 64, 128)  # of the histogram of lengths


def inspect(
    corpus: Mapping[str, Split],
    tokenizer: Tokenizer,
    config: DataConfig,
    *,
    origin: Callable[[str], str],
    dropped: Sequence[str] = (),
    more: Mapping[str, Split] = MappingProxyType({}),
    defects: Sequence[str] = tuple(DEFECTS),
    examples: int = 5,
    most_pairs: int | None = None,
) -> DataReport:
    """Return the report on all splits of `corpus`, looking for the named `defects`.

    The further training corpora `more` are splits of the report too, called "more.NAME". A finding keeps the first
    `examples` pairs. `origin` returns where a split comes from, and `dropped` names the filters of the training. If a
    training corpus has more than `most_pairs` pairs, a sample of about so many is examined.
    """
    limits = Filters(config.max_length, config.max_ratio)
    languages = config.source_lang, config.target_lang
    reasons = {name: DEFECTS[name].unavailable_reason(languages) for name in defects}
    usable = {name: DEFECTS[name] for name, reason in reasons.items() if not reason}
    training = {"train": corpus["train"], **{f"{MORE}{name}": pairs for name, pairs in more.items()}}
    held_out = {split: pairs for split, pairs in corpus.items() if split != "train"}
    wanted = {simplified(pair.source) for pairs in held_out.values() for pair in pairs} - {""}
    seen: set[str | tuple[str, str]] = set()  # of the held-out texts, those that training has
    splits = {}
    for split, whole in {**training, **held_out}.items():
        is_training = split in training
        pairs = sample(whole, most_pairs) if is_training and most_pairs is not None else whole
        others = held_out if is_training and not config.overfit else {}
        context = CorpusContext(languages, pairs, others)
        leaks = bool(context.held_out)  # only training pairs can leak
        kinds = {name: each for name, each in usable.items() if leaks or not isinstance(each, LeakedPair)}
        counts = _Counts(tokenizer, limits, context, kinds, examples)
        compared = not is_training and not config.overfit
        with PassProgress(f"looking at {split}", len(pairs)) as progress:
            rest = iter(pairs)
            while chunk := list(itertools.islice(rest, CHUNK_PAIRS)):
                counts.add(progress.done, chunk)
                if is_training and others:
                    seen.update(key for pair in chunk if simplified(pair.source) in wanted for key in _keys(pair))
                progress.advance(len(chunk))
        splits[split] = SplitFigures(
            origin=visible(origin(split)),
            size=len(whole),
            pairs=len(pairs),
            source=counts.side(0, languages[0]),
            target=counts.side(1, languages[1]),
            several_targets=int(np.count_nonzero(target_counts(*context.hashes)[1] > 1)),
            findings=counts.findings(),
            seen_sources=sum(_keys(pair)[0] in seen for pair in pairs) if compared else None,
            seen_pairs=sum(_keys(pair)[1] in seen for pair in pairs) if compared else None,
        )
    return DataReport(
        splits=splits,
        explanations={**explanations(limits), **{name: each.explanation for name, each in usable.items()}},
        dropped=[*explanations(limits), *dropped],
        not_tested={name: reason for name, reason in reasons.items() if reason},
    )


def sample(split: Split, most: int) -> Split:
    """Return about `most` pairs of a split or less: one block of neighbouring pairs in every n.

    The sample is in memory: several defects read it, and each pass over a large file takes long. A pair that is not
    from a file gets its number as its line.
    """
    stride, chosen = -(-len(split) // most), list[SentencePair]()
    with PassProgress("reading a sample", len(split)) as progress:
        for index, pair in enumerate(split):
            if index // BLOCK % stride == 0:
                chosen.append(pair if stride == 1 or pair.line is not None else replace(pair, line=index + 1))
            progress.advance(1)
    return Split(chosen, len(chosen), split.digest)


class _Counts:
    """Counts the figures and the defects of one split."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        limits: Filters,
        context: CorpusContext,
        defects: Mapping[str, Filter],
        examples: int,
    ) -> None:
        self._tokenizer = tokenizer
        self._limits = limits
        self._finders = {name: each.finder(context) for name, each in defects.items()}
        self._most_examples = examples
        self._lengths = array("i"), array("i")
        self._totals = Counter[str](), Counter[str]()
        self._kinds: dict[str, Counter[str]] = {}
        self._examples: dict[str, list[Example]] = {}
        for name in (*explanations(limits), *defects):
            self._kinds[name], self._examples[name] = Counter(), []

    def add(self, first: int, pairs: Sequence[SentencePair]) -> None:
        """Count the pairs, the first of which has the index `first`."""
        encoded = encode(pairs, self._tokenizer)
        for side, unknown in enumerate(self._tokenizer.unknown_ids):
            texts = [(pair.source, pair.target)[side] for pair in pairs]
            ids = [(each.source, each.target)[side] for each in encoded]
            self._lengths[side].extend(map(len, ids))
            self._totals[side].update(
                words=sum(len(text.split()) for text in texts),
                characters=sum(map(len, texts)),
                unknown=sum(index in unknown for index in itertools.chain.from_iterable(ids)),
            )
        sides = (np.array(lengths[first:], np.int32) for lengths in self._lengths)
        reasons = self._limits.reasons(*sides).tolist()
        for index, (pair, reason) in enumerate(zip(pairs, reasons, strict=True), first):
            if reason:
                source, target = (lengths[index] for lengths in self._lengths)
                self._found(reason, index, pair, "" if reason == "empty" else f"{source} and {target} pieces")
            for name, find in self._finders.items():
                if note := find(index, pair):
                    self._found(name, index, pair, note)

    def _found(self, name: str, index: int, pair: SentencePair, note: str) -> None:
        note = visible(note)
        self._kinds[name][note] += 1
        if len(self._examples[name]) < self._most_examples:
            where = place_of(index, pair)
            self._examples[name].append(
                Example(where=where, note=note, source=visible(pair.source), target=visible(pair.target))
            )

    def side(self, side: int, language: str) -> Side:
        """Return the figures of the sources (0) or targets (1)."""
        lengths = np.array(self._lengths[side], np.int32)
        median, percentile_95 = np.percentile(lengths, [50, 95], method="inverted_cdf").tolist()
        longest = int(lengths.max())
        bounds = [*(bound for bound in BOUNDS if bound < longest), longest]
        total = self._totals[side]
        return Side(
            language=language,
            words=total["words"],
            characters=total["characters"],
            pieces=int(lengths.sum()) - len(lengths),
            unknown_pieces=total["unknown"],
            median=median,
            percentile_95=percentile_95,
            longest=longest,
            histogram=dict(zip(bounds, np.bincount(np.searchsorted(bounds, lengths)).tolist(), strict=True)),
        )

    def findings(self) -> dict[str, Finding]:
        """Return the finding for each name."""
        return {
            name: Finding(count=kinds.total(), kinds=dict(kinds.most_common(5)), examples=self._examples[name])
            for name, kinds in self._kinds.items()
        }


def _keys(pair: SentencePair) -> tuple[str, tuple[str, str]]:
    """Return what the source and the whole pair are compared by: texts that differ little are the same."""
    source = simplified(pair.source)
    return source, (source, simplified(pair.target))


def explanations(limits: Filters) -> dict[str, str]:
    """Return what each result of `Filters.reasons` means, in words that complete the sentence "The pair ..."."""
    return {
        "empty": "has no text on one side or both",
        "too long": f"has a side of more than {limits.max_length} pieces (data.max_length)",
        "of unequal length": f"has a side more than {limits.max_ratio:g} times as long as the other (data.max_ratio)",
    }
