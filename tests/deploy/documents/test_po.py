"""PO files: what is translated, and what stays."""

from __future__ import annotations

import gettext
import io
import random
import re
import subprocess
from pathlib import Path
from shutil import which

import pytest
from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.plurals import PLURALS, get_plural
from babel.messages.pofile import read_po

from nmt.deploy.documents.po import PoFile
from nmt.errors import UserError
from nmt.spans import NO_SPANS, Spans
from nmt.terms import Terms

HEADER = r"""# Translations of the example.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: example 1.0\n"
"POT-Creation-Date: YEAR-MO-DA HO:MI+ZONE\n"
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

#~| msgid "previous"
#~ msgid "Gone"
#~ msgstr "Weg"
"""


def upper(text: str, language: str = "de") -> str:
    document = PoFile(text, "x.po", language, NO_SPANS)
    return document.filled([sentence.upper() for sentence in document.sentences])


def test_no_sentence_ends_inside_a_term() -> None:
    text = HEADER + 'msgid "Open Yahoo! Mail now."\nmsgstr ""\n'
    spans = Spans({"braces": r"\{\w\}"})
    assert PoFile(text, "x.po", "de", spans, Terms({"Yahoo! Mail": "X"})).sentences == ["Open Yahoo! Mail now."]
    assert len(PoFile(text, "x.po", "de", spans).sentences) == 2


def test_control_characters_stay() -> None:
    text = upper(
        HEADER
        + r"""msgid "\atimed out: auto-logout\n"
msgstr ""

msgid "red \033[1mtext\033[0m"
msgstr ""

msgid "one\f\vtwo, C:\\all\\folders"
msgstr ""

msgid "\001\033[1m\002prompt\001\033[0m\002"
msgstr ""
"""
    )
    assert r'msgstr "\aTIMED OUT: AUTO-LOGOUT\n"' in text
    assert r"RED \033[1MTEXT\033[0M" in text.replace('"\n"', "")
    assert r"\001\033[1M\002PROMPT\001\033[0M\002" in text.replace('"\n"', "")
    assert r"ONE\f\vTWO, C:\\ALL\\FOLDERS" in text.replace('"\n"', "")


def test_octal_escapes_are_bytes_of_utf_8() -> None:
    line = r"""msgid "caf\303\251 \042\341\204\222\042, C:\\303, \377"
msgstr ""
"""
    document = PoFile(HEADER + line, "x.po", "de", NO_SPANS)
    assert document.sentences == ['café "\u1112", C:\\303, \\377']
    assert document.filled(document.sentences).endswith(line.replace('""', r'"café \"ᄒ\", C:\\303, \\377"'))


def babel_reads(text: str) -> Catalog:
    lines = [line for line in text.split("\n") if not line.startswith(("#~|", '"POT-Creation-Date: YEAR'))]
    return read_po(lines, abort_invalid=True)


def test_only_entries_without_a_translation_change() -> None:
    document = PoFile(HEADER + ENTRIES, "x.po", "de", NO_SPANS)
    assert document.sentences == [
        *("_Open %s", "First line.", 'Second "one".', "third", "line", "%d file", "%d files", "New"),
    ]
    changed = (HEADER + ENTRIES).replace('"Language: \\n"', '"Language: de\\n"').replace("CHARSET", "UTF-8")
    changed = changed.replace("nplurals=INTEGER; plural=EXPRESSION;", "nplurals=2; plural=(n != 1);")
    for old, new in [
        ('#, c-format\n#| msgid "Old', '#, fuzzy, c-format\n#| msgid "Old'),
        ('_Open %s"\nmsgstr ""', '_Open %s"\nmsgstr "_OPEN %S"'),
        ('msgid ""\n"First', '#, fuzzy\nmsgid ""\n"First'),
        (
            '"  third\\tline\\n"\nmsgstr ""',
            '"  third\\tline\\n"\nmsgstr ""\n"FIRST LINE. SECOND \\"ONE\\".\\n"\n"  THIRD\\tLINE\\n"',
        ),
        ("#, c-format, no-wrap", "#, fuzzy, c-format, no-wrap"),
        ('msgstr[0] ""\nmsgstr[1] ""', 'msgstr[0] "%D FILE"\nmsgstr[1] "%D FILES"'),
        ('msgid "New"\nmsgstr ""', 'msgid "New"\nmsgstr "NEW"'),
    ]:
        assert changed.count(old) == 1
        changed = changed.replace(old, new)
    assert document.filled([sentence.upper() for sentence in document.sentences]) == changed
    again = PoFile(changed, "x.po", "de", NO_SPANS)
    assert again.sentences == [] and again.filled([]) == changed, "all is translated"


def test_what_babel_reads_is_what_was_written() -> None:
    before, after = babel_reads(HEADER.replace("INTEGER", "2") + ENTRIES), babel_reads(upper(HEADER + ENTRIES))
    assert [(each.id, each.context, each.locations) for each in after] == [
        (each.id, each.context, each.locations) for each in before
    ]
    assert {each.id: each.string for each in after if each.id} == {
        "_Open %s": "_OPEN %S",
        "_File": "_Datei",
        'First line. Second "one".\n  third\tline\n': 'FIRST LINE. SECOND "ONE".\n  THIRD\tLINE\n',
        ("%d file", "%d files"): ("%D FILE", "%D FILES"),
        "Old": "Alt",
        "New": "NEW",
    }
    assert [each.fuzzy for each in after if each.id] == [True, False, True, True, True, True]
    entry = after.get("_Open %s", "menu")
    assert entry is not None and entry.flags >= {"fuzzy", "c-format"} and entry.auto_comments == ["for translators"]
    assert list(after.obsolete) == ["Gone"] and str(after.locale) == "de"


@pytest.mark.parametrize("language", ["ko", "de", "ru", "en", "ar", "pt-BR"])
def test_a_plural_has_as_many_forms_as_the_language(language: str) -> None:
    catalog = babel_reads(upper(HEADER + ENTRIES, language))
    count, expression = get_plural(language.replace("-", "_"))
    assert (catalog.num_plurals, catalog.plural_expr) == (count, expression)
    forms = catalog[("%d file", "%d files")].string
    one = gettext.c2py(expression)(1)
    assert forms == tuple("%D FILE" if form == one and count > 1 else "%D FILES" for form in range(count))
    assert str(catalog.locale) == language.replace("-", "_")


@pytest.mark.parametrize(
    ("language", "forms"),
    [("id", "nplurals=1; plural=0;"), ("my", "nplurals=1; plural=0;"), ("gd", None), ("hsb", None), ("oc", None)],
)
def test_plural_forms_that_gettext_does_not_have_are_those_of_cldr_or_an_error(
    language: str, forms: str | None
) -> None:
    if forms is None:
        with pytest.raises(UserError, match=f"the plural forms of '{language}' are not known"):
            upper(HEADER + ENTRIES, language)
    else:
        assert f'"Plural-Forms: {forms}\\n"' in upper(HEADER + ENTRIES, language)


@pytest.mark.parametrize("language", [name for name, (count, _) in PLURALS.items() if count == 1])
def test_a_language_with_a_singular_has_a_form_for_it(language: str) -> None:
    """Babel has a single form for each of these languages, but some have a singular, such as Turkish."""
    forms = babel_reads(upper(HEADER, language)).num_plurals
    assert (forms > 1) == bool(Locale(language).plural_form.tags)


def test_programs_use_the_translations_when_they_are_reviewed() -> None:
    reviewed = upper(HEADER + ENTRIES, "ru").replace("#, fuzzy", "#, ")
    file = io.BytesIO()
    write_mo(file, babel_reads(reviewed))
    found = gettext.GNUTranslations(io.BytesIO(file.getvalue()))
    assert [found.ngettext("%d file", "%d files", count) for count in (1, 3, 5, 21)] == [
        *("%D FILE", "%D FILES", "%D FILES", "%D FILE"),
    ]
    assert found.pgettext("menu", "_Open %s") == "_OPEN %S"


@pytest.mark.skipif(which("msgfmt") is None, reason="needs GNU gettext")
@pytest.mark.parametrize("language", ["ko", "ru"])
def test_gettext_accepts_the_file(language: str, tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    document = PoFile(HEADER + ENTRIES, "x.po", language, NO_SPANS)
    path.write_text(document.filled(document.sentences), "utf-8")
    command = ["msgfmt", "--check-format", "--check-header", "-o", str(tmp_path / "x.mo"), str(path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_declared_forms_and_fields_stay() -> None:
    header = r"""msgid ""
msgstr ""
"Language: ko_KR\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=n>1;\n"
"""
    text = f'{header}\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] ""\n'
    assert upper(text, "ko").startswith(header)
    assert upper(text, "ko").endswith('#, fuzzy\nmsgid "a"\nmsgid_plural "b"\nmsgstr[0] "A"\nmsgstr[1] "B"\n')


def test_line_breaks_of_windows_stay() -> None:
    text = (HEADER + ENTRIES).replace("\n", "\r\n")
    assert upper(text) == upper(HEADER + ENTRIES).replace("\n", "\r\n")


def test_a_tab_may_stand_behind_a_keyword() -> None:
    text, tab = HEADER + ENTRIES, re.compile(r"^(msg\S+) ", re.MULTILINE)
    assert (
        PoFile(tab.sub("\\1\t", text), "x.po", "de", NO_SPANS).sentences
        == PoFile(text, "x.po", "de", NO_SPANS).sentences
    )
    assert upper(tab.sub("\\1 \t", text)).endswith(upper(text)[-30:])


def test_each_line_keeps_its_own_line_break() -> None:
    draw, text = random.Random(1), HEADER + ENTRIES
    for _ in range(20):
        mixed = re.sub("\n", lambda _: draw.choice(["\n", "\r\n"]), text)
        document = PoFile(mixed, "x.po", "de", NO_SPANS)
        assert document.sentences == PoFile(text, "x.po", "de", NO_SPANS).sentences
        assert upper(mixed).replace("\r\n", "\n") == upper(text)
        untranslated = document.filled([""] * len(document.sentences))
        assert untranslated.endswith(mixed[mixed.index("# a person wrote this") :])
    assert upper((HEADER + 'msgid "a"\nmsgstr ""').replace("\n", "\r\n")).endswith('\r\nmsgstr "A"')


def test_an_empty_translation_is_none() -> None:
    document = PoFile(HEADER + ENTRIES, "x.po", "de", NO_SPANS)
    assert babel_reads(document.filled([""] * len(document.sentences)))["New"].string == ""
    assert document.filled([""] * len(document.sentences)).count("fuzzy") == (HEADER + ENTRIES).count("fuzzy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + 'msgid "a\nmsgstr ""\n', "x.po:12: got 'msgid \"a', expected a line of a PO file"),
        (HEADER + 'mgsid "a"\nmsgstr ""\n', "x.po:12: got 'mgsid \"a\"', expected a line"),
        (HEADER + 'msgid "a"\n\nmsgid "b"\nmsgstr ""\n', "x.po:12: missing msgstr for msgid 'a'; repair it"),
        ("<html>", "x.po:1: got '<html>', expected a line of a PO file"),
        ('msgid "a"\nmsgstr ""\n', 'x.po: no header, expected msgid "" with the language'),
        ("", "x.po: no header"),
        ('msgid ""\n"First line."\nmsgstr ""\n\nmsgid "b"\nmsgstr ""\n', "x.po: no header"),
        (HEADER.replace("Language: ", "Language: fr"), "x.po: its header has Language: fr, but the model translates"),
        (HEADER.replace("INTEGER", "2"), "x.po: its header has Plural-Forms: nplurals=2; plural=EXPRESSION"),
        (
            HEADER.replace("INTEGER", "2").replace("EXPRESSION", "n%(n-1)"),
            "x.po: its header has Plural-Forms: nplurals=2; plural=n%(n-1); (integer",
        ),
    ],
)
def test_a_file_that_cannot_be_translated(text: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        PoFile(text, "x.po", "de", NO_SPANS)
    assert str(error.value).startswith(message)


def test_an_unknown_language_needs_plural_forms_in_the_file() -> None:
    with pytest.raises(
        UserError, match=r"^x.po: the plural forms of 'xx-yy-zz-q' are not known; add them to its header"
    ):
        PoFile(HEADER + ENTRIES, "x.po", "xx-yy-zz-q", NO_SPANS)


def test_a_damaged_file_is_read_or_refused() -> None:
    draw, lines = random.Random(1), (HEADER + ENTRIES).split("\n")
    for _ in range(500):
        damaged = list(lines)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(damaged))
            damaged[place : place + draw.randint(0, 1)] = draw.choice([[], [draw.choice(lines)], [damaged[place][1:]]])
        try:
            document = PoFile("\n".join(damaged), "x.po", "ko", NO_SPANS)
        except UserError:
            continue
        assert document.filled(["x"] * len(document.sentences))


def test_no_sentence_ends_inside_a_span() -> None:
    text = HEADER + 'msgid "See <a title=\\"Go. Now.\\">this</a>. Wait."\nmsgstr ""\n'
    document = PoFile(text, "x.po", "de", Spans({"tags": "</?a[^>]*>"}))
    assert document.sentences == ['See <a title="Go. Now.">this</a>.', "Wait."]
