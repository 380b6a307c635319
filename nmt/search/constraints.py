"""Constraints on the next token: tokens that are forbidden or forced.

The functions work on log-probabilities (N, V). A forbidden token gets -inf; the other tokens keep their values, so the
probabilities of a row may sum to less than 1. A constraint that depends on the tokens so far is not applied to a row in
which it would forbid all remaining tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Generic, Self, cast

import torch
from torch import Tensor

from nmt.errors import ParameterError, UserError
from nmt.parameters import Range
from nmt.search.base import Attending, Hypothesis, S, Search, Step
from nmt.search.risk import Utility, expected_utilities
from nmt.tokens import BOS, EOS, PAD

NEVER_GENERATED = (PAD, BOS)
_GROUP = 64  # columns whose maximum `top` looks at first
FEW_VALUES = 50_000  # up to so many values, a selection over complete rows is faster


@dataclass(frozen=True, kw_only=True)
class ConstrainedSearch(Search):
    """A strategy with constraints on the next token. They apply in this order, and all are off by default.

    `no_repeat_ngram_size` n forbids a second occurrence of an n-gram (0: none is forbidden). `min_length` is the
    smallest number of tokens, eos counted. If every token but eos is forbidden, the hypothesis ends. The length limit
    overrides `min_length`. So every sentence gets a hypothesis. Log-probabilities of tokens are always those of the
    model.

    `utility` turns on minimum Bayes risk: of the hypotheses that the search finds for a sentence, the one with the
    highest expected utility is the best, and expected utilities are the scores; see `nmt.search.risk`.
    """

    min_length: Annotated[int, Range(low=0, high=10_000)] = 0
    no_repeat_ngram_size: Annotated[int, Range(low=0, high=10_000)] = 0
    repetition_penalty: Annotated[float, Range(low=1, high=1)] = 1.0  # of earlier versions, whose checkpoints have it
    utility: Utility | None = None

    def _require_candidates(self, name: str, count: int) -> None:
        """Raise ParameterError for a utility with fewer than two hypotheses of a sentence to choose from."""
        if self.utility is not None and count < 2:
            raise ParameterError(
                "utility", f"it chooses among several translations, but {name} is {count}; raise {name}, or use null"
            )

    @property
    def shared_label(self) -> str:
        """The part of the label for the settings of this class that are on: `.min5.norepeat3.mbr-chrf`."""
        parts = [
            f".min{self.min_length}" if self.min_length > 1 else "",
            f".norepeat{self.no_repeat_ngram_size}" if self.no_repeat_ngram_size else "",
            f".mbr-{self.utility}" if self.utility else "",
        ]
        return "".join(parts)

    def constrain(self, tokens: Tensor, log_probs: Tensor) -> Tensor:
        """Return `log_probs` (N, V) after the constraints, for hypotheses with the `tokens` so far, without bos.

        `tokens` is (N, t), or (B, W, t) with N = B*W. Without a constraint, `log_probs` itself is returned. With one,
        PAD and BOS are forbidden too.
        """
        if self.min_length <= 1 and not self.no_repeat_ngram_size:
            return log_probs
        tokens = tokens.flatten(0, -2)
        log_probs = ban(log_probs, torch.arange(log_probs.shape[1], device=log_probs.device), NEVER_GENERATED)
        if self.no_repeat_ngram_size:
            log_probs = forbid_repeated_ngrams(tokens, log_probs, self.no_repeat_ngram_size)
        return forbid_early_end(tokens, log_probs, self.min_length)

    def rank(self, hypotheses: list[Hypothesis], decode: Callable[[Sequence[int]], str]) -> list[Hypothesis]:
        """Return the hypotheses of one sentence by expected utility, best first; unchanged without a utility."""
        if self.utility is None:
            return hypotheses
        texts, weights = [decode(each.tokens) for each in hypotheses], self._probabilities(hypotheses)
        utilities = expected_utilities(texts, weights, self.utility)
        scored = [replace(each, score=utility) for each, utility in zip(hypotheses, utilities, strict=True)]
        return sorted(scored, key=lambda hypothesis: -hypothesis.score)

    def _probabilities(self, hypotheses: Sequence[Hypothesis]) -> list[float]:
        """Return how probable each hypothesis is among those of its sentence; the sum is 1.

        Here all are equally probable, because a search that draws them draws a probable one often.
        """
        return [1 / len(hypotheses)] * len(hypotheses)


def ban(log_probs: Tensor, ids: Tensor, tokens: Sequence[int]) -> Tensor:
    """Forbid `tokens`. `ids` says which token each column of `log_probs` is, and may be broadcast to its shape."""
    for token in tokens:
        log_probs = log_probs.masked_fill(ids == token, -torch.inf)
    return log_probs


def forbid_repeated_ngrams(tokens: Tensor, log_probs: Tensor, size: int) -> Tensor:
    """Forbid every token that would complete an n-gram of `size` tokens which the hypothesis has already.

    Paulus et al. 2018, arXiv:1705.04304, section 2.5, for trigrams.
    """
    if tokens.shape[1] < size:
        return log_probs
    starts = tokens.unfold(1, size - 1, 1)  # (N, t - size + 2, size - 1); the next token follows the last one
    rows, places = (starts[:, :-1] == starts[:, -1:]).all(2).nonzero(as_tuple=True)
    changed = log_probs.clone()
    changed[rows, tokens[:, size - 1 :][rows, places]] = -torch.inf
    return _unless_nothing_is_left(changed, log_probs)


def forbid_early_end(tokens: Tensor, log_probs: Tensor, min_length: int) -> Tensor:
    """Forbid eos as long as the hypothesis would have fewer than `min_length` tokens, eos counted."""
    if tokens.shape[1] + 1 >= min_length:
        return log_probs
    changed = log_probs.clone()
    changed[:, EOS] = -torch.inf
    return _unless_nothing_is_left(changed, log_probs)


def _unless_nothing_is_left(changed: Tensor, log_probs: Tensor) -> Tensor:
    return torch.where(changed.amax(1, keepdim=True) == -torch.inf, log_probs, changed)


def keep_top_k(log_probs: Tensor, k: int) -> Tensor:
    """Keep the `k` most probable tokens of each row (N, V). Among equally probable tokens, lower ids are kept.

    Fan et al. 2018, "Hierarchical Neural Story Generation", arXiv:1805.04833, section 5.4.
    """
    if k >= log_probs.shape[1]:
        return log_probs
    values, ids = top(log_probs, k)
    return torch.full_like(log_probs, -torch.inf).scatter(1, ids, values)


def keep_top_p(log_probs: Tensor, p: float) -> Tensor:
    """Keep the smallest set of tokens of each row (N, V) whose probability is at least `p` (0 < p <= 1).

    The rows are normalized first, because a constraint may have changed their sums. Holtzman et al. 2020, "The Curious
    Case of Neural Text Degeneration" (nucleus sampling), arXiv:1904.09751, section 3.1.
    """
    if p >= 1.0:
        return log_probs
    vocabulary = log_probs.shape[1]
    normalizer = log_probs.logsumexp(1, keepdim=True)
    count = min(_GROUP, vocabulary)
    while True:  # usually a few tokens are enough, and finding them is far cheaper than sorting the row
        values, ids = top(log_probs, count)
        mass = (values - normalizer).exp().cumsum(1)
        if count == vocabulary or bool((mass[:, -1] >= p).all()):
            break
        count = min(8 * count, vocabulary)
    before = torch.cat([torch.zeros_like(mass[:, :1]), mass[:, :-1]], dim=1)  # mass of the more probable tokens
    kept = values.masked_fill(before >= p, -torch.inf)
    kept[:, 0] = values[:, 0]  # also if p is so small that it is 0 in float32
    return torch.full_like(log_probs, -torch.inf).scatter(1, ids, kept)


def top(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the `count` largest values of each row (N, V) and their columns, largest first.

    Among equal values, the lower column comes first. NaN counts as the largest.
    """
    return top_sums(values.new_zeros(len(values), 1), values, count)


def top_sums(totals: Tensor, values: Tensor, count: int, without: Sequence[int] = ()) -> tuple[Tensor, Tensor]:
    """Return the `count` largest sums of each sentence (B, count) and their places, largest first.

    A sum is the total of a hypothesis, `totals` (B, W), and one of its `values` (N, V) with N = B*W. Its place is its
    column in (B, W*V). The tokens `without` are forbidden. Equal sums and NaN are ordered as in `top`.

    A wide row is divided into groups of adjacent columns: its largest sums lie in the `count` groups with the largest
    maxima. Maxima are far cheaper than a selection, so this takes a fraction of the time of `topk` over complete rows.
    For few values, as with one sentence, the number of calls of torch counts more.
    """
    sentences, width = totals.shape
    groups = -(-values.shape[1] // _GROUP)
    if values.numel() <= FEW_VALUES or width * groups <= 2 * count:
        sums = totals.reshape(-1, 1) + values
        sums[:, list(without)] = -torch.inf
        return _select(sums.view(sentences, -1), count)
    columns = torch.arange(values.shape[1], device=values.device)
    maxima = totals.reshape(-1, 1) + _maxima(values, columns, without)
    chosen = top(maxima.view(sentences, -1), count)[1].sort(dim=1).values  # ascending: equal sums keep their order
    parents, ids = chosen // groups, (chosen % groups).unsqueeze(2) * _GROUP + columns[:_GROUP]  # (B, count, 64)
    places = (parents.unsqueeze(2) * len(columns) + ids.clamp(max=len(columns) - 1)).flatten(1)
    found = values.reshape(sentences, -1).gather(1, places).view(ids.shape)
    found = ban(found, ids, without).masked_fill(ids >= len(columns), -torch.inf)  # the last group may be short
    best, among = _select((totals.gather(1, parents).unsqueeze(2) + found).flatten(1), count)
    return best, places.gather(1, among)


def _maxima(values: Tensor, columns: Tensor, without: Sequence[int]) -> Tensor:
    """Return the maximum of each group of columns; the last group may be short."""
    whole = len(columns) // _GROUP * _GROUP
    parts = [values[:, :whole].view(len(values), -1, _GROUP).amax(2)]
    if whole < len(columns):
        parts.append(values[:, whole:].amax(1, keepdim=True))
    maxima = torch.cat(parts, dim=1)
    for group in {token // _GROUP for token in without}:
        some = slice(group * _GROUP, (group + 1) * _GROUP)
        maxima[:, group] = ban(values[:, some], columns[some], without).amax(1)
    return maxima


def _select(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the same as `top` by a selection over complete rows."""
    best, places = values.topk(min(count + 1, values.shape[1]), dim=1)
    # topk does not define which of equal values it takes, nor their order, so the few rows that have some are sorted.
    equal = ((best[:, 1:] == best[:, :-1]) & (best[:, 1:] > -torch.inf)).any(1)
    if bool(equal.any()):
        ordered = values[equal].sort(dim=1, descending=True, stable=True)
        best[equal], places[equal] = ordered.values[:, : best.shape[1]], ordered.indices[:, : best.shape[1]]
    return best[:, :count], places[:, :count]


def require_numbers(log_probs: Tensor) -> None:
    """Raise UserError where a value is NaN."""
    if bool(log_probs.isnan().any()):
        raise UserError(
            "search: the model's log-probabilities are NaN, so its weights are broken; use another checkpoint"
        )


@dataclass(frozen=True)
class Prefixed(Generic[S]):
    """The state `inner` after `read` steps, and the `prefixes` (B, P) of the sentences, padded at the end."""

    inner: S
    prefixes: Tensor
    read: int = 0

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        prefixes = self.prefixes if sentences is None else self.prefixes[sentences]
        return type(self)(self.inner.select(rows, sentences), prefixes, self.read)

    @property
    def coverage(self) -> Tensor:
        return cast(Attending, self.inner).coverage


def force_prefixes(
    step: Step[S], state: S, prefixes: Sequence[Sequence[int]], device: torch.device
) -> tuple[Step[Prefixed[S]], Prefixed[S]]:
    """Return a step function and a state with which every search begins with `prefixes`, one for each sentence.

    As long as a prefix lasts, all other tokens have a probability of 0, and its tokens keep their log-probabilities.
    The prefix counts in scores and lengths, and has precedence over other constraints. `prefixes` have no special
    tokens.
    """
    longest = max(map(len, prefixes))
    padded = torch.tensor([[*prefix, *[PAD] * (longest - len(prefix))] for prefix in prefixes], device=device)

    def forced(tokens: Tensor, state: Prefixed[S]) -> tuple[Tensor, Prefixed[S]]:
        log_probs, inner = step(tokens, state.inner)
        if state.read < longest:
            log_probs = _only(state.prefixes[:, state.read], log_probs)
        return log_probs, Prefixed(inner, state.prefixes, state.read + 1)

    return forced, Prefixed(state, padded)


def _only(wanted: Tensor, log_probs: Tensor) -> Tensor:
    """Forbid all tokens but those that the sentences want (B,) in `log_probs` (N, V). PAD: nothing is forbidden."""
    wanted = wanted.repeat_interleave(len(log_probs) // len(wanted)).unsqueeze(1)
    other = torch.arange(log_probs.shape[1], device=log_probs.device) != wanted
    return log_probs.masked_fill(other & (wanted != PAD), -torch.inf)
