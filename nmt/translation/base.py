"""The base class of translators: texts become batches, the search runs, and its hypotheses become texts."""

from __future__ import annotations

import copy
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self, TypeVar

from torch import Tensor

from nmt.attention_map import AttentionMap
from nmt.build import override
from nmt.data.batches import batches_by_length
from nmt.data.normalization import normalized
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, counted
from nmt.search.base import Hypothesis, Search
from nmt.text.protect import Segment, in_capitals, in_small_letters
from nmt.text.sentences import split_to_fit
from nmt.text.terms import NO_TERMS, Terms
from nmt.translation.source import EncodedSource, ForcedPair, SourceLimit, check_texts
from nmt.translation.translation import Translation, joined

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class SearchRequest:
    """The input of one search: a source or a part of one, the first ids of its translation, and the length limit.

    `last` says whether the part is the last one of its source.
    """

    source: EncodedSource
    prefix: list[int]
    limit: int
    last: bool


class BaseTranslator(ABC):
    """Translates texts and scores translations, by any means: models in PyTorch, or the engine of an exported model.

    `search` is the default strategy of every call. `tokenizer` divides targets into pieces and joins them. `languages`
    are the codes of the source and the target language, None if they are not known. `terms` is a glossary of
    the sources.
    """

    search: Search
    tokenizer: Tokenizer
    languages: tuple[str, str] | None
    terms: Terms = NO_TERMS

    @property
    @abstractmethod
    def device_type(self) -> str:
        """The kind of device that computes: "cpu", "cuda" ..."""

    @property
    @abstractmethod
    def longest_target(self) -> int | None:
        """The largest number of tokens of a translation, eos included; None if every length works."""

    @property
    def tokenizers(self) -> Sequence[Tokenizer]:
        """The tokenizer by which each of the models reads a source."""
        return [self.tokenizer]

    @abstractmethod
    def source_limit(self, search: Search | None = None) -> SourceLimit:
        """Return the largest number of tokens of a source that is translated without a split with `search`."""

    @abstractmethod
    def search_batch(self, requests: Sequence[SearchRequest], search: Search) -> list[list[Hypothesis]]:
        """Return the hypotheses that `search` finds for each request of one batch, best first."""

    @abstractmethod
    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        """Return the log-probabilities (T,) of the tokens of each translation, eos included, given its source."""

    def with_terms(self, terms: Terms) -> Self:
        """Return a translator of the same models that uses a glossary, also in `score` and `attention_maps`.

        Models without spans (see `nmt.text.protect`) ignore it.
        """
        found = copy.copy(self)
        found.terms = terms
        return found

    def reversed(self) -> Self:
        """Return a translator of the same models for the opposite direction; they were trained in both directions."""
        found = copy.copy(self)
        found.languages = None if self.languages is None else (self.languages[1], self.languages[0])
        return found

    def running(self, search: Search) -> AbstractContextManager[None]:
        """Return a context in which `search_batch` and `token_log_probs` are called; `search` is for messages."""
        return nullcontext()

    @abstractmethod
    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return the attention weights with which the model predicts each of `translations`."""

    def translate(
        self,
        sentences: Sequence[str | Segment],
        *,
        prefixes: Sequence[str] | None = None,
        search: Search | None = None,
        advance: Callable[[int], None] | None = None,
        **fields: Any,
    ) -> list[Translation]:
        """Return the best translation of every sentence, in the order of the sentences.

        A sentence gets the same tokens in any batch (the engine of an exported model may make an exception). A segment
        keeps its slots, if the model has spans. A sentence that is empty or only white space is translated to "", with
        any prefix. The search's `long_source` decides about a source that is longer than `source_limit`; for a source
        that is split, see `Translation.parts`. `prefixes` are the beginnings of the translations, or "" for none; the
        search may continue the last word of a prefix. In this call, `search` replaces the strategy of the translator,
        and `fields` replace single settings of the strategy (`beam_size=1`). `advance` is called with the number of
        sentences that need no search, and then with the number that each batch completes.
        Raises UserError for settings that the strategy does not have or does not accept, for a value that is not a
        text, for a source that is too long and not split, and for a prefix that leaves no token below the length limit.
        """
        found = self.hypotheses(sentences, prefixes=prefixes, search=search, advance=advance, **fields)
        return [hypotheses[0] for hypotheses in found]

    def hypotheses(
        self,
        sentences: Sequence[str | Segment],
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
        sources = self.encode(check_texts("sentence", sentences))
        search = override(search or self.search, fields)
        groups = self._requests(sources, prefixes, search)
        found = iter(self._search_all([request for group in groups for request in group], search, advance))
        return [
            _rejoined(source, list(islice(found, len(group)))) for source, group in zip(sources, groups, strict=True)
        ]

    def encode(self, texts: Sequence[str | Segment]) -> list[EncodedSource]:
        """Return each text with the ids that the models read, and with slots for its spans and terms."""
        spans = self.tokenizer.spans
        segments = [spans.protect(text, self.terms) for text in texts]
        capitals = [bool(spans) and in_capitals(normalized(segment.read)) for segment in segments]
        read = [
            in_small_letters(each.read) if small else each.read for each, small in zip(segments, capitals, strict=True)
        ]
        by_model = self.source_ids(read)
        unknown = self.tokenizers[0].unknown_ids[0]
        language = None if self.languages is None else self.languages[0]
        return [
            EncodedSource(segment, tuple(ids), sum(map(unknown.__contains__, ids[0])), language, small)
            for segment, ids, small in zip(segments, by_model, capitals, strict=True)
        ]

    def source_ids(self, read: Sequence[str]) -> list[list[list[int]]]:
        """Return for each text, in the form that models read, the ids of each model."""
        by_model = [tokenizer.encode_source(read) for tokenizer in self.tokenizers]
        return [list(ids) for ids in zip(*by_model, strict=True)]

    def target_ids(self, sources: Sequence[EncodedSource], targets: Sequence[str]) -> list[list[int]]:
        """Return the ids of translations of `sources`. The slots of the source are pieces there too."""
        read = list[str]()
        for source, target in zip(sources, targets, strict=True):
            found = ((piece, normalized(text)) for piece, text in source.translations.items())
            spans = {piece: text for piece, text in found if text}  # a span may be white space
            text = self.tokenizer.spans.read_target(normalized(target), spans)
            read.append(in_small_letters(text) if source.capitals else text)
        return self.tokenizer.encode_target(read)

    def check_source(self, sentence: str | Segment, where: str) -> None:
        """Raise UserError if the search refuses `sentence` because of its length; `where` is its place in the input."""
        if self.search.long_source != "split":
            self.source_limit().check(self.encode([sentence])[0].tokens, where)

    def cut_warning(self, count: int) -> str:
        """Return the warning about `count` translations that are `Translation.cut`."""
        limits = [f"search.{name}={getattr(self.search, name):g}" for name in ("max_length_factor", "max_length_extra")]
        if self.longest_target is not None:
            limits.append(f"{self.longest_target:,} positions of the decoder")
        return f"{counted(count, 'translation')} cut at the limit of the length ({', '.join(limits)})"

    def score(
        self, sources: Sequence[str], targets: Sequence[str], *, places: Sequence[str] | None = None
    ) -> list[Translation]:
        """Return the given translations with the log-probabilities of the models, in the given order.

        `score` is log P of all tokens, eos included. No search takes place. A source is never split, even if it is
        longer than all sources in training. Raises the UserErrors of `encode_pairs`, in which `places` name the pairs.
        """
        return self.score_pairs(self.encode_pairs(sources, targets, places=places))

    def score_pairs(self, pairs: Sequence[ForcedPair]) -> list[Translation]:
        """Return the given translations with the log-probabilities of the models, in the given order; see `score`."""
        with self.running(self.search):
            rows = in_batches(pairs, [pair.longer for pair in pairs], self.search.batch_tokens, self.token_log_probs)
        scored = (
            Hypothesis(pair.ids, log_probs.tolist(), float(log_probs.sum()))
            for pair, log_probs in zip(pairs, rows, strict=True)
        )
        return [self._translation(pair.source, each, pair.target) for pair, each in zip(pairs, scored, strict=True)]

    def encode_pairs(
        self, sources: Sequence[str], targets: Sequence[str], *, places: Sequence[str] | None = None
    ) -> list[ForcedPair]:
        """Return each source with the given translation, encoded.

        `places` name the pairs in messages. Raises UserError for lists of different lengths, for an empty source, for a
        source that is longer than `max_source_length` of the search or the positions of the encoder, and for a
        translation that is longer than the positions of the decoder.
        """
        sources, targets = check_texts("source", sources), check_texts("translation", targets)
        if len(sources) != len(targets):
            raise UserError(
                f"score: got {counted(len(sources), 'source')} and {counted(len(targets), 'translation')}, expected "
                "one translation for each source"
            )
        encoded = self.encode(sources)
        pairs = list(map(ForcedPair, encoded, targets, self.target_ids(encoded, targets)))
        places = places or [f"score: source {number} of {len(pairs)}" for number in range(1, len(pairs) + 1)]
        limit = self.source_limit(override(self.search, {"long_source": "whole"}))
        target_limit = SourceLimit(self.longest_target or sys.maxsize, "the positions of the decoder")
        for place, pair in zip(places, pairs, strict=True):
            if pair.source.empty:
                raise UserError(f"{place}: the source is empty, so no translation can be scored; leave it out")
            limit.check(pair.source.tokens, place, "leave it out")
            target_limit.check(len(pair.ids), f"{place}: the translation", "leave it out")
        return pairs

    def attention_map(self, sentence: str, translation: str | None = None, **fields: Any) -> AttentionMap:
        """Return the attention weights with which the model predicts `translation`.

        If `translation` is None, the search finds it; `fields` are settings of the search, as in `translate`. Raises
        the UserErrors of `attention_maps`.
        """
        if translation is None:
            return self.attention_maps(self.translate([sentence], **fields))[0]
        if fields:
            raise UserError(f"attention_map: got {', '.join(fields)}, but there is no search if `translation` is given")
        return self.attention_maps(self.score([sentence], [translation]))[0]

    def _requests(
        self, sources: Sequence[EncodedSource], prefixes: Sequence[str] | None, search: Search
    ) -> list[list[SearchRequest]]:
        """Return the searches that each source needs. Raises UserError for a source or a prefix that is too long."""
        limit, count, longest = self.source_limit(search), len(sources), self.longest_target or sys.maxsize
        places = [f"sentence {number:,} of {count:,}" for number in range(1, count + 1)]
        if search.long_source != "split":
            for source, place in zip(sources, places, strict=True):
                limit.check(source.tokens, place)
        requests = []
        for source, text, place in zip(sources, _prefixes(prefixes, count), places, strict=True):
            first, *rest = self._parts(source, limit.tokens)
            targets = [min(search.target_limit(part.tokens), longest) for part in (first, *rest)]
            prefix = self.target_ids([first], [text])[0][:-1] if text else []
            if not first.empty:
                self._check_prefix(prefix, targets[0], place)
            begins = [prefix, *([] for _ in rest)]
            lasts = [*(False for _ in rest), True]
            requests.append(list(map(SearchRequest, (first, *rest), begins, targets, lasts)))
        return requests

    def _parts(self, source: EncodedSource, limit: int) -> list[EncodedSource]:
        """Return the parts of a source that are translated one by one; the source itself if it is not too long."""
        if source.tokens <= limit:
            return [source]
        encoded: dict[Segment, EncodedSource] = {}

        def fits(segment: Segment) -> bool:
            (encoded[segment],) = self.encode([segment])
            return encoded[segment].tokens <= limit

        return [encoded[segment] for segment in split_to_fit(source.segment, fits)]

    def _check_prefix(self, prefix: list[int], limit: int, place: str) -> None:
        if len(prefix) >= limit:
            advice = "; shorten it, or raise search.max_length_extra"
            if limit == self.longest_target:
                advice = " (the positions of the decoder); shorten it"
            raise UserError(
                f"{place}: the prefix '{self.tokenizer.decode_target(prefix)}' has {len(prefix)} tokens, but the whole "
                f"translation may have {limit}{advice}"
            )

    def _search_all(
        self, requests: Sequence[SearchRequest], search: Search, advance: Callable[[int], None] | None
    ) -> list[list[Translation]]:
        """Return the translations of each part, best first; "" for an empty part."""
        found = [[Translation(request.source, Segment(()), 0.0, [], [], self.tokenizer)] for request in requests]
        filled = [place for place, request in enumerate(requests) if not request.source.empty]
        if advance is not None:
            advance(sum(request.last for request in requests if request.source.empty))
        lengths = [requests[place].source.tokens for place in filled]
        with self.running(search):
            for batch in batches_by_length(lengths, search.batch_tokens // search.width):
                places = [filled[i] for i in batch]
                searched = self.search_batch([requests[i] for i in places], search)
                for place, hypotheses in zip(places, searched, strict=True):
                    found[place] = [self._translation(requests[place].source, each) for each in hypotheses]
                if advance is not None:
                    advance(sum(requests[place].last for place in places))
        return found

    def _translation(self, source: EncodedSource, found: Hypothesis, text: str | None = None) -> Translation:
        if text is None:
            decoded = self.tokenizer.decode_target(found.tokens)
            target, lost = self.tokenizer.spans.restore(decoded.upper() if source.capitals else decoded, source.segment)
        else:
            target, lost = Segment((text,)), []
        tokens, log_probs, given = found.tokens, found.token_log_probs, text is not None
        return Translation(source, target, found.score, tokens, log_probs, self.tokenizer, tuple(lost), given=given)


def _rejoined(source: EncodedSource, parts: Sequence[list[Translation]]) -> list[Translation]:
    """Return the translations of a source. Each of its parts has at least one, best first."""
    if len(parts) == 1:
        return parts[0]
    filled = [translations for translations in parts if translations[0].tokens]
    return [joined(source, translations) for translations in zip(*filled or parts, strict=False)]


def _prefixes(prefixes: Sequence[str] | None, count: int) -> list[str]:
    """Return the prefix of each of `count` sentences, "" if there are none."""
    if prefixes is None:
        return [""] * count
    texts = check_texts("prefix", prefixes)
    if len(texts) != count:
        raise UserError(f"prefixes: got {len(texts)}, expected one for each of {counted(count, 'sentence')}")
    return texts


def in_batches(
    items: Sequence[Item], lengths: Sequence[int], size: int, compute: Callable[[list[Item]], Sequence[Result]]
) -> list[Result]:
    """Return what `compute` returns for each item, in order. It gets the items in batches of `size` padded tokens."""
    results: dict[int, Result] = {}
    for places in batches_by_length(lengths, size):
        results |= zip(places, compute([items[place] for place in places]), strict=True)
    return [results[place] for place in range(len(items))]
