"""The exceptions for mistakes of a user, and helpers for messages and other texts that people read."""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections.abc import Iterable

_BREAK = re.compile(r"\s*[\r\n]\s*")
# Control characters, halves of characters, line and paragraph separators, and marks that change the direction of the
# following text. The joiners of emoji and of Persian, soft hyphens and special spaces are parts of texts, and stay.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")


class UserError(ValueError):
    """A mistake that the user can correct.

    The message is one line: the setting or file, the value that it got, the expected value, and a remedy. The programs
    print it without a traceback and exit with status 2. A problem with a setting begins with its dotted key and a
    colon. Line breaks become spaces, and characters that a terminal would obey are escaped (`printable`), because a
    message quotes values that a stranger may have chosen.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(printable(_BREAK.sub(" ", problem)))


def raise_if_any(problems: Iterable[str]) -> None:
    """Raise one UserError with all these problems, if there are any."""
    if message := "; ".join(problems):
        raise UserError(message)


class ParameterError(ValueError):
    """A value that a constructor does not accept.

    `parameter` is the name of the constructor's parameter. `problem` names the value and the expected values. If the
    object was built from a config, `nmt.config.nodes` turns this into a UserError with the dotted key.
    """

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(f"{parameter}: {problem}")
        self.parameter = parameter
        self.problem = problem


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that resembles `word` most, or None if no known word is near.

    Most letters must agree (two of three, three of four), because a far guess misleads. The first part of a single
    known word is near too, as in `beam` of `beam_size`. A word of two letters, such as the code of a language, is near
    to no word.
    """
    if len(word) < 3:
        return None
    known = list(dict.fromkeys(known))
    word = word.lower() if word.lower() in known else word
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.65 if len(word) == 3 else 0.75)
    longer = [each for each in known if each.startswith(f"{word}_")]
    if near:
        return near[0]
    return longer[0] if len(longer) == 1 else None


def did_you_mean(word: str, known: Iterable[str], *, prefix: str = "") -> str:
    """Return `"; did you mean 'x'?"` with the known word nearest to `word`, or an empty string if none is near.

    `prefix` is put before the known word, as in 'data.path'.
    """
    near = nearest(word, known)
    return f"; did you mean '{prefix}{near}'?" if near else ""


def missing_packages(*modules: str, extra: str) -> str:
    """Return how to install the missing ones of `modules`, or an empty string. `extra` installs all."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if not missing:
        return ""
    return f"needs {' and '.join(missing)}, not installed; pip install 'nmt-attention-lab[{extra}]' installs it"


def counted(number: int, noun: str) -> str:
    """Return "1 pair", "2 pairs" or "1,000 pairs" for the noun "pair"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def one_line(value: object) -> str:
    """Return the text of `value` on one line, with every run of white space replaced by one space."""
    return " ".join(str(value).split())


def printable(text: str, *, keep: str = "") -> str:
    r"""Return `text` with an escape, such as \x1b, for each character that could change what a terminal or page shows.

    The characters in `keep` stay: a text of several lines keeps its line feeds by keep="\n".
    """
    return _UNSAFE.sub(lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode(), text)
