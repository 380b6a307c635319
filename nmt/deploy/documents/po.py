"""PO files: the texts of a program and their translations, as GNU gettext and Weblate keep them.

Entries without a translation get one, and the flag "fuzzy", so that programs do not use it before a person has reviewed
it. All else stays as it is: comments, contexts, other flags, translations, obsolete entries, even the order of lines.
The lines of a text are translated one by one, and a line sentence by sentence.

A text with a plural has as many translations as the header says. The form for one thing translates the singular, the
others translate the plural. A single form translates the plural.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import babel.localedata
import babel.plural
from babel.messages.catalog import Message
from babel.messages.plurals import PLURALS, get_plural
from babel.messages.pofile import PoFileError, escape, normalize, read_po, unescape

from nmt.deploy.documents.base import Document
from nmt.deploy.documents.paragraphs import paragraphs
from nmt.errors import UserError, one_line
from nmt.languages import locale_of, main_part
from nmt.spans import Spans
from nmt.terms import NO_TERMS, Terms

_TEXT = r'"(?:[^"\\]|\\.)*"'
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_CONTROLS = {f"{code:03o}": chr(code) for code in (*range(1, 7), *range(14, 32))} | _LETTERS
_ESCAPES = str.maketrans({character: f"\\{name}" for name, character in _CONTROLS.items()})
_ESCAPE = re.compile(r"((?:\\[0-7]{3})+)|\\(.)")
_LINE = re.compile(rf"\s*(?:#.*|(?:(?:msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?)[ \t]+)?{_TEXT})?\s*")
REPAIR = "repair it (msgfmt --check shows what is wrong)"
ANY_FORMS = "Plural-Forms: nplurals=9; plural=0;\n"
_FORMS = re.compile(r"\s*nplurals\s*=\s*([1-9])\s*;\s*plural\s*=\s*([^;]+);?\s*")


@dataclass(frozen=True)
class _Entry:
    """An entry without a translation.

    `line` is the place of its msgid. `forms` has for each form of the translation which of the `texts` it translates.
    """

    line: int
    texts: Sequence[Document]
    forms: Sequence[int]
    has_plural: bool


class PoFile(Document):
    """A PO file, or a template of one (POT), that is translated into `language` by a model with `spans`, with `terms`.

    Messages call it `where`. Raises UserError for a damaged file, one without a header, and one with translations into
    another language.
    """

    def __init__(self, text: str, where: str, language: str, spans: Spans, terms: Terms = NO_TERMS) -> None:
        self._lines = text.split("\n")  # those of Windows end with "\r"
        self._place = _header_place(self._lines, where)
        self._header = _header(_text(self._lines[self._place]), where, language)
        messages = _messages(self._lines, self._place, where)
        chosen = _chosen_forms(self._header, where)
        self._entries = _entries(messages, chosen, lambda text: paragraphs(text, spans, terms))

    @property
    def sentences(self) -> list[str]:
        return [sentence for entry in self._entries for text in entry.texts for sentence in text.sentences]

    def filled(self, translations: Sequence[str]) -> str:
        """Return the file with the translations, and the target language in its header."""
        rest, lines = iter(translations), list(self._lines)
        texts = [
            [text.filled(list(islice(rest, len(text.sentences)))) for text in entry.texts] for entry in self._entries
        ]
        for entry, found in sorted(zip(self._entries, texts, strict=True), key=lambda pair: -pair[0].line):
            if any(map(str.strip, found)):
                _fill(lines, entry, [found[form] for form in entry.forms])
        if self._header != _text(lines[self._place]):
            _replace(lines, self._place, _written("msgstr", self._header))
        return "\n".join(lines)


# The header


def _header_place(lines: Sequence[str], where: str) -> slice:
    """Return the lines of the header's text. Raises UserError if the file has none, or if a line is damaged."""
    for number, line in enumerate(lines, start=1):
        if not _LINE.fullmatch(line):
            raise UserError(
                f"{where}:{number}: got '{line.strip()[:60]}', expected a line of a PO file, as in msgid \"text\"; "
                "msgcat writes the file in this form, or shows what is wrong"
            )
    keys = [place for place, line in enumerate(lines) if line.lstrip().startswith("msg")]
    starts = len(keys) > 1 and lines[keys[0]].split() == ["msgid", '""'] and lines[keys[1]].split()[0] == "msgstr"
    if not starts or any(line.lstrip().startswith('"') for line in lines[keys[0] : keys[1]]):
        raise UserError(
            f'{where}: no header, expected msgid "" with the language and the plural forms as the first entry; msginit '
            "makes a file with one"
        )
    return slice(keys[1], _end(lines, keys[1]))


def _header(header: str, where: str, language: str) -> str:
    """Return a header with the target language, plural forms and UTF-8."""
    named = _field(header, "Language")
    if named and main_part(named) != main_part(language):
        raise UserError(
            f"{where}: its header has Language: {named}, but the model translates into {language}; use a model for "
            f"{named}, or the file for {language}"
        )
    if not named:
        header = _with_field(header, "Language", language.replace("-", "_"))
    if not _FORMS.fullmatch(_field(header, "Plural-Forms")):
        header = _with_field(header, "Plural-Forms", _plural_forms(language, where))
    return _with_field(header, "Content-Type", "text/plain; charset=UTF-8")


def _plural_forms(language: str, where: str) -> str:
    locale = locale_of(language)
    has_rule = locale and "plural_form" in babel.localedata.load(locale.language, merge_inherited=False)
    simple = _simple_forms(locale.plural_form) if locale and has_rule else None
    if locale and not {str(locale), locale.language}.isdisjoint(PLURALS):
        found = get_plural(locale)
        # Babel gives one form to some languages that have a singular, such as Turkish.
        return simple if simple and found.num_plurals == 1 else found.plural_forms
    if simple:
        return simple
    raise UserError(
        f"{where}: the plural forms of '{language}' are not known; add them to its header, as in Plural-Forms: "
        "nplurals=2; plural=(n != 1);"
    )


def _simple_forms(rule: babel.plural.PluralRule) -> str | None:
    """Return the plural forms of a rule of Unicode CLDR that has one form, or a singular for 1, or for 0 and 1."""
    singular = tuple(number for number in range(1000) if rule(number) != "other")
    forms = {(): "nplurals=1; plural=0;", (1,): "nplurals=2; plural=(n != 1);", (0, 1): "nplurals=2; plural=(n > 1);"}
    return forms.get(singular)


def _field(header: str, name: str) -> str:
    found = re.search(rf"^{name}:(.*)", header, re.MULTILINE | re.IGNORECASE)
    return found[1].strip() if found else ""


def _with_field(header: str, name: str, value: str) -> str:
    pattern = re.compile(rf"^{name}:.*\n?", re.MULTILINE | re.IGNORECASE)
    if pattern.search(header):
        return pattern.sub(f"{name}: {value}\n", header, count=1)
    return "\n".join([*filter(None, header.split("\n")), f"{name}: {value}", ""])


# The entries


def _chosen_forms(header: str, where: str) -> list[int]:
    """Return for each form of the language whether it translates the singular (0) or the plural (1)."""
    forms = _FORMS.fullmatch(_field(header, "Plural-Forms"))
    assert forms is not None
    count = int(forms[1])
    try:
        one = gettext.c2py(forms[2])(1)
    except (ValueError, ZeroDivisionError) as error:
        raise UserError(f"{where}: its header has Plural-Forms: {forms[0].strip()} ({one_line(error)})") from error
    return [int(form != one or count == 1) for form in range(count)]


def _entries(messages: Iterable[Message], chosen: Sequence[int], source: Callable[[str], Document]) -> list[_Entry]:
    entries = list[_Entry]()
    for message in messages:
        if not any(_strings(message)):
            used = sorted(set(chosen)) if message.pluralizable else [0]
            texts = [source(_ids(message)[number]) for number in used]
            numbers = [used.index(number) for number in chosen] if message.pluralizable else [0]
            assert message.lineno is not None
            entries.append(_Entry(message.lineno - 1, texts, numbers, message.pluralizable))
    return entries


def _messages(lines: Sequence[str], place: slice, where: str) -> list[Message]:
    """Return the messages as Babel reads them, without comments, and with a header that allows each number of forms.

    A template has two empty forms in every language. Babel refuses what templates and msgmerge write into the header
    and into comments.
    """
    spaced = (re.sub(r"^(\s*msg\S*)\t\s*", r"\1 ", line) for line in lines)  # Babel accepts only a space
    known = ["" if line.lstrip().startswith("#") else _decoded(line) for line in spaced]
    known[place] = [*_written("msgstr", ANY_FORMS), *([""] * (place.stop - place.start - 1))]
    try:
        return [message for message in read_po(known, abort_invalid=True) if message.id]
    except PoFileError as error:
        reason = str(error).rpartition(" on ")[0]
        raise UserError(f"{where}:{error.lineno + 1}: {reason}; {REPAIR}") from error
    except ValueError as error:  # of a second header
        raise UserError(f"{where}: {one_line(error)}; {REPAIR}") from error


def _ids(message: Message) -> Sequence[str]:
    return message.id if isinstance(message.id, list | tuple) else [message.id]


def _strings(message: Message) -> Sequence[str]:
    return message.string if isinstance(message.string, list | tuple) else [message.string or ""]


# Lines


def _end(lines: Sequence[str], start: int) -> int:
    """Return where the translations end that begin in the line `start`."""
    end = start + 1
    while end < len(lines) and lines[end].lstrip().startswith(('"', "msgstr")):
        end += 1
    return end


def _text(lines: Sequence[str]) -> str:
    """Return the text that stands in lines."""
    return "".join(unescape(line[line.index('"') :].strip()) for line in lines if '"' in line)


def _decoded(line: str) -> str:
    """Return a line with the characters whose escapes Babel does not know: letters of C, and octal numbers of UTF-8."""
    return _ESCAPE.sub(_character, line)


def _character(found: re.Match[str]) -> str:
    if found[1] is None:
        return _LETTERS.get(found[2], found[0])
    try:
        return escape(bytes(int(code, 8) for code in found[1][1:].split("\\")).decode())[1:-1]
    except ValueError:  # not UTF-8, or a number above 255
        return found[0]


def _written(name: str, text: str) -> list[str]:
    return f"{name} {normalize(text)}".translate(_ESCAPES).split("\n")


def _fill(lines: list[str], entry: _Entry, translations: Sequence[str]) -> None:
    """Put the translations of an entry into `lines`, and the flag."""
    start = entry.line
    while not lines[start].lstrip().startswith("msgstr"):
        start += 1
    names = [f"msgstr[{form}]" for form in range(len(translations))] if entry.has_plural else ["msgstr"]
    pairs = zip(names, translations, strict=True)
    _replace(lines, slice(start, _end(lines, start)), [line for pair in pairs for line in _written(*pair)])
    _flag(lines, _top(lines, entry.line))


def _replace(lines: list[str], place: slice, new: Sequence[str]) -> None:
    """Replace lines. The last new line gets the line end of the last old line, the others that of the line above."""
    above, last = lines[place.start - 1], lines[place.stop - 1]
    lines[place] = [*(line + _end_of_line(above) for line in new[:-1]), new[-1] + _end_of_line(last)]


def _end_of_line(line: str) -> str:
    return "\r" if line.endswith("\r") else ""


def _top(lines: Sequence[str], line: int) -> int:
    """Return the place of the context of an entry, or else of its msgid."""
    top = line - 1
    while lines[top].lstrip().startswith('"'):
        top -= 1
    return top if lines[top].lstrip().startswith("msgctxt") else line


def _flag(lines: list[str], top: int) -> None:
    """Add the flag to the comments above the line `top`. It stands before the former text of the entry (#|)."""
    first = place = top
    while first and lines[first - 1].startswith("#") and not lines[first - 1].startswith("#~"):
        first -= 1
        if lines[first].startswith("#,"):
            if "fuzzy" not in re.split(r"[\s,]+", lines[first]):
                lines[first] = f"#, fuzzy,{lines[first][2:]}"
            return
        if lines[first].startswith("#|"):
            place = first
    lines.insert(place, f"#, fuzzy{_end_of_line(lines[place])}")
