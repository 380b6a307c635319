"""Sentences in, translations out: a model, its tokenizer and a search as one object."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from nmt.attention_map import AttentionMap
from nmt.config.schema import read
from nmt.config.settings import SearchConfig
from nmt.data.batch import pad
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq
from nmt.search.beam import Hypothesis, search
from nmt.special import BOS, EOS, PAD

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer


@dataclass(frozen=True)
class Translation:
    """One sentence's translation.

    `tokens` are target ids, with eos last if the search ended with it; `token_log_probs` (natural logarithms) and
    `pieces` belong to them one for one; `score` is the search's. All are empty, and the score
    is 0, for an empty source.
    """

    source: str
    text: str
    score: float
    tokens: list[int]
    token_log_probs: list[float]
    pieces: list[str]


class Translator:
    """Translates with `model`, on the device that it is on, or is moved to if `device` is given.

    `search` holds the defaults; every call may override single fields of it.
    """

    def __init__(
        self,
        model: Seq2Seq,
        tokenizer: Tokenizer,
        search: SearchConfig,
        *,
        device: torch.device | str | None = None,
    ) -> None:
        self.model = model if device is None else model.to(device)
        self.tokenizer = tokenizer
        self.search = search

    @property
    def device(self) -> torch.device:
        """The device that the model is on now."""
        return next(self.model.parameters()).device

    @property
    def attends(self) -> bool:
        """Whether the model has any attention to draw."""
        return self.model.encoder.attends or self.model.decoder.attends

    def translate(self, sentences: Sequence[str], **overrides: Any) -> list[Translation]:
        """Return a translation of every sentence, in their order.

        A sentence gets the same tokens in whatever company. An empty one, or one of white space, is translated to "".
        `overrides` are fields of SearchConfig (`beam_size=1`); UserError for those it does not have or cannot take.
        """
        if isinstance(sentences, str):
            raise UserError("translate: got one text, expected a list of sentences; write translate([text])")
        settings = override(self.search, overrides)
        sources = self.tokenizer.encode_source(list(sentences))
        translations = [Translation(sentence, "", 0.0, [], [], []) for sentence in sentences]
        filled = [i for i, sentence in enumerate(sentences) if sentence.strip() and len(sources[i]) > 1]
        lengths = [len(sources[i]) for i in filled]
        with _evaluating(self.model), torch.inference_mode():
            for batch in plan_batches(lengths, settings.batch_tokens // settings.beam_size):
                places = [filled[i] for i in batch]
                try:
                    found = self._search([sources[i] for i in places], settings)
                except torch.OutOfMemoryError as error:
                    raise UserError(
                        f"search.batch_tokens: got {settings.batch_tokens}, for which the device's memory is too small "
                        f"({str(error).partition('.')[0]}); use fewer, or device=cpu"
                    ) from error
                for place, hypothesis in zip(places, found, strict=True):
                    translations[place] = self._translation(sentences[place], hypothesis)
        return translations

    def attention_map(self, sentence: str, translation: str | None = None, **overrides: Any) -> AttentionMap:
        """Return what the model attends to while it writes `translation`, by default the one it finds itself.

        One forced pass over the hypothesis; forward equals steps, so these are the weights of the search. Rows of
        `cross` and `decoder_self` are the tokens being predicted, eos included.
        Raises UserError for an empty sentence, and for a model without any attention.
        """
        source = self.tokenizer.encode_source([sentence])[0]
        if not sentence.strip() or len(source) < 2:
            raise UserError("attention map: the sentence is empty; give one with words in it")
        if translation is None:
            found = self.translate([sentence], **overrides)[0]
            target, translation = found.tokens, found.text
        else:
            target = self.tokenizer.encode_target([translation])[0]
        source_ids, source_mask = (x.to(self.device) for x in pad([source]))
        target_in, _ = pad([[BOS, *target[:-1]]])
        with _evaluating(self.model), torch.inference_mode():
            _, weights = self.model(source_ids, source_mask, target_in.to(self.device), need_weights=True)
        if weights is None or (weights.cross is None and weights.encoder_self is None and weights.decoder_self is None):
            raise UserError("attention map: this model attends to nothing, so there is nothing to draw")
        return AttentionMap.from_weights(
            weights,
            source_pieces=self.tokenizer.source_pieces(source),
            target_pieces=self.tokenizer.target_pieces(target),
            source=sentence,
            target=translation,
        )

    def _search(self, sources: list[list[int]], settings: SearchConfig) -> list[Hypothesis]:
        source, mask = (x.to(self.device) for x in pad(sources))
        limits = [target_limit(len(ids), settings) for ids in sources]
        found = search(
            self.model.step,
            self.model.start(source, mask),
            bos=BOS,
            eos=EOS,
            pad=PAD,
            max_length=torch.tensor(limits, device=self.device),
            beam_size=settings.beam_size,
            length_penalty=settings.length_penalty,
        )
        return [hypotheses[0] for hypotheses in found]

    def _translation(self, source: str, found: Hypothesis) -> Translation:
        text = self.tokenizer.decode_target(found.tokens)
        pieces = self.tokenizer.target_pieces(found.tokens)
        return Translation(source, text, found.score, found.tokens, found.token_log_probs, pieces)


def load_translator(path: str | Path, *, device: str = "auto", **search_overrides: Any) -> Translator:
    """Return the translator of a run folder (its best checkpoint) or a checkpoint file.

    `device` is "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1" ...; `search_overrides` are fields of
    SearchConfig and replace those the run was trained with. Raises UserError for what cannot be loaded or set.
    """
    from nmt.checkpoint import load_model

    loaded = load_model(path, resolve_device(device))
    settings = read({**loaded.config["search"], **search_overrides}, SearchConfig, "search")
    return Translator(loaded.model, loaded.tokenizer, settings)


def override(settings: SearchConfig, overrides: dict[str, Any]) -> SearchConfig:
    """Return `settings` with some fields replaced. Raises UserError for unknown fields and values out of range."""
    return read({**asdict(settings), **overrides}, SearchConfig, "search") if overrides else settings


def resolve_device(name: str) -> torch.device:
    """Return the device called `name`; "auto" is the current GPU if there is one, else the CPU. Raises UserError."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros((), device=device).item()  # there are devices that hold no values
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"device={name}: cannot be used here ({reason}); use auto or cpu") from error
    return device


def target_limit(source_length: int, settings: SearchConfig) -> int:
    """Return how many target tokens a source of `source_length` tokens may have at most, eos counted in both."""
    return max(1, math.floor(settings.max_length_factor * source_length) + settings.max_length_extra)


def plan_batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield the indices of `lengths` in batches of similar length, longest first.

    A batch holds at most `budget` padded tokens, but always at least one sentence. The longest come first, so that a
    shortage of memory shows at once.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    """Switch dropout and the like off for a while, then back on exactly where it was on."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True
