"""PO files: what is translated, and what stays."""

from __future__ import annotations

import gettext
import io
import random

import polib
import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from nmt.deploy.documents.po import PoFile
from nmt.errors import UserError
from nmt.text.protect import NO_SPANS

HEADER = r"""# Translations of the example.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: example 1.0\n"
"POT-Creation-Date: 2026-11-29 12:00+0000\n"
"Language: \n"
"Content-Type: text/plain; charset=CHARSET\n"
"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\n"
"X-Generator: hand\n"

"""
ENTRIES = r"""# a person wrote this
#. for translators
#: src/main.c:12 src/other.c:7
#, c-format
#| msgid "Old %s"
msgctxt "menu"
msgid "_Open %s"
msgstr ""

msgid "_File"
msgstr "_Datei"

msgctxt "no text"
msgid ""
msgstr ""

msgid ""
"First line. Second \"one\".\n"
"  third\tline\n"
msgstr ""

#, c-format, no-wrap
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""

#, fuzzy
msgid "Old"
msgstr "Alt"

#, fuzzy
msgid "New"
msgstr ""

msgid "café, C:\\all\\folders"
msgstr ""

#~ msgid "Gone"
#~ msgstr "Weg"
"""


def upper(text: str, language: str = "de") -> str:
    document = PoFile(text, "x.po", language, NO_SPANS)
    return document.filled([sentence.upper() for sentence in document.sentences])


def described(entry: polib.POEntry) -> tuple[object, ...]:
    """Return all of an entry but its translation and its flags."""
    names = ("msgid", "msgid_plural", "msgctxt", "comment", "tcomment", "occurrences", "previous_msgid", "obsolete")
    return tuple(getattr(entry, name) for name in names)


def test_entries_without_a_translation_get_one_and_a_flag() -> None:
    after = polib.pofile(upper(HEADER + ENTRIES))
    found = {entry.msgid: (entry.msgstr or entry.msgstr_plural, entry.flags) for entry in after}
    assert found == {
        "_Open %s": ("_OPEN %S", ["fuzzy", "c-format"]),
        "_File": ("_Datei", []),
        "": ({}, []),
        'First line. Second "one".\n  third\tline\n': ('FIRST LINE. SECOND "ONE".\n  THIRD\tLINE\n', ["fuzzy"]),
        "%d file": ({0: "%D FILE", 1: "%D FILES"}, ["fuzzy", "c-format", "no-wrap"]),
        "Old": ("Alt", ["fuzzy"]),
        "New": ("NEW", ["fuzzy"]),
        "café, C:\\all\\folders": ("CAFÉ, C:\\ALL\\FOLDERS", ["fuzzy"]),
        "Gone": ("Weg", []),
    }
    before = polib.pofile(HEADER + ENTRIES)
    assert [described(entry) for entry in after][:-2] == [described(entry) for entry in before][:-2]
    again = PoFile(upper(HEADER + ENTRIES), "x.po", "de", NO_SPANS)
    assert again.sentences == [] and again.filled([]) == upper(HEADER + ENTRIES), "all is translated"


def test_the_header_names_the_language_and_keeps_its_other_fields() -> None:
    header = polib.pofile(upper(HEADER + ENTRIES)).metadata
    assert header["Language"] == "de" and header["Content-Type"] == "text/plain; charset=UTF-8"
    assert header["X-Generator"] == "hand" and header["Plural-Forms"] == "nplurals=2; plural=(n != 1);"
    declared = HEADER.replace("Language: ", "Language: ko_KR").replace("INTEGER; plural=EXPRESSION", "2; plural=n>1")
    header = polib.pofile(upper(declared, "ko")).metadata
    assert header["Language"] == "ko_KR" and header["Plural-Forms"] == "nplurals=2; plural=n>1;"


@pytest.mark.parametrize(("language", "forms"), [("tr", 2), ("hu", 2), ("fa", 2), ("ko", 1), ("ja", 1), ("pl", 3)])
def test_a_header_without_plural_forms_gets_those_of_the_language(language: str, forms: int) -> None:
    header = polib.pofile(upper(HEADER + ENTRIES, language)).metadata
    assert header["Plural-Forms"].startswith(f"nplurals={forms};")


def test_programs_use_the_translations_when_they_are_reviewed() -> None:
    file = io.BytesIO()
    write_mo(file, read_po(upper(HEADER + ENTRIES, "ru").replace("#, fuzzy", "#, ").split("\n")))
    found = gettext.GNUTranslations(io.BytesIO(file.getvalue()))
    forms = [found.ngettext("%d file", "%d files", count) for count in (1, 3, 5, 21)]
    assert forms == ["%D FILE", "%D FILES", "%D FILES", "%D FILE"]
    assert found.pgettext("menu", "_Open %s") == "_OPEN %S"


@pytest.mark.parametrize(
    ("text", "language", "message"),
    [
        (HEADER + 'msgid "a\nmsgstr ""\n', "de", r"^x\.po:12: got 'msgid \"a', a line that cannot be read"),
        (HEADER + 'msgid_plural "a"\n', "de", r"^x\.po: no PO file \(.*line 12"),
        (HEADER.replace("Language: ", "Language: fr") + 'msgid "a"\nmsgstr "b"\n', "de",
         r"^x\.po: its header has Language: fr, but the model tr"),
        (HEADER.replace("INTEGER", "2"), "de", r"^x\.po: its header has Plural-Forms: nplurals=2; plural=EXPRESSION"),
        (HEADER, "xx", r"^x\.po: the plural forms of 'xx' are not known; add them to its header"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_translated(text: str, language: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        PoFile(text, "x.po", language, NO_SPANS)


@pytest.mark.slow
def test_a_damaged_file_is_read_or_refused() -> None:
    draw, lines = random.Random(1), (HEADER + ENTRIES).split("\n")
    for _ in range(500):
        damaged = list(lines)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(damaged))
            damaged[place : place + draw.randint(0, 1)] = draw.choice([[], [draw.choice(lines)], [damaged[place][1:]]])
        try:
            upper("\n".join(damaged))
        except UserError as error:
            assert str(error).startswith("x.po:")
