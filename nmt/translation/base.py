"""What all translators share: texts become batches, the search runs, and its hypotheses become texts."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from nmt.attention_map import AttentionMap
from nmt.data.batch import batches_by_length
from nmt.errors import ParameterError, UserError, counted
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Hypothesis, Search, Selectable, Step
from nmt.search.prefix import force_prefixes
from nmt.translation.source import Part, SourceLimit
from nmt.translation.translation import Translation, joined

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer


class BaseTranslator(ABC):
    """Translates texts and scores translations, with one model (`Translator`) or several (`Ensemble`).

    `search` is the default strategy of every call. `tokenizer` divides targets into pieces and joins them. `languages`
    are the codes of the source and the target language, None if they are not known.
    """

    search: Search
    tokenizer: Tokenizer
    languages: tuple[str, str] | None

    @property
    @abstractmethod
    def models(self) -> Sequence[Seq2Seq]:
        """The models that decide, at least one."""

    @property
    def device(self) -> torch.device:
        """The current device of the models."""
        return next(self.models[0].parameters()).device

    @property
    def longest_target(self) -> int | None:
        """The largest number of tokens of a translation, eos included; None if every length works."""
        limits = [model.decoder.max_length for model in self.models]
        return min((limit for limit in limits if limit is not None), default=None)

    @abstractmethod
    def source_lengths(self, texts: Sequence[str]) -> list[int]:
        """Return the number of source tokens of each text, eos included."""

    @abstractmethod
    def source_limit(self, search: Search | None = None) -> SourceLimit:
        """Return the largest number of tokens of a source that is translated whole with `search`."""

    @abstractmethod
    def start(self, sources: Sequence[str], *, attending: bool = False) -> tuple[Step[Any], Selectable]:
        """Return a step function, and the state before the first token with one hypothesis for each source.

        With `attending`, it is an `Attending` state; raises UserError if the models cannot give one.
        """

    @abstractmethod
    def token_log_probs(self, sources: Sequence[str], targets: Sequence[list[int]]) -> list[Tensor]:
        """Return the log-probabilities (T,) of the tokens of each target, eos included, given its source."""

    @abstractmethod
    def attention_maps(self, translations: Sequence[Translation]) -> list[AttentionMap]:
        """Return the attention weights with which the model predicts each of `translations`."""

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

        A sentence gets the same tokens in any batch. A sentence that is empty or only white space is translated to "",
        whatever its prefix.
        A translation is never longer than the limit of the search or the limit of the decoder's positions. What happens
        to a source that is longer than `source_limit` is the search's `long_source`; if it is split, see
        `Translation.parts`. `prefixes` are the beginnings of the translations, "" where the search is free; the search
        may go on with a prefix's last word. In this call, `search` replaces the strategy of the translator, and
        `fields` replace single settings of the strategy (`beam_size=1`). `advance` is called with the number of
        sentences that need no search, and then with the number that each batch completes. Raises UserError for settings
        that the strategy does not have or does not accept, for a value that is no text, for a source that is too long
        and not split, and for a prefix that leaves no token below the length limit.
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
        sentences = _texts("sentence", sentences)
        search = override(search or self.search, fields)
        parts = self._parts(sentences, search)
        flat = [part for group in parts for part in group]
        ends = list(accumulate(map(len, parts)))
        firsts = [end - len(group) for end, group in zip(ends, parts, strict=True)]
        forced = dict(zip(firsts, self._encode_prefixes(prefixes, len(sentences)), strict=True))
        limits = [self._target_limit(part, search) for part in flat]
        for number, first in enumerate(firsts, start=1):
            if not flat[first].empty:
                self._check_prefix(forced[first], limits[first], f"sentence {number:,} of {len(sentences):,}")
        translations = [[Translation(part.text, "", 0.0, [], [], [])] for part in flat]
        filled = [i for i, part in enumerate(flat) if not part.empty]
        lengths, lasts = [flat[i].tokens for i in filled], {end - 1 for end in ends}
        if advance is not None:
            advance(len(lasts.difference(filled)))
        with inference(self.models, search):
            for batch in batches_by_length(lengths, search.batch_tokens // search.width):
                places = [filled[i] for i in batch]
                found = self._search(
                    [flat[i].text for i in places],
                    [forced.get(i, []) for i in places],
                    [limits[i] for i in places],
                    search,
                )
                for place, hypotheses in zip(places, found, strict=True):
                    translations[place] = [self._translation(flat[place].text, each) for each in hypotheses]
                if advance is not None:
                    advance(len(lasts.intersection(places)))
        rest = iter(translations)
        return [
            _rejoined(sentence, list(islice(rest, len(group))))
            for sentence, group in zip(sentences, parts, strict=True)
        ]

    def check_source(self, sentence: str, where: str) -> None:
        """Raise UserError if the search refuses `sentence` because of its length; `where` is its place in the input."""
        if self.search.long_source != "split":
            self.source_limit().check(self.source_lengths([sentence])[0], where)

    def cut_warning(self, count: int) -> str:
        """Return what to tell the user about `count` translations that are `Translation.cut`."""
        limits = [f"search.{name}={getattr(self.search, name):g}" for name in ("max_length_factor", "max_length_extra")]
        if self.longest_target is not None:
            limits.append(f"{self.longest_target:,} positions of the decoder")
        return f"{counted(count, 'translation')} cut at the limit of the length ({', '.join(limits)})"

    def score(
        self, sources: Sequence[str], targets: Sequence[str], *, places: Sequence[str] | None = None
    ) -> list[Translation]:
        """Return the given translations with the log-probabilities of the models, in the given order.

        `score` is log P of all tokens, eos included. No search takes place. A source is never split; one that is longer
        than the training's is read whole. Raises the UserErrors of `encode_pairs`, in which `places` name the pairs.
        """
        lengths, target_ids = self.encode_pairs(sources, targets, places=places)
        longer = list(map(max, lengths, map(len, target_ids)))
        found: dict[int, Translation] = {}
        with inference(self.models, self.search):
            for batch in batches_by_length(longer, self.search.batch_tokens):
                rows = self.token_log_probs([sources[i] for i in batch], [target_ids[i] for i in batch])
                for index, log_probs in zip(batch, rows, strict=True):
                    scored = Hypothesis(target_ids[index], log_probs.tolist(), float(log_probs.sum()))
                    found[index] = self._translation(sources[index], scored, targets[index])
        return [found[index] for index in range(len(sources))]

    def encode_pairs(
        self, sources: Sequence[str], targets: Sequence[str], *, places: Sequence[str] | None = None
    ) -> tuple[list[int], list[list[int]]]:
        """Return the number of tokens of each source, and the ids of each translation, eos included.

        `places` name the pairs in messages. Raises UserError for lists of different lengths, for an empty source, for a
        source that is longer than `max_source_length` of the search or the positions of the encoder, and for a
        translation that is longer than the positions of the decoder.
        """
        sources, targets = _texts("source", sources), _texts("translation", targets)
        if len(sources) != len(targets):
            raise UserError(
                f"score: got {counted(len(sources), 'source')} and {counted(len(targets), 'translation')}, expected "
                "one translation for each source"
            )
        places = places or [f"score: source {number} of {len(sources)}" for number in range(1, len(sources) + 1)]
        lengths = self.source_lengths(sources)
        target_ids = self.tokenizer.encode_target(list(targets))
        limit = self.source_limit(override(self.search, {"long_source": "whole"}))
        target_limit = SourceLimit(self.longest_target or sys.maxsize, "the positions of the decoder")
        for place, part, ids in zip(places, map(Part, sources, lengths), target_ids, strict=True):
            if part.empty:
                raise UserError(f"{place}: the source is empty, so no translation can be scored; leave it out")
            limit.check(part.tokens, place, "leave it out")
            target_limit.check(len(ids), f"{place}: the translation", "leave it out")
        return lengths, target_ids

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

    def _target_limit(self, part: Part, search: Search) -> int:
        """Return the largest number of tokens of the translation of a part, eos included."""
        limit = search.target_limit(part.tokens)
        return limit if self.longest_target is None else min(limit, self.longest_target)

    def _check_prefix(self, prefix: list[int], limit: int, place: str) -> None:
        if len(prefix) >= limit:
            raise UserError(
                f"{place}: the prefix '{self.tokenizer.decode_target(prefix)}' has {len(prefix)} tokens, but the whole "
                f"translation may have {limit}; shorten it, or raise search.max_length_extra"
            )

    def _search(
        self, sources: Sequence[str], prefixes: list[list[int]], limits: Sequence[int], search: Search
    ) -> list[list[Hypothesis]]:
        step, state = self.start(sources, attending=search.reads_attention)
        if any(prefixes):
            step, state = force_prefixes(step, state, prefixes, self.device)
        keys = self.tokenizer.encode_source(sources)
        found = search(step, state, max_length=torch.tensor(limits, device=self.device), keys=keys)
        return [search.rank(hypotheses, self.tokenizer.decode_target) for hypotheses in found]

    def _encode_prefixes(self, prefixes: Sequence[str] | None, count: int) -> list[list[int]]:
        """Return the target ids of every prefix, without eos."""
        if prefixes is None:
            return [[]] * count
        texts = _texts("prefix", prefixes)
        if len(texts) != count:
            raise UserError(f"prefixes: got {len(texts)}, expected one for each of {counted(count, 'sentence')}")
        return [ids[:-1] for ids in self.tokenizer.encode_target(texts)]

    def _parts(self, sentences: Sequence[str], search: Search) -> list[list[Part]]:
        """Return the parts of every sentence. Raises UserError for one that is too long and must not be split."""
        limit, lengths = self.source_limit(search), self.source_lengths(sentences)
        if search.long_source != "split":
            for number, length in enumerate(lengths, start=1):
                limit.check(length, f"sentence {number:,} of {len(sentences):,}")
        return [limit.parts(Part(*pair), self.source_lengths) for pair in zip(sentences, lengths, strict=True)]

    def _translation(self, source: str, found: Hypothesis, text: str | None = None) -> Translation:
        text = self.tokenizer.decode_target(found.tokens) if text is None else text
        pieces = [piece.label for piece in self.tokenizer.target_pieces(found.tokens)]
        return Translation(source, text, found.score, found.tokens, found.token_log_probs, pieces)


def _texts(name: str, values: Sequence[str]) -> list[str]:
    """Return texts as a list. Raises UserError for one text in place of a list, and for a value that is no text."""
    if isinstance(values, str):
        raise UserError(f"{name}: got one text, expected a list of texts; write [text]")
    texts = list(values)
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise UserError(f"{name} {number:,} of {len(texts):,}: got {text!r}, expected a text")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UserError(
                f"{name} {number:,} of {len(texts):,}: got {text!r}, whose character {error.start + 1} is half of one "
                "(a lone surrogate); decode the text again"
            ) from error
    return texts


def override(search: Search, fields: Mapping[str, Any]) -> Search:
    """Return a copy of `search` with new values of some fields. Raises UserError for values that it does not accept."""
    if not isinstance(search, Search):
        raise UserError(
            f"search: got {search!r}, expected an object such as nmt.search.beam.BeamSearch(); settings of the model's "
            "own search are arguments: beam_size=5"
        )
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


@contextmanager
def inference(models: Sequence[nn.Module], search: Search) -> Iterator[None]:
    """Run the block without gradients and in evaluation mode, then restore the mode of every module.

    If the memory of the device is too small, raise a UserError that names the setting to change.
    """
    training = [module for model in models for module in model.modules() if module.training]
    for model in models:
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
