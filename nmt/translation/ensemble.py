"""Several models that translate together: at each step, the mean of their probabilities decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from nmt.attention_map import AttentionMap
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Search, Selectable, Step
from nmt.search.ensemble import States, average, mean_log_probs
from nmt.translation.translation import EncodedSource, ForcedPair, Limit, Translation
from nmt.translation.translator import ModelTranslator, Translator


class Ensemble(ModelTranslator):
    """Translates with the arithmetic mean of the members' probabilities (see `nmt.search.ensemble`).

    The members are on one device, and their architectures may differ. Each reads the source through its own tokenizer.
    Their target vocabularies must be equal, piece by piece; the tokenizer of the first member divides prefixes and
    given translations into pieces. The smallest limit of the members counts. The length of a source is its number of
    tokens for the member that needs the most.
    """

    def __init__(self, members: Sequence[Translator], *, names: Sequence[str] | None = None) -> None:
        """Take at least one member. The search is that of the first, and `names` of the members are for messages.

        Raises UserError for members with different languages, target vocabularies or spans. A member whose languages
        are not known fits any other.
        """
        self.members = tuple(members)
        self.search, self.tokenizer = members[0].search, members[0].tokenizer
        self.languages = next((each.languages for each in members if each.languages), None)
        names = names or [f"model {number} ({each.name})" for number, each in enumerate(members, start=1)]
        for member, name in zip(members, names, strict=True):
            same = {
                "languages": member.languages in (None, self.languages),
                "target vocabularies": member.tokenizer.target_vocabulary == self.tokenizer.target_vocabulary,
                "spans": member.tokenizer.spans.patterns == self.tokenizer.spans.patterns,
            }
            if different := [what for what, is_same in same.items() if not is_same]:
                raise UserError(
                    f"ensemble: {names[0]} and {name} have different {different[0]}, but an ensemble averages "
                    "over the same pieces; use models of one direction, trained with the same tokenizer and spans"
                )

    @property
    def models(self) -> list[Seq2Seq]:
        return [member.model for member in self.members]

    @property
    def tokenizers(self) -> list[Tokenizer]:
        return [member.tokenizer for member in self.members]

    def source_limit(self, search: Search | None = None) -> Limit:
        limits = (member.source_limit(search or self.search) for member in self.members)
        return min(limits, key=lambda limit: limit.tokens)

    def start(self, sources: Sequence[EncodedSource], *, attending: bool = False) -> tuple[Step[Any], Selectable]:
        """Return the mean of the members' step functions, and their states; see `ModelTranslator.start`.

        With `attending`, raises UserError for members without attention, and for members that divide a source into
        different pieces, because then their attention has no mean.
        """
        if attending and len({member.tokenizer.source_model for member in self.members}) > 1:
            raise UserError(
                "search.coverage_penalty: it needs the mean of the members' attention, but the models of this ensemble "
                "divide the source into different pieces; use search.coverage_penalty=0"
            )
        read = ([_for_member(source, number) for source in sources] for number in range(len(self.members)))
        started = (member.start(each, attending=attending) for member, each in zip(self.members, read, strict=True))
        steps, states = zip(*started, strict=True)
        return average(steps), States(states)

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        found = (
            member.token_log_probs([replace(pair, source=_for_member(pair.source, number)) for pair in pairs])
            for number, member in enumerate(self.members)
        )
        return [mean_log_probs(each) for each in zip(*found, strict=True)]

    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Raise UserError: layers and heads of different models have no mean."""
        raise UserError(
            f"attention map: an ensemble of {len(self.members)} models has none of its own; draw the map of one model "
            "for the translation of the ensemble (attend.py: target=TRANSLATION)"
        )


def _for_member(source: EncodedSource, number: int) -> EncodedSource:
    """Return the source as the member at index `number` reads it."""
    return replace(source, ids=(source.ids[number],))
