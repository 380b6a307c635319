"""Gives Lightning the loaders of encoded pairs. No other module of `nmt.data` imports Lightning."""

from __future__ import annotations

from collections.abc import Sequence

import pytorch_lightning as pl

from nmt.config.settings import DataConfig
from nmt.data.batches import BatchLoader
from nmt.data.encoded import Encoded
from nmt.data.epochs import TrainingPairs


class TranslationData(pl.LightningDataModule):
    """Training and validation pairs as batches of ids. All validation pairs are used."""

    def __init__(self, train: TrainingPairs, val: Sequence[Encoded], config: DataConfig, *, seed: int) -> None:
        super().__init__()
        self.train_pairs = train
        self.val_pairs = val
        self.config = config
        self.seed = seed

    def train_dataloader(self) -> BatchLoader:
        """Return this rank's training batches, in a different order in each epoch."""
        return BatchLoader(
            self.train_pairs.of_epoch,
            self.config.batch_tokens,
            seed=self.seed,
            rank=self.trainer.global_rank if self.trainer else 0,
            world_size=self.trainer.world_size if self.trainer else 1,
        )

    def val_dataloader(self) -> BatchLoader:
        """Return the batches of this rank's share of the validation pairs, short to long."""
        trainer = self.trainer
        mine = self.val_pairs[trainer.global_rank :: trainer.world_size] if trainer else self.val_pairs
        return BatchLoader(lambda _: mine, self.config.eval_batch_tokens, shuffled=False)
