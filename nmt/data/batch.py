"""A batch of sentence pairs as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nmt.data.word_links import PieceLinks
from nmt.tokens import BOS, PAD


@dataclass(frozen=True)
class Batch:
    """B padded sentence pairs: ids (B, S) and (B, T), and masks of the same shapes that are True at real tokens.

    `target_in` begins with bos, `target_out` ends with eos, and a source ends with eos. `links` (K, 3) has the links
    between pieces, in a corpus with word alignments: each row is a sentence, a position in its `target_out`, and a
    position in its source. If not `counts`, another process trains on this batch: this process has no batch left in the
    epoch, and its gradient is multiplied by 0.
    """

    source: Tensor
    source_mask: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    links: Tensor | None = None
    counts: bool = True

    def to(self, device: torch.device | str) -> Batch:
        """Return the batch with every tensor on `device`."""
        moved: dict[str, Any] = {
            name: each.to(device) if isinstance(each, Tensor) else each for name, each in vars(self).items()
        }
        return Batch(**moved)


def pad(sequences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return ids (B, T), padded on the right to the longest sequence, and their bool mask (B, T)."""
    lengths = [len(sequence) for sequence in sequences]
    longest = max(lengths)
    # One call of torch.tensor for all rows, because one call for each row takes longer than the rest of a batch.
    ids = torch.tensor([[*sequence, *[PAD] * (longest - len(sequence))] for sequence in sequences])
    return ids, torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)


def make_batch(
    sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], links: Sequence[PieceLinks | None] = ()
) -> Batch:
    """Return the batch of encoded pairs; every source and target already ends with eos.

    All pairs of a corpus have `links`, or none has.
    """
    source, source_mask = pad(sources)
    target_out, target_mask = pad(targets)
    shifted = torch.cat((torch.full((len(targets), 1), BOS), target_out[:, :-1]), dim=1)
    target_in = shifted.masked_fill(~target_mask, PAD)
    return Batch(source, source_mask, target_in, target_out, target_mask, _joined(links))


def _joined(links: Sequence[PieceLinks | None]) -> Tensor | None:
    given = [each for each in links if each is not None]
    if not given:
        return None
    sentences = np.repeat(np.arange(len(given)), [len(each) for each in given])
    return torch.from_numpy(np.column_stack((sentences, np.concatenate(given).astype(np.int64))))


def batches_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield the indices of `lengths` in batches of similar length, longest first.

    A batch has at most `budget` padded tokens, but at least one sentence. The longest sentences come first, so that a
    lack of memory appears at once.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
