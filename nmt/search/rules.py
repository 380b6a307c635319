"""Rules on the next token: small functions over log-probabilities that strategies share.

Some rules also read the tokens so far (N, t), without bos. A rule returns log-probabilities (N, V) in which a token
that it forbids has -inf. The others keep their values, so the probabilities of a row may sum to less than 1; only the
repetition penalty changes values.

A rule on the tokens so far gives way where it would forbid all tokens that are left: this row stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from nmt.errors import UserError
from nmt.tokens import BOS, EOS, PAD

NEVER_GENERATED = (PAD, BOS)
_GROUP = 64  # columns whose maximum `top` looks at first


def ban(log_probs: Tensor, ids: Tensor, tokens: Sequence[int]) -> Tensor:
    """Forbid `tokens`. `ids` says which token each column of `log_probs` is, and may be broadcast to its shape."""
    for token in tokens:
        log_probs = log_probs.masked_fill(ids == token, -torch.inf)
    return log_probs


def penalize_repetition(tokens: Tensor, log_probs: Tensor, penalty: float) -> Tensor:
    """Make the tokens of the hypothesis so far less probable (Keskar et al. 2019, CTRL, arXiv:1909.05858, section 4.1).

    The logit x of such a token becomes x / penalty, or x * penalty if x is negative. Logits are defined up to a
    constant; here their mean over the tokens that are left is 0. Then the row is normalized to the sum that it had.
    """
    possible = log_probs > -torch.inf
    mean = log_probs.masked_fill(~possible, 0.0).sum(1, keepdim=True) / possible.sum(1, keepdim=True).clamp(min=1)
    logits = log_probs - mean
    seen = torch.zeros_like(possible).scatter(1, tokens, True)
    changed = torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)
    total = log_probs.logsumexp(1, keepdim=True)
    changed = changed - changed.logsumexp(1, keepdim=True) + total
    return torch.where(total == -torch.inf, log_probs, changed)


def forbid_repeated_ngrams(tokens: Tensor, log_probs: Tensor, size: int) -> Tensor:
    """Forbid every token that would complete an n-gram of `size` tokens which the hypothesis has already.

    Paulus et al. 2018, arXiv:1705.04304, section 2.5, for trigrams.
    """
    if tokens.shape[1] < size:
        return log_probs
    starts = tokens.unfold(1, size - 1, 1)  # (N, t - size + 2, size - 1); the last one is what the next token follows
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
    """Keep the `k` most probable tokens of each row (N, V). Among equal ones, lower ids are kept.

    Fan et al. 2018, "Hierarchical Neural Story Generation", arXiv:1805.04833, section 5.4.
    """
    if k >= log_probs.shape[1]:
        return log_probs
    values, ids = top(log_probs, k)
    return torch.full_like(log_probs, -torch.inf).scatter(1, ids, values)


def keep_top_p(log_probs: Tensor, p: float) -> Tensor:
    """Keep the smallest set of tokens of each row (N, V) whose probability is at least `p` (0 < p <= 1).

    The rows are normalized first, because another rule may have changed their sums. Holtzman et al. 2020, "The Curious
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
    maxima. Maxima are far cheaper than a selection, so this takes a fraction of the time of `topk` over whole rows.
    """
    sentences, width = totals.shape
    columns = torch.arange(values.shape[1], device=values.device)
    groups = -(-len(columns) // _GROUP)
    if width * groups <= 2 * count:
        sums = totals.reshape(-1, 1) + ban(values, columns, without)
        return _select(sums.view(sentences, -1), count)
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
    """Return the same as `top` by a selection over whole rows."""
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
            "search: the model's log-probabilities are NaN, so its weights are broken; use another checkpoint, or "
            "train with a lower optimizer.lr"
        )
