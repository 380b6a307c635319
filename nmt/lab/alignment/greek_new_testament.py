"""The Greek New Testament and an English translation, verse by verse, with word alignments made by hand.

The Python package bible-alignments holds the Greek text (SBLGNT, copyright 2010 by the Society of Biblical Literature
and Logos Bible Software, CC BY 4.0), the English text (Berean Standard Bible, public domain), and the alignments (by
Biblica, CC BY 4.0).
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib import metadata
from itertools import product
from pathlib import Path

from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Pairs, Source
from nmt.data.sources.files import read_lines
from nmt.errors import UserError

PACKAGE = "bible-alignments"
GREEK, ENGLISH = "sources/SBLGNT.tsv", "eng/targets/BSB/nt_BSB.tsv"
ALIGNMENTS = "eng/alignments/BSB/SBLGNT-BSB-manual.json"
HELD_OUT = {0: "val", 1: "test"}  # of 20 verses

Words = Mapping[str, Mapping[str, str]]  # verse -> id of a word -> the word, in the order of the text


class GreekNewTestament(Source):
    """The verses that have an alignment, from Ancient Greek (grc) to English (en).

    One verse in twenty is for val, and one for test.

    The words of a verse, punctuation marks among them, are separated by spaces, so that `SentencePair.alignment` counts
    words at the spaces. A hash of the verse decides its split: the splits are the same in both directions and for every
    seed. A link between two verses is left out.
    """

    direction = "grc", "en"

    def origin(self, split: str) -> str:
        """Return the name of the package."""
        return PACKAGE

    def splits(self) -> Mapping[str, Pairs]:
        """Return the three splits, each in the order of the text. Raises UserError without the package."""
        folder = _folder()
        greek = _words(folder / GREEK, lambda word: word["id"][1:9])  # n40001002003 is word 3 of verse 40001002
        english = _words(folder / ENGLISH, lambda word: word["source_verse"])
        found: dict[str, list[SentencePair]] = {split: [] for split in SPLITS}
        for verse, links in _links(folder / ALIGNMENTS, greek, english).items():
            source, target = (" ".join(words[verse].values()) for words in (greek, english))
            pair = SentencePair(source, target, alignment=" ".join(f"{i}-{j}" for i, j in sorted(links)))
            found[HELD_OUT.get(zlib.crc32(verse.encode()) % 20, "train")].append(pair)
        return found


def _folder() -> Path:
    try:
        return Path(str(metadata.distribution(PACKAGE).locate_file("data")))
    except metadata.PackageNotFoundError as error:
        raise UserError(
            f"data=greek_new_testament: needs the package {PACKAGE}, not installed; "
            f"pip install --no-deps --ignore-requires-python {PACKAGE}==0.4.2 installs it (only its data are read)"
        ) from error


def _words(path: Path, verse: Callable[[Mapping[str, str]], str]) -> Words:
    """Return the words of a table with one word in each line; `verse` returns the verse of a word."""
    lines = read_lines(path)
    head = next(lines).split("\t")
    verses: dict[str, dict[str, str]] = defaultdict(dict)
    for line in lines:
        word = dict(zip(head, line.split("\t"), strict=True))
        verses[verse(word)][word["id"]] = word["text"]
    return verses


def _links(path: Path, greek: Words, english: Words) -> dict[str, set[tuple[int, int]]]:
    """Return the links of each verse, as places of a Greek and an English word, in the order of the Greek text."""
    places = {word: place for words in english.values() for place, word in enumerate(words)}
    verse_of = {word: verse for verse, words in english.items() for word in words}
    partners: dict[str, list[str]] = defaultdict(list)
    for record in json.loads(path.read_text("utf-8"))["records"]:
        for word, partner in product(record["source"], record["target"]):
            partners[word].append(partner)
    found = {}
    for verse, words in greek.items():
        links = {
            (i, places[partner])
            for i, word in enumerate(words)
            for partner in partners[word]
            if verse_of[partner] == verse
        }
        if links:
            found[verse] = links
    return found
