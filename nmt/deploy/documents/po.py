"""PO files: the texts of a program and their translations, as GNU gettext and Weblate keep them.

Entries without a translation get one, and the flag "fuzzy", so that programs do not use it before a person has reviewed
it. All else keeps its meaning: comments, contexts, other flags, translations, obsolete entries. The lines of a text are
translated one by one, and a line sentence by sentence.

A text with a plural has as many translations as the header says. The form for one thing translates the singular, the
others translate the plural. A single form translates the plural.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Sequence
from itertools import islice

import polib
from babel.messages.plurals import PLURALS, get_plural

from nmt.deploy.documents.base import Document, Text, paragraphs
from nmt.errors import UserError, one_line
from nmt.text.languages import find_language, locale_of
from nmt.text.protect import Spans
from nmt.text.terms import NO_TERMS, Terms

REPAIR = r"msgfmt --check shows what is wrong, unless it is an escape such as \a or \x07, which is not read"
_LINE = re.compile(r'\s*(?:#.*|(?:(?:msgctxt|msgid(?:_plural)?|msgstr(?:\[\d\])?)\s+)?"(?:[^"\\]|\\["\\nrtvbf])*")?\s*')
_FORMS = re.compile(r"\s*nplurals\s*=\s*([1-9])\s*;\s*plural\s*=\s*([^;]+);?\s*")


class PoFile(Document):
    """A PO file, or a template of one (POT), that is translated into `language` by a model with `spans`, with `terms`.

    Messages call it `where`. Raises UserError for a damaged file, and for one with translations into another language.
    """

    def __init__(self, text: str, where: str, language: str, spans: Spans, terms: Terms = NO_TERMS) -> None:
        for number, line in enumerate(text.split("\n"), start=1):  # polib drops characters of any other line
            if not _LINE.fullmatch(line):
                raise UserError(f"{where}:{number}: got '{line.strip()[:60]}', a line that cannot be read; {REPAIR}")
        try:
            self._file = polib.pofile(text + "\n")  # a text without a line end would be the name of a file
        except (OSError, ValueError, IndexError) as error:
            raise UserError(f"{where}: no PO file ({one_line(error)}); {REPAIR}") from error
        self._entries = [
            (entry, [paragraphs(text, spans, terms) for text in (entry.msgid, entry.msgid_plural) if text])
            for entry in self._file
            if entry.msgid
            and not (entry.obsolete or any(map(str.strip, (entry.msgstr, *entry.msgstr_plural.values()))))
        ]
        _complete(self._file.metadata, where, language)
        self._forms = _forms(self._file.metadata["Plural-Forms"], where)

    @property
    def sentences(self) -> list[Text]:
        return [sentence for _, texts in self._entries for text in texts for sentence in text.sentences]

    def filled(self, translations: Sequence[Text]) -> str:
        """Return the file with the translations, and the target language in its header."""
        rest = iter(translations)
        for entry, texts in self._entries:
            found = [text.filled(list(islice(rest, len(text.sentences)))) for text in texts]
            if entry.msgid_plural:
                entry.msgstr_plural = {number: found[form] for number, form in enumerate(self._forms)}
            else:
                entry.msgstr = found[0]
            if not entry.fuzzy:
                entry.flags.insert(0, "fuzzy")
        return f"{self._file}"


def _complete(header: dict[str, str], where: str, language: str) -> None:
    """Complete a header: language, plural forms, UTF-8. Raises UserError if it names another language."""
    named = header.get("Language", "")
    if named and find_language(named, [language]) is None:
        raise UserError(
            f"{where}: its header has Language: {named}, but the model translates into {language}; use a model for "
            f"{named}, or the file for {language}"
        )
    header["Language"] = named or language.replace("-", "_")
    if not _FORMS.fullmatch(header.get("Plural-Forms", "")):
        locale = locale_of(language)
        if locale is None or {str(locale), locale.language}.isdisjoint(PLURALS):
            raise UserError(
                f"{where}: the plural forms of '{language}' are not known; add them to its header, as in Plural-Forms: "
                "nplurals=2; plural=(n != 1);"
            )
        forms = get_plural(locale)
        two = forms.num_plurals == 1 and "one" in locale.plural_form.tags  # Babel has too few, as for Turkish
        header["Plural-Forms"] = "nplurals=2; plural=(n != 1);" if two else forms.plural_forms
    header["Content-Type"] = "text/plain; charset=UTF-8"


def _forms(plural_forms: str, where: str) -> list[int]:
    """Return for each form of the language whether it translates the singular (0) or the plural (1)."""
    found = _FORMS.fullmatch(plural_forms)
    assert found is not None
    count = int(found[1])
    try:
        one = gettext.c2py(found[2])(1)
    except (ValueError, ZeroDivisionError) as error:
        raise UserError(f"{where}: its header has Plural-Forms: {plural_forms} ({one_line(error)})") from error
    return [int(form != one or count == 1) for form in range(count)]
