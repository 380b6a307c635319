"""Translates sentences with a model, its tokenizer and a search strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from nmt import checkpoint
from nmt.attention_map import AttentionMap, Origin
from nmt.build import architecture, search_node
from nmt.data.batch import batches_by_length, pad
from nmt.errors import ParameterError, UserError
from nmt.models.coverage import Covering
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Hypothesis, Search
from nmt.search.prefix import force_prefixes
from nmt.source_limit import Part, SourceLimit
from nmt.special import BOS
from nmt.translation import Translation, joined

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer


class Translator:
    """Translates with `model`, on the device of the model. `search` is the default strategy of every call.

    `name` is what attention maps call the model. `update` is the number of updates of its weights, 0 if that is not
    known; whoever trains the model sets it. `trained_length` is the number of tokens of the longest source that the
    model may have been trained on, eos included (None if that is not known): `data.max_length` of its training.
    """

    def __init__(
        self,
        model: Seq2Seq,
        tokenizer: Tokenizer,
        search: Search,
        *,
        name: str = "model",
        update: int = 0,
        trained_length: int | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.search = search
        self.name = name
        self.update = update
        self.trained_length = trained_length

    @property
    def device(self) -> torch.device:
        """The current device of the model."""
        return next(self.model.parameters()).device

    @property
    def attends(self) -> bool:
        """Whether the model has attention weights."""
        return self.model.encoder.attends or self.model.decoder.attends

    def translate(
        self,
        sentences: Sequence[str],
        *,
        prefixes: Sequence[str] | None = None,
        search: Search | None = None,
        advance: Callable[[int], None] | None = None,
        **fields: Any,
    ) -> list[Translation]:
        """Return the best translation of every sentence, in the order of the sentences.

        A sentence gets the same tokens in any batch. A sentence that is empty or only white space is translated to "".
        A translation is never longer than the limit of the search or the limit of the decoder's positions. What happens
        to a source that is longer than `source_limit` is the search's `long_source`; if it is split, see
        `Translation.parts`. `prefixes` are the beginnings of the translations, "" where the search is free; the search
        may go on with a prefix's last word. In this call, `search` replaces the strategy of the translator, and
        `fields` replace single settings of the strategy (`beam_size=1`). `advance` is called with the number of
        sentences that each batch completes. Raises UserError for settings that the strategy does not have or does not
        accept, for a source that is too long and not split, and for a prefix that leaves no token below the length
        limit.
        """
        found = self.hypotheses(sentences, prefixes=prefixes, search=search, advance=advance, **fields)
        return [hypotheses[0] for hypotheses in found]

    def hypotheses(
        self,
        sentences: Sequence[str],
        *,
        prefixes: Sequence[str] | None = None,
        search: Search | None = None,
        advance: Callable[[int], None] | None = None,
        **fields: Any,
    ) -> list[list[Translation]]:
        """Return all translations that the search finds for each sentence, best score first.

        A beam search finds `n_best` translations, and sampling draws `samples`. If a source is split, its k-th
        translation joins the k-th translations of its parts. All arguments are as in `translate`.
        """
        if isinstance(sentences, str):
            raise UserError("translate: got one text, expected a list of sentences; write translate([text])")
        search = override(search or self.search, fields)
        parts = self._parts(sentences, search)
        texts = [text for group in parts for text, _ in group]
        sources = [ids for group in parts for _, ids in group]
        ends = list(accumulate(map(len, parts)))
        firsts = [end - len(group) for end, group in zip(ends, parts, strict=True)]
        forced = dict(zip(firsts, self._encode_prefixes(prefixes, len(sentences)), strict=True))
        translations = [[Translation(text, "", 0.0, [], [], [])] for text in texts]
        filled = [i for i, text in enumerate(texts) if not _is_empty(text, sources[i])]
        lengths = [len(sources[i]) for i in filled]
        with _inference(self.model, search):
            for batch in batches_by_length(lengths, search.batch_tokens // search.width):
                places = [filled[i] for i in batch]
                found = self._search([sources[i] for i in places], [forced.get(i, []) for i in places], search)
                for place, hypotheses in zip(places, found, strict=True):
                    translations[place] = [self._translation(texts[place], each) for each in hypotheses]
                if advance is not None:
                    advance(sum(place + 1 in ends for place in places))
        rest = iter(translations)
        return [
            _rejoined(sentence, list(islice(rest, len(group))))
            for sentence, group in zip(sentences, parts, strict=True)
        ]

    def source_limit(self, search: Search | None = None) -> SourceLimit:
        """Return the largest number of tokens of a source that the model translates whole with `search`."""
        search = search or self.search
        limits = [SourceLimit(search.max_source_length, "search.max_source_length")]
        if self.model.encoder.max_length is not None:
            limits.append(SourceLimit(self.model.encoder.max_length, "the positions of the encoder"))
        if self.trained_length is not None and search.long_source != "whole":
            limits.append(SourceLimit(self.trained_length, "data.max_length of the training"))
        return min(limits, key=lambda limit: limit.tokens)

    def check_source(self, sentence: str, where: str) -> None:
        """Raise UserError if the search refuses `sentence` because of its length; `where` is its place in the input."""
        if self.search.long_source != "split":
            self.source_limit().check(self.tokenizer.encode_source([sentence])[0], where)

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[Translation]:
        """Return the given translations with the log-probabilities of the model, in the given order.

        `score` is log P of all tokens, eos included. No search takes place. A source is never split; one that is longer
        than the training's is read whole. Raises UserError for lists of different lengths, for an empty source, and for
        a source that is longer than `max_source_length` of the search or the positions of the encoder.
        """
        if isinstance(sources, str) or isinstance(targets, str) or len(sources) != len(targets):
            raise UserError("score: expected two lists of sentences, one translation for each source")
        source_ids = self.tokenizer.encode_source(list(sources))
        limit = self.source_limit(override(self.search, {"long_source": "whole"}))
        target_ids = self.tokenizer.encode_target(list(targets))
        for number, source in enumerate(sources, start=1):
            if _is_empty(source, source_ids[number - 1]):
                raise UserError(f"score: source {number} of {len(sources)} is empty; leave it out")
            limit.check(source_ids[number - 1], f"score: source {number} of {len(sources)}")
        found: dict[int, Translation] = {}
        with _inference(self.model, self.search):
            for places in batches_by_length(_longer(source_ids, target_ids), self.search.batch_tokens):
                hidden, _ = self._forced([source_ids[i] for i in places], [target_ids[i] for i in places])
                for row, place in enumerate(places):
                    ids = torch.tensor(target_ids[place], device=self.device)
                    logits = self.model.decoder.output(hidden[row, : len(ids)]).float()  # (T, V)
                    log_probs = logits.log_softmax(-1).gather(1, ids.unsqueeze(1)).flatten()
                    scored = Hypothesis(target_ids[place], log_probs.tolist(), float(log_probs.sum()))
                    found[place] = self._translation(sources[place], scored, targets[place])
        return [found[place] for place in range(len(sources))]

    def attention_map(self, sentence: str, translation: str | None = None, **fields: Any) -> AttentionMap:
        """Return the attention weights with which the model predicts `translation`.

        If `translation` is None, the search finds it; `fields` are settings of the search, as in `translate`. Raises
        the UserErrors of `attention_maps`.
        """
        if translation is None:
            return self.attention_maps(self.translate([sentence], **fields))[0]
        return self.attention_maps(self.score([sentence], [translation]))[0]

    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return the attention weights with which the model predicts each of `translations`.

        `translations` come from `translate`, `hypotheses` or `score`. One forward pass computes the weights of a batch.
        They equal those of the search, because a decoder's forward pass equals its steps. The rows of `cross` and
        `decoder_self` are the predicted tokens, eos included. Raises UserError for an empty sentence, for a source that
        was split (each of its `parts` has a map), and for a model without attention.
        """
        if not self.attends:
            raise UserError("attention map: this model has no attention, so there is nothing to draw")
        if any(not translation.tokens for translation in translations):
            raise UserError("attention map: the sentence is empty; give one with words in it")
        for translation in translations:
            if translation.parts:
                raise UserError(
                    f"attention map: the source is longer than {self.source_limit()}, so it was translated in "
                    f"{len(translation.parts)} parts; draw the map of one of them"
                )
        source_ids = self.tokenizer.encode_source([translation.source for translation in translations])
        target_ids = [translation.tokens for translation in translations]
        found: dict[int, AttentionMap] = {}
        with _inference(self.model, self.search):
            for places in batches_by_length(_longer(source_ids, target_ids), self.search.batch_tokens):
                sources, targets = [source_ids[i] for i in places], [target_ids[i] for i in places]
                _, weights = self._forced(sources, targets, need_weights=True)
                assert weights is not None
                for row, place in enumerate(places):
                    found[place] = AttentionMap.from_weights(
                        weights,
                        row,
                        source_pieces=self.tokenizer.source_pieces(source_ids[place]),
                        target_pieces=self.tokenizer.target_pieces(target_ids[place]),
                        source=translations[place].source,
                        target=translations[place].text,
                        origin=self._origin(translations[place]),
                    )
        return [found[place] for place in range(len(translations))]

    def _origin(self, translation: Translation) -> Origin:
        model = self.name if self.model.config is None else f"{self.name} ({architecture(self.model.config)})"
        return Origin(model, self.update or None, translation.score, translation.log_prob)

    def save(self, path: str | Path) -> None:
        """Write model, tokenizer and search to a checkpoint file for `load_translator`.

        Raises UserError if the model was not made by `nmt.build.build_model`. A checkpoint needs the config of the
        model to build it again.
        """
        if self.model.config is None:
            raise UserError(
                "save: the config of the model is unknown, but a checkpoint needs it; make the model with "
                "nmt.build.build_model(config, ...)"
            )
        config = {"name": self.name, "model": self.model.config, "search": search_node(self.search)}
        if self.trained_length is not None:
            config["data"] = {"max_length": self.trained_length}
        weights = checkpoint.with_prefix(self.model.state_dict())
        about = checkpoint.describe(config, self.tokenizer, scores={}, update=self.update)
        checkpoint.save({"state_dict": weights, "nmt": about}, Path(path))

    def _forced(
        self, sources: Sequence[list[int]], targets: Sequence[list[int]], *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return the hidden states (B, T, D) that predict `targets`, and the attention weights if `need_weights`."""
        source, mask = pad(sources)
        target_in, _ = pad([[BOS, *ids[:-1]] for ids in targets])
        batch = (x.to(self.device) for x in (source, mask, target_in))
        hidden, weights = self.model(*batch, need_weights=need_weights)
        return hidden, weights

    def _search(self, sources: list[list[int]], prefixes: list[list[int]], search: Search) -> list[list[Hypothesis]]:
        source, mask = (x.to(self.device) for x in pad(sources))
        limits = [search.target_limit(len(ids)) for ids in sources]
        if (longest := self.model.decoder.max_length) is not None:
            limits = [min(limit, longest) for limit in limits]
        for prefix, limit in zip(prefixes, limits, strict=True):
            if len(prefix) >= limit:
                raise UserError(
                    f"prefix '{self.tokenizer.decode_target(prefix)}': it has {len(prefix)} tokens, but the whole "
                    f"translation may have {limit}; shorten it, or raise search.max_length_extra"
                )
        model: Any = Covering(self.model) if search.reads_attention else self.model
        step, state = model.step, model.start(source, mask)
        if any(prefixes):
            step, state = force_prefixes(step, state, prefixes, self.device)
        found = search(step, state, max_length=torch.tensor(limits, device=self.device), keys=sources)
        return [search.rank(hypotheses, self.tokenizer.decode_target) for hypotheses in found]

    def _encode_prefixes(self, prefixes: Sequence[str] | None, count: int) -> list[list[int]]:
        """Return the target ids of every prefix, without eos."""
        if prefixes is None:
            return [[]] * count
        if isinstance(prefixes, str) or len(prefixes) != count:
            raise UserError(f"prefixes: expected a list with one text for each of {count} sentences")
        return [ids[:-1] for ids in self.tokenizer.encode_target(list(prefixes))]

    def _parts(self, sentences: Sequence[str], search: Search) -> list[list[Part]]:
        """Return the parts of every sentence. Raises UserError for one that is too long and must not be split."""
        limit = self.source_limit(search)
        encoded = self.tokenizer.encode_source(list(sentences))
        if search.long_source != "split":
            for number, ids in enumerate(encoded, start=1):
                limit.check(ids, f"sentence {number:,} of {len(sentences):,}")
        return [limit.parts(*source, self.tokenizer) for source in zip(sentences, encoded, strict=True)]

    def _translation(self, source: str, found: Hypothesis, text: str | None = None) -> Translation:
        text = self.tokenizer.decode_target(found.tokens) if text is None else text
        pieces = [piece.label for piece in self.tokenizer.target_pieces(found.tokens)]
        return Translation(source, text, found.score, found.tokens, found.token_log_probs, pieces)


def override(search: Search, fields: Mapping[str, Any]) -> Search:
    """Return a copy of `search` with new values of some fields. Raises UserError for values that it does not accept."""
    try:
        return search.replace(**fields) if fields else search
    except ParameterError as error:
        raise UserError(f"search.{error.parameter}: {error.problem}") from error


def _rejoined(sentence: str, parts: Sequence[list[Translation]]) -> list[Translation]:
    """Return the translations of a sentence. Each of its parts has at least one, best first."""
    if len(parts) == 1:
        return parts[0]
    filled = [translations for translations in parts if translations[0].tokens]
    return [joined(sentence, translations) for translations in zip(*filled or parts, strict=False)]


def _is_empty(sentence: str, ids: Sequence[int]) -> bool:
    """Return whether a source has no text other than white space, or no ids other than eos."""
    return not sentence.strip() or len(ids) < 2


def _longer(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> list[int]:
    """Return the length of the longer side of each pair."""
    return [max(len(source), len(target)) for source, target in zip(sources, targets, strict=True)]


@contextmanager
def _inference(model: nn.Module, search: Search) -> Iterator[None]:
    """Run the block without gradients and in evaluation mode, then restore the mode of every module.

    If the memory of the device is too small, raise a UserError that names the setting to change.
    """
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"search.batch_tokens: got {search.batch_tokens}, but the device has too little memory for it "
            f"({str(error).partition('.')[0]}); use a smaller number, or device=cpu"
        ) from error
    finally:
        for module in training:
            module.training = True
