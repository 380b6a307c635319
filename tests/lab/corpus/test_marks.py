"""Markup, addresses and symbols: what is a defect and what is not."""

from __future__ import annotations

import pytest

from nmt.data.pair import SentencePair
from tests.lab.corpus.good import find

KOREAN = "안녕하세요, 세계"


@pytest.mark.parametrize(
    ("source", "target", "note"),
    [
        ("stone &amp; tile", "Stein und Fliesen", "source: &amp;"),
        ("stone & tile", "Stein &#38; Fliesen", "target: &#38;"),
        ("a <b>bold</b> word", "ein fettes Wort", "source: <b>"),
        ("a bold word", 'ein <span class="bold">fettes</span> Wort', "target: <span>"),
        ("one<br/>two", "eins zwei", "source: <br>"),
        ("a <b>bold</b> word", "ein <b>fettes</b> Wort", ""),
        ("a <b>bold</b> word", "ein <strong>fettes</strong> Wort", ""),
        ("Usage: <file>", "Aufruf: DATEI", ""),
        ("<table name>", "<Tabellenname>", ""),
        ("AT&T; R&D", "AT&T, F&E", ""),
        ("a < b and c > d", "a ist kleiner als b", ""),
    ],
)
def test_markup_on_one_side_only(source, target, note):
    assert find("markup", [SentencePair(source, target)], ("en", "de")) == ({0: note} if note else {})


@pytest.mark.parametrize(
    ("target", "note"),
    [
        ("----------", "target: - repeated"),
        ("???????? ??", "target: ? repeated"),
        ("%&$ |a| [] {}", "target: mostly symbols"),
        (KOREAN.encode().decode("cp1252", "replace"), "target: wrong decoding"),
        (KOREAN.encode().decode("latin-1"), "target: wrong decoding"),
        (KOREAN.encode("euc-kr").decode("latin-1"), "target: wrong decoding"),
        ("아니요.....", ""),
        ("+/-", ""),
        ("हिन्दी में है।", ""),
        ("ÀÉÈÊËÏÖÜ", ""),
        ("12. 5. 2027, 10:15", ""),
    ],
)
def test_symbols(target, note):
    assert find("symbols", [SentencePair("a good text", target)], ("en", "ko")) == ({0: note} if note else {})
