"""The languages that a server translates, and which of them a text may be in, judged by its script alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import regex

from nmt.deploy.serve.waiting import Pair
from nmt.languages import scripts_in, scripts_of

# A web or mail address says little about the language of a text. Letters that are not ASCII belong to it behind a
# separator, as in /wiki/한국어; otherwise they are a word directly beside it. Without `(?<![!-~])`, the time would grow
# with the square of the length of a text without spaces.
_ADDRESS = regex.compile(r"(?<![!-~])[!-~]*(?:://|www\.|@)(?:[!-~]|(?<=[/_=?#.])[^\W!-~]+)*")


@dataclass(frozen=True)
class Detected:
    """A language, and how sure it is, from 0 to 100."""

    language: str
    confidence: float


def tag(code: str) -> str:
    """Return the code of a language as clients write it: pt-BR for pt_BR."""
    return code.replace("_", "-")


@dataclass(frozen=True)
class Languages:
    """The languages of the pairs that are served."""

    pairs: tuple[Pair, ...]

    @cached_property
    def codes(self) -> list[str]:
        """The codes of all languages, sources first."""
        return list(dict.fromkeys([*(source for source, _ in self.pairs), *(target for _, target in self.pairs)]))

    def find(self, code: str) -> str | None:
        """Return the code of a language that was written in other letters: `en` for `EN`."""
        return {each.lower(): each for each in self.codes}.get(tag(code).lower())

    def targets(self, source: str) -> list[str]:
        """Return the languages into which `source` is translated. A language is its own target."""
        return sorted({source, *(target for each, target in self.pairs if each == source)})

    def detect(self, text: str) -> Detected:
        """Return the language whose script most letters of a text have. Sources come before other languages.
        Those for which it is the likely script come before other sources.

        Letters of addresses do not count. The confidence is the share of these letters, divided by the number of
        languages that fit equally well.
        """
        text = _ADDRESS.sub(" ", text)
        fits = {code: max((_share(text, each) for each in scripts_of(code)), default=(0.0, 0)) for code in self.codes}
        best = max(fits.values())
        fitting = [code for code, fit in fits.items() if fit == best]
        sources = {source for source, _ in self.pairs}
        likely = [
            code
            for code in fitting
            if code in sources and best in [_share(text, each) for each in scripts_of(code)[:1]]
        ]
        return Detected((likely or fitting)[0], round(100 * best[0] / len(fitting), 1))


def _share(text: str, script: str) -> tuple[float, int]:
    """Return the share of the letters that have the script; fewer scripts of Unicode are the better explanation."""
    letters, scripts = _weight(text, r"\p{L}"), scripts_in(script)
    if not letters:
        return 0.0, 0
    own = "".join(rf"\p{{Script={name}}}" for name in scripts)
    return _weight(text, rf"[[{own}]&&\p{{L}}]") / letters, -len(scripts)


def _weight(text: str, letter: str) -> float:
    """Return the number of letters; Latin ones count a third, because texts in all scripts have names in them."""
    found = "".join(regex.findall(letter, text, regex.V1))
    latin = len(regex.findall(r"\p{Script=Latin}", found))
    return len(found) - latin + latin / 3
