"""A translation, and the translation of a source that was split into parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from nmt.data.tokenizer import Tokenizer
from nmt.text.protect import Segment, Slot, join
from nmt.text.sentences import split
from nmt.tokens import EOS, Piece
from nmt.translation.doubts import Doubt, doubts_of
from nmt.translation.source import EncodedSource, SourceLimit


@dataclass(frozen=True)
class Translation:
    """The translation of one source.

    `target` is its text, with the slots of the source (see `nmt.text.protect`); `lost` are those that the search left
    out, and that stand at an end. `tokens` are target ids of `tokenizer`. The last one is eos, unless the length limit
    ended the search. `token_log_probs` (natural logarithms) has one entry for each token. `score` comes from the
    search; for a translation that was `given` to `Translator.score` it is log P. For an empty source, the lists are
    empty and the score is 0.

    `parts` is empty, unless the source was too long for the model and was split. Then it holds the translation of each
    part, and the other fields join them: the lists one after another, the scores as their sum.
    """

    encoded: EncodedSource
    target: Segment
    score: float
    tokens: list[int]
    token_log_probs: list[float]
    tokenizer: Tokenizer = field(repr=False, compare=False)
    lost: tuple[Slot, ...] = ()
    parts: tuple[Translation, ...] = ()
    given: bool = False

    @property
    def source(self) -> str:
        """The text that is translated."""
        return self.encoded.text

    @property
    def text(self) -> str:
        """The text of the translation."""
        return self.target.translation

    @property
    def log_prob(self) -> float:
        """The natural logarithm of the model's probability of the translation: the sum of `token_log_probs`."""
        return sum(self.token_log_probs)

    @property
    def lost_spans(self) -> list[str]:
        """The spans and terms of the source that the search left out."""
        return [slot.text for slot in self.lost]

    @cached_property
    def pieces(self) -> list[str]:
        """A readable label for each token."""
        if self.parts:
            return list(chain.from_iterable(part.pieces for part in self.parts))
        pieces = self.tokenizer.target_pieces(self.tokens)
        return [piece.label for piece in labelled(pieces, self.encoded.translations)]

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
        how = ", some of them not whole sentences" if len(self.parts) > len(split(self.encoded.segment)) else ""
        return f"{where}: longer than {limit}; translated in {len(self.parts)} parts{how}"


def joined(source: EncodedSource, parts: Sequence[Translation]) -> Translation:
    """Return the translation of `source`, whose parts were translated one by one."""
    return Translation(
        source,
        join(part.target for part in parts),
        sum(part.score for part in parts),
        list(chain.from_iterable(part.tokens for part in parts)),
        list(chain.from_iterable(part.token_log_probs for part in parts)),
        parts[0].tokenizer,
        tuple(chain.from_iterable(part.lost for part in parts)),
        tuple(parts),
    )


def labelled(pieces: Sequence[Piece], texts: Mapping[str, str]) -> list[Piece]:
    """Return pieces in which those of slots have the text of their slot as label; `texts` are these by their pieces."""
    return [Piece(texts[each.label], mark=each.label) if each.label in texts else each for each in pieces]
