"""A translation, and the translation of a source that was split into parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from nmt.spans import join
from nmt.tokens import EOS
from nmt.translation.doubts import Doubt, doubts_of
from nmt.translation.sentences import split
from nmt.translation.source import SourceLimit, SourcePart


@dataclass(frozen=True)
class Translation:
    """The translation of one source.

    `tokens` are target ids. The last one is eos, unless the length limit ended the search. `token_log_probs` (natural
    logarithms) and `pieces` have one entry for each token. `score` comes from the search; for a translation given to
    `Translator.score` it is log P. For an empty source, the lists are empty and the score is 0.

    `parts` is empty, unless the source was too long for the model and was split. Then it holds the translation of each
    part, and the other fields join them: the lists one after another, the scores as their sum.

    `lost` has the marks of the source's spans and terms (see `nmt.spans`) that the search left out of the translation.
    They are at the end of the text, or at its beginning if they are start tags.

    `given` says that it was given to `Translator.score`, so no search has ranked it.
    """

    source_part: SourcePart
    text: str
    score: float
    tokens: list[int]
    token_log_probs: list[float]
    pieces: list[str]
    lost: tuple[str, ...] = ()
    parts: tuple[Translation, ...] = ()
    given: bool = False

    @property
    def source(self) -> str:
        """The text that is translated."""
        return self.source_part.text

    @property
    def log_prob(self) -> float:
        """The natural logarithm of the model's probability of the translation: the sum of `token_log_probs`."""
        return sum(self.token_log_probs)

    @property
    def lost_spans(self) -> list[str]:
        """The spans and terms of the source that the search left out, here or in `parts`; last the `missing_spans`."""
        parts = self.parts or (self,)
        lost = [part.source_part.marked.spans[mark] for part in parts for mark in part.lost]
        return lost + self.missing_spans

    @property
    def missing_spans(self) -> list[str]:
        """The spans and terms without a mark, because the source has too many, that are not in the text."""
        if self.parts:
            return list(chain.from_iterable(part.missing_spans for part in self.parts))
        marked, rest, missing = self.source_part.marked, self.text, list[str]()
        for span in sorted(marked.translations.values(), key=len, reverse=True):
            rest = rest.replace(span, "\0", 1)
        for span in marked.without_mark:
            if span in rest:
                rest = rest.replace(span, "\0", 1)
            else:
                missing.append(span)
        return missing

    @property
    def cut(self) -> bool:
        """Whether the length limit ended the search, here or in one of `parts`, so that the end may be missing."""
        if self.parts:
            return any(part.cut for part in self.parts)
        return self.tokens[-1:] not in ([], [EOS])

    @cached_property
    def doubts(self) -> list[Doubt]:
        """The reasons why the translation may be wrong; see `nmt.translation.doubts`."""
        return doubts_of(self)

    def split_warning(self, limit: SourceLimit, where: str) -> str:
        """Return the warning about a source that was split; `where` is its place in the input."""
        how = ", some of them not whole sentences" if len(self.parts) > len(split(self.source)) else ""
        return f"{where}: longer than {limit}; translated in {len(self.parts)} parts{how}"


def joined(source: SourcePart, parts: Sequence[Translation]) -> Translation:
    """Return the translation of `source`, whose parts were translated one by one."""
    return Translation(
        source,
        join(part.text for part in parts),
        sum(part.score for part in parts),
        list(chain.from_iterable(part.tokens for part in parts)),
        list(chain.from_iterable(part.token_log_probs for part in parts)),
        list(chain.from_iterable(part.pieces for part in parts)),
        (),
        tuple(parts),
    )
