"""Parallel text from the translation catalogues (`.mo` files) of the programs that are installed on a Linux machine.

A catalogue maps each message of a program from English (the msgid) to another language (the msgstr), in
ROOT/LANGUAGE/LC_MESSAGES/PACKAGE.mo. Pairs with English are read from one catalogue, other pairs from two catalogues
that have the msgid in common.

Every catalogue has the licence of the program that it belongs to. On Debian and Ubuntu `dpkg -S FILE` names the
package, and /usr/share/doc/PACKAGE/copyright holds its licence.
"""

from __future__ import annotations

import gettext
import hashlib
import html
import logging
import os
import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Source
from nmt.errors import ParameterError, UserError, did_you_mean
from nmt.lab.sources.accelerators import marks_of, without_accelerators

logger = logging.getLogger(__name__)

ENGLISH = "en"
CONTEXT_END = "\x04"  # between a message's context, which tells equal messages apart, and the message

SYSTEM = ("/usr/share/locale", "/usr/share/locale-langpack")  # where Linux keeps the catalogues of its programs
FORMATTING_TAGS = frozenset("a b big code em i markup p small span strong sub sup tt u".split())  # noqa: SIM905
TAG = re.compile(r"</?(\w+)(?:\s[^<>]*)?/?>")
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d+|#x[0-9a-fA-F]+);")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
DIRECTIVE = re.compile(r"%(?:\d+\$)?[-+ #0'I]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlLqjzt]*\w|%\(\w+\)\w|\{\w*\}")


class Gettext(Source):
    """The translated messages of the installed programs, cleaned; for any two languages that have catalogues.

    The text of a message is kept on one line, with its format directives ("%s"), but without its context, formatting
    tags and accelerators. Messages are left out if they have plural forms, have no letters, have the same text in both
    languages, or are longer than `max_characters`. A source that occurs several times is kept once, with its most
    frequent target. If several targets are equally frequent, the first one is kept, in the order of catalogue names.

    A hash of the English text's letters and of `seed` decides the split of a message. So a message is in the same split
    for every pair of languages, and messages that differ only in case or punctuation are in the same split.
    """

    def __init__(
        self,
        *,
        source_lang: str,
        target_lang: str,
        seed: int,
        root: str | Sequence[str] = SYSTEM,
        packages: Sequence[str] | None = None,
        val_share: float = 0.05,
        test_share: float = 0.05,
        max_characters: int = 300,
    ) -> None:
        """Take one or more folders of catalogues, and the names of the catalogues to read (null: all)."""
        if val_share < 0 or test_share < 0 or val_share + test_share >= 1:
            raise ParameterError(
                "val_share",
                f"got {val_share} with test_share={test_share}, expected shares of at least 0 with a sum below 1",
            )
        if packages is not None and not packages:
            raise ParameterError("packages", "got no names, expected those of some catalogues, or null for all")
        self.languages = source_lang, target_lang
        self.seed = seed
        self.roots = [Path(os.path.expanduser(name)) for name in ([root] if isinstance(root, str) else root)]
        self.packages = packages
        self.val_share, self.test_share = val_share, test_share
        self.max_characters = max_characters

    def origin(self, split: str) -> str:
        """Return the folders of the catalogues."""
        return f"data.root={','.join(map(str, self.roots))}"

    def splits(self) -> Mapping[str, Sequence[SentencePair]]:
        """Return the pairs of each split; logs how many there are, from how many catalogues.

        Raises UserError if a folder, a language or a catalogue is missing, or no pair is left.
        """
        catalogues = self._catalogues()
        targets: dict[str, Counter[str]] = {}  # by source, the count of each target
        english: dict[tuple[str, str], str] = {}  # by pair, the English text
        for paths in catalogues:
            for message, source, target in self._messages(paths):
                targets.setdefault(source, Counter())[target] += 1
                english.setdefault((source, target), message)
        found: dict[str, list[SentencePair]] = {split: [] for split in SPLITS}
        for source, counts in targets.items():
            target = counts.most_common(1)[0][0]
            found[self._split(english[source, target])].append(SentencePair(source, target))
        if not found["train"]:
            raise UserError(
                f"{self.origin('train')}: no training pair in {len(catalogues)} catalogues of {self._pair}; "
                "choose other languages or data.packages"
            )
        logger.info(
            f"data: {sum(map(len, found.values())):,} pairs from {len(catalogues)} catalogues of {self._pair}; each "
            "has the licence of its package (/usr/share/doc/PACKAGE/copyright)"
        )
        return {split: pairs for split, pairs in found.items() if pairs}

    @property
    def _pair(self) -> str:
        return " and ".join(language for language in self.languages if language != ENGLISH)

    def _split(self, message: str) -> str:
        letters = "".join(filter(str.isalpha, message)).casefold()
        digest = hashlib.blake2b(f"{self.seed} {letters}".encode(), digest_size=8).digest()
        number = int.from_bytes(digest) / 2**64
        return "test" if number < self.test_share else "val" if number < self.test_share + self.val_share else "train"

    # Catalogues

    def _catalogues(self) -> list[dict[str, Path]]:
        """Return the file of each language other than English, for each package that has them all."""
        there = [root for root in self.roots if root.is_dir()]
        if not there:
            raise UserError(
                f"data.root: {', '.join(map(str, self.roots))}: no such folder; expected a folder of translation "
                "catalogues, such as /usr/share/locale on Linux"
            )
        keys = ("data.source_lang", "data.target_lang")
        files = {
            language: self._files(there, language, key)
            for key, language in zip(keys, self.languages, strict=True)
            if language != ENGLISH
        }
        common = sorted(set.intersection(*map(set, files.values())))
        for name in self.packages or ():
            if name not in common:
                raise UserError(
                    f"data.packages: no catalogue '{name}' of {self._pair} in {', '.join(map(str, there))}"
                    f"{did_you_mean(name, common)}"
                )
        chosen = common if self.packages is None else sorted(set(self.packages))
        return [{language: paths[name] for language, paths in files.items()} for name in chosen]

    def _files(self, roots: Sequence[Path], language: str, key: str) -> dict[str, Path]:
        """Return the catalogues of a language by package. If several folders have one, the first folder is used."""
        found: dict[str, Path] = {}
        for root in roots:
            for path in sorted(root.glob(f"{language.replace('-', '_')}/LC_MESSAGES/*.mo")):
                found.setdefault(path.stem, path)
        if not found:
            counts = Counter(path.parts[-3] for root in roots for path in root.glob("*/LC_MESSAGES/*.mo"))
            names = [name for name, _ in counts.most_common(12)] + ["..."] * (len(counts) > 12)
            known = f"; {len(counts)} languages have some, most of all {', '.join(names)}" if counts else ""
            install = f"; on Ubuntu, install language-pack-{language}; elsewhere catalogues come with the programs"
            raise UserError(
                f"{key}: no catalogue of '{language}' in {', '.join(map(str, roots))}{known}"
                f"{did_you_mean(language, counts) or install}"
            )
        return found

    def _messages(self, paths: Mapping[str, Path]) -> Iterator[tuple[str, str, str]]:
        """Yield English text, source and target of each message that all languages of a package translate."""
        try:
            translations = {language: read_catalogue(path) for language, path in paths.items()}
        except UserError as error:  # not a mistake of the user: the file belongs to an installed program
            logger.info(f"data: left out {error}")
            return
        first, *others = translations.values()
        marks = marks_of(map(without_context, first))
        for message in first:
            if any(message not in other for other in others):
                continue
            texts: dict[str, str] = {}
            for language, messages in translations.items():
                texts[ENGLISH], texts[language] = clean(message, messages[message], marks)
            source, target = (texts[language] for language in self.languages)
            if self._is_kept(source, target):
                yield texts[ENGLISH], source, target

    def _is_kept(self, source: str, target: str) -> bool:
        return (
            source.casefold() != target.casefold()
            and has_letters(source)
            and has_letters(target)
            and max(len(source), len(target)) <= self.max_characters
        )


def read_catalogue(path: Path) -> dict[str, str]:
    """Return the messages of a catalogue and their translations, without those with plural forms and the header.

    Raises UserError for a file that is not a catalogue.
    """
    try:
        with path.open("rb") as file:
            entries = vars(gettext.GNUTranslations(file))["_catalog"]  # the class has no public way to list them
    except (OSError, ValueError, LookupError, struct.error) as error:
        raise UserError(f"{path}: not a translation catalogue ({error})") from error
    return {message: text for message, text in entries.items() if isinstance(message, str) and message and text}


# Cleaning


def clean(message: str, translation: str, marks: str = "") -> tuple[str, str]:
    """Return the texts of a message and its translation, in one line each, without context, tags and accelerators.

    `marks` holds the marks of accelerators that the catalogue uses, see `nmt.lab.sources.accelerators.marks_of`.
    """
    texts = _text(without_context(message)), _text(translation)
    for mark in marks:
        texts = without_accelerators(*texts, mark)
    return texts


def without_context(message: str) -> str:
    """Return a message without its context."""
    return message.rpartition(CONTEXT_END)[2]


def _text(text: str) -> str:
    """Return `text` without formatting tags and control characters; each run of white space becomes a blank."""
    closed = {name.lower() for name in re.findall(r"</(\w+)>", text)} & FORMATTING_TAGS  # <b> alone may be a parameter
    text = re.sub(r"<br\s?/?>", " ", text)
    text = TAG.sub(lambda tag: "" if tag[1].lower() in closed else tag[0], text)
    text = ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    return " ".join(CONTROL.sub(" ", text).split())


def has_letters(text: str) -> bool:
    """Return whether a text has letters outside its format directives."""
    return any(map(str.isalpha, DIRECTIVE.sub("", text)))
