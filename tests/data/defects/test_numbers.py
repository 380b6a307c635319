# ruff: noqa: RUF001 - digits of other scripts
"""Numbers that differ are found; good translations of a number are not, however they write it."""

from __future__ import annotations

import time
import unicodedata

import pytest

from nmt.data.pair import SentencePair
from tests.data.defects.good import find

GOOD = [
    ("de", "21 dogs", "Einundzwanzig Hunde"),
    ("de", "A twenty-one year old", "Ein 21-jähriger"),
    ("de", "In the 3rd row and on the 21st floor", "In der 3. Reihe und im einundzwanzigsten Stock"),
    ("de", "1,000 people and 1,234,567.50 euros", "1.000 Menschen und 1 234 567,5 Euro"),
    ("de", "12,34,567 rupees", "1'234'567 Rupien"),
    ("de", "5.000 degrees", "5 Grad"),
    ("de", "August 9, 2027, 2:12 AM", "9. August 2027, 02:12"),
    ("de", "on 8/9/27 at 2:12 PM", "am 9. August 2027 um 14:12"),
    ("de", "12:30 AM", "00:30"),
    ("de", "the 15th century", "das XV. Jahrhundert"),
    ("de", "1.2 million people", "1 200 000 Menschen"),
    ("de", "1,200,000 people", "1,2 Mio. Menschen"),
    ("de", "Two of 2 files", "Beide Dateien"),
    ("de", "Press F2", "Drücken Sie die Taste"),
    ("de", "16 m² are 1⁄2 of it", "16 Quadratmeter sind die Hälfte davon"),
    ("de", "%2$s has %15d lines", "%15d Zeilen in %2$s"),
    ("ko", "There are 3 books", "책이 3개 있습니다"),
    ("ko", "There are three books", "책이 3권 있습니다"),
    ("ko", "August 9, 2027, 2:12 PM", "2027년 8월 9일 오후 2:12"),
    ("ko", "at 4 pm", "16:00"),
    ("ko", "120,000 won", "12만 원"),
    ("ko", "2 billion transactions", "20억 트랜잭션"),
    ("ko", "a hexadecimal number", "16진수"),
    ("ko", "Version 25", "버전 ２５"),
    ("ko", "two hundred and five", "이백오"),
    ("ja", "21 people", "二十一人"),
    ("ar", "1,250 people", "١٬٢٥٠ شخص"),
    ("xx", "25 and 3 words", "3 u 25"),
    ("ko", "35,000 people", "3만 5000명"),
    ("ko", "35,000 people", "3만5000명"),
    ("ko", "20 and 25 years, 99 bottles", "스무 살, 스물다섯 살, 아흔아홉 병"),
    ("ko", "at 1:30", "1시 반"),
    ("zh", "He is 25.", "他二十五岁。"),
    ("fr", "In the 21st century, and in the 1st", "Au XXIe siècle, et au Ier"),
    ("fr", "the 15th and 20th centuries", "les XVᵉ et XXes siècles"),
    ("ja", "in 2020", "二〇二〇年に"),
    ("zh", "105 men, 110 women and 2,100 books", "一百零五个男人，一百一十个女人和两千一百本书"),
    ("ko", "at 15:00", "오후 세 시에"),
    ("de", "100 people, 1,000 times", "hundert Leute, tausend Mal"),
    ("de", "a hundred and a thousand", "100 und 1000"),
    ("zh_TW", "10,000 people", "一萬人"),
    ("el", "25 cars", "είκοσι πέντε αυτοκίνητα"),  # num2words has no Greek numbers
]


@pytest.mark.parametrize(("language", "source", "target"), GOOD)
def test_other_ways_to_write_a_number_are_no_defect(language, source, target):
    for pair, languages in (
        (SentencePair(source, target), ("en", language)),
        (SentencePair(target, source), (language, "en")),
    ):
        assert find("numbers", [pair], languages) == {}


@pytest.mark.parametrize(("language", "source", "target"), GOOD)
def test_words_in_single_letters_explain_a_number_too(language, source, target):
    decomposed = SentencePair(source, unicodedata.normalize("NFD", target))
    assert find("numbers", [decomposed], ("en", language)) == {}


@pytest.mark.parametrize(
    ("source", "target", "note"),
    [
        ("25 dogs", "35 Hunde", "source: 25; target: 35"),
        ("2 dogs", "3 Hunde", "source: 2; target: 3"),
        ("100 people", "zweihundert Leute", "source: 100"),
        ("100 cars", "Autos des Jahrhunderts", "source: 100"),
        ("In 1998 it rained", "Es regnete", "source: 1998"),
        ("It rained", "1998 regnete es", "target: 1998"),
        ("1,000 people", "10.000 Menschen", "source: 1000; target: 10000"),
        ("2.5 percent", "2,6 Prozent", "source: 5; target: 6"),
        ("from 3 to 5, at most 3", "von 3 bis 5, höchstens 7", "source: 3; target: 7"),
        ("at 2:12 PM", "um 15:12", "source: 2; target: 15"),
        ("Press F2", "Drücken Sie F3", "source: 2; target: 3"),
        ("twenty dogs", "21 Hunde", "target: 21"),
        ("the 21st century", "das XX. Jahrhundert", "source: 21"),
        ("August 9", "9. September 2027", "target: 2027"),
        ("9" * 5000, "8" * 5000, f"source: {'9' * 20}…; target: {'8' * 20}…"),
        ("13, 14, 15, 16, 17, 18, 19", "ohne", "source: 13, 14, 15, 16, 17, …"),
    ],
    ids=lambda text: text[:30],
)
def test_numbers_that_differ_are_found(source, target, note):
    assert find("numbers", [SentencePair(source, target)], ("en", "de")) == {0: note}


def test_a_wrong_rest_behind_a_scale_word_is_found():
    assert find("numbers", [SentencePair("35,000 people", "3만 6000명")], ("en", "ko")) == {0: "target: 6000"}


def test_large_numbers_are_found_in_a_language_without_known_number_words():
    assert find("numbers", [SentencePair("125 cars", "αυτοκίνητα")], ("en", "el")) == {0: "source: 125"}


@pytest.mark.parametrize(
    "text",
    [
        "11," * 10_000,
        "0." + "0" * 30_000 + "1",
        "7" * 30_000,
        "1,111," * 5_000,
        " ".join(map(str, range(10_000, 13_000))),
    ],
    ids=lambda text: text[:10],
)
def test_a_long_line_takes_no_minutes(text):
    started = time.process_time()
    line = " ".join(str(10 + number % 87) for number in range(30_000))
    find(
        "numbers",
        [
            SentencePair(text, "x 5"),
            SentencePair(line, "x " * 50_000),
            SentencePair(text, " ".join(map(str, range(3_000)))),
        ],
        ("en", "de"),
    )
    assert time.process_time() - started < 8  # about one second; what grows with the square takes 30 and more
