"""Good corpora, in which tests plant defects: the embedded one, and LibreOffice's help where it is at hand."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import pytest

from nmt.data.filters import CorpusContext
from nmt.data.pair import SentencePair, Split
from nmt.data.sources.cldr import Cldr
from nmt.data.sources.files import read_pairs
from nmt.lab.corpus.defects import DEFECTS

OFFICE_HELP = Path(__file__).parents[4] / "shared" / "data" / "office_help" / "ko" / "train.jsonl"
needs_office_help = pytest.mark.skipif(not OFFICE_HELP.exists(), reason="needs ../shared/data/office_help")
CORPORA = [
    pytest.param(("cldr", "en", "de")),
    pytest.param(("cldr", "en", "ko")),
    pytest.param(("office_help", "en", "ko"), marks=needs_office_help),
]


@functools.cache
def good_pairs(name: str, source: str, target: str) -> tuple[SentencePair, ...]:
    """Return the training pairs of a corpus."""
    if name == "office_help":
        return tuple(read_pairs(OFFICE_HELP, source, target))
    return tuple(Cldr(source_lang=source, target_lang=target, sizes=(3000, 1, 1), seed=1).splits()["train"])


def paired(sources: Sequence[str], targets: Sequence[str]) -> list[SentencePair]:
    """Return the pairs of two files as a reader would, with their lines."""
    return [SentencePair(*texts, line) for line, texts in enumerate(zip(sources, targets, strict=False), 1)]


def find(name: str, pairs: Sequence[SentencePair], languages: tuple[str, str]) -> dict[int, str]:
    """Return what the defect finds in these pairs, by their index."""
    find = DEFECTS[name].finder(CorpusContext(languages, Split.of(pairs)))
    notes = {index: find(index, pair) for index, pair in enumerate(pairs)}
    return {index: note for index, note in notes.items() if note}
