"""A text is split into sentences and joined again."""

# ruff: noqa: RUF001 (wide digits and marks)

from __future__ import annotations

import itertools
import time
import unicodedata
from collections.abc import Callable

import pytest

from nmt.text import sentences as rules
from nmt.text.protect import Segment, Slot, join


def split(text: str) -> list[str]:
    return [sentence.text for sentence in rules.split(text)]


def split_to_fit(text: str, fits: Callable[[str], bool]) -> list[str]:
    return [part.text for part in rules.split_to_fit(Segment((text,)), lambda part: fits(part.text))]


@pytest.mark.parametrize(
    "sentences",
    [
        ["A dog.", "A man!", "Who?", '"Yes."', "He said... and went.", "No (really).", "Ok"],
        ["Kim and J. Smith, z. B. am 3. Mai 1999.", "U.S. law costs 3.14 at example.org. it says."],
        ["Wait?!", "No.", "It goes on…", "Then?"],
        ["나는 간다.", "너는?", "네.", "그래!"],
        ["यह है।", "वह है।"],
        ["هل هذا؟", "نعم."],
        ["彼は言った。", "「はい。」", "そして行った！", "本当？"],
        ["他说：“你好。”", "然后走了。"],
        ["먼저 설치합니다.", "npm을 실행할까?", "“좋습니다.”", "iPhone을 봐요."],
        ["გამარჯობა.", "როგორ ხარ?", "კარგად ვარ."],
        ["Il a dit « Bonjour. »", "« Où vas-tu\u202f?\u202f»", "« Oui\u00a0! », dit-il.", "Elle dit « non ».", "Fin."],
        ["Er sagte nein.", "»Komm!«", "Dann ging er."],
        ["هذا.\u200f", "ثم."],  # with a mark of direction
        ["彼は「はい。」と言った。", "「行くの？」と聞いた。", "「はい。」", "とても。"],
        ["د. أحمد طبيب.", "وصل أمس."],  # one letter is an abbreviation in every script with an alphabet
        ["ד. כהן הגיע.", "הוא כאן."],
        ["डॉ. शर्मा आए।", "वे गए।"],
        ["यह किताब है.", "वह गाँव में थे.", "ठीक है."],  # a letter with a vowel sign is a word
        ["આ મારું ઘર છે.", "તે શાળામાં છે."],
        ["เวลา 10.30 น. ที่ห้องประชุม พ.ศ. 2567"],
        ["no end"],
        # Abbreviations end no sentence: English
        ["Dr. Kim lives in Seoul.", "Mr. and Mrs. Smith live in St. Louis."],
        ["Prof. J. R. Kim met Gen. Lee and Sen. Park.", "They talked."],
        ["He likes fruit, e.g. Apples.", "She does not."],
        ["Bring cups, plates, etc. (see Fig. 3).", "Thanks."],
        ["We sell apples, etc.", "They cost little."],
        ["See No. 5 and nos. 6 to 8 there.", "No.", "It is No. 9."],
        ["Was it in Dec.?", "No, in Nov.", "It snowed."],
        ["The U.S. Army left at 5 p.m. on Monday.", "Nobody saw it."],
        ["He has a Ph.D. in law.", '"Really?"', "Yes (Dr. Park said so)."],
        ["This is a drill.", "This is a must.", "I know him best.", "The fee is incl.5 parts."],
        # German
        ["Hr. Dr. Kim und Fr. Prof. Lee kommen z. B. am 3. Mai.", "Das ist gut."],
        ["Das sind Tiere, d. h. Hunde.", "Sie bellen."],
        ["Die Kim GmbH & Co. KG ist hier.", "Er kennt Kim & Co.", "Sie auch."],
        ["Es kostet ca. 5 Mio. Euro inkl. Steuern.", "Das ist viel."],
        ["Siehe Abb. 3, Kap. 2 und Art. 5 Abs. 2 dort.", "Dort steht es."],
        # Korean
        ["Dr. 김은 서울에 산다.", "Mr. 박은 부산에 산다."],
        ["회의는 2026. 5. 3. 서울에서 열린다.", "모두 오세요."],
        ["한국 vs. 일본 경기다.", "재미있다!"],
        ["그는 1999.", "그리고 끝."],
        ["가. 목적을 적는다.", "나. 범위를 적는다.", "3. 이름을 적는다."],
        ["값은 3.5이다.", "J. Kim이 말했다.", "그렇다."],
        # A number or a letter ends a sentence before a word that begins one
        ["It is in section 5.", "The rest is in Fig. 3.", "Both help."],
        ["3. The file is open.", "It costs $5.00.", "That is in the U.S.", "She pays at 5 p.m.", "We don't."],
        ["Er kam am 5.", "Sie kam am 3. Mai.", "Der 1. FC Köln gewann 2:1.", "Alle jubelten."],
        ["Er ist Nr. 1.", "Sie ist Nr. 2.", "Das sind, z. B. Die Grünen, viele."],
        ["„Kommst du?“", "Er nickte.", "„Ja.“", "Sie auch."],
        # An ellipsis inside a sentence
        ["Click the ... button.", "Click Import... and wait...", "Then go on."],
        ['또는 "열 A, 열 B, ..." 또는 텍스트이다.', "옆의 ... 버튼을 누른다."],
        ["저는… 학생입니다.", "그건... 좀 어렵다.", "글쎄…", "모르겠다.."],
        # A polite Korean verb ends a sentence without a mark
        ["회의는 세 시에 시작합니다", "장소는 2층입니다", "늦지 마세요"],
        ["몇 시입니까", "네 시예요", "그럼 시작하시죠", "Yes"],
        ["끝냅시다", "날씨가 좋네요", "저장하십시오", "3번은 비웠습니다."],
        ["그가 했습니다만 필요 없다 하여 주요 내용은 제가요 이미 다 지웠다"],
        ["값을 사용합니다 (선택 사항)"],
        ['"확인해요" 버튼을 누릅니다', "“네.”", "좋아요 버튼을 누릅니다"],
        # A Korean word that is a particle only after a quotation
        ['"누구세요?" 하고 물었다.', "“나요!” 하며 웃었다.", "하고 싶은 말이다."],
    ],
)
def test_sentences_of_many_scripts(sentences: list[str]) -> None:
    text = join(sentences).text
    assert split(text) == sentences
    assert split(f" {text}\n") == sentences


@pytest.mark.parametrize("particle", ["라고", "이라는", "라며", "라면서"])
def test_no_korean_sentence_begins_with_a_particle(particle: str) -> None:
    for one in (f'그는 "가자!" {particle} 말했다.', f"안녕하세요 {particle} 말했다.", f"그는 간다.{particle} 했다."):
        assert split(f"{one} 라면을 먹는다.") == [one, "라면을 먹는다."]


def test_korean_sentences_without_white_space_between_them() -> None:
    assert split("그는 갔다.너는?나는 남는다.") == ["그는 갔다.", "너는?", "나는 남는다."]
    for one in (
        "값은 3.5이다.",
        "setup.py를 연다.",
        "Node.js와 ASP.NET이다.",
        "메일은 a.b@example.co.kr이다.",
        "이름.표.필드이다.",
    ):
        assert split(one) == [one]


@pytest.mark.parametrize(
    "text",
    [
        "가. 목적 나. 범위",
        '"가자!" 라고 말했다. 갔다.',
        "그건... 좀 어렵다. 네.",
        "회의를 시작합니다 늦지 마세요",
        "끝났다.다음은 표다.",
        "Ä. Öl ist café. Über",
    ],
)
def test_letters_and_marks_apart_are_the_same_sentences(text: str) -> None:
    apart = unicodedata.normalize("NFD", text)
    assert [unicodedata.normalize("NFC", each) for each in split(apart)] == split(text) != [text]
    assert "".join(split(apart)).replace(" ", "") == apart.replace(" ", "")
    before = len(split(apart)[0])
    held = Segment((apart[: before - 1], Slot(apart[before - 1 : before + 1]), apart[before + 1 :]))
    assert rules.split(held)[0].text != split(apart)[0], "no sentence ends inside a slot"


def test_a_wide_mark_inside_a_number_ends_nothing() -> None:
    for one in ("円周率は３．１４です。", "バージョン２．０を使う。", "合計は１，０００円です。"):
        assert split(one) == [one]
    assert split("値は３．次は２。") == ["値は３．", "次は２。"]
    parts = ["合計今日、", "１２，０００円ですよ"]
    assert split_to_fit("".join(parts), lambda part: len(part) <= 10) == parts


def test_what_joins_sentences() -> None:
    assert [join(texts).text for texts in (["A.", "", "B."], [], ["彼。", "A."])] == ["A. B.", "", "彼。A."]
    tags = Segment(("彼", Slot("<1>"), "彼", Slot("</1>"), Slot("<2/>")))
    assert join([tags, "A."]) == Segment((*tags.parts, "A.")) and join(["サーバー", "犬"]).text == "サーバー犬"
    assert join([Segment(("the ", Slot("<1>"))), "A."]).text == "the <1> A."
    for one in ("He likes “東京”", "(“好。”)"):
        assert join([one, "A."]).text == f"{one} A."
    assert split("") == split(" \n") == []


def test_a_sentence_that_is_too_long_is_halved_at_the_best_place() -> None:
    assert split_to_fit("aa. Bb bb, cc cc, dd dd ee, ff.", lambda part: len(part) <= 14) == [
        *("aa.", "Bb bb, cc cc,", "dd dd ee, ff.")
    ]
    decomposed = "か\u3099" * 99
    assert all(len(part) % 2 == 0 for part in split_to_fit(decomposed, lambda part: len(part) <= 60))
    assert split_to_fit("one two three four", lambda part: len(part) <= 9) == ["one two", "three", "four"]
    assert split_to_fit("abcdefg", lambda part: len(part) <= 2) == ["a", "bc", "de", "fg"]
    assert split_to_fit("ab", lambda part: False) == ["a", "b"]
    assert split_to_fit("犬。", lambda part: False) == ["犬", "。"]
    assert split_to_fit("ab。", lambda part: len(part) <= 2) == ["a", "b。"]


@pytest.mark.parametrize("most", [1, 4, 9])
def test_a_slot_is_never_divided(most: int) -> None:
    for before, after in itertools.product(range(12), repeat=2):
        text = Segment.of(["一" * before, Slot("{long name}"), Slot("<1>"), "二" * after])
        parts = rules.split_to_fit(text, lambda part: len(part.plain) <= most)
        assert "".join(part.text for part in parts) == text.text
        assert [slot for part in parts for slot in part.slots] == [*text.slots]
        assert all(len(part.plain) <= most or part.plain == "{long name}" for part in parts)


def test_a_long_line_takes_no_long_time() -> None:
    started = time.process_time()
    units = (".", "!", "a.", ". ", "'", "?)", " ", "x", "。'", ".  a ", "하세요 ", "A. ", "1. The ")
    for text in (*(unit * 10_000 for unit in units), f"'요.'{' ' * 10_000}하고"):
        parts = split_to_fit(text, lambda part: len(part) <= 100)
        assert "".join("".join(parts).split()) == "".join(text.split())
    assert time.process_time() - started < 3
