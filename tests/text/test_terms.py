"""Glossaries: their terms are found as whole words, and their translations take their place in a source."""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from nmt.errors import UserError
from nmt.text.terms import NO_TERMS, Terms, read_terms

PACKED = gzip.compress(b"file\tDatei\n" * 100, mtime=0)  # equal in all processes of the tests
FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


def named(words: Iterable[str]) -> Terms:
    """Return a glossary in which the translation of a term is the term."""
    return Terms({word: word for word in words})


def find(terms: Terms, text: str) -> list[str]:
    return [translation for *_, translation in terms.places(text)]


def test_the_places_are_those_of_the_terms() -> None:
    draw, words = random.Random(0), ["file", "File", "files", "dialog box", "box", "URL", "url", "Datei", ",", "(", "-"]
    found = 0
    for _ in range(300):
        terms = Terms({term: f"[{term}]" for term in draw.sample(words[:8], k=draw.randint(0, 8))})
        text = "".join(draw.choice(words) + draw.choice([" ", " ", "  ", ""]) for _ in range(8)).strip()
        places = terms.places(text)
        names = [translation[1:-1] for *_, translation in places]
        written = [" ".join(text[start:end].split()) for start, end, _ in places]
        assert list(map(str.lower, written)) == list(map(str.lower, names))
        found += len(places)
    assert found > 300


def test_a_glossary_and_a_text_may_have_different_unicode_forms() -> None:
    words = {"café": "커피집", "파일": "é", "가": "x", "e\u0302\u0323": "y", "창": "z"}
    text = "a café, 파일을 가 각 e\u0302\u0323 창 e"
    for form in FORMS:
        terms = Terms({normalize(form, term): normalize(form, words[term]) for term in words})
        assert terms == Terms(words)
        for other in FORMS:
            given = normalize(other, text)
            found = [(normalize("NFC", given[start:end]), word) for start, end, word in terms.places(given)]
            assert found == [(normalize("NFC", term), normalize("NFC", word)) for term, word in words.items()]


def test_a_mark_belongs_to_its_letter() -> None:
    """The letters before the marks alone are other words."""
    terms = named(("cafe", "x", "น", "क"))
    assert find(terms, "cafe\u0301 x\u0302 น้ำ कि") == [] and len(find(terms, "cafe x น क")) == 4


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Files, file; profile file2 file-system", ["file", "file"]),  # no part of a word
        ("a dialog box and a dialog", ["dialog box", "dialog"]),  # the longest
        ("Dialog  Box", ["dialog box"]),
        ("url URL", ["URL"]),  # capitals matter
        ("파일을 새파일 파일", ["파일", "파일"]),  # a particle may follow
        ("C++ and C", ["C++"]),
        ("｟0｠file｟1｠", ["file"]),
        ("file_name pg_file _file file_ 파일_이름 URL_파일", []),  # identifiers are words
        # In scripts without spaces, words stand everywhere
        ("请插入公式。", ["公式"]),
        ("この数式を入力する", ["数式"]),
        ("ฉันอ่านหนังสือ", ["หนังสือ"]),
        ("打开URL吧 このURLを URL을 새URL", ["URL", "URL", "URL"]),  # another script is another word
        ("数式URL公式", ["数式", "URL", "公式"]),
        ("新파일 새파일", ["파일"]),
        ("このサーバーURLを ｻｰﾊﾞｰURL", ["サーバー", "URL", "URL"]),  # for Unicode, the long vowel is of no script
        ("サーバーIPを", ["サーバー"]),
    ],
)
def test_terms_are_whole_words(text: str, found: list[str]) -> None:
    words = "file", "dialog", "dialog box", "URL", "파일", "C++", "公式", "数式", "หนังสือ", "サーバー"
    assert find(named(words), text) == found


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d", "\u00ad"])
def test_an_invisible_character_stands_inside_a_word(joiner: str) -> None:
    """Persian writes parts of a word with one between them, and long German words say where a line may break."""
    for parts in (("دانش", "آموز"), ("Daten", "bank")):
        word = joiner.join(parts)
        assert find(named(parts), word) == []
        assert find(named((*parts, word)), f"{word} {parts[1]}") == [word, parts[1]]
        for text in (f"{parts[0]}{joiner}", f"{parts[0]}{joiner}.", f"{joiner}{parts[0]}", f"{parts[0]}{joiner}-x"):
            assert find(named([parts[0]]), text) == [parts[0]]


def test_a_large_korean_glossary_takes_no_long_time() -> None:
    words = [f"파일{chr(ord('가') + number)}" for number in range(3_000)]
    started = time.process_time()
    terms = named(words)
    assert time.process_time() - started < 2 and find(terms, f"{words[7]}를 {words[2999]}시") == [words[7]]


def test_korean_words_end_with_particles_only() -> None:
    terms = named(("표", "열", "파일"))
    assert find(terms, "개체를 표시하고 열기, 열려, 파일럿, 파일명, 표면") == []
    found = ["표", "열", "파일", "파일", "파일", "표", "파일"]
    assert find(terms, "표를 열과 파일들로부터의 파일이라는 파일뿐 표입니다. 파일") == found
    for ending in ("이라고", "이지만", "이었습니다", "이랑", "만큼", "밖에", "조차", "에게서도"):
        assert find(terms, f"그 파일{ending} 했다") == ["파일"]
    started = time.process_time()
    assert find(terms, "파일" + "이나" * 30_000 + "x") == []
    assert time.process_time() - started < 2


@pytest.mark.parametrize("order", [1, -1])
def test_of_terms_that_differ_in_capitals_the_one_of_the_text_counts(order: int) -> None:
    terms = named(["polish", "Polish", "file menu", "File Menu"][::order])
    assert find(terms, "Polish: I polish it.") == ["Polish", "polish"]
    assert find(terms, "File  Menu, file menu") == ["File Menu", "file menu"]
    assert len(find(terms, "POLISH")) == 1
    assert find(named(["Masse"]), "Maße MASSE") == ["Masse"], "another word than Maße"


def test_without_terms_a_text_stays_as_it_is() -> None:
    assert not NO_TERMS and NO_TERMS.places("a file") == []
    assert Terms({" file ": " Datei "}) == Terms({"file": "Datei"}) != NO_TERMS
    assert len({Terms({"a": "b", "c": "d"}), Terms({"c": "d", "a": "b"})}) == 1


def test_a_glossary_file_has_a_term_on_each_line(tmp_path: Path) -> None:
    file = tmp_path / "terms.tsv"
    comments = "\ufeff# a comment\tof two fields\n#another\n\n"
    file.write_text(f"{comments}file\tDatei\n dialog box \t Dialog \r\nfile\tDatei\n#REF!\t#BEZUG!\n", "utf-8")
    assert read_terms(file) == Terms({"file": "Datei", "dialog box": "Dialog", "#REF!": "#BEZUG!"})
    assert read_terms(file).places("a file") == [(2, 6, "Datei")]
    file.write_text("caf\u00e9\tKaffee\ncafe\u0301\tKaffee\n", "utf-8")
    assert [*read_terms(file).translations] == ["caf\u00e9"]
    file.write_bytes(PACKED)
    assert read_terms(file) == Terms({"file": "Datei"})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"file\n", r"terms\.tsv, line 1: got 'file', expected a term, a tab and its translation"),
        (b"a\tb\na\t\n", r"line 2: got 'a\\t'"),
        (b"a\tb\tc\n", "line 1: got"),
        (b"a\tb\n\na\tc\n", "line 3: 'a' has another translation before; keep one of them"),
        (b"\xff\n", r"terms\.tsv, line 1: not UTF-8"),
        (None, r"terms\.tsv: no such file"),
        *((damaged, r"terms\.tsv: damaged or cut off") for damaged in (PACKED[:-9], PACKED[:12] + b"\xff" * 9)),
    ],
)
def test_a_glossary_that_cannot_be_used(tmp_path: Path, content: bytes | None, message: str) -> None:
    file = tmp_path / "terms.tsv"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_terms(file)
