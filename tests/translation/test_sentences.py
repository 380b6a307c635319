"""A text is split into sentences and joined again."""

from __future__ import annotations

import time

import pytest

from nmt.translation.sentences import join, split, split_to_fit


@pytest.mark.parametrize(
    "sentences",
    [
        ["A dog.", "A man!", "Who?", '"Yes."', "He said... and went.", "No (really).", "Ok"],
        ["Kim and J. Smith, z. B. am 3. Mai 1999.", "U.S. law costs 3.14 at example.org. it says."],
        ["Wait?!", "No.", "It goes on…", "Then?"],
        ["나는 간다.", "너는?", "네.", "그래!"],
        ["यह है।", "वह है।"],
        ["هل هذا؟", "نعم."],
        ["彼は言った。", "「はい。」", "そして行った！", "本当？"],  # noqa: RUF001
        ["no end"],
    ],
)
def test_sentences_of_many_scripts(sentences: list[str]) -> None:
    text = join(sentences)
    assert split(text) == sentences
    assert split(f" {text}\n") == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        # English
        ["Dr. Kim lives in Seoul.", "Mr. and Mrs. Smith live in St. Louis."],
        ["Prof. J. R. Kim met Gen. Lee and Sen. Park.", "They talked."],
        ["He likes fruit, e.g. Apples.", "She does not."],
        ["Use one, i.e. The first.", "Not two."],
        ["Apples, pears, etc. are fruit.", "Eat them."],
        ["Bring cups, plates, etc. (see Fig. 3).", "Thanks."],
        ["We sell apples, etc.", "They cost little."],
        ["See No. 5 and nos. 6 to 8 there.", "No.", "It is No. 9."],
        ["Figs. 2 and 3 show it, see vol. 2, pp. 5 to 199, Eq. 4 there.", "Yes."],
        ["Kim et al. (2020) say so, cf. Lee et al. 2021.", "We agree."],
        ["It is approx. 5 km.", "Seoul vs. Busan is next."],
        ["We met on Jan. 5, 2026.", "It was cold."],
        ["Was it in Dec.?", "No, in Nov.", "It snowed."],
        ["The U.S. Army left at 5 p.m. on Monday.", "Nobody saw it."],
        ["He has a Ph.D. in law.", '"Really?"', "Yes (Dr. Park said so)."],
        ["This is a drill.", "This is a must.", "I know him best.", "The fee is incl.5 parts."],
        # German
        ["Hr. Dr. Kim und Fr. Prof. Lee kommen z. B. am 3. Mai.", "Das ist gut."],
        ["Das sind Tiere, d. h. Hunde.", "Sie bellen."],
        ["Das sind u. a. Katzen.", "Sie schlafen."],
        ["Er wohnt in der Hauptstr. 5, Nr. 120.", "Sie in der Str. 7 hier."],
        ["Hunde bzw. Katzen, ggf. Vögel.", "Sonst nichts."],
        ["Es kostet ca. 5 Mio. Euro inkl. Steuern.", "Das ist viel."],
        ["Siehe Abb. 3, Kap. 2 und Art. 5 Abs. 2 dort.", "Dort steht es."],
        ["Äpfel, Birnen usw. sind Obst.", "Er mag Äpfel, Birnen usw.", "Sie auch."],
        ["Vgl. Tab. 4 und evtl. Bd. 2 hier.", "Mehr nicht."],
        ["Der sog. Rat tagt.", "Er berät."],
        # Korean
        ["Dr. 김은 서울에 산다.", "Mr. 박은 부산에 산다."],
        ["회의는 2026. 5. 3. 서울에서 열린다.", "모두 오세요."],
        ["그림은 Fig. 3에 있다.", "표는 없다."],
        ["No. 5 방으로 오세요.", "네."],
        ["한국 vs. 일본 경기다.", "재미있다!"],
        ["그는 1999.", "그리고 끝."],
        ["값은 3.5이다.", "J. Kim이 말했다.", "그렇다."],
    ],
)
def test_abbreviations_end_no_sentence(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


def test_what_joins_sentences() -> None:
    assert join(["A.", "", "B."]) == "A. B." and join([]) == "" and join(["彼。", "A."]) == "彼。A."
    assert split("") == split(" \n") == []


def test_a_sentence_that_is_too_long_is_halved_at_the_best_place() -> None:
    assert split_to_fit("aa. Bb bb, cc cc, dd dd ee, ff.", lambda part: len(part) <= 14) == [
        *("aa.", "Bb bb, cc cc,", "dd dd ee, ff.")
    ]
    assert split_to_fit("one two three four", lambda part: len(part) <= 9) == ["one two", "three", "four"]
    assert split_to_fit("abcdefg", lambda part: len(part) <= 2) == ["a", "bc", "de", "fg"]
    assert split_to_fit("ab", lambda part: False) == ["a", "b"]
    assert split_to_fit("犬。", lambda part: False) == ["犬", "。"]
    assert split_to_fit("ab。", lambda part: len(part) <= 2) == ["a", "b。"]


def test_a_long_line_takes_no_long_time() -> None:
    started = time.perf_counter()
    for unit in (".", "!", "a.", ". ", "'", "?)", " ", "x", "。'", ".  a "):
        parts = split_to_fit(unit * 20_000, lambda part: len(part) <= 100)
        assert "".join("".join(parts).split()) == "".join((unit * 20_000).split())
    assert time.perf_counter() - started < 10
