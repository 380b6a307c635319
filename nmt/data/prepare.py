"""The sentence pairs of a run: read from their sources, then encoded."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nmt.config.settings import DataConfig, TrainConfig
from nmt.data.augment.base import Augmentation
from nmt.data.augment.pairs import Augmenter
from nmt.data.cache import cache_folder
from nmt.data.encoded import EncodedCorpus, EncodedPairs
from nmt.data.encoding import encode_corpus
from nmt.data.filters import make_filters
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.data.training_pairs import BothDirections, SubwordSampling, Swap, TrainingPairs, WeightedCorpus
from nmt.errors import UserError, counted
from nmt.system.lines import digest

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Corpora:
    """The splits of the corpus, and the further training corpora `data.more`."""

    splits: Mapping[str, Split]
    more: Mapping[str, Split]

    def digest(self, data: DataConfig, *, linked: bool) -> str:
        """Return a digest of the training and validation pairs, and if `linked` of their alignments."""
        splits = self.splits["train"], self.splits["val"]
        links = [split.links or "" for split in splits if linked]
        added = [f"{self.more[name].digest} {entry.weight}" for name, entry in (data.more or {}).items()]
        return digest(*(split.digest for split in splits), *links, *added, *["both directions"] * data.both_directions)

    def training_pairs(
        self, tokenizer: Tokenizer, augmentations: Sequence[Augmentation], settings: TrainConfig, *, linked: bool
    ) -> TrainingPairs:
        """Return the encoded training pairs of each epoch, with the changes of `augmentations`.

        Raises UserError if the filters drop all pairs of a corpus."""
        data = settings.data

        def encoded(split: Split) -> EncodedCorpus:
            filters = make_filters(data, {**self.splits, "train": split})
            return encode_corpus(split, tokenizer, filters, folder=cache_folder(), linked=linked)

        parts = [WeightedCorpus(encoded(self.splits["train"]))]
        for name, entry in (data.more or {}).items():
            try:
                parts.append(WeightedCorpus(encoded(self.more[name]), entry.weight))
                if not len(parts[-1]):
                    raise UserError(
                        f"got weight {entry.weight} for {counted(len(parts[-1].corpus), 'pair')}, expected a "
                        "weight with which an epoch has at least one of them"
                    )
            except UserError as error:
                raise UserError(f"data.more.{name}: {error}") from error
        swap, augmenter = Swap(tokenizer) if data.both_directions else None, None
        if augmentations:
            first: EncodedPairs = parts[0].corpus
            learned_from = first if swap is None else BothDirections(first, swap)
            augmenter = Augmenter(tokenizer, augmentations, data.max_length, learned_from)
        strength, sampling = data.subword_sampling, None
        if strength is not None:
            sampling = SubwordSampling(tokenizer, settings.tokenizer.type, strength, data.max_length)
        train = TrainingPairs(parts, swap=swap, augmenter=augmenter, sampling=sampling, seed=settings.seed)
        if self.more or data.both_directions:
            logger.info(f"training pairs: {len(train):,} in an epoch")
        return train
