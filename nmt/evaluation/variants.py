"""Variants of a test set: the same pairs in capitals, with typing errors, with spans, and so on.

They are made by the changes of `nmt.data.augment`, with spans in place of marks, and are the same in every run. The
spans that a text has already stay as they are, if the model was trained with spans.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from nmt.data.aligner import Aligner
from nmt.data.augment.base import Augmentation, Example
from nmt.data.augment.pairs import KIND, as_pieces
from nmt.data.augment.spans import ELEMENT, FIRST, InsertSpans
from nmt.data.augment.texts import NoFullStop, TitleCase, TypingErrors, UpperCase
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.spans import MARK, Marked, Spans, as_written, unmarked

KINDS: Mapping[str, type[Augmentation]] = {
    "aug-upper": UpperCase,
    "aug-title": TitleCase,
    "aug-nostop": NoFullStop,
    "aug-typo": TypingErrors,
    "aug-spans": InsertSpans,
}
SINGLE = r"""
https://www.example.com/docs/page.html?id=3
help@example.org
{name}
{0}
{{ user.name }}
%s
%1$s
%(count)d
$(VERSION)
${HOME}
[X3X]
C:\Users\kim\report.odt
/usr/share/doc/index.html
😀
""".strip().split("\n")
ENDED = ["{name}", "{0}", "{{ user.name }}", "[X3X]", "${HOME}", "😀"]
JOINED = re.compile("(?<=[^\\s(\"'])\uff5f([0-9]+)\uff60|\uff5f([0-9]+)\uff60(?=[A-Za-z0-9\u00c0-\u024f\uff5f])")
AROUND = (("<b>", "</b>"), ('<a href="/help">', "</a>"), ("<x1>", "</x1>"), ("{b}", "{/b}"))


def variant_of(pairs: Sequence[SentencePair], name: str, tokenizer: Tokenizer) -> list[SentencePair]:
    """Return the pairs after a change, in their order. One that cannot be changed in this way stays as it is.

    For "aug-spans", the aligner learns from the pairs themselves, divided into the pieces of `tokenizer`.
    """
    kind, rng, found = KINDS[name](rate=1), random.Random(name), list[SentencePair]()
    if not kind.reads_links:
        return [_changed(pair, kind, rng, tokenizer.spans) for pair in pairs]
    own = [tokenizer.spans.mark(pair.source) for pair in pairs]
    for pair, marked, example in zip(pairs, own, _linked(pairs, own, tokenizer), strict=True):
        changed = None if example is None else kind(example, rng, _no_other)
        if changed is not None:
            source, target = (unmarked(as_written(text), marked.spans) for text in _with_spans(*changed, rng))
            pair = SentencePair(source, target)
        found.append(pair)
    return found


def _changed(pair: SentencePair, kind: Augmentation, rng: random.Random, spans: Spans) -> SentencePair:
    marked = spans.mark(pair.source)
    example = Example([marked.text], [spans.mark_target(pair.target, marked.spans)])
    changed = kind(example, rng, _no_other)
    if changed is None:
        return pair
    source, target = (unmarked(text, marked.spans) for text in changed)
    return SentencePair(source, target)


def _linked(pairs: Sequence[SentencePair], own: Sequence[Marked], tokenizer: Tokenizer) -> Iterator[Example | None]:
    """Yield the pieces of each pair, with links and marks for its `own` spans; None if it stays as it is."""
    spans = tokenizer.spans
    targets = [spans.mark_target(pair.target, marked.spans) for pair, marked in zip(pairs, own, strict=True)]
    read_sources = [spans.as_read(marked.text, capitals=False) for marked in own]
    read_targets = [spans.as_read(text, capitals=False) for text in targets]
    ids = zip(tokenizer.encode_source(read_sources), tokenizer.encode_target(read_targets), strict=True)
    both = [(source[:-1], target[:-1]) for source, target in ids]
    filled = [ids for ids in both if all(ids)]
    aligner = Aligner(filled) if filled else None
    return (as_pieces(tokenizer, *ids, aligner=aligner) for ids in both)


def _no_other() -> Example:
    raise AssertionError("a variant is made of single pairs")


def _with_spans(source: str, target: str, rng: random.Random) -> tuple[str, str]:
    """Return the texts with random spans in place of their marks. Those that surround a part are tags.

    Where a span stands directly beside a word or another span, it is one that has an end of its own, such as "{name}".
    """
    numbers = sorted(int(mark[1:-1]) for mark in MARK.findall(source))
    joined = {int(found[1] or found[2]) for side in (source, target) for found in JOINED.finditer(side)}
    names = {number: rng.choice(ENDED if number in joined else SINGLE) for number in numbers if number >= FIRST}
    for opening in [number for number in names if number % KIND == ELEMENT]:
        names[opening], names[opening + 1] = rng.choice(AROUND)
    texts = (MARK.sub(lambda found: names.get(int(found[0][1:-1]), found[0]), text) for text in (source, target))
    return next(texts), next(texts)
