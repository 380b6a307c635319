"""The base class of translators with models in PyTorch: the search gets the next token from them, step by step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import nn

from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.models.seq2seq import Seq2Seq, evaluating
from nmt.search.base import Hypothesis, Search, Selectable, Step
from nmt.search.constraints import force_prefixes
from nmt.translation.base import BaseTranslator, SearchRequest
from nmt.translation.source import EncodedSource


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
    def longest_target(self) -> int | None:
        limits = [model.decoder.max_length for model in self.models]
        return min((limit for limit in limits if limit is not None), default=None)

    @abstractmethod
    def start(self, sources: Sequence[EncodedSource], *, attending: bool = False) -> tuple[Step[Any], Selectable]:
        """Return a step function, and the state before the first token with one hypothesis for each source.

        With `attending`, it is an `Attending` state; raises UserError if the models have no such state.
        """

    def running(self, search: Search) -> AbstractContextManager[None]:
        return inference(self.models, search)

    def search_batch(self, requests: Sequence[SearchRequest], search: Search) -> list[list[Hypothesis]]:
        step, state = self.start([request.source for request in requests], attending=search.reads_attention)
        return search_requests(step, state, requests, search, self.tokenizer, self.device)


def search_requests(
    step: Step[Any],
    state: Selectable,
    requests: Sequence[SearchRequest],
    search: Search,
    tokenizer: Tokenizer,
    device: torch.device,
) -> list[list[Hypothesis]]:
    """Return the hypotheses that `search` finds for each request, best first. `device` is that of the step function."""
    prefixes = [request.prefix for request in requests]
    if any(prefixes):
        step, state = force_prefixes(step, state, prefixes, device)
    limits = torch.tensor([request.limit for request in requests], device=device)
    found = search(step, state, max_length=limits, keys=[request.source.ids[0] for request in requests])
    return [search.rank(hypotheses, tokenizer.decode_target) for hypotheses in found]


@contextmanager
def inference(models: Sequence[nn.Module], search: Search) -> Iterator[None]:
    """Run the block without gradients and in evaluation mode, then restore the mode of every module.

    If the memory of the device is too small, raise a UserError that names the setting to change.
    """
    try:
        with evaluating(models), torch.inference_mode():
            yield
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"search.batch_tokens: got {search.batch_tokens}, but the device has too little memory for it "
            f"({str(error).partition('.')[0]}); use a smaller number, or compute on the CPU"
        ) from error
