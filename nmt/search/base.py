"""The base class of search strategies, which are called with a step function and a decoder's state."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Protocol, Self, TypeVar

from torch import Tensor

from nmt.errors import ParameterError, did_you_mean
from nmt.parameters import PositiveInt, Range, annotations_of, value_problem


class Selectable(Protocol):
    """The interface of a decoder's state for a search, as in `nmt.models.interface.State`."""

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        """Return the state of the hypotheses `rows` (N',); `sentences` (B',) are given if some were dropped."""


class Attending(Selectable, Protocol):
    """A state that also has the attention so far, for strategies that read the attention."""

    @property
    def coverage(self) -> Tensor:
        """The attention (N, S) that each source token has received so far, summed over steps; 1 at padding."""


S = TypeVar("S", bound=Selectable)
LEAST_MEAN = -1.3  # log P of a token: 0 to 2 % of the translations have less
Step = Callable[[Tensor, S], tuple[Tensor, S]]
"""Reads one token for each hypothesis (N,); returns log-probabilities (N, V) in float32 and the next state."""


@dataclass(frozen=True)
class Hypothesis:
    """A translation that a search has found.

    `tokens` have no bos, and end with eos unless the length limit ended the hypothesis. `token_log_probs` are the
    natural logarithms of the probabilities under the model, one for each token. A higher `score` is better.
    """

    scored: ClassVar[bool] = True  # False: the two numbers are computed when one of them is read
    tokens: list[int]
    token_log_probs: list[float]
    score: float


class Unscored(Hypothesis):
    """A hypothesis whose numbers are computed when one of them is read; `compute` returns it with the numbers."""

    scored = False

    def __init__(self, tokens: list[int], compute: Callable[[], Hypothesis]) -> None:
        vars(self).update(tokens=tokens, compute=cache(compute))

    def __getattr__(self, name: str) -> Any:
        if name in ("token_log_probs", "score"):
            return getattr(self.compute(), name)
        raise AttributeError(name)


@dataclass(frozen=True, kw_only=True)
class Search(ABC):
    """A search strategy. Its fields are its settings, and each has a default.

    A source of n tokens gets a translation of at most `max_length_factor` * n + `max_length_extra` tokens, eos included
    in both. A source is too long if it has more tokens than the sources of the training, or more than
    `max_source_length`: time and memory of attention grow with the square of the length. With `long_source` "split" it
    is split into sentences, whose translations are joined again; with "refuse" it is an error. With "whole" the model
    reads the complete source, and only a source of more than `max_source_length` tokens is an error. One call decodes
    at most `batch_tokens / width` padded source tokens, but at least one sentence. `unsure_below` only decides which
    translations have the doubt "unsure" (see `nmt.translation.doubts`).

    `replace` checks the annotations of the fields, and `__post_init__` conditions on several fields.
    """

    max_length_factor: Annotated[float, Range(above=0, high=1000)] = 2.0
    max_length_extra: Annotated[int, Range(low=0, high=10_000)] = 10
    long_source: Literal["split", "refuse", "whole"] = "split"
    max_source_length: Annotated[int, Range(low=2)] = 1000
    batch_tokens: PositiveInt = 16000
    unsure_below: Annotated[float, Range(low=-100.0, high=0.0)] = LEAST_MEAN

    @property
    @abstractmethod
    def label(self) -> str:
        """A short text for file names and tables: the strategy and the settings that change its results.

        It leaves out the length limits. `nmt.evaluation.split.Evaluation.label` adds a digest if these are not the
        run's own.
        """

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of hypotheses that the search holds for one sentence."""

    @property
    def reads_attention(self) -> bool:
        """Whether a call needs an `Attending` state. Other searches are faster, so it is False by default."""
        return False

    @abstractmethod
    def __call__(
        self, step: Step[S], state: S, *, max_length: Tensor, keys: Sequence[Sequence[int]]
    ) -> list[list[Hypothesis]]:
        """Return at least one hypothesis for each of B sentences, best score first.

        `state` is the state before the first token, with one hypothesis for each sentence (N = B). `max_length` (B,),
        at least 1, limits the generated tokens of each sentence, eos included. PAD and BOS are never generated. `keys`
        holds for each sentence non-negative integers that identify it, such as its source ids. Random choices depend on
        them and not on the sentence's place in the batch. A strategy without random choices does not read them.

        Raises UserError if log-probabilities are NaN.
        """

    @property
    def limits(self) -> dict[str, Any]:
        """The settings of every strategy that change its results, and that `label` leaves out."""
        names = [each.name for each in dataclasses.fields(Search) if each.name not in ("batch_tokens", "unsure_below")]
        return {name: getattr(self, name) for name in names} | {"max_length_factor": float(self.max_length_factor)}

    def rank(self, hypotheses: list[Hypothesis], decode: Callable[[Sequence[int]], str]) -> list[Hypothesis]:
        """Return the hypotheses that a call found for one sentence, best first.

        `decode` returns the text of target ids. A strategy that compares texts may change order and scores here.
        """
        return hypotheses

    def normalized(self, token_log_probs: Sequence[float]) -> float:
        """Return the score of a translation from its log-probabilities alone; by default their sum, log P."""
        return sum(token_log_probs)

    def target_limit(self, source_length: int) -> int:
        """Return the largest number of target tokens for `source_length` source tokens, eos counted in both."""
        return max(1, math.floor(self.max_length_factor * source_length) + self.max_length_extra)

    def replace(self, **fields: Any) -> Self:
        """Return this strategy with other values of fields. Raises ParameterError for a value that does not fit."""
        known = [field.name for field in dataclasses.fields(self)]
        for name, value in fields.items():
            if name not in known:
                near = did_you_mean(name, known) or f"; {type(self).__name__} takes {', '.join(known)}"
                raise ParameterError(name, f"unknown key{near}")
            if problem := value_problem(value, annotations_of(type(self)).get(name, Any)):
                raise ParameterError(name, problem)
        return dataclasses.replace(self, **fields)
