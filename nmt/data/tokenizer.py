"""Converts text to ids and ids to text with SentencePiece (Kudo and Richardson 2018, arXiv:1808.06226).

Every text is normalized (see `nmt.data.normalization`). So `decode_target(encode_target([text])[0])` is
`normalized(text)`, except for U+2581, which SentencePiece uses for the space.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import json
import logging
import math
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sentencepiece
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from nmt.data.normalization import normalized
from nmt.data.pair import Split
from nmt.data.sentencepiece_trainer import TRAINER_OPTIONS, train_model
from nmt.data.subwords import Inventory
from nmt.errors import UserError
from nmt.system.atomic import write_atomically
from nmt.system.run_files import MAX_TOKENIZER, require_regular
from nmt.text.protect import NO_SPANS, Spans
from nmt.text.protect import VERSION as SPANS_VERSION
from nmt.tokens import BOS, EOS, PAD, RESERVED, TAG, UNK, WORD_MARK, Piece

if TYPE_CHECKING:
    from nmt.config.settings import TokenizerConfig

VERSION = 4  # of the file, of the texts to train on, of their normalization, and of the default size
FIXED_PIECES = 4 + len(RESERVED) + 256  # special pieces, reserved pieces and bytes
MOST_PIECES = 32_000  # in a default vocabulary

logger = logging.getLogger(__name__)


class Tokenizer:
    """The vocabularies of source and target. In both, the ids are 0 for pad, 1 for unk, 2 for bos and 3 for eos.

    A vocabulary of several target languages has a tag for each, a piece such as ">>de<<" that no text contains. Every
    source then begins with the tag of the language to translate to (Johnson et al. 2017, arXiv:1611.04558).
    """

    def __init__(
        self, source_model: bytes, target_model: bytes | None = None, *, spans: Spans = NO_SPANS, target: str = ""
    ) -> None:
        """Take SentencePiece models as bytes. Without `target_model`, both sides share one vocabulary.

        `spans` are the spans of the texts of the training, and `target` is the language to translate to, which only a
        vocabulary with tags needs. Raises UserError for a model that is damaged or has other special ids, and for one
        that has no pieces for the marks of `spans` or no tag for `target`.
        """
        self.source_model = source_model
        self.target_model = target_model
        self.spans = spans
        self._source = _processor(source_model)
        self._target = self._source if target_model is None else _processor(target_model)
        self.tag = [self.tags[target]] if target in self.tags else []
        if target and self.tags and not self.tag:
            raise UserError(f"target_lang: got {target}, expected {', '.join(self.tags)}, or init_tokenizer=new")
        if spans and not {*RESERVED} <= {*self.source_vocabulary} & {*self.target_vocabulary}:
            raise UserError(
                f"spans: got {', '.join(spans.patterns)}, but this vocabulary has no pieces for their marks; use "
                f"spans=[], or train it with --user_defined_symbols={','.join(RESERVED)}"
            )

    @classmethod
    def train(
        cls,
        split: Split,
        config: TokenizerConfig,
        *,
        cache_dir: Path | None,
        spans: Spans = NO_SPANS,
        tags: Sequence[str] = (),
    ) -> Tokenizer:
        """Return the tokenizer of the files `config.path`, or one trained on `split` with marks in place of `spans`.

        A new one has a tag for each of the languages `tags`. The same texts, config, spans, tags and SentencePiece
        version give the same ids. The pairs may be larger than memory. If there are more than `config.max_pairs`, every
        n-th pair is used. Models are cached in the folder `cache_dir` (None: not cached). Raises UserError if the texts
        do not allow the size of the vocabulary.
        """
        if config.path is not None:
            paths = list(map(Path, [config.path] if isinstance(config.path, str) else config.path))
            try:
                for path in paths:
                    require_regular(path, MAX_TOKENIZER)
            except ValueError as error:
                raise UserError(f"tokenizer.path: {path}: {error}; expected a SentencePiece model") from error
            return cls(*(path.read_bytes() for path in paths), spans=spans)
        sides, key = ("joint",) if config.joint else ("source", "target"), _key(split, config, spans, tags)
        entries = [None if cache_dir is None else cache_dir / f"{side}-{key}.model" for side in sides]
        models = [_model(split, side, config, spans, tags, entry) for side, entry in zip(sides, entries, strict=True)]
        return cls(*models, spans=spans)

    def with_spans(self, spans: Spans) -> Tokenizer:
        """Return the same tokenizer for texts with other spans. Raises UserError if it has no marks for them."""
        return Tokenizer(self.source_model, self.target_model, spans=spans)

    def towards(self, language: str) -> Tokenizer:
        """Return the tokenizer of sources that are translated to `language`. Without tags, it is the same.

        Raises UserError if it has tags, but none for this language.
        """
        if not self.tags:
            return self
        return Tokenizer(self.source_model, self.target_model, spans=self.spans, target=language)

    @property
    def type(self) -> str:
        """The kind of the SentencePiece model: unigram or bpe."""
        spec = ModelProto.FromString(self.source_model).trainer_spec
        return str(spec.ModelType.Name(spec.model_type)).lower()

    @property
    def joint(self) -> bool:
        """Whether source and target share one vocabulary."""
        return self.target_model is None

    @property
    def source_vocab_size(self) -> int:
        """Number of source ids, specials included."""
        return int(self._source.get_piece_size())

    @property
    def target_vocab_size(self) -> int:
        """Number of target ids, specials included."""
        return int(self._target.get_piece_size())

    def encode_source(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text after its tag, if there is one, and before eos. An empty text gives [eos].

        A text is given in the form that models read, with pieces for its slots; see `nmt.text.protect`.
        """
        return [[*self.tag, *ids] if len(ids) > 1 else ids for ids in _encode(self._source, texts)]

    def encode_target(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of each text, followed by eos. An empty text gives [eos]."""
        return _encode(self._target, texts)

    def decode_target(self, ids: Sequence[int]) -> str:
        """Return the text of `ids` up to the first eos, on one line and without special ids."""
        kept = [index for index in itertools.takewhile(lambda index: index != EOS, map(int, ids)) if index > EOS]
        # Byte pieces can contain a line end, but a translation is one line.
        return normalized(self._target.decode(kept))

    def source_pieces(self, ids: Sequence[int]) -> list[Piece]:
        """Return one piece for each id, with a readable label."""
        return _pieces(self._source, ids)

    def target_pieces(self, ids: Sequence[int]) -> list[Piece]:
        """Return one piece for each id, with a readable label."""
        return _pieces(self._target, ids)

    @functools.cached_property
    def source_vocabulary(self) -> tuple[str, ...]:
        """The source pieces as SentencePiece names them, in the order of their ids."""
        return tuple(self._source.id_to_piece(list(range(self.source_vocab_size))))

    @functools.cached_property
    def target_vocabulary(self) -> tuple[str, ...]:
        """The target pieces as SentencePiece names them, in the order of their ids."""
        return tuple(self._target.id_to_piece(list(range(self.target_vocab_size))))

    @functools.cached_property
    def tags(self) -> dict[str, int]:
        """The source id of the tag of each target language; empty for a vocabulary of one direction."""
        found = ((TAG.fullmatch(piece), index) for index, piece in enumerate(self.source_vocabulary))
        return {match[1]: index for match, index in found if match and self._source.is_control(index)}

    @functools.cached_property
    def unknown_ids(self) -> tuple[frozenset[int], frozenset[int]]:
        """The source ids and the target ids that stand for characters without a piece: unk, and single bytes."""
        single = (filter(each.is_byte, range(each.get_piece_size())) for each in (self._source, self._target))
        source, target = (frozenset([UNK, *ids]) for ids in single)
        return source, target

    @functools.cached_property
    def word_starts(self) -> tuple[frozenset[int], frozenset[int]]:
        """The source ids and the target ids of the pieces that begin a word."""
        both = (enumerate(each) for each in (self.source_vocabulary, self.target_vocabulary))
        source, target = (frozenset(index for index, piece in each if piece.startswith(WORD_MARK)) for each in both)
        return source, target

    @functools.cached_property
    def inventories(self) -> tuple[Inventory, Inventory]:
        """The pieces of the source and those of the target."""
        source = Inventory.of(self._source)
        return source, source if self.joint else Inventory.of(self._target)

    def digest(self) -> str:
        """Return a digest of models, spans and SentencePiece's version. Equal digests mean equal ids for every text."""
        parts = [sentencepiece.__version__.encode(), self.source_model, self.target_model or b""]
        if self.spans:
            parts.append(json.dumps([SPANS_VERSION, self.spans.patterns]).encode())
        parts += [repr(self.tag).encode()] * len(self.tag)
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _processor(model: bytes) -> Any:
    if not 0 < len(model) <= MAX_TOKENIZER:  # SentencePiece would load an empty one, and log an error at each use
        raise UserError("tokenizer: the SentencePiece model is empty or very large; use another copy of the file")
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        specials = [processor.pad_id(), processor.unk_id(), processor.bos_id(), processor.eos_id()]
        pieces = processor.id_to_piece(list(range(processor.get_piece_size())))
    except (RuntimeError, TypeError, UnicodeDecodeError) as error:
        raise UserError("tokenizer: this is no SentencePiece model, or it is damaged; use another file") from error
    if specials != [PAD, UNK, BOS, EOS]:
        raise UserError(
            f"tokenizer: got ids {specials} for pad, unk, bos, eos, expected [0, 1, 2, 3]; train it with --pad_id=0 "
            "--unk_id=1 --bos_id=2 --eos_id=3 --byte_fallback"
        )
    single_bytes = [piece for index, piece in enumerate(pieces) if processor.is_byte(index)]
    spec = ModelProto.FromString(model).trainer_spec
    if single_bytes != [f"<0x{value:02X}>" for value in range(256)] or spec.model_type not in (spec.UNIGRAM, spec.BPE):
        raise UserError(
            "tokenizer: the SentencePiece model does not name the 256 bytes in order, or is neither unigram nor bpe; "
            "train it with --byte_fallback and --model_type=unigram"
        )
    return processor


def _encode(processor: Any, texts: Sequence[str]) -> list[list[int]]:
    return [[*ids, EOS] for ids in processor.encode([normalized(text) for text in texts])]


def _pieces(processor: Any, ids: Sequence[int]) -> list[Piece]:
    pieces: list[Piece] = []
    for is_byte, run in itertools.groupby(map(int, ids), key=processor.is_byte):
        names = [str(processor.id_to_piece(index)) for index in run]  # SentencePiece names a byte "<0x9F>"
        pieces += _byte_pieces(bytes(int(name[3:5], 16) for name in names)) if is_byte else map(Piece, names)
    return pieces


def _byte_pieces(values: bytes) -> Iterator[Piece]:
    """Yield one piece for each byte of a run; the first byte of a character is labelled with the character.

    An invisible character is labelled with its number.
    """
    for place, value in enumerate(values):
        continues = 0x80 <= value <= 0xBF  # in UTF-8, every byte of a character but the first is in this range
        character = values[place : place + 4].decode(errors="replace")[0]
        label = character if character.isprintable() else f"<U+{ord(character):04X}>"
        yield Piece(f"<{value:02X}>" if character == "\ufffd" else label, continues)


def _texts(split: Split, side: str, stride: int, spans: Spans) -> Iterator[str]:
    """Yield the training texts of a side, or of both sides if it is "joint", of every n-th pair."""
    for pair in itertools.islice(split, 0, None, stride):
        source, target = spans.read_pair(pair.source, pair.target)
        yield from {"source": [source], "target": [target]}.get(side, [source, target])


def default_size(characters: int, pairs: int) -> int:
    """Return the number of pieces for a corpus of this many `pairs` with this many different `characters`.

    Every character gets a piece. The number of further pieces grows with the square root of `pairs`, from 1,000 for
    1,000 pairs to 5,600 for the 29,000 pairs of Multi30k. The sum is at most 32,000 if all characters fit.
    """
    fewest = FIXED_PIECES + characters
    return max(fewest, min(MOST_PIECES, fewest + round(33 * math.sqrt(pairs))))


def _model(
    split: Split, side: str, config: TokenizerConfig, spans: Spans, tags: Sequence[str], entry: Path | None
) -> bytes:
    """Return the model in the file `entry` of the cache, or a new one, which is then written to it."""
    model, note = None if entry is None else _cached(entry), f", from {entry}"
    if model is None:
        stride = max(1, -(-len(split) // config.max_pairs))
        size = config.vocab_size
        if size is None:
            characters = {" ", *itertools.chain.from_iterable(_texts(split, side, stride, spans))}
            size = default_size(len(characters), len(split))
        model = train_model(_texts(split, side, stride, spans), size, side, config, tags)
        note = f", trained on one pair in {stride} of {len(split):,}" if stride > 1 else ""
        if entry is not None:
            write_atomically(entry, model)
    chosen = "" if config.vocab_size else " (for this corpus; tokenizer.vocab_size)"
    pieces = len(ModelProto.FromString(model).pieces)
    logger.info(f"tokenizer: {side} {config.type}, {pieces:,} pieces{chosen}{note}")
    return model


def _cached(entry: Path) -> bytes | None:
    """Return the model in a file of the cache, or None if the file is missing or damaged, or may not be read."""
    with suppress(OSError, UserError):
        _processor(model := entry.read_bytes())
        return model
    return None


def _key(split: Split, config: TokenizerConfig, spans: Spans, tags: Sequence[str]) -> str:
    settings = {
        **({"tags": tags} if tags else {}),
        **({"spans": [SPANS_VERSION, *spans.patterns.items()]} if spans else {}),  # the first that matches counts
        **dataclasses.asdict(config),
        **TRAINER_OPTIONS,
        "version": VERSION,
        "unicode": unicodedata.unidata_version,
        "sentencepiece": sentencepiece.__version__,
        "text": split.digest,
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:24]
