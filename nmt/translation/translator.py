"""Translates sentences with models in PyTorch: with one, or with several of which the mean probability decides."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from nmt import checkpoint
from nmt.attention_map import AttentionMap, Origin
from nmt.build import architecture, search_node
from nmt.checkpoint import Checkpoint
from nmt.data.batches import pad
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import CoverageTracker, Seq2Seq, evaluating
from nmt.search.base import Hypothesis, Search, Selectable, Step
from nmt.search.constraints import force_prefixes
from nmt.search.ensemble import States, average, mean_log_probs
from nmt.tokens import BOS
from nmt.translation.base import BaseTranslator, SearchRequest
from nmt.translation.batches import in_batches, stoppable
from nmt.translation.translation import EncodedSource, ForcedPair, Translation, labelled


class ModelTranslator(BaseTranslator):
    """Translates with models in PyTorch: with one (`Translator`) or several (`Ensemble`)."""

    @property
    @abstractmethod
    def models(self) -> Sequence[Seq2Seq]:
        """The models, at least one."""

    @property
    def device(self) -> torch.device:
        """The current device of the models."""
        return next(self.models[0].parameters()).device

    @property
    def device_type(self) -> str:
        return self.device.type

    @property
    def longest_source(self) -> int | None:
        return _least(model.encoder.max_length for model in self.models)

    @property
    def longest_target(self) -> int | None:
        return _least(model.decoder.max_length for model in self.models)

    @abstractmethod
    def start(self, sources: Sequence[EncodedSource], *, attending: bool = False) -> tuple[Step[Any], Selectable]:
        """Return a step function, and the state before the first token with one hypothesis for each source.

        With `attending`, it is an `Attending` state; raises UserError if the models have no such state.
        """

    def search_batch(self, requests: Sequence[SearchRequest], search: Search) -> list[list[Hypothesis]]:
        prefixes = [request.prefix for request in requests]
        step, state = self.start([request.source for request in requests], attending=search.reads_attention)
        if any(prefixes):
            step, state = force_prefixes(step, state, prefixes, self.device)
        limits = torch.tensor([request.limit for request in requests], device=self.device)
        keys = [request.source.ids for request in requests]
        found = search(stoppable(step), state, max_length=limits, keys=keys)
        return [search.rank(hypotheses, self.tokenizer.decode_target) for hypotheses in found]

    @contextmanager
    def computing(self, search: Search) -> Iterator[int]:
        """Compute in the block without gradients and in evaluation mode, then restore the mode of every module.

        On a CPU, there is a worker for each thread of torch. If the memory of the device is too small, raise a
        UserError that names the setting to change.
        """
        try:
            with evaluating(self.models), torch.inference_mode():
                yield torch.get_num_threads() if self.device_type == "cpu" else 1
        except torch.OutOfMemoryError as error:
            got = f"got {search.batch_tokens}, too much for the device's memory ({str(error).partition('.')[0]})"
            raise UserError(f"search.batch_tokens: {got}; use a smaller number, or compute on the CPU") from error


@dataclass(eq=False, repr=False)
class Translator(ModelTranslator):
    """Translates with `model`, on the device of the model. `search` is the default strategy of every call.

    `name` is the model's name in attention maps. `update` is the number of updates of its weights, 0 if that is not
    known. `directions` are those that the model was trained in beside `languages`.
    """

    model: Seq2Seq
    tokenizer: Tokenizer
    search: Search
    _: KW_ONLY
    name: str = "model"
    update: int = 0
    trained_length: int | None = None
    languages: tuple[str, str] | None = None
    directions: Sequence[tuple[str, str]] = ()

    def in_direction(self, languages: tuple[str, str]) -> Self:
        translator = super().in_direction(languages)
        known = [self.languages or languages, *self.directions]
        translator.directions = [each for each in known if each != languages]
        return translator

    @property
    def models(self) -> list[Seq2Seq]:
        return [self.model]

    @property
    def attends(self) -> bool:
        """Whether the model has attention weights."""
        return self.model.encoder.attends or self.model.decoder.attends

    def start(self, sources: Sequence[EncodedSource], *, attending: bool = False) -> tuple[Step[Any], Selectable]:
        source, mask = (x.to(self.device) for x in pad([each.ids for each in sources]))
        model = CoverageTracker(self.model) if attending else self.model
        return model.step, model.start(source, mask)

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        rows, targets = list[Tensor](), [pair.ids for pair in pairs]
        hidden, _ = self._forced([pair.source.ids for pair in pairs], targets)
        for row, ids in zip(hidden, targets, strict=True):
            log_probs = self.model.decoder.output(row[: len(ids)]).float().log_softmax(-1)  # (T, V)
            rows.append(log_probs.gather(1, torch.tensor(ids, device=self.device).unsqueeze(1)).flatten())
        return rows

    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return the attention weights with which the model predicts each of `translations`.

        They equal those of the search, because a decoder's forward pass equals its steps. Raises UserError for an empty
        sentence, for a source that was split (each of its `parts` has a map), and for a model without attention.
        """
        if not self.attends:
            raise UserError("attention map: this model has no attention, so there is nothing to draw")
        for each in translations:
            require_one_source(each)
        longer = [max(len(each.encoded.ids), len(each.tokens)) for each in translations]

        def maps(batch: list[Translation]) -> list[AttentionMap]:
            sources, targets = [each.encoded.ids for each in batch], [each.tokens for each in batch]
            _, weights = self._forced(sources, targets, need_weights=True)
            assert weights is not None
            return [self.map_of(each, weights, row) for row, each in enumerate(batch)]

        with self.computing(self.search) as workers:
            return in_batches(translations, longer, self.search.batch_tokens, maps, workers)

    def map_of(self, translation: Translation, weights: AttentionWeights, row: int = 0) -> AttentionMap:
        """Return the map of a translation whose weights, if any, are in `row` of a batch, without the padding."""
        source = translation.encoded
        texts = {piece: slot.text for piece, slot in source.segment.by_piece.items()}
        model = self.name if self.model.config is None else f"{self.name} ({architecture(self.model.config)})"
        return AttentionMap.from_weights(
            weights,
            row,
            source_pieces=labelled(self.tokenizer.source_pieces(source.ids), texts),
            target_pieces=labelled(self.tokenizer.target_pieces(translation.tokens), source.translations),
            source=translation.source,
            target=translation.text,
            origin=Origin(model, self.update or None, translation.score, translation.log_prob),
        )

    def save(self, path: str | Path) -> None:
        """Write model, tokenizer and search to a checkpoint file. Raises UserError for a model without its config."""
        if self.model.config is None:
            raise UserError("save: the config of the model is unknown; make it with nmt.build.build_model(config, ...)")
        codes = ("source_lang", "target_lang")
        pairs = {"-".join(each): dict(zip(codes, each, strict=True)) for each in self.directions}
        data: dict[str, Any] = {"max_length": self.trained_length, "pairs": pairs or None}
        data |= zip(codes, self.languages or (None, None), strict=True)
        known = {key: value for key, value in data.items() if value is not None}
        config = {"name": self.name, "model": self.model.config, "search": search_node(self.search), "data": known}
        spans = self.tokenizer.spans.patterns
        config |= {"spans": spans} if spans else {}
        weights = checkpoint.weights_of(self.model)
        checkpoint.save(Checkpoint(weights, config, self.tokenizer, scores={}, update=self.update), Path(path))

    def _forced(
        self, sources: Sequence[list[int]], targets: Sequence[list[int]], *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return the hidden states (B, T, D) that predict `targets`, and the attention weights if `need_weights`."""
        source, mask = pad(sources)
        target_in, _ = pad([[BOS, *ids[:-1]] for ids in targets])
        batch = (x.to(self.device) for x in (source, mask, target_in))
        hidden, weights = self.model(*batch, need_weights=need_weights)
        return hidden, weights


class Ensemble(ModelTranslator):
    """Translates with the arithmetic mean of the members' probabilities (see `nmt.search.ensemble`).

    The members are on one device, and have the same vocabularies. The smallest limit of the members counts.
    """

    def __init__(self, members: Sequence[Translator], *, names: Sequence[str] | None = None) -> None:
        """Take at least one member. The search is that of the first, and messages call the members by `names`.

        Raises UserError for different languages (an unknown one fits any other), vocabularies or spans.
        """
        self.members = tuple(members)
        self.search, self.tokenizer = members[0].search, members[0].tokenizer
        self.trained_length = _least(member.trained_length for member in members)
        self.languages = next((each.languages for each in members if each.languages), None)
        vocabularies = operator.attrgetter("source_vocabulary", "target_vocabulary")
        names = names or [f"model {number} ({each.name})" for number, each in enumerate(members, start=1)]
        for member, name in zip(members, names, strict=True):
            same = {
                "languages": member.languages in (None, self.languages),
                "vocabularies": vocabularies(member.tokenizer) == vocabularies(self.tokenizer),
                "spans": member.tokenizer.spans.patterns == self.tokenizer.spans.patterns,
            }
            if different := [what for what, is_same in same.items() if not is_same]:
                raise UserError(
                    f"ensemble: {names[0]} and {name} have different {different[0]}, but an ensemble averages "
                    "over the same pieces; use models of one direction, with the same tokenizer and spans"
                )

    def in_direction(self, languages: tuple[str, str]) -> Self:
        translator = super().in_direction(languages)
        translator.members = tuple(member.in_direction(languages) for member in self.members)
        return translator

    @property
    def models(self) -> list[Seq2Seq]:
        return [member.model for member in self.members]

    def start(self, sources: Sequence[EncodedSource], *, attending: bool = False) -> tuple[Step[Any], Selectable]:
        started = (member.start(sources, attending=attending) for member in self.members)

        steps, states = zip(*started, strict=True)
        return average(steps), States(states)

    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        by_member = (member.token_log_probs(pairs) for member in self.members)
        return [mean_log_probs(each) for each in zip(*by_member, strict=True)]


def _least(values: Iterable[int | None]) -> int | None:
    return min((value for value in values if value is not None), default=None)


def require_one_source(translation: Translation) -> None:
    """Raise UserError if a translation is of an empty sentence, or of a source that was split."""
    if not translation.tokens:
        raise UserError("attention map: the sentence is empty; give one with words in it")
    if translation.parts:
        parts = f"translated in {len(translation.parts)} parts"
        raise UserError(f"attention map: the source was too long, so it was {parts}; draw the map of one of them")
