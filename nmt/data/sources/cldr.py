"""The embedded corpus: expressions that Unicode CLDR and num2words provide in many languages, without a network.

The expressions are dates, times, relative times, quantities with compound units, money and number words, joined by the
rules of each language. The word order differs between languages: Korean puts "per hour"
first in "150 kilometers per hour", and German writes 21 as "einundzwanzig". Every source has one correct translation,
so exact match is a fair score. The texts depend only on the settings, the seed and the installed versions of Babel
(which contains CLDR) and num2words.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from random import Random

from babel import Locale
from babel.languages import get_official_languages
from babel.localedata import locale_identifiers

from nmt.data.pair import SentencePair
from nmt.data.sources.cldr_topics import TOPICS, NoWording, Topic, join, number_words_key
from nmt.data.sources.generated import Generated
from nmt.errors import ParameterError, did_you_mean
from nmt.parameters import PositiveInt, checked
from nmt.text.languages import locale_of

PLAIN_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))

logger = logging.getLogger(__name__)


@checked
class Cldr(Generated):
    """Generated pairs; each sentence joins 1 to `max_parts` expressions of the `topics`."""

    def __init__(
        self,
        *,
        source_lang: str,
        target_lang: str,
        seed: int,
        sizes: Sequence[int],
        topics: Sequence[str] | None = None,
        max_parts: PositiveInt = 3,
    ) -> None:
        """Take the sizes [train, val, test] and the topics' names (null: all that both languages have).

        Raises ParameterError for an unknown topic or locale, and for a topic that one of the languages lacks.
        """
        super().__init__(seed=seed, sizes=sizes)
        self.max_parts = max_parts
        self.locales = _locale(source_lang, "source_lang"), _locale(target_lang, "target_lang")
        self.topics, self.left_out = _topics(topics, *self.locales)

    def origin(self, split: str) -> str:
        return "CLDR"

    def splits(self) -> Mapping[str, Sequence[SentencePair]]:
        """Return the generated splits; logs the topics that were left out. Raises UserError for sizes too large."""
        for topic, reason in self.left_out.items():
            logger.info(f"data: {reason}; the topic {topic} is left out")
        return super().splits()

    def draw(self, rng: Random) -> SentencePair | None:
        """Return a random pair, or None where a topic has few words in both locales and found none."""
        topics, count = list(self.topics.values()), rng.randint(1, self.max_parts)
        try:
            parts = [rng.choice(topics).part(rng, *self.locales) for _ in range(count)]
        except NoWording:
            return None
        style = rng.choice(("standard", "standard", "or"))
        sides = zip(zip(*parts, strict=True), self.locales, strict=True)
        source, target = (join(texts, style, locale).translate(PLAIN_SPACES) for texts, locale in sides)
        return SentencePair(source, target)

    def limits(self) -> str:
        return f"data.topics and data.max_parts={self.max_parts} allow"


def _locale(name: str, parameter: str) -> Locale:
    if locale := locale_of(name):
        return locale
    spoken = get_official_languages(name.upper())
    country = f"; {name} is the country: its language is '{spoken[0]}'" if spoken else ""
    hint = country or did_you_mean(name, locale_identifiers())
    raise ParameterError(parameter, f"CLDR has no locale '{name}'; expected a language code such as de or ko{hint}")


def _topics(names: Sequence[str] | None, source: Locale, target: Locale) -> tuple[dict[str, Topic], dict[str, str]]:
    """Return the topics by name, and the reason for each topic that is left out because a language lacks it."""
    chosen = list(TOPICS) if names is None else names
    unknown = [name for name in chosen if name not in TOPICS]
    if unknown or not chosen:
        got = f"'{unknown[0]}'" if unknown else "none"
        hint = did_you_mean(unknown[0], TOPICS) if unknown else ""
        raise ParameterError("topics", f"got {got}, expected some of {', '.join(TOPICS)}{hint}")
    missing: dict[str, str] = {}
    wordless = [str(locale) for locale in (source, target) if number_words_key(locale) is None]
    if "numbers" in chosen and wordless:
        missing["numbers"] = f"num2words has no number words in {' or '.join(wordless)}"
    for name in chosen:
        if name not in missing and not _has_wording(TOPICS[name], source, target):
            missing[name] = f"CLDR has no words for {name} in both {source} and {target}"
    if missing and (names is not None or len(missing) == len(chosen)):
        raise ParameterError("topics", f"{'; '.join(missing.values())}; leave out {', '.join(missing)}")
    return {name: TOPICS[name] for name in chosen if name not in missing}, missing


def _has_wording(topic: Topic, source: Locale, target: Locale) -> bool:
    try:
        topic.part(Random(0), source, target)
    except NoWording:
        return False
    return True
