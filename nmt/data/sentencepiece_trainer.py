"""Trains SentencePiece models (Kudo and Richardson 2018, arXiv:1808.06226)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from nmt.data.normalization import rule_table
from nmt.errors import UserError
from nmt.system.atomic import temporary_folder
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


def train_model(texts: Iterable[str], vocab_size: int, side: str, config: TokenizerConfig) -> bytes:
    """Return a SentencePiece model trained on normalized texts. `side` names them in errors.

    Raises UserError if SentencePiece cannot train on them.
    """
    writer, failures = io.BytesIO(), list[BaseException]()
    with temporary_folder() as folder:
        rules = folder / "rules.tsv"
        rules.write_text(rule_table(), "utf-8")
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=_noting(iter(texts), failures),
                model_writer=writer,
                model_type=config.type,
                vocab_size=vocab_size,
                hard_vocab_limit=config.vocab_size is not None,  # a default size may be more than the texts allow
                character_coverage=config.character_coverage,
                normalization_rule_tsv=str(rules),
                **TRAINER_OPTIONS,
            )
        except RuntimeError as error:
            if failures:
                raise failures[0] from None
            raise _training_error(str(error), side, config) from error
    model = ModelProto.FromString(writer.getvalue())
    model.normalizer_spec.name = "nfc"
    model.normalizer_spec.ClearField("normalization_rule_tsv")  # the file's name, which differs from run to run
    return bytes(model.SerializeToString(deterministic=True))


def _noting(texts: Iterator[str], failures: list[BaseException]) -> Iterator[str]:
    """Yield `texts`, and append the exception that ends them to `failures`: SentencePiece turns it into a RuntimeError.

    A signal is such an exception while SentencePiece reads. While it computes, Python raises it after the training.
    """
    try:
        yield from texts
    except (Exception, KeyboardInterrupt) as error:
        failures.append(error)
        raise


def _training_error(message: str, side: str, config: TokenizerConfig) -> UserError:
    """Return an error that names the setting for which SentencePiece failed with `message`."""
    got = f"tokenizer.vocab_size: got {config.vocab_size}"
    null = "" if config.joint else ", or set tokenizer.vocab_size=null for a size that fits each language"
    if most := re.search(r"set it to a value <= (\d+)", message):
        return UserError(
            f"{got}, but the {side} training text allows at most {most[1]} pieces; "
            f"set tokenizer.vocab_size={most[1]} or lower{null}"
        )
    if least := re.search(r"smaller than required_chars\. \d+ vs (\d+)", message):
        return UserError(
            f"{got}, but the {side} training text needs at least {least[1]} pieces (its characters, 256 bytes, "
            f"{len(RESERVED)} reserved and 4 special pieces); increase it or lower tokenizer.character_coverage{null}"
        )
    if "sentences_.empty()" in message:
        return UserError(f"tokenizer: the {side} training text is empty; check data.train")
    return UserError(f"tokenizer: SentencePiece cannot train on the {side} text: {' '.join(message.split())}")
