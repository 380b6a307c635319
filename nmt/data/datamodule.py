"""Gives Lightning the loaders of encoded pairs. No other module of `nmt.data` imports Lightning."""

from __future__ import annotations

import functools
import logging
from collections.abc import Sequence

import pytorch_lightning as pl

from nmt.config.settings import DataConfig
from nmt.data.encoded import Encoded
from nmt.data.encoding import counts
from nmt.data.loader import BatchLoader, count_batches
from nmt.data.training_pairs import TrainingPairs

logger = logging.getLogger(__name__)


class TranslationData(pl.LightningDataModule):
    """Training and validation pairs as batches of ids.

    Logs how many training pairs the filters dropped; all validation pairs are used.
    """

    def __init__(self, train: TrainingPairs, val: Sequence[Encoded], config: DataConfig, *, seed: int) -> None:
        super().__init__()
        self.train_pairs = train
        self.val_pairs = val
        self.config = config
        self.seed = seed
        if train.dropped:
            total = sum(train.dropped.values())
            logger.info(f"training pairs: {total:,} dropped ({counts(train.dropped)}); {train.kept:,} kept")

    @functools.cached_property
    def _batches(self) -> int:
        """The number of training batches, counted once, because the first epoch may have to be made for it."""
        return count_batches(self.train_pairs, self.config.batch_tokens)

    def train_dataloader(self) -> BatchLoader:
        """Return this rank's training batches, in a different order in each epoch."""
        trainer = self.trainer
        return BatchLoader(
            self.train_pairs,
            self.config.batch_tokens,
            seed=self.seed,
            rank=trainer.global_rank if trainer else 0,
            world_size=trainer.world_size if trainer else 1,
            count=self._batches,
        )

    def val_dataloader(self) -> BatchLoader:
        """Return the batches of this rank's share of the validation pairs, short to long."""
        trainer = self.trainer
        mine = self.val_pairs[trainer.global_rank :: trainer.world_size] if trainer else self.val_pairs
        return BatchLoader(mine, self.config.eval_batch_tokens, shuffled=False)
