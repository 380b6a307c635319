"""The languages that a server translates, and which of them a text may be in, judged by its script alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex
from starlette.exceptions import HTTPException

from nmt.text.languages import scripts_in, scripts_of

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
        """Return the code of a language that was written in other letters: `pt-BR` for `PT_br`.

        Raises HTTPException for a language that is not served.
        """
        for each in self.codes:
            if each.lower() == str(code).replace("_", "-").lower():
                return each
        raise HTTPException(400, f"{str(code).lower()} is not supported")

    def targets(self, source: str) -> list[str]:
        """Return the languages into which `source` is translated. A language is its own target."""
        return sorted({source, *(target for each, target in self.pairs if each == source)})

    def detect(self, text: str) -> dict[str, Any]:
        """Return the language whose script most letters of a text have, and how sure this is, from 0 to 100.

        The confidence is the share of these letters. If several languages fit equally well, the first source is
        taken, and the confidence is divided by their number.
        """
        text = _ADDRESS.sub(" ", text)
        fits = {code: max([_share(text, script) for script in scripts_of(code)] or [(0.0, 0)]) for code in self.codes}
        best = max(fits.values())
        fitting = [code for code in self.codes if fits[code] == best]
        return {"language": fitting[0], "confidence": round(100 * best[0] / len(fitting), 1)}


def _share(text: str, script: str) -> tuple[float, int]:
    """Return how well a script explains a text: the share of its letters, then how few scripts of Unicode it needs."""
    scripts = scripts_in(script)
    own, letters = _weight(text, "".join(rf"\p{{Script={name}}}" for name in scripts)), _weight(text, r"\p{L}")
    return (own / letters, -len(scripts)) if letters else (0.0, 0)


def _weight(text: str, kind: str) -> float:
    """Return the number of letters of a kind. Latin ones count a third: texts in all scripts have Latin names."""
    found = "".join(regex.findall(rf"[\p{{L}}&&[{kind}]]", text, regex.V1))
    return len(found) - 2 / 3 * len(regex.findall(r"\p{Script=Latin}", found))
