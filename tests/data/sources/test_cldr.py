"""The generated corpus: reproducible, disjoint, one right answer a source, and worded as people word things."""

import datetime
from decimal import Decimal
from random import Random

import pytest
from babel import Locale

from nmt.build import build_source
from nmt.data.corpus import load_corpus
from nmt.data.sources.cldr import PLAIN_SPACES, TOPICS, NoWording, Topic
from nmt.errors import UserError

EN, DE, KO = (Locale.parse(name) for name in ("en", "de", "ko"))


@pytest.fixture
def make(data_config):
    def generated(**changes):
        return build_source(data_config("cldr", **({"sizes": [300, 50, 40]} | changes))).splits()

    return generated


def test_sizes_and_disjoint_splits(make, heard):
    corpus = make(sizes=[700, 100, 90])
    assert {split: len(pairs) for split, pairs in corpus.items()} == {"train": 700, "val": 100, "test": 90}
    sources = [pair.source for pairs in corpus.values() for pair in pairs]
    assert len(set(sources)) == len(sources)
    texts = sources + [pair.target for pairs in corpus.values() for pair in pairs]
    assert all(text == " ".join(text.split()) and text.isprintable() for text in texts)
    assert not heard


def test_the_seed_decides(make):
    assert make() == make()
    assert make(seed=2)["test"] != make()["test"]


@pytest.mark.parametrize(("source", "target"), [("en", "de"), ("en", "ko"), ("de", "en"), ("ko", "en"), ("fr", "en")])
def test_a_source_has_one_target(source, target):
    """Over all topics: no expression of one language stands for two of the other, or exact match could not be fair."""
    said: dict[str, str] = {}
    rng, locales = Random(0), (Locale.parse(source), Locale.parse(target))
    for topic in TOPICS.values():
        for _ in range(200):
            text, translation = topic.part(rng, *locales)
            assert said.setdefault(text, translation) == translation


DAY = datetime.datetime(2024, 3, 7, 15, 5, 9)


@pytest.mark.parametrize(
    ("topic", "value", "form", "english", "german", "korean"),
    [
        ("dates", DAY, 0, "Thursday, March 7, 2024", "Donnerstag, 7. März 2024", "2024년 3월 7일 목요일"),
        ("dates", DAY, 7, "March 7, 2024, 3:05 PM", "7. März 2024, 15:05", "2024년 3월 7일 오후 3:05"),
        ("times", DAY.time(), 2, "3:05 in the afternoon", "3:05 nachm.", "오후 3:05"),
        ("relative", ("hour", -3), 0, "3 hours ago", "vor 3 Stunden", "3시간 전"),
        (
            "quantities",
            (Decimal(150), "length-kilometer", "duration-hour"),
            0,
            "150 kilometers per hour",
            "150 Kilometer pro Stunde",
            "시속 150킬로미터",
        ),
        ("money", (Decimal("1234.5"), "EUR"), 0, "€1,234.50", "1.234,50 €", "€1,234.50"),
        ("numbers", 21, 0, "twenty-one", "einundzwanzig", "이십일"),
    ],
)
def test_wordings(topic, value, form, english, german, korean):
    say = TOPICS[topic].forms[form]
    said = [say(locale, value).translate(PLAIN_SPACES) for locale in (EN, DE, KO)]
    assert said[:2] == [english, german]
    assert korean in (None, said[2])


def test_every_topic_alone_and_parts(make):
    for topic in TOPICS:
        for target in ("de", "ko"):
            assert len(make(topics=[topic], target_lang=target, sizes=[80, 10, 10])["train"]) == 80
    single = make(topics=["money"], max_parts=1, sizes=[80, 10, 10])["train"]
    assert not any(" and " in pair.source or " or " in pair.source for pair in single)
    assert any(" and " in pair.source for pair in make(topics=["money"], max_parts=2)["train"])


def test_what_cldr_cannot_say_is_drawn_again():
    japanese = Locale.parse("ja")
    weekly, plain = (Decimal(1), "mass-gram", "duration-week"), (Decimal(2), "mass-gram", None)
    with pytest.raises(NoWording):
        TOPICS["quantities"].forms[0](japanese, weekly)
    draws = iter([weekly, plain])
    topic = Topic(lambda rng: next(draws), TOPICS["quantities"].forms)
    assert topic.part(Random(0), EN, japanese)[0] == "2 grams"


def test_wrong_cldr_settings(make, data_config):
    for changes, message in [
        ({"topics": ["mony"]}, "data.topics: got mony, expected some of dates, .*did you mean 'money'"),
        (
            {"target_lang": "sw", "topics": ["numbers"]},
            r"data\.topics: got numbers, expected some of dates",
        ),
        ({"target_lang": "kr"}, "CLDR has no locale 'kr'; expected a language code such as de or ko"),
        (
            {"topics": ["relative"], "max_parts": 1, "sizes": [2000, 1, 1]},
            "only about 665 of 2000 for train, 1 of 1 for",
        ),
    ]:
        with pytest.raises(UserError, match=message):
            make(**changes)
    config = data_config("cldr", sizes=[30, 20, 10], limit=5)
    corpus = load_corpus(build_source(config), config, ("test",))
    assert len(corpus["test"]) == 5


@pytest.mark.parametrize("language", ["hi", "ar", "rw", "lkt", "sw"])
def test_languages_that_cldr_knows_in_part(make, language):
    """What there are no names, patterns or number words for is left out, and nothing falls over."""
    assert [len(pairs) for pairs in make(sizes=[60, 6, 6], target_lang=language).values()] == [60, 6, 6]
