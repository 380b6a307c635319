"""A source as the models read it, its translation, and the limits of their lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.search.base import LEAST_MEAN, Hypothesis, Unscored
from nmt.text.protect import Segment, Slot, in_small_letters, join
from nmt.tokens import EOS, Piece
from nmt.translation.doubts import Doubt, doubts_of


@dataclass(frozen=True)
class EncodedSource:
    """A source, or a part of one, and the ids that the models read of it.

    The ids include eos. `unknown` is the number of ids that stand for characters which training did not have.
    `language` is the code of the language that the models read. A source in `capitals` is read in small letters.
    `given` is the source as the user wrote it. If it is empty, that is the text of `segment`.
    """

    segment: Segment
    ids: list[int] = field(default_factory=list)
    unknown: int = 0
    language: str | None = None
    capitals: bool = False
    given: str = ""

    @property
    def text(self) -> str:
        """The source."""
        return self.given or self.segment.text

    @property
    def read(self) -> str:
        """The text as the models read it."""
        return in_small_letters(self.segment.read) if self.capitals else self.segment.read

    @property
    def translations(self) -> dict[str, str]:
        """What the translation has for each piece of a slot."""
        return {piece: slot.translation for piece, slot in self.segment.by_piece.items()}

    @property
    def tokens(self) -> int:
        """The number of tokens, eos included."""
        return len(self.ids)

    @property
    def empty(self) -> bool:
        """Whether it has no text other than white space, or no tokens other than eos."""
        return not self.text.strip() or self.tokens < 2


@dataclass(frozen=True)
class ForcedPair:
    """A source and a given translation of it, with the ids of both, eos included."""

    source: EncodedSource
    target: str
    ids: list[int]


@dataclass(frozen=True)
class Limit:
    """The largest number of tokens of a text, eos included, and the reason for this limit."""

    tokens: int
    reason: str

    def __str__(self) -> str:
        return f"{self.tokens:,} tokens ({self.reason})"

    def check(self, tokens: int, where: str, remedy: str) -> None:
        """Raise UserError if a text of `tokens` tokens is too long; `where` is its place in the input."""
        if tokens > self.tokens:
            raise UserError(f"{where}: got {tokens:,} tokens, expected at most {self}; shorten it, or {remedy}")


@dataclass(frozen=True)
class Translation:
    """The translation of one source.

    `target` is its text, with the slots of the source (see `nmt.text.protect`). `lost` are the slots that the search
    left out; they stand at the beginning or the end. `found` is what the search has found, with target ids of
    `tokenizer`. For a translation that was given to `BaseTranslator.score`, its score is log P. For an empty source,
    its lists are empty and the score is 0.

    `parts` is empty, unless the source was too long for the model and was split. Then it holds the translation of each
    part, and the other fields join them: the lists one after another, the scores as their sum.
    """

    encoded: EncodedSource
    target: Segment
    found: Hypothesis
    tokenizer: Tokenizer = field(repr=False, compare=False)
    lost: tuple[Slot, ...] = ()
    parts: tuple[Translation, ...] = ()
    unsure_below: float = field(default=LEAST_MEAN, repr=False, compare=False)  # see `nmt.translation.doubts`

    @property
    def source(self) -> str:
        """The text that is translated."""
        return self.encoded.text

    @property
    def text(self) -> str:
        """The text of the translation."""
        return self.target.translation

    @property
    def tokens(self) -> list[int]:
        """The target ids. The last one is eos, unless the length limit ended the search."""
        return self.found.tokens

    @property
    def score(self) -> float:
        """The score of the search. For an engine that leaves scores out, it is computed when it is first read."""
        return self.found.score

    @property
    def token_log_probs(self) -> list[float]:
        """The natural logarithm of the probability of each token; computed as the score is."""
        return self.found.token_log_probs

    @property
    def log_prob(self) -> float:
        """The natural logarithm of the model's probability of the translation: the sum of `token_log_probs`."""
        return sum(self.token_log_probs)

    @cached_property
    def pieces(self) -> list[str]:
        """A readable label for each token."""
        if self.parts:
            return list(chain.from_iterable(part.pieces for part in self.parts))
        pieces = self.tokenizer.target_pieces(self.tokens)
        return [each.label for each in labelled(pieces, self.encoded.translations)]

    @property
    def cut(self) -> bool:
        """Whether the length limit ended the search, here or in one of `parts`, so that the end may be missing."""
        return any(part.cut for part in self.parts) if self.parts else self.tokens[-1:] not in ([], [EOS])

    @cached_property
    def doubts(self) -> list[Doubt]:
        """The reasons why the translation may be wrong; see `nmt.translation.doubts`."""
        return doubts_of(self)


def joined(source: EncodedSource, parts: Sequence[Translation]) -> Translation:
    """Return the translation of `source`, whose parts were translated one by one."""
    tokens = list(chain.from_iterable(part.tokens for part in parts))

    def scored() -> Hypothesis:
        log_probs = list(chain.from_iterable(part.token_log_probs for part in parts))
        return Hypothesis(tokens, log_probs, sum(part.score for part in parts))

    target, lost = join(part.target for part in parts), tuple(chain.from_iterable(part.lost for part in parts))
    first, found = parts[0], Unscored(tokens, scored)
    return Translation(source, target, found, first.tokenizer, lost, tuple(parts), unsure_below=first.unsure_below)


def labelled(pieces: Sequence[Piece], texts: Mapping[str, str]) -> list[Piece]:
    """Return pieces in which those of slots have a text as label: `texts` are the texts of slots by their pieces."""
    return [Piece(texts[each.label], mark=each.label) if each.label in texts else each for each in pieces]
