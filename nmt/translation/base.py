"""The base class of translators: texts become batches, the search runs, and its hypotheses become texts."""

from __future__ import annotations

import copy
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from torch import Tensor

from nmt.attention_map import AttentionMap
from nmt.build import override
from nmt.data.normalization import normalized, without_hints
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, counted
from nmt.search.base import Hypothesis, Search
from nmt.text.protect import Segment, in_capitals, in_small_letters
from nmt.text.sentences import split_to_fit
from nmt.text.terms import NO_TERMS, Terms
from nmt.translation.batches import in_batches
from nmt.translation.translation import EncodedSource, ForcedPair, Limit, Translation, joined

Text = TypeVar("Text", str, str | Segment)


@dataclass(frozen=True)
class SearchRequest:
    """The input of one search: a source or a part of one, the first ids of the translation, and the length limit."""

    source: EncodedSource
    prefix: list[int]
    limit: int
    last: bool  # whether `source` is a complete source, or the last part of one


class BaseTranslator(ABC):
    """Translates texts and scores translations, by any means: models in PyTorch, or the engine of an exported model.

    `search` is the default strategy. `tokenizer` divides targets into pieces and joins them. `languages` are the codes
    of the source and the target language, and `trained_length` is `data.max_length` of the training: the number of
    tokens of the longest source, eos included; None if they are not known. `terms` is a glossary of the sources.
    """

    search: Search
    tokenizer: Tokenizer
    languages: tuple[str, str] | None
    trained_length: int | None
    terms: Terms = NO_TERMS

    @property
    @abstractmethod
    def device_type(self) -> str:
        """The kind of device that computes: "cpu", "cuda" ..."""

    @property
    @abstractmethod
    def longest_source(self) -> int | None:
        """The largest number of tokens of a source, eos included; None if every length works."""

    @property
    @abstractmethod
    def longest_target(self) -> int | None:
        """The largest number of tokens of a translation, eos included; None if every length works."""

    @abstractmethod
    def search_batch(self, requests: Sequence[SearchRequest], search: Search) -> list[list[Hypothesis]]:
        """Return the hypotheses that `search` finds for each request of one batch, best first."""

    @contextmanager
    def computing(self, search: Search) -> Iterator[int]:
        """Let the models compute batches of `search` in the block. Yield the number of workers for them."""
        yield 1

    @abstractmethod
    def token_log_probs(self, pairs: Sequence[ForcedPair]) -> list[Tensor]:
        """Return the log-probabilities (T,) of the tokens of each translation, eos included, given its source."""

    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return the attention weights with which the model predicts each of `translations`.

        Raises UserError unless it is one model in PyTorch: the layers and heads of several models have no mean.
        """
        raise UserError(
            "attention map: an ensemble or an exported model has none; draw that of one run for its translation "
            "(attend.py: ckpt=RUN_FOLDER target=TRANSLATION)"
        )

    def source_limit(self, search: Search | None = None) -> Limit:
        """Return the limit of a source that is translated without a split with `search`."""
        search = search or self.search
        limits = [Limit(search.max_source_length, "search.max_source_length")]
        if self.longest_source is not None:
            limits.append(Limit(self.longest_source, "the positions of the encoder"))
        if self.trained_length is not None and search.long_source != "whole":
            limits.append(Limit(self.trained_length, "data.max_length of the training"))
        return min(limits, key=lambda limit: limit.tokens)

    def with_terms(self, terms: Terms) -> Self:
        """Return a translator of the same models that uses a glossary. Models without spans ignore it."""
        translator = copy.copy(self)
        translator.terms = terms
        return translator

    def in_direction(self, languages: tuple[str, str]) -> Self:
        """Return a translator of the same models from one language to another. They were trained in this direction.

        Raises UserError if the vocabulary has tags, but none for the second language.
        """
        translator = copy.copy(self)
        translator.languages, translator.tokenizer = languages, self.tokenizer.towards(languages[1])
        return translator

    def translate(self, sentences: Sequence[str | Segment], **options: Any) -> list[Translation]:
        """Return the best translation of every sentence. All arguments are as in `hypotheses`."""
        return [translations[0] for translations in self.hypotheses(sentences, **options)]

    def hypotheses(
        self,
        sentences: Sequence[str | Segment],
        *,
        prefixes: Sequence[str] | None = None,
        search: Search | None = None,
        advance: Callable[[int], object] = lambda count: None,
        **fields: Any,
    ) -> list[list[Translation]]:
        """Return all translations that the search finds for each sentence, in the order of the sentences, best first.

        A beam search finds `n_best` translations, and sampling draws `samples`. A sentence gets the same tokens in any
        batch (the engine of an exported model may differ). A segment keeps its slots, if the model has spans. A blank
        sentence is translated to "", with any prefix. The search's `long_source` decides about a source that is longer
        than `source_limit`. If it is split, its k-th translation joins the k-th ones of its parts. `prefixes` are the
        beginnings of the translations; the search may continue the last word of one. `search` replaces the strategy of
        the translator, and `fields` replace single settings of it (`beam_size=1`). `advance` is called with the number
        of sentences that need no search, and then with those of each batch. Raises UserError for settings that the
        strategy does not accept, for values that are no text, and for a source or a prefix that is too long.
        """
        search = override(search or self.search, fields)
        groups = self.requests(sentences, search, prefixes)
        translations = iter(self.search_all([request for _, group in groups for request in group], search, advance))
        return [rejoined(source, [next(translations) for _ in group]) for source, group in groups]

    def requests(
        self, sentences: Sequence[str | Segment], search: Search, prefixes: Sequence[str] | None = None
    ) -> list[tuple[EncodedSource, list[SearchRequest]]]:
        """Return each sentence, encoded, and its searches: one, or one for each part of a sentence that is split."""
        sources = self.encode(check_texts("sentence", sentences))
        count = len(sources)
        begins = [""] * count if prefixes is None else check_texts("prefix", prefixes, count)
        return [
            (source, self._requests(source, prefix, search, f"sentence {number:,} of {count:,}"))
            for number, (source, prefix) in enumerate(zip(sources, begins, strict=True), start=1)
        ]

    def encode(self, texts: Sequence[str | Segment]) -> list[EncodedSource]:
        """Return each text with the ids that the models read, and with slots for its spans and terms.

        Hints (see `nmt.data.normalization`) are removed first: a hint inside a URL or a term would divide it.
        """
        spans, language = self.tokenizer.spans, None if self.languages is None else self.languages[0]
        segments = [text if isinstance(text, Segment) else Segment((text,)) for text in texts]
        sources = [
            EncodedSource(spans.protect(each.with_texts(without_hints), self.terms), language=language, given=each.text)
            for each in segments
        ]
        if spans:
            sources = [replace(each, capitals=in_capitals(normalized(each.read))) for each in sources]
        unknown = self.tokenizer.unknown_ids[0]
        return [
            replace(source, ids=ids, unknown=sum(map(unknown.__contains__, ids)))
            for source, ids in zip(sources, self.tokenizer.encode_source([each.read for each in sources]), strict=True)
        ]

    def target_ids(self, sources: Sequence[EncodedSource], targets: Sequence[str]) -> list[list[int]]:
        """Return the ids of translations of `sources`. The slots of the source are pieces there too."""
        read = list[str]()
        for source, target in zip(sources, targets, strict=True):
            texts = ((piece, normalized(text)) for piece, text in source.translations.items())
            spans = {piece: text for piece, text in texts if text}  # a span may be white space
            text = self.tokenizer.spans.read_target(normalized(target), spans)
            read.append(in_small_letters(text) if source.capitals else text)
        return self.tokenizer.encode_target(read)

    def check_source(self, sentence: str | Segment, where: str) -> None:
        """Raise UserError if the search refuses `sentence` because of its length; `where` is its place in the input."""
        if self.search.long_source != "split":
            self._requests(self.encode([sentence])[0], "", self.search, where)

    def score(
        self, sources: Sequence[str], targets: Sequence[str], *, places: Sequence[str] | None = None
    ) -> list[Translation]:
        """Return the given translations, scored without a search. The `score` is log P of all tokens, eos included.

        A source is never split. Raises UserError as `encode_pairs` does; `places` name the pairs in messages.
        """
        return self.score_pairs(self.encode_pairs(sources, targets, places=places))

    def score_pairs(self, pairs: Sequence[ForcedPair]) -> list[Translation]:
        """Return the given translations with the log-probabilities of the models; see `score`."""
        lengths = [max(pair.source.tokens, len(pair.ids)) for pair in pairs]
        with self.computing(self.search) as workers:
            rows = in_batches(pairs, lengths, self.search.batch_tokens, self.token_log_probs, workers)
        found = [Hypothesis(pair.ids, row.tolist(), float(row.sum())) for pair, row in zip(pairs, rows, strict=True)]
        least = self.search.unsure_below
        return [
            Translation(pair.source, Segment((pair.target,)), each, self.tokenizer, unsure_below=least)
            for pair, each in zip(pairs, found, strict=True)
        ]

    def encode_pairs(
        self, sources: Sequence[str], targets: Sequence[str], *, places: Sequence[str] | None = None
    ) -> list[ForcedPair]:
        """Return each source with the given translation, encoded.

        `places` name the pairs in messages. Raises UserError for lists of different lengths, for an empty source, and
        for a source or a translation that is longer than the models or the search allow.
        """
        encoded = self.encode(check_texts("source", sources))
        targets = check_texts("translation", targets, len(encoded))
        pairs = list(map(ForcedPair, encoded, targets, self.target_ids(encoded, targets)))
        places = places or [f"score: source {number} of {len(pairs)}" for number in range(1, len(pairs) + 1)]
        limit = self.source_limit(override(self.search, {"long_source": "whole"}))
        target_limit = Limit(self.longest_target or sys.maxsize, "the positions of the decoder")
        for place, pair in zip(places, pairs, strict=True):
            if pair.source.empty:
                raise UserError(f"{place}: the source is empty, so no translation can be scored; leave it out")
            limit.check(pair.source.tokens, place, "leave it out")
            target_limit.check(len(pair.ids), f"{place}: the translation", "leave it out")
        return pairs

    def attention_map(self, sentence: str, translation: str | None = None) -> AttentionMap:
        """Return the attention weights with which the model predicts `translation` (None: the search finds one)."""
        given = self.translate([sentence]) if translation is None else self.score([sentence], [translation])
        return self.attention_maps(given)[0]

    def _requests(self, source: EncodedSource, prefix: str, search: Search, where: str) -> list[SearchRequest]:
        """Return the searches that a source needs. Raises UserError for a source or a prefix that is too long."""
        source_limit = self.source_limit(search)
        if search.long_source != "split":
            source_limit.check(source.tokens, where, "let it be split into sentences: search.long_source=split")
        first, *rest = self._parts(source, source_limit.tokens)
        targets = [min(search.target_limit(each.tokens), self.longest_target or sys.maxsize) for each in (first, *rest)]
        ids = self.target_ids([first], [prefix])[0][:-1] if prefix else []
        if not first.empty:
            limit = Limit(targets[0] - 1, "search.max_length_factor and max_length_extra, or the decoder's positions")
            limit.check(len(ids), f"{where}: the prefix '{self.tokenizer.decode_target(ids)}'", "leave it out")
        begins, lasts = [ids, *([] for _ in rest)], [*(False for _ in rest), True]
        return list(map(SearchRequest, (first, *rest), begins, targets, lasts))

    def _parts(self, source: EncodedSource, limit: int) -> list[EncodedSource]:
        """Return the parts of a source that are translated one by one: the source itself if it is not too long."""
        if source.tokens <= limit:
            return [source]
        encoded: dict[Segment, EncodedSource] = {}

        def fits(segment: Segment) -> bool:
            (encoded[segment],) = self.encode([segment])
            return encoded[segment].tokens <= limit

        return [encoded[segment] for segment in split_to_fit(source.segment, fits)]

    def search_all(
        self, requests: Sequence[SearchRequest], search: Search, advance: Callable[[int], object] = lambda count: None
    ) -> list[list[Translation]]:
        """Return the translations of each request, best first. The translation of an empty source is ""."""

        def searched(batch: list[SearchRequest]) -> list[list[Translation]]:
            hypotheses = self.search_batch(batch, search)
            return [
                [self._translation(request.source, each, search.unsure_below) for each in several]
                for request, several in zip(batch, hypotheses, strict=True)
            ]

        def done(batch: list[SearchRequest]) -> None:
            advance(sum(request.last for request in batch))

        filled = [request for request in requests if not request.source.empty]
        done([request for request in requests if request.source.empty])
        lengths, size = [request.source.tokens for request in filled], search.batch_tokens // search.width
        with self.computing(search) as workers:
            translations = iter(in_batches(filled, lengths, size, searched, workers, done))
        return [
            [Translation(request.source, Segment(()), Hypothesis([], [], 0.0), self.tokenizer)]
            if request.source.empty
            else next(translations)
            for request in requests
        ]

    def _translation(self, source: EncodedSource, hypothesis: Hypothesis, unsure_below: float) -> Translation:
        text = self.tokenizer.decode_target(hypothesis.tokens)
        target, lost = self.tokenizer.spans.restore(text.upper() if source.capitals else text, source.segment)
        return Translation(source, target, hypothesis, self.tokenizer, tuple(lost), unsure_below=unsure_below)


def rejoined(source: EncodedSource, parts: Sequence[list[Translation]]) -> list[Translation]:
    """Return the translations of a source. Each of its parts has at least one, best first."""
    if len(parts) == 1:
        return parts[0]
    filled = [translations for translations in parts if translations[0].tokens]
    return [joined(source, translations) for translations in zip(*filled or parts, strict=False)]


def check_texts(name: str, values: Sequence[Text], count: int | None = None) -> list[Text]:
    """Return texts as a list. Raises UserError for a single text, for another number of texts, and for other values."""
    if isinstance(values, str):
        raise UserError(f"{name}: got one text, expected a list of texts; write [text]")
    texts = list(values)
    if count not in (None, len(texts)):
        raise UserError(f"{name}: got {counted(len(texts), 'text')}, expected one for each of {count:,} sentences")
    for number, text in enumerate(texts, start=1):
        try:
            (text.text if isinstance(text, Segment) else text).encode()
        except (AttributeError, UnicodeEncodeError) as error:  # half of a character is a lone surrogate
            where = f"{name} {number:,} of {len(texts):,}"
            raise UserError(f"{where}: got {text!r}, expected a text of whole characters") from error
    return texts
