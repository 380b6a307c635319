"""The languages that a server translates, and which of them a text may be in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex
from starlette.exceptions import HTTPException

from nmt.text.languages import FEWEST_LETTERS, find_language, probabilities, scripts_in, scripts_of

Pair = tuple[str, str]

# A web or mail address. Letters that are not ASCII belong to it behind a separator, as in /wiki/한국어; otherwise they
# are a word beside it. Without `(?<![!-~])`, the time would grow with the square of the length of a long word.
_ADDRESS = regex.compile(r"(?<![!-~])[!-~]*(?:://|www\.|@)(?:[!-~]|(?<=[/_=?#.])[^\W!-~]+)*")


@dataclass(frozen=True)
class Languages:
    """The languages of the pairs that are served."""

    pairs: tuple[Pair, ...]

    @cached_property
    def codes(self) -> list[str]:
        """The codes of all languages, sources first."""
        return list(dict.fromkeys([*(source for source, _ in self.pairs), *(target for _, target in self.pairs)]))

    def find(self, code: Any) -> str:
        """Return the code of a language that may be written in another way: `pt-BR` for `PT_br`, `zh` for `zh-CN`.

        Raises HTTPException for a language that is not served, and for a code that means several of them.
        """
        if found := find_language(str(code), self.codes):
            return found
        raise HTTPException(400, f"{str(code).lower()[:40]} is not supported; expected one of {', '.join(self.codes)}")

    def targets(self, source: str) -> list[str]:
        """Return the languages into which `source` is translated. A language is its own target."""
        return sorted({source, *(target for each, target in self.pairs if each == source)})

    def detect(self, text: str, target: str | None = None) -> dict[str, Any]:
        """Return the language that a text is most likely in, and how sure this is, from 0 to 100.

        It is one of those that are translated into `target`, if given, and whose script most letters have. Of several,
        py3langid chooses one; if it is not installed or does not know them, the first one is taken. The confidence is
        the probability of the language times the share of these letters, and lower for a text of few letters.
        """
        text = _ADDRESS.sub(" ", text)
        codes = [code for code in self.codes if target is None or target in self.targets(code)]
        fits = {code: max((_share(text, script) for script in scripts_of(code)), default=(0.0, 0)) for code in codes}
        best = max(fits.values())
        fitting = [code for code in codes if fits[code] == best]
        chance, enough = 1 / len(fitting), min(1.0, sum(map(str.isalpha, text)) / FEWEST_LETTERS)
        likely = (best[0] and probabilities(text, fitting)) or {fitting[0]: chance}
        language, probability = max(likely.items(), key=lambda each: each[1])
        confidence = best[0] * (chance + enough * (probability - chance))
        return {"language": language, "confidence": round(100 * confidence, 1)}


def _share(text: str, script: str) -> tuple[float, int]:
    """Return how well a script explains a text: the share of its letters, then how few scripts of Unicode it needs."""
    scripts = scripts_in(script)
    own, letters = _weight(text, "".join(rf"\p{{Script={name}}}" for name in scripts)), _weight(text, r"\p{L}")
    return (own / letters, -len(scripts)) if letters else (0.0, 0)


def _weight(text: str, kind: str) -> float:
    """Return the number of letters of a kind. Latin ones count a third: texts in all scripts have Latin names."""
    found = "".join(regex.findall(rf"[\p{{L}}&&[{kind}]]", text, regex.V1))
    return len(found) - 2 / 3 * len(regex.findall(r"\p{Script=Latin}", found))
