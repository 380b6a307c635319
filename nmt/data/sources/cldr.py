"""The embedded corpus: expressions that Unicode CLDR and num2words provide in many languages, without a network.

The expressions are dates, times, intervals, relative times, quantities with compound units, money, number words and
lists of names, joined by the rules of each language. The word order differs between languages: Korean puts "per hour"
first in "150 kilometers per hour", and German writes 21 as "einundzwanzig". Every source has one correct translation,
so exact match is a fair score. The texts depend only on the settings, the seed and the installed versions of Babel
(which contains CLDR) and num2words.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Source
from nmt.errors import ParameterError, UserError, did_you_mean

if TYPE_CHECKING:
    from babel import Locale

    from nmt.data.sources.cldr_topics import Topic

FRUITLESS_DRAWS = 5_000  # after this many draws in a row without a new pair, the program stops with an error
PLAIN_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))

logger = logging.getLogger(__name__)


class Cldr(Source):
    """Generated pairs: `sizes` of them for train, val and test; no source occurs twice, in one split or in two.

    Each sentence joins 1 to `max_parts` expressions of the `topics`. A hash of the source decides its split, a tenth
    each for val and test. So a rare kind of sentence is equally rare in every split, and asking for more training pairs
    does not change the other splits.
    """

    def __init__(
        self,
        *,
        source_lang: str,
        target_lang: str,
        seed: int,
        sizes: Sequence[int],
        topics: Sequence[str] | None = None,
        max_parts: int = 3,
    ) -> None:
        """Take the sizes [train, val, test] and the topics' names (null: all that both languages have).

        Raises ParameterError for an unknown topic or locale, and for a topic that one of the languages lacks.
        """
        if len(sizes) != 3 or min(sizes) < 1:
            raise ParameterError("sizes", f"got {list(sizes)}, expected three counts of at least 1: [train,val,test]")
        if max_parts < 1:
            raise ParameterError("max_parts", f"got {max_parts}, expected at least 1")
        self.sizes = dict(zip(SPLITS, sizes, strict=True))
        self.max_parts = max_parts
        self.seed = seed
        self.locales = _locale(source_lang, "source_lang"), _locale(target_lang, "target_lang")
        self.topics, self.left_out = _topics(topics, *self.locales)

    def origin(self, split: str) -> str:
        """Return CLDR, the name of the data that all splits are generated from."""
        return "CLDR"

    def splits(self) -> Mapping[str, Sequence[SentencePair]]:
        """Return the generated splits; logs the topics that were left out. Raises UserError for sizes too large."""
        from nmt.data.sources.cldr_topics import NoWording

        for topic, reason in self.left_out.items():
            logger.info(f"data: {reason}; the topic {topic} is left out")
        rng = Random(self.seed)
        topics = list(self.topics.values())
        drawn: dict[str, dict[str, SentencePair]] = {split: {} for split in self.sizes}
        fruitless = 0
        while any(len(drawn[split]) < size for split, size in self.sizes.items()):
            with suppress(NoWording):  # this topic has few words in both locales, and no draw found any
                pair = _sentence(rng, topics, self.max_parts, *self.locales)
                split = _split(pair.source)
                if pair.source not in drawn[split] and len(drawn[split]) < self.sizes[split]:
                    drawn[split][pair.source] = pair
                    fruitless = 0
                    continue
            fruitless += 1
            if fruitless > FRUITLESS_DRAWS:
                found = ", ".join(f"{len(drawn[split])} of {size} for {split}" for split, size in self.sizes.items())
                raise UserError(
                    f"data.sizes: got {list(self.sizes.values())}, but data.topics and data.max_parts={self.max_parts} "
                    f"allow only about {found}; lower the sizes, or add topics or parts"
                )
        return {split: list(pairs.values()) for split, pairs in drawn.items()}


def _split(source: str) -> str:
    return {0: "test", 1: "val"}.get(zlib.crc32(source.encode()) % 10, "train")


def _sentence(rng: Random, topics: list[Topic], max_parts: int, source: Locale, target: Locale) -> SentencePair:
    from nmt.data.sources.cldr_topics import join

    parts = [rng.choice(topics).part(rng, source, target) for _ in range(rng.randint(1, max_parts))]
    style = rng.choice(("standard", "standard", "or"))
    sources, targets = zip(*parts, strict=True)
    return SentencePair(_plain(join(sources, style, source)), _plain(join(targets, style, target)))


def _plain(text: str) -> str:
    return text.translate(PLAIN_SPACES)


def _locale(name: str, parameter: str) -> Locale:
    from babel import Locale, UnknownLocaleError
    from babel.languages import get_official_languages
    from babel.localedata import locale_identifiers

    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError) as error:
        spoken = get_official_languages(name.upper())
        country = f"; {name} is the country: its language is '{spoken[0]}'" if spoken else ""
        hint = country or did_you_mean(name, locale_identifiers())
        raise ParameterError(
            parameter, f"CLDR has no locale '{name}'; expected a language code such as de or ko{hint}"
        ) from error


def _topics(names: Sequence[str] | None, source: Locale, target: Locale) -> tuple[dict[str, Topic], dict[str, str]]:
    """Return the topics by name, and the reason for each topic that is left out because a language lacks it."""
    from nmt.data.sources.cldr_topics import TOPICS, number_words_language

    chosen = list(TOPICS) if names is None else names
    unknown = [name for name in chosen if name not in TOPICS]
    if unknown or not chosen:
        got = f"'{unknown[0]}'" if unknown else "none"
        hint = did_you_mean(unknown[0], TOPICS) if unknown else ""
        raise ParameterError("topics", f"got {got}, expected some of {', '.join(TOPICS)}{hint}")
    missing: dict[str, str] = {}
    wordless = [str(locale) for locale in (source, target) if number_words_language(locale) is None]
    if "numbers" in chosen and wordless:
        missing["numbers"] = f"num2words has no number words in {' or '.join(wordless)}"
    for name in chosen:
        if name not in missing and not _has_wording(TOPICS[name], source, target):
            missing[name] = f"CLDR has no words for {name} in both {source} and {target}"
    if missing and (names is not None or len(missing) == len(chosen)):
        raise ParameterError("topics", f"{'; '.join(missing.values())}; leave out {', '.join(missing)}")
    return {name: TOPICS[name] for name in chosen if name not in missing}, missing


def _has_wording(topic: Topic, source: Locale, target: Locale) -> bool:
    from nmt.data.sources.cldr_topics import NoWording

    try:
        topic.part(Random(0), source, target)
    except NoWording:
        return False
    return True
