"""Encoded corpus to loaders: the one place in `nmt.data` that knows Lightning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytorch_lightning as pl

from nmt.config.settings import DataConfig
from nmt.data.corpus import SentencePair
from nmt.data.loader import BatchLoader, Encoded
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError


class TranslationData(pl.LightningDataModule):
    """Training and validation pairs as batches of ids.

    Training pairs that are empty, too long or too lopsided are dropped, counted and said once; validation is whole.
    """

    def __init__(
        self,
        train: Sequence[SentencePair],
        val: Sequence[SentencePair],
        tokenizer: Tokenizer,
        config: DataConfig,
        *,
        seed: int,
        say: Callable[[str], None],
    ) -> None:
        super().__init__()
        self.config = config
        self.seed = seed
        self.train_pairs = self._keep(encode(train, tokenizer), say)
        self.val_pairs = encode(val, tokenizer)

    def _keep(self, pairs: list[Encoded], say: Callable[[str], None]) -> list[Encoded]:
        reasons = [reason_to_drop(pair, self.config) for pair in pairs]
        kept = [pair for pair, reason in zip(pairs, reasons, strict=True) if reason is None]
        dropped = Counter(reason for reason in reasons if reason)
        if dropped:
            counts = ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items()))
            say(f"training pairs: {len(kept):,} kept, {counts} dropped")
        if not kept:
            raise UserError(
                f"data: every training pair was dropped ({len(pairs):,} pairs, data.max_length="
                f"{self.config.max_length} pieces, data.max_ratio={self.config.max_ratio}); raise these limits"
            )
        return kept

    def train_dataloader(self) -> BatchLoader:
        """Return this rank's training batches, in an order of its own every epoch."""
        trainer = self.trainer
        return BatchLoader(
            self.train_pairs,
            self.config.batch_tokens,
            seed=self.seed,
            rank=trainer.global_rank if trainer else 0,
            world_size=trainer.world_size if trainer else 1,
        )

    def val_dataloader(self) -> BatchLoader:
        """Return the batches of this rank's share of the validation pairs, short to long."""
        trainer = self.trainer
        mine = self.val_pairs[trainer.global_rank :: trainer.world_size] if trainer else self.val_pairs
        return BatchLoader(mine, self.config.eval_batch_tokens, shuffle=False)


def encode(pairs: Sequence[SentencePair], tokenizer: Tokenizer) -> list[Encoded]:
    """Return the ids of every pair; both sides end with eos."""
    sources = tokenizer.encode_source([pair.source for pair in pairs])
    targets = tokenizer.encode_target([pair.target for pair in pairs])
    return list(zip(sources, targets, strict=True))


def reason_to_drop(pair: Encoded, config: DataConfig) -> str | None:
    """Return why a training pair is left out ("empty", "too long", "of unequal length"), or None to keep it."""
    shorter, longer = sorted((len(pair[0]), len(pair[1])))
    if shorter < 2:  # eos alone
        return "empty"
    if longer > config.max_length:
        return "too long"
    if longer > config.max_ratio * shorter:
        return "of unequal length"
    return None
