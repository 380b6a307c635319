"""Which texts of a program have accelerators, and the texts without them."""

from __future__ import annotations

import unicodedata

import pytest

from nmt.documents.accelerators import (
    accelerator_of,
    marks_of,
    with_accelerator,
    without_accelerator,
    without_accelerators,
)


def test_marks_are_read_off_the_texts() -> None:
    assert marks_of(["_File", "set LC_ALL"]) == "_"
    assert marks_of(["&Open...", "_gp"]) == "&"
    assert marks_of(iter(["_File", "&Open"])) == "_&"
    assert marks_of(["파일(_F)", "LC_ALL"]) == marks_of([unicodedata.normalize("NFD", "파일 열기(_O)...")]) == "_"
    assert marks_of(["gettext(_N)", "함수 gettext(_N)", "파일(_F)을 보십시오"]) == ""
    assert marks_of(["pg_dump", "_exit", "_PG_init", "R&D"]) == ""


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("_File", "File"),
        ("Save _As...", "Save As..."),
        ("E_xit", "Exit"),
        ("Sho_w all", "Show all"),
        ("파일(_F)", "파일"),
        ("印刷(_P)...", "印刷..."),
        *((name, name) for name in ("set LC_ALL", "file_name", "Page_Up", "_one and _two", "_exit_code", "a _ b", "")),
    ],
)
def test_a_text_without_a_translation(text: str, cleaned: str) -> None:
    assert without_accelerator(text, "_") == cleaned


@pytest.mark.parametrize("text", ["_File", "Save _As...", "set LC_ALL", "Page_Up", "_one and _two", "파일(_F)"])
def test_a_translation_changes_nothing_but_marks_inside_words(text: str) -> None:
    assert without_accelerators(text, "x", "_") == (without_accelerator(text, "_"), "x")


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("_File", "파일", "파일(_F)"),
        ("Save _As...", "다른 이름으로 저장...", "다른 이름으로 저장(_A)..."),
        ("E_xit", "Beenden", "_Beenden"),
        ("_Save %s", "%s Datei speichern", "%s Datei _speichern"),
        ("_Name:", "{name}: Name", "{name}: _Name"),
        ("파일(_F)", "File", "_File"),
        ("_Find", "(Suche)", "(_Suche)"),
        ("_Open", "%s", "%s"),
    ],
)
def test_a_translation_gets_the_accelerator_of_its_text(text: str, translation: str, expected: str) -> None:
    letter = accelerator_of(text, "_")
    assert with_accelerator(translation, letter, "_") == expected
    assert accelerator_of(expected, "_") or expected == translation, "it is found again"


@pytest.mark.parametrize("text", ["set LC_ALL", "file_name", "Page_Up", "_one and _two", "File", ""])
def test_a_text_without_an_accelerator(text: str) -> None:
    assert accelerator_of(text, "_") == ""


def test_an_entity_has_no_accelerator() -> None:
    for text in ("Save &amp; close", "&copy; 2024 Foo", "AT&amp;T"):
        assert without_accelerator(text, "&") == text and accelerator_of(text, "&") == ""
        assert without_accelerators(text, text, "&") == (text, text)
    assert without_accelerator("&Save &amp; close", "&") == "Save &amp; close"
    assert accelerator_of("&Save &amp; close", "&") == "S"


def test_a_tag_gets_no_accelerator() -> None:
    assert with_accelerator('Siehe <a href="x">Hilfe</a>', "H", "&") == '&Siehe <a href="x">Hilfe</a>'
    assert with_accelerator('<a href="x"> Hilfe</a>', "H", "&") == '<a href="x"> &Hilfe</a>'
