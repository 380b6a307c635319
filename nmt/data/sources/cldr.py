"""The embedded corpus: expressions that Unicode CLDR and num2words can say in many languages, without a network.

Dates, times, intervals, relative times, quantities with compound units, money, number words and lists of names, joined
as each language joins things. Word order differs in earnest ("150 kilometers per hour", in Korean the "per hour" comes
first; 21 is "einundzwanzig"), and there is one right answer, so exact match is a fair score. The texts follow from the
seed and the installed versions of Babel (which carries CLDR) and num2words.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from nmt.config.settings import DataConfig
from nmt.data.pair import SentencePair
from nmt.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from babel import Locale

    from nmt.data.sources.cldr_topics import Topic

FRUITLESS_DRAWS = 5_000  # in a row, before the topics count as exhausted
PLAIN_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))


def generate(config: DataConfig, *, say: Callable[[str], None]) -> dict[str, list[SentencePair]]:
    """Return `data.sizes` pairs of train, val and test; no source occurs twice, in one split or in two.

    Each sentence joins 1 to `data.max_parts` expressions of `data.topics`. A hash of the source decides its split, a
    tenth each for val and test: what is rare is as rare in every split, and more training pairs leave the others as
    they are. `say` gets a line where num2words lacks a language and that topic is left out. Raises UserError for an
    unknown topic or locale, and for sizes that the topics cannot fill.
    """
    from nmt.data.sources.cldr_topics import Unsayable

    if len(config.sizes) != 3 or min(config.sizes) < 1:
        raise UserError(f"data.sizes: got {config.sizes}, expected three counts of at least 1: [train,val,test]")
    source = _locale(config.source_lang, "data.source_lang")
    target = _locale(config.target_lang, "data.target_lang")
    topics = list(_topics(config, source, target, say).values())
    rng = Random(config.seed)
    sizes = dict(zip(("train", "val", "test"), config.sizes, strict=True))
    drawn: dict[str, dict[str, SentencePair]] = {split: {} for split in sizes}
    fruitless = 0
    while any(len(drawn[split]) < size for split, size in sizes.items()):
        with suppress(Unsayable):  # a topic of which there is so little that none was found
            pair = _sentence(rng, topics, config.max_parts, source, target)
            split = _split(pair.source)
            if pair.source not in drawn[split] and len(drawn[split]) < sizes[split]:
                drawn[split][pair.source] = pair
                fruitless = 0
                continue
        fruitless += 1
        if fruitless > FRUITLESS_DRAWS:
            found = ", ".join(f"{len(pairs)} of {sizes[name]} for {name}" for name, pairs in drawn.items())
            raise UserError(
                f"data.sizes: got {config.sizes}, but data.topics and data.max_parts={config.max_parts} allow only "
                f"about {found}; lower the sizes, or add topics or parts"
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


def _locale(name: str, key: str) -> Locale:
    from babel import Locale, UnknownLocaleError
    from babel.localedata import locale_identifiers

    try:
        return Locale.parse(name.replace("-", "_"))
    except (UnknownLocaleError, ValueError) as error:
        hint = did_you_mean(name, locale_identifiers())
        raise UserError(
            f"{key}: CLDR has no locale '{name}'; expected a language code such as de or ko{hint}"
        ) from error


def _topics(config: DataConfig, source: Locale, target: Locale, say: Callable[[str], None]) -> Mapping[str, Topic]:
    from nmt.data.sources.cldr_topics import TOPICS, number_words_language

    names = list(TOPICS) if config.topics is None else config.topics
    unknown = [name for name in names if name not in TOPICS]
    if unknown or not names:
        got = f"'{unknown[0]}'" if unknown else "none"
        hint = did_you_mean(unknown[0], TOPICS) if unknown else ""
        raise UserError(f"data.topics: got {got}, expected some of {', '.join(TOPICS)}{hint}")
    missing: dict[str, str] = {}
    speechless = [str(locale) for locale in (source, target) if number_words_language(locale) is None]
    if "numbers" in names and speechless:
        missing["numbers"] = f"num2words has no number words in {' or '.join(speechless)}"
    for name in names:
        if name not in missing and not _sayable(TOPICS[name], source, target):
            missing[name] = f"CLDR has no words for {name} in both {source} and {target}"
    if missing and (config.topics is not None or len(missing) == len(names)):
        raise UserError(f"data.topics: {'; '.join(missing.values())}; leave out {', '.join(missing)}")
    for name, why in missing.items():
        say(f"data: {why}; the topic {name} is left out")
    return {name: TOPICS[name] for name in names if name not in missing}


def _sayable(topic: Topic, source: Locale, target: Locale) -> bool:
    from nmt.data.sources.cldr_topics import Unsayable

    try:
        topic.part(Random(0), source, target)
    except Unsayable:
        return False
    return True
