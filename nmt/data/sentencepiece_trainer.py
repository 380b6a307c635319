"""Trains SentencePiece models (Kudo and Richardson 2018, arXiv:1808.06226)."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from nmt.data.normalization import rule_table
from nmt.errors import UserError, one_line
from nmt.tokens import BOS, EOS, PAD, RESERVED, UNK

if TYPE_CHECKING:
    from nmt.config.settings import TokenizerConfig

# Fixed options of SentencePiece's trainer, in addition to TokenizerConfig. They are part of the cache key.
TRAINER_OPTIONS: dict[str, Any] = {
    "pad_id": PAD,
    "unk_id": UNK,
    "bos_id": BOS,
    "eos_id": EOS,
    "byte_fallback": True,  # characters that are not in the training text become bytes instead of unk
    "user_defined_symbols": RESERVED,
    "split_digits": True,  # a model can then copy numbers that it has not seen
    "num_threads": 2,  # fixed, because the ids of a unigram model can depend on it
    "max_sentence_length": 1 << 16,  # bytes; SentencePiece skips longer lines without a warning (default 4,192)
    "minloglevel": 2,
}


def train_model(
    texts: Iterable[str], vocab_size: int, side: str, config: TokenizerConfig, tags: Sequence[str] = ()
) -> bytes:
    """Return a SentencePiece model trained on normalized texts, with a piece for the tag of each language in `tags`.

    `side` names the texts in errors.
    Raises UserError if SentencePiece cannot train on them.
    """
    writer = io.BytesIO()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        rules = Path(folder, "rules.tsv")
        rules.write_text(rule_table(), "utf-8")
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts),
                model_writer=writer,
                model_type=config.type,
                vocab_size=vocab_size,
                hard_vocab_limit=config.vocab_size is not None,  # a default size may be more than the texts allow
                character_coverage=config.character_coverage,
                normalization_rule_tsv=str(rules),
                control_symbols=[f">>{language}<<" for language in tags],  # a text never gives one
                **TRAINER_OPTIONS,
            )
        except RuntimeError as error:  # also for an exception of the texts
            if "KeyboardInterrupt" in str(error):
                raise KeyboardInterrupt from error
            reason = one_line(error).rpartition("] ")[2]
            got = f"got {config.vocab_size} for the {side} training text, on which SentencePiece cannot train"
            raise UserError(f"tokenizer.vocab_size: {got}: {reason} (null: a size that fits)") from error
    model = ModelProto.FromString(writer.getvalue())
    model.normalizer_spec.name = "nfc"
    model.normalizer_spec.ClearField("normalization_rule_tsv")  # the file's name, which differs from run to run
    return bytes(model.SerializeToString(deterministic=True))
