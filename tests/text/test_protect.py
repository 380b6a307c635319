"""Spans are found, replaced by marks, and put back unchanged."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
import yaml

from nmt.errors import UserError
from nmt.text import protect as protect_module
from nmt.text.protect import MARK, NO_SPANS, Segment, Slot, Spans, in_capitals, in_small_letters
from nmt.text.terms import Terms
from nmt.tokens import ELEMENT_MARKS, SPAN_MARKS

ROOT = Path(__file__).resolve().parents[2]
COMMON = Spans(yaml.safe_load((ROOT / "configs" / "spans" / "common.yaml").read_text("utf-8")))

GREEK = "\u0391\u039d\u039f\u0399\u039e\u03a4\u0395 \u0391\u03a1\u03a7\u0395\u0399\u039f"
FOUND = {
    "Press <b>Save</b> now.": ["<b>", "</b>"],
    'See <a href="https://x.org/a b">here</a>.': ['<a href="https://x.org/a b">', "</a>"],
    "Go to https://example.com/a?b=c#d.": ["https://example.com/a?b=c#d"],
    "www.x.org:8080/x, (see sftp://x.org/a_(b)).": ["www.x.org:8080/x", "sftp://x.org/a_(b)"],
    "[https://x.org/a](http://x.org/(b/c)": ["https://x.org/a](http://x.org/(b/c"],
    "Write to jane.doe+x@mail.example.org, please.": ["jane.doe+x@mail.example.org"],
    "Hello {name}, {{user.name}} and ${HOME}!": ["{name}", "{{user.name}}", "${HOME}"],
    "%s of %1$s, %(count)d files, %.2f, %-5d and %L1": ["%s", "%1$s", "%(count)d", "%.2f", "%-5d", "%L1"],
    "%s%s: %d%% of %dx%d, %s%d files, %1%2%3 and 50%1": ["%s", "%s", "%d", "%dx%d", "%s", "%d", "%1", "%2", "%3"],
    "%HOMEDRIVE%%HOMEPATH%, %APPDATA%2, %size%MB": ["%HOMEDRIVE%", "%HOMEPATH%", "%APPDATA%", "%size%"],
    r"Open C:\Users\me\a.txt or /usr/bin/python3.": [r"C:\Users\me\a.txt", "/usr/bin/python3"],
    # Korean particles follow without a space:
    r"C:\Users\김\보고서.odt를 C:\Users\kim에": [r"C:\Users\김\보고서.odt", r"C:\Users\kim"],
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
    parts = ["<b>", "</b>", "{name}", "{0}", "%s", "👍", "a", "dog.", " ", "한국", *more]
    return "".join(draw.choices([*parts, " "], k=draw.randint(0, 40))).strip()


def segment(text: str) -> Segment:
    return COMMON.protect(text)


def test_what_a_model_reads_becomes_the_same_text_again() -> None:
    draw, most = random.Random(0), 0
    for _ in range(300):
        text = drawn(draw)
        found = segment(text)
        assert found.text == text and [slot.text for slot in found.slots] == COMMON.find(text)
        restored, lost = COMMON.restore(found.read, found)
        assert not lost and restored.translation.replace(" ", "") == text.replace(" ", "")
        moved = "<b> " in text or "  <b>" in text  # a space after a start tag goes before it
        assert moved or restored.translation == text
        assert Counter(restored.slots) == Counter(found.by_piece.values())
        pieces = MARK.findall(found.read)
        assert pieces == [*found.by_piece], "in their order"
        for kind in (SPAN_MARKS, *zip(*ELEMENT_MARKS, strict=True)):
            used = [piece for piece in pieces if piece in kind]
            assert sorted(used) == sorted(kind[: len(used)]), "the first of each kind"
        most = max(most, len(pieces))
    assert most >= len(SPAN_MARKS) + 2 * len(ELEMENT_MARKS)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a <b>b</b> c", "a｟8｠ b｟9｠ c"),
        ("<i>a <b>b</b></i> <b>c</b>", "｟8｠ a｟10｠ b｟11｠｟9｠｟12｠ c｟13｠"),
        ("<b>a <b>b</b></b>", "｟8｠ a｟10｠ b｟11｠｟9｠"),
        ("{b}a{/b} {name} <br/>", "｟8｠ a｟9｠ ｟0｠ ｟1｠"),
        ("<b>a <i>b</b> c</i>", "｟8｠ a ｟0｠b｟9｠ c｟1｠"),  # the elements do not nest
        ("</b> <b> <br>", "｟0｠ ｟1｠ ｟2｠"),
        # more than there are pieces
        ('<a href="x">a</a> ' * 4, "｟8｠ a｟9｠｟10｠ a｟11｠｟12｠ a｟13｠ ｟0｠a｟1｠ "),
        ("Press <b>Save</b> now.", "Press｟8｠ Save｟9｠ now."),
        ("a <b><i>b</i></b>", "a｟8｠｟10｠ b｟11｠｟9｠"),
        ("(<b>a</b>) 한<b>글</b>", "(｟8｠a｟9｠) 한｟10｠글｟11｠"),  # inside a word
    ],
)
def test_the_two_tags_of_an_element_have_a_pair_of_pieces(text: str, read: str) -> None:
    assert segment(text).read == read
    restored, lost = COMMON.restore(read, segment(text))
    assert (restored.translation, lost) == (text.strip(), [])


def test_slots_of_a_program_are_read_and_restored_as_spans_are() -> None:
    tags = [Slot("<1>"), Slot("</1>"), Slot("<2/>")]
    given = Segment(("Press ", tags[0], "{x}", tags[1], tags[2], " now"))
    found = COMMON.protect(given)
    assert found.read == "Press｟8｠ ｟0｠｟9｠｟1｠ now" and COMMON.protect(found) == found
    assert [part for part in found.parts if isinstance(part, Slot)] == [tags[0], Slot("{x}"), tags[1], tags[2]]
    restored, _ = COMMON.restore("｟1｠ Jetzt｟8｠ ｟0｠｟9｠", found)
    assert restored.parts == (tags[2], " Jetzt ", tags[0], Slot("{x}"), tags[1])
    assert NO_SPANS.protect(given) == given


def test_terms_are_slots_and_their_translations_take_their_place() -> None:
    terms = Terms({"file": "파일", "menu": "메뉴", "b": "x", "open {a} now": "지금"})
    found = COMMON.protect("The file {a} of <b>menu</b>; Open {a} now: file.", terms)
    assert found.read == "The ｟0｠ ｟1｠ of｟8｠ ｟2｠｟9｠; ｟3｠: ｟4｠.", "no term in a tag, and no span in a term"
    assert [slot.text for slot in found.slots] == ["file", "{a}", "<b>", "menu", "</b>", "Open {a} now", "file"]
    assert [slot.given for slot in found.slots] == ["파일", "", "", "메뉴", "", "지금", "파일"]
    restored, lost = COMMON.restore("｟2｠을 ｟1｠ ｟0｠를 ｟8｠｟4｠｟9｠", found)
    assert restored.translation == "메뉴를 {a} 파일을 <b>파일</b> 지금", "particles agree"
    assert [slot.text for slot in lost] == ["Open {a} now"]
    texts = {piece: slot.translation for piece, slot in found.by_piece.items()}
    assert COMMON.read_target("파일을 {a} 메뉴 파일", texts) == "｟0｠을 ｟1｠ ｟2｠ ｟4｠"
    assert NO_SPANS.protect("a file", terms) == Segment(("a file",))
    for text, read in (
        ("Open {file} in the file manager.", "Open ｟0｠ in the ｟1｠ manager."),
        ("The <menu>menu</menu> opens.", "The｟8｠ ｟0｠｟9｠ opens."),
    ):
        assert COMMON.protect(text, Terms({"file": "x", "menu": "x"})).read == read, "its name is no end tag"


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("a <b>b</b>", "가｟8｠ 나｟9｠는", "가 <b>나</b>는"),
        ("<h1>A</h1>", "｟8｠가｟9｠: 표", "<h1>가</h1>: 표"),  # a first word is no particle of the tag before it
        ("<b><i>menu</i></b>", "｟8｠｟10｠메뉴｟11｠｟9｠을", "<b><i>메뉴</i></b>를"),
        ("<b>file {a}</b>", "｟8｠｟0｠ 파일｟9｠를", "<b>{a} 파일</b>을"),
        ('<b>"menu"</b>', '｟8｠"메뉴"｟9｠을', '<b>"메뉴"</b>를'),
        ("<b>3</b> <i></i>", "｟8｠3｟9｠｟10｠｟11｠를", "<b>3</b><i></i>를"),  # nothing is inside these tags
        ("&#8220;menu&#8221;", "｟0｠메뉴｟1｠를", "&#8220;메뉴&#8221;를"),  # the sound of an entity is not known
        ('icon <img width="24"/>', "아이콘 ｟0｠을", '아이콘 <img width="24"/>을'),
    ],
)
def test_a_particle_agrees_with_the_words_between_tags(source: str, translation: str, expected: str) -> None:
    assert COMMON.restore(translation, segment(source))[0].translation == expected


def test_a_pair_has_pieces_for_the_spans_of_both_sides() -> None:
    draw = random.Random(1)
    for _ in range(300):
        texts = drawn(draw), drawn(draw)
        read = COMMON.read_pair(*texts)
        pieces = [MARK.findall(side) for side in read]
        found = COMMON.find(texts[0])
        both = Counter(found), Counter(COMMON.find(texts[1], known=found))
        common = both[0] & both[1]
        assert len(pieces[0]) == len({*pieces[0]}) and sorted(pieces[0]) == sorted(pieces[1])
        kept = [Counter(COMMON.find(side, known=found)) - Counter(pieces[0]) for side in read]
        if common.total() <= len(SPAN_MARKS):
            assert kept == [side - common for side in both]
    assert COMMON.read_pair("{a} {x} {b}", "{b} {a} {y}") == ("｟0｠ {x} ｟1｠", "｟1｠ ｟0｠ {y}")
    for one, other in (("http://a.com", "http://a.com/b"), ("/usr/lib", "/usr/lib_old"), ("a@b.org", "x.a@b.org")):
        assert COMMON.read_pair(one, other) == (one, other), "one is a part of the other"
    assert NO_SPANS.read_pair("{a}", "{a}") == ("{a}", "{a}") and not NO_SPANS and COMMON


def test_a_lost_slot_stands_at_an_end() -> None:
    restored, lost = COMMON.restore("｟1｠ und ｟1｠ und ｟7｠ .", segment("{a} <b>{b}</b> <i>{c}</i>"))
    assert restored.translation == "<b><i>{b} und und . {a}</b> {c}</i>"
    assert [slot.text for slot in lost] == ["{a}", "<b>", "</b>", "<i>", "{c}", "</i>"]


@pytest.mark.parametrize(
    ("source", "read", "expected"),
    [
        ("Click <b>Save</b>.", "Klick jetzt auf Sichern｟9｠.", "Klick jetzt auf <b>Sichern</b>."),
        ("Click <b>Save as</b>.", "Klick jetzt｟8｠ Sichern unter auf.", "Klick jetzt <b>Sichern unter</b> auf."),
        ("Click <b>Save all the files</b>.", "｟0｠ Sichern｟9｠ jetzt", "<b>Sichern</b> jetzt"),
        ("In {a}, <b>save all files</b>.", "In ｟0｠ alle sichern｟9｠.", "In {a} <b>alle sichern</b>."),
        ("<b>Save</b> now", "｟9｠ jetzt sichern", "<b></b> jetzt sichern"),
    ],
)
def test_an_element_that_has_lost_a_tag_has_as_many_words_as_in_the_source(
    source: str, read: str, expected: str
) -> None:
    restored, lost = COMMON.restore(read, segment(source))
    assert restored.translation == expected and len(lost) == 1


def test_more_slots_than_pieces_stay_text_and_are_lost_if_the_translation_lacks_them() -> None:
    text = " ".join(f"{{{number}}}" for number in [*range(10), 9])
    found = segment(text)
    assert found.read == " ".join([*SPAN_MARKS, "{8}", "{9}", "{9}"])
    restored, lost = COMMON.restore(" ".join([*SPAN_MARKS, "{9}"]), found)
    assert restored.translation == " ".join(f"{{{number}}}" for number in (*range(8), 9, 8, 9))
    assert [slot.text for slot in lost] == ["{8}", "{9}"]


def test_a_segment_is_cut_between_its_slots() -> None:
    found = COMMON.protect(Segment(("Go. ", Slot("<1>"), "Now {x. y}. ", Slot("</1>"), " Stop", Slot("<2/>"))))
    for place in range(len(found.plain) + 1):
        parts = found.cut([place])
        assert "".join(part.text for part in parts).replace(" ", "") == found.text.replace(" ", "")
        assert [slot for part in parts for slot in part.slots] == [*found.slots]
    assert [part.text for part in found.cut([3, 12])] == ["Go.", "<1>Now {x. y}. </1> Stop<2/>"]
    tags = Segment(("a.", Slot("</1>"), Slot("<2/>"), Slot("<3>"), "b"))
    assert [part.text for part in tags.cut([2])] == ["a.</1><2/>", "<3>b"]


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
    monkeypatch.setattr(protect_module, "SECONDS", 0.05)
    with pytest.raises(UserError, match=r"more than 0\.05 seconds; use simpler patterns in place of slow"):
        Spans({"slow": "(?:a|aa)+b"}).protect("a" * 60)


def test_the_common_patterns_are_fast_on_texts_that_are_made_to_be_slow() -> None:
    assert COMMON.protect("<b>" * 5_000 + "</a>" * 5_000).read
    for part in ("<a ", "{", "a.", "http://", "%", "/a", "a@", "&a", "<a b=", "[X1", "👍", "%1", "x.org/(a"):
        COMMON.protect(part * 5_000)
        COMMON.read_pair(f"a {part * 5_000}", f"b {part * 5_000}")


NUMBERS = Spans(yaml.safe_load((ROOT / "configs" / "spans" / "numbers.yaml").read_text("utf-8")))


def test_numbers_are_spans_where_asked() -> None:
    text = "1,234.56 5 2026-11-25 10:30 20000 v1.2.3 3.14. 1.5MB 12% 2.5, 3 2024년 A4:B10 and/or -7"
    expected = "1,234.56 2026-11-25 10:30 20000 3.14 1.5 2.5 2024"
    assert NUMBERS.find(text) == expected.split()


def test_percentages_with_the_sign_in_front_can_be_left_alone() -> None:
    assert COMMON.find("%1, %L2 and %99, but not %0, %100 or 50%") == ["%1", "%L2", "%99"]
    assert Spans({**COMMON.patterns, "numbered": None}).find("%50 indirim, %5 zam: %s") == ["%s"]


def test_known_spans_are_found_wherever_they_stand() -> None:
    mine = Spans({"word": r"\bx-\w+"})
    assert mine.find("das x-y을") == ["x-y을"] and mine.find("das x-y을", known=["x-y"]) == ["x-y"]
    assert COMMON.find("{{a}} %10 {b}", known=["{a}", "%1"]) == ["{{a}}", "%10", "{b}"], "not as a part of another one"
    assert COMMON.read_target("한글{a}을 help@example.org을", {"｟0｠": "help@example.org", "｟1｠": "{a}"}) == (
        "한글｟1｠을 ｟0｠을"
    )


def test_a_text_in_capitals_is_known_if_small_letters_lose_nothing() -> None:
    for text in ("OPEN THE FILE {A}.", "« ÖFFNEN {B} »: DIE DATEI", "ОТКРОЙТЕ ФАЙЛ"):
        assert in_capitals(text) and in_small_letters(text).upper() == text
        assert sum(map(str.isupper, in_small_letters(text))) == 1
    unchanged = ("Open the file", "PDF", "HTML", "A B", "PDF 파일을 여세요", "한국어 문서", "", "1 + 2")
    assert not any(map(in_capitals, (*unchanged, GREEK, "DOSYAYI SİLMEK İÇİN")))
