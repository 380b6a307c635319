"""Spans are found, replaced by marks, and put back unchanged."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
import yaml

from nmt import spans as spans_module
from nmt.errors import UserError
from nmt.spans import MARK, NO_SPANS, Marked, Restored, Spans
from nmt.terms import Terms
from nmt.tokens import CAPITALS, ELEMENT_MARKS, SPAN_MARKS

ROOT = Path(__file__).resolve().parents[1]
COMMON = Spans(yaml.safe_load((ROOT / "configs" / "spans" / "common.yaml").read_text("utf-8")))

GREEK = "\u0391\u039d\u039f\u0399\u039e\u03a4\u0395 \u0391\u03a1\u03a7\u0395\u0399\u039f"
FOUND = {
    "Press <b>Save</b> now.": ["<b>", "</b>"],
    'See <a href="https://x.org/a b">here</a>.': ['<a href="https://x.org/a b">', "</a>"],
    "a <br/> b <br /> c": ["<br/>", "<br />"],
    "Go to https://example.com/a?b=c#d.": ["https://example.com/a?b=c#d"],
    "(www.example.com)": ["www.example.com"],
    "www.x.org:8080/x, (see sftp://x.org/a_(b)).": ["www.x.org:8080/x", "sftp://x.org/a_(b)"],
    "[https://x.org/a](http://x.org/(b/c)": ["https://x.org/a](http://x.org/(b/c"],
    "Write to jane.doe+x@mail.example.org, please.": ["jane.doe+x@mail.example.org"],
    "Hello {name}, {{user.name}} and ${HOME}!": ["{name}", "{{user.name}}", "${HOME}"],
    "$(brand) on $name and %USERNAME%": ["$(brand)", "$name", "%USERNAME%"],
    "%s of %1$s, %(count)d files, %.2f, %-5d and %L1": ["%s", "%1$s", "%(count)d", "%.2f", "%-5d", "%L1"],
    "%s%s: %d%% of %dx%d, %s%d files, %1%2%3 and 50%1": ["%s", "%s", "%d", "%dx%d", "%s", "%d", "%1", "%2", "%3"],
    "%HOMEDRIVE%%HOMEPATH%, %APPDATA%2, %size%MB": ["%HOMEDRIVE%", "%HOMEPATH%", "%APPDATA%", "%size%"],
    "[X5X] and [X12X ]": ["[X5X]", "[X12X ]"],
    "a&nbsp;b &#160; c": ["&nbsp;", "&#160;"],
    r"Open C:\Users\me\a.txt or /usr/bin/python3.": [r"C:\Users\me\a.txt", "/usr/bin/python3"],
    # Korean particles follow without a space:
    r"C:\Users\김\보고서.odt를 C:\Users\kim에": [r"C:\Users\김\보고서.odt", r"C:\Users\kim"],
    "/home/kim/보고서.odt를 연다": ["/home/kim/보고서.odt"],
    "/usr/share/index.html을, 메일은me@example.org로": ["/usr/share/index.html", "me@example.org"],
    "www.example.com에서 https://example.com/a?b=3을": ["www.example.com", "https://example.com/a?b=3"],
    "$name을 바꾸십시오. 将$name替换为其他值。": ["$name", "$name"],
    "C:\\Usersを開きます。次にreadme.txtを開く": ["C:\\Users"],
    "Nice 👍🏽 👨‍👩‍👧 🇰🇷! 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": [
        *("👍🏽", "👨‍👩‍👧", "🇰🇷", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f")
    ],
    "Press 1\ufe0f\u20e3 or #\u20e3, then 👍2\ufe0f\u20e3.": ["1\ufe0f\u20e3", "#\u20e3", "👍2\ufe0f\u20e3"],
    "a ｟3｠ b": ["｟3｠"],
    # What is no span:
    "100% of 50 % and/or 3 < 4 > 2, AT&T; $5, 5% drop": [],
    "The © 2024 ™ sign; e.g. this. a{b": [],
}


@pytest.mark.parametrize("text", FOUND)
def test_the_common_patterns_find_spans(text: str) -> None:
    assert COMMON.find(text) == FOUND[text]


def drawn(draw: random.Random, *more: str) -> str:
    """Return a text of words and spans, many of them equal, with and without spaces between them."""
    parts = ["<b>", "</b>", "{name}", "{0}", "%s", "👍", "a", "dog.", " ", "\n", "한국", *more]
    return "".join(draw.choices([*parts, " "], k=draw.randint(0, 40))).strip()


@pytest.mark.parametrize("more", [(), ("｟0｠", "｟31｠")])
def test_marks_become_the_same_text_again(more: tuple[str, ...]) -> None:
    draw, most = random.Random(0), 0
    for _ in range(300):
        text = drawn(draw, *more)
        found, marked = COMMON.find(text), COMMON.mark(text)
        if any(MARK.fullmatch(span) for span in marked.without_mark):
            continue  # marks of its own that get none of ours cannot be told from them
        for read in (marked.text, COMMON.as_read(marked.text)):
            restored = COMMON.restore(read, marked.spans)
            assert not restored.lost
            exact = "<b> " not in text  # a space after a start tag goes before it
            assert restored.text == text if exact else restored.text.replace(" ", "") == text.replace(" ", "")
        marks = MARK.findall(marked.text)
        assert marks == [*marked.spans], "in their order"
        for kind in (SPAN_MARKS, *zip(*ELEMENT_MARKS, strict=True)):
            used = [mark for mark in marks if mark in kind]
            assert sorted(used) == sorted(kind[: len(used)]), "the first of each kind"
        if len(found) <= len(SPAN_MARKS):
            assert [*marked.spans.values()] == found
        most = max(most, len(marks))
    assert most >= len(SPAN_MARKS) + 2 * len(ELEMENT_MARKS) - 2 * bool(more)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("a <b>b</b> c", "a ｟8｠b｟9｠ c"),
        ("<i>a <b>b</b></i> <b>c</b>", "｟8｠a ｟10｠b｟11｠｟9｠ ｟12｠c｟13｠"),
        ("<b>a <b>b</b></b>", "｟8｠a ｟10｠b｟11｠｟9｠"),
        ("{b}a{/b} {name} <br/>", "｟8｠a｟9｠ ｟0｠ ｟1｠"),
        ("<b>a <i>b</b> c</i>", "｟8｠a ｟0｠b｟9｠ c｟1｠"),  # the elements do not nest
        ("</b> <b> <br>", "｟0｠ ｟1｠ ｟2｠"),
        ('<a href="x">a</a> ' * 4, "｟8｠a｟9｠ ｟10｠a｟11｠ ｟12｠a｟13｠ ｟0｠a｟1｠ "),  # more than there are marks
        ("｟12｠a ｟0｠ b｟13｠", "｟8｠a ｟0｠ b｟9｠"),  # marks of elements are elements
    ],
)
def test_a_start_tag_and_its_end_tag_have_a_pair_of_marks(text: str, marked: str) -> None:
    assert COMMON.mark(text).text == marked
    assert COMMON.restore(marked, COMMON.mark(text).spans).text == text.strip()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Press <b>Save</b> now.", "Press｟8｠ Save｟9｠ now."),
        ("<b>Save</b> the <i>file</i>", "｟8｠ Save｟9｠ the｟10｠ file｟11｠"),
        ("a <b><i>b</i></b>", "a｟8｠｟10｠ b｟11｠｟9｠"),
        ("(<b>a</b>) 한<b>글</b>", "(｟8｠a｟9｠) 한｟10｠글｟11｠"),  # inside a word
        ("SAVE <b>THIS</b> FILE", "｟14｠ Save｟8｠ this｟9｠ file"),
        ("<b>SAVE</b> THIS", "｟14｠｟8｠ Save｟9｠ this"),
    ],
)
def test_the_words_beside_marks_have_their_usual_pieces(text: str, read: str) -> None:
    marked = COMMON.mark(text)
    assert COMMON.as_read(marked.text) == read
    assert COMMON.restore(read, marked.spans) == Restored(text)


@pytest.mark.parametrize(
    ("text", "term", "marked"),
    [
        ("Open {file} in the file manager.", "file", "Open ｟0｠ in the ｟1｠ manager."),
        ("The <menu>menu</menu> opens.", "menu", "The ｟8｠｟0｠｟9｠ opens."),
    ],
)
def test_a_term_with_the_name_of_a_tag_is_no_end_tag(text: str, term: str, marked: str) -> None:
    assert COMMON.mark(text, Terms({term: "x"})).text == marked


def test_terms_have_marks_and_their_translations_take_the_place_of_them() -> None:
    terms = Terms({"file": "파일", "menu": "메뉴", "b": "x", "open {a} now": "지금"})
    marked = COMMON.mark("The file {a} of <b>menu</b>; Open {a} now: file.", terms)
    assert marked.text == "The ｟0｠ ｟1｠ of ｟8｠｟2｠｟9｠; ｟3｠: ｟4｠.", "no term in a tag, and no span in a term"
    assert [*marked.spans.values()] == ["file", "{a}", "<b>", "menu", "</b>", "Open {a} now", "file"]
    assert marked.given == {"｟0｠": "파일", "｟2｠": "메뉴", "｟3｠": "지금", "｟4｠": "파일"}
    restored = COMMON.restore("｟2｠을 ｟1｠ ｟0｠를 ｟8｠｟4｠｟9｠", marked.translations)
    assert restored == Restored("메뉴를 {a} 파일을 <b>파일</b> 지금", ("｟3｠",)), "particles agree"
    restored = COMMON.restore(
        "｟8｠ 파일｟9｠를, ｟8｠ ｟0｠｟9｠를", {"｟8｠": "<b>", "｟9｠": "</b>", "｟0｠": "메뉴"}
    )
    assert restored.text == "<b>파일</b>을, 메뉴를", "also behind a tag"
    assert COMMON.mark_target("파일을 {a} 메뉴 파일", marked.translations) == "｟0｠을 ｟1｠ ｟2｠ ｟4｠"
    assert NO_SPANS.mark("a file", terms) == Marked("a file")


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("a <b>b</b>", "가 ｟8｠나｟9｠는", "가 <b>나</b>는"),
        ("<h1>A</h1>", "｟8｠가｟9｠: 표", "<h1>가</h1>: 표"),  # a first word is no particle of the tag before it
        ("<b><i>menu</i></b>", "｟8｠｟10｠메뉴｟11｠｟9｠을", "<b><i>메뉴</i></b>를"),
        ("<b>file {a}</b>", "｟8｠｟0｠ 파일｟9｠를", "<b>{a} 파일</b>을"),
        ('<b>"menu"</b>', '｟8｠"메뉴"｟9｠을', '<b>"메뉴"</b>를'),
        ("<b>3</b> <i></i>", "｟8｠3｟9｠｟10｠｟11｠를", "<b>3</b><i></i>를"),  # nothing is inside these tags
        ("&#8220;menu&#8221;", "｟0｠메뉴｟1｠를", "&#8220;메뉴&#8221;를"),  # the sound of an entity is not known
        ('icon <img width="24"/>', "아이콘 ｟0｠을", '아이콘 <img width="24"/>을'),
        ("1 ｟1｠", "1 ｟0｠를", "1 ｟1｠를"),  # a mark of HTML stands for an element whose text is not known
        ("<b>1 ｟1｠</b>", "1 ｟8｠｟0｠｟9｠를", "1 <b>｟1｠</b>를"),
        ("｟8｠menu｟9｠", "｟8｠메뉴｟9｠을", "｟8｠메뉴｟9｠를"),
    ],
)
def test_a_particle_agrees_with_the_words_between_tags(source: str, translation: str, expected: str) -> None:
    assert COMMON.restore(translation, COMMON.mark(source).spans).text == expected


def test_a_pair_has_marks_for_the_spans_of_both_sides() -> None:
    draw = random.Random(1)
    for _ in range(300):
        texts = drawn(draw), drawn(draw)
        marked = COMMON.mark_pair(*texts)
        marks = [MARK.findall(side) for side in marked]
        found = COMMON.find(texts[0])
        both = Counter(found), Counter(COMMON.find(texts[1], known=found))
        common = both[0] & both[1]
        assert len(marks[0]) == len({*marks[0]}) and sorted(marks[0]) == sorted(marks[1])
        kept = [Counter(COMMON.find(side, known=found)) - Counter(marks[0]) for side in marked]
        if common.total() <= len(SPAN_MARKS):
            assert kept == [side - common for side in both]


def test_a_target_has_the_numbers_of_the_source() -> None:
    source = COMMON.mark("{a} sends {b} to {a}.")
    assert source.text == "｟0｠ sends ｟1｠ to ｟2｠."
    assert COMMON.mark_target("{b} von {a} an {a}, {c}.", source.spans) == "｟1｠ von ｟0｠ an ｟2｠, {c}."
    assert COMMON.mark_pair("{a} {x} {b}", "{b} {a} {y}") == ("｟0｠ {x} ｟1｠", "｟1｠ ｟0｠ {y}")


def test_a_translation_without_a_mark_says_which_span_is_lost() -> None:
    restored = COMMON.restore("｟1｠ und ｟1｠ und ｟7｠ .", {"｟0｠": "{a}", "｟1｠": "{b}", "｟2｠": "{c}"})
    assert restored.text == "{b} und und . {a} {c}" and restored.lost == ("｟0｠", "｟2｠")


def test_more_spans_than_marks_stay_text() -> None:
    text = " ".join(f"{{{number}}}" for number in range(20))
    marked = COMMON.mark(text)
    assert marked.text == " ".join([*SPAN_MARKS, *(f"{{{number}}}" for number in range(8, 20))])
    assert marked.without_mark == tuple(f"{{{number}}}" for number in range(8, 20))
    assert COMMON.mark(f"{text} file", Terms({"file": "Datei"})).without_mark[-1] == "Datei"


def test_spans_that_are_marks_get_marks_before_others() -> None:
    braces = [f"{{{letter}}}" for letter in "abcdefgh"]
    marked = COMMON.mark(" ".join([*braces, "｟0｠"]))
    assert marked.text == "｟0｠ ｟1｠ ｟2｠ ｟3｠ ｟4｠ ｟5｠ ｟6｠ {h} ｟7｠" and marked.without_mark == ("{h}",)
    assert COMMON.restore(marked.text, marked.spans).text == " ".join([*braces, "｟0｠"])


def test_without_patterns_a_text_stays_as_it_is() -> None:
    text = "{a} ｟0｠ https://example.com"
    assert NO_SPANS.mark(text).text == text and NO_SPANS.restore(text, {}).text == text
    assert NO_SPANS.mark_pair(text, text) == (text, text) and not NO_SPANS and COMMON


def test_the_first_pattern_counts_and_none_is_left_out() -> None:
    both = {"word": "ab", "longer": "abc", "none": None}
    assert Spans(both).find("abc") == ["ab"]
    assert Spans(both | {"word": None}).find("abc") == ["abc"]
    assert [*Spans(both).patterns] == ["word", "longer"]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("(", "no regular expression"), ("(a)b", "has a group"), ("a*", "empty text"), (r"\b", "empty text")],
)
def test_a_pattern_that_cannot_be_used_is_an_error(pattern: str, reason: str) -> None:
    with pytest.raises(UserError, match=rf"spans\.mine: got .*{reason}"):
        Spans({"mine": pattern})


def test_a_pattern_that_takes_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans_module, "SECONDS", 0.05)
    with pytest.raises(UserError, match=r"more than 0\.05 seconds; use simpler patterns in place of slow"):
        Spans({"slow": "(?:a|aa)+b"}).mark("a" * 60)


def test_the_common_patterns_are_fast_on_texts_that_are_made_to_be_slow() -> None:
    COMMON.mark("<b>" * 5_000 + "</a>" * 5_000)
    for part in ("<a ", "{", "a.", "http://", "%", "/a", "a@", "&a", "<a b=", "[X1", "👍", "%1", "x.org/(a"):
        COMMON.mark(part * 5_000)
        COMMON.mark_pair(f"a {part * 5_000}", f"b {part * 5_000}")


NUMBERS = Spans(yaml.safe_load((ROOT / "configs" / "spans" / "numbers.yaml").read_text("utf-8")))


def test_numbers_are_spans_where_asked() -> None:
    text = "1,234.56 5 2026-11-25 10:30 20000 v1.2.3 3.14. 1.5MB 12% 2.5, 3 2024년 A4:B10 and/or -7"
    expected = "1,234.56 2026-11-25 10:30 20000 3.14 1.5 2.5 2024"
    assert NUMBERS.find(text) == expected.split()


def test_numbers_are_found_behind_letters_of_scripts_without_spaces() -> None:
    assert NUMBERS.find("价格是1,234.5元 時刻は10:30です 약20000원") == ["1,234.5", "10:30", "20000"]


def test_percentages_with_the_sign_in_front_can_be_left_alone() -> None:
    assert COMMON.find("%1, %L2 and %99, but not %0, %100 or 50%") == ["%1", "%L2", "%99"]
    assert Spans({**COMMON.patterns, "numbered": None}).find("%50 indirim, %5 zam: %s") == ["%s"]


def test_known_spans_are_found_wherever_they_stand() -> None:
    mine = Spans({"word": r"\bx-\w+"})
    assert mine.find("das x-y을") == ["x-y을"] and mine.find("das x-y을", known=["x-y"]) == ["x-y"]
    assert COMMON.find("{{a}} %10 {b}", known=["{a}", "%1"]) == ["{{a}}", "%10", "{b}"], "not as a part of another one"
    assert COMMON.mark_target("한글{a}을 help@example.org을", {"｟0｠": "help@example.org", "｟1｠": "{a}"}) == (
        "한글｟1｠을 ｟0｠을"
    )


def test_a_text_in_capitals_is_read_in_small_letters_and_written_in_capitals() -> None:
    for text in ("OPEN THE FILE {A}.", "« ÖFFNEN {b} »: DIE DATEI", "{x} ОТКРОЙТЕ ФАЙЛ"):
        marked = COMMON.mark(text)
        read = COMMON.as_read(marked.text)
        assert read.startswith(CAPITALS) and sum(map(str.isupper, read)) == 1
        assert COMMON.restore(read, marked.spans).text == text
    unchanged = ("Open the file", "PDF", "HTML", "A B", "PDF 파일을 여세요", "한국어 문서", "", "1 + 2")
    for text in (*unchanged, GREEK, "DOSYAYI SİLMEK İÇİN"):
        assert COMMON.as_read(text) == text
    assert NO_SPANS.as_read("OPEN THE FILE") == "OPEN THE FILE"
    assert COMMON.mark_pair("OPEN {a} NOW", "{a} 열기") == (f"{CAPITALS} Open ｟0｠ now", "｟0｠ 열기")
