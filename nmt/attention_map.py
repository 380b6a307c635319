"""What a model looked at while it wrote one translation: pieces or words, and the weights between them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import torch
from torch import Tensor

from nmt.errors import UserError

if TYPE_CHECKING:
    from nmt.models.interface import AttentionWeights

Kind = Literal["cross", "encoder_self", "decoder_self"]
KINDS: tuple[Kind, ...] = ("cross", "encoder_self", "decoder_self")
FORMAT, VERSION = "nmt-attention-map", 1
DECIMALS = 4
WORD_MARK = "\u2581"  # what SentencePiece writes for a space
SPECIAL = ("<s>", "</s>", "<pad>")
LATER_BYTE = re.compile("<[89AB][0-9A-F]>")  # of a byte-fallback character, whose first piece shows it
# Scripts that put no space between words: Thai and Lao, Burmese, Khmer, Kana and Han with their punctuation.
UNSPACED = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3000, 0x30FF), (0x31F0, 0x31FF)),
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF00, 0xFF9F), (0x20000, 0x3FFFF)),
)


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention of one sentence pair, a value: float32 weights on the CPU, S source and T target pieces.

    `cross` is (L, H, T, S), `encoder_self` (L, H, S, S), `decoder_self` (L, H, T, T); None where the model has none.
    A row is what was looked at from one place, and sums to 1. Row t of `cross` and `decoder_self` is the step that
    wrote `target_pieces[t]`; the columns of `decoder_self` are the pieces read until then, `read_pieces`: by default
    `<s>` and all target pieces but the last. `level` is "pieces" or "words".

    Raises ValueError for shapes that do not fit the pieces, or weights that are not finite.
    """

    source_pieces: Sequence[str]
    target_pieces: Sequence[str]
    cross: Tensor | None = field(repr=False)
    encoder_self: Tensor | None = field(repr=False)
    decoder_self: Tensor | None = field(repr=False)
    source: str
    target: str
    read_pieces: Sequence[str] = ()
    level: str = "pieces"

    def __post_init__(self) -> None:
        read = tuple(self.read_pieces) or ("<s>", *self.target_pieces[:-1])
        object.__setattr__(self, "source_pieces", tuple(self.source_pieces))
        object.__setattr__(self, "target_pieces", tuple(self.target_pieces))
        object.__setattr__(self, "read_pieces", read)
        for kind in KINDS:
            weights: Tensor | None = getattr(self, kind)
            if weights is not None:
                weights = weights.detach().to("cpu", torch.float32, copy=True)  # no longer an inference tensor
                self._check(kind, weights)
                object.__setattr__(self, kind, weights)

    def _check(self, kind: Kind, weights: Tensor) -> None:
        expected = tuple(map(len, self.axes(kind)))
        if weights.dim() != 4 or tuple(weights.shape[2:]) != expected or 0 in weights.shape:
            shape = f"(layers, heads, {expected[0]}, {expected[1]})"
            raise ValueError(f"{kind}: got shape {tuple(weights.shape)}, expected {shape}")
        if not bool(weights.isfinite().all()):
            raise ValueError(f"{kind}: the weights are not all finite numbers")

    @classmethod
    def from_weights(
        cls,
        weights: AttentionWeights,
        row: int = 0,
        *,
        source_pieces: Sequence[str],
        target_pieces: Sequence[str],
        source: str,
        target: str,
    ) -> Self:
        """Return the map of sentence `row` of a batch, its padding on the right cut off."""
        s, t = len(source_pieces), len(target_pieces)
        cross = None if weights.cross is None else weights.cross[row, :, :, :t, :s]
        encoder_self = None if weights.encoder_self is None else weights.encoder_self[row, :, :, :s, :s]
        decoder_self = None if weights.decoder_self is None else weights.decoder_self[row, :, :, :t, :t]
        return cls(source_pieces, target_pieces, cross, encoder_self, decoder_self, source, target)

    def axes(self, kind: Kind) -> tuple[Sequence[str], Sequence[str]]:
        """Return the pieces of the rows and of the columns of one kind of attention."""
        if kind == "encoder_self":
            return self.source_pieces, self.source_pieces
        return self.target_pieces, self.source_pieces if kind == "cross" else self.read_pieces

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that the model has, in the order of `KINDS`."""
        return tuple(kind for kind in KINDS if getattr(self, kind) is not None)

    def words(self) -> AttentionMap:
        """Return the map between words, itself where it is one already.

        Attention to a word is the sum over its pieces, attention from a word their mean, so that rows still sum to 1
        (Clark et al. 2019, "What Does BERT Look At?", arXiv:1906.04341, section 4.1). A word begins at a piece that
        begins with "▁"; the pieces of one byte-fallback character stay together; pieces of scripts written without
        spaces stay as they are.
        """
        if self.level == "words":
            return self
        source, target, read = map(group_words, (self.source_pieces, self.target_pieces, self.read_pieces))
        groups = {"cross": (target, source), "encoder_self": (source, source), "decoder_self": (target, read)}
        merged = {kind: _merge(getattr(self, kind), *groups[kind]) for kind in self.kinds}
        return AttentionMap(
            source_pieces=_texts(self.source_pieces, source),
            target_pieces=_texts(self.target_pieces, target),
            read_pieces=_texts(self.read_pieces, read),
            cross=merged.get("cross"),
            encoder_self=merged.get("encoder_self"),
            decoder_self=merged.get("decoder_self"),
            source=self.source,
            target=self.target,
            level="words",
        )

    def to_json(self) -> str:
        """Return the map as JSON, one row of weights a line, rounded to 4 decimals.

            {"format": "nmt-attention-map", "version": 1,
             "source": the source text, "target": the translation,
             "pieces": {"source": [S texts], "target": [T texts], "read": [T texts],
                        "cross": layers of heads of T rows of S weights, or null,
                        "encoder_self": layers of heads of S rows of S weights, or null,
                        "decoder_self": layers of heads of T rows of T weights, or null},
             "words": the same between words}

        So `data["pieces"]["cross"][2][0][5][7]` is how much head 1 of layer 3 looked at source piece 7 while it wrote
        target piece 5, pieces counted from 0. `read` names the columns of decoder_self. A map of words has no "pieces".
        """
        levels = {"words": self.words().to_plain()}
        if self.level == "pieces":
            levels = {"pieces": self.to_plain(), **levels}
        head = {"format": FORMAT, "version": VERSION, "source": self.source, "target": self.target}
        return _layout({**head, **levels}) + "\n"

    def to_plain(self) -> dict[str, Any]:
        """Return one level of the JSON: lists of texts, nested lists of weights."""
        plain: dict[str, Any] = {
            "source": list(self.source_pieces),
            "target": list(self.target_pieces),
            "read": list(self.read_pieces),
        }
        for kind in KINDS:
            weights = getattr(self, kind)
            plain[kind] = None if weights is None else _rounded(weights.tolist())
        return plain

    @classmethod
    def from_json(cls, text: str, *, where: str = "attention map") -> Self:
        """Return the map that `to_json` wrote. Raises UserError, naming `where`, for anything else."""
        try:
            data = json.loads(text)
        except ValueError as error:
            raise UserError(f"{where}: not JSON ({error}); expected a file written with attention=NAME.json") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise UserError(f'{where}: no attention map; expected JSON with "format": "{FORMAT}"')
        if data.get("version") != VERSION:
            raise UserError(
                f"{where}: got version {data.get('version')!r} of the format, expected {VERSION}; "
                "read it with the program that wrote it, or write it anew"
            )
        level = "pieces" if "pieces" in data else "words"
        try:
            plain = data[level]
            return cls(
                source_pieces=plain["source"],
                target_pieces=plain["target"],
                read_pieces=plain["read"],
                **{kind: None if plain[kind] is None else torch.tensor(plain[kind]) for kind in KINDS},
                source=data["source"],
                target=data["target"],
                level=level,
            )
        except (KeyError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise UserError(f"{where}: damaged attention map ({what}); write it anew") from None


def load(path: str | Path) -> AttentionMap:
    """Return the map in a JSON file that `save` wrote. Raises UserError for a file that is none."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read as an attention map ({error})") from None
    return AttentionMap.from_json(text, where=str(path))


def group_words(pieces: Sequence[str]) -> list[range]:
    """Return the words of a sentence as ranges of piece numbers, in order, without gaps; see `AttentionMap.words`."""
    units = _characters(pieces)
    texts = [_join(pieces[unit.start : unit.stop]) for unit in units]
    starts = [unit.start for unit in units[:1]]
    for (before, text), unit in zip(pairwise(texts), units[1:], strict=True):
        if _begins_word(before, text):
            starts.append(unit.start)
    return [range(start, stop) for start, stop in pairwise([*starts, len(pieces)])]


def _begins_word(before: str, text: str) -> bool:
    if text.startswith(WORD_MARK) or text in SPECIAL or before in SPECIAL:
        return True
    return before != WORD_MARK and (_unspaced(text[:1]) or _unspaced(before[-1:]))


def _unspaced(char: str) -> bool:
    return bool(char) and any(low <= ord(char) <= high for low, high in UNSPACED)


def _characters(pieces: Sequence[str]) -> list[range]:
    """Return each piece as a range of its own, but the byte pieces of one character as one."""
    starts = [i for i, piece in enumerate(pieces) if i == 0 or not LATER_BYTE.fullmatch(piece)]
    return [range(start, stop) for start, stop in pairwise([*starts, len(pieces)])]


def _join(pieces: Sequence[str]) -> str:
    """Return the text of consecutive pieces."""
    return "".join(piece for i, piece in enumerate(pieces) if i == 0 or not LATER_BYTE.fullmatch(piece))


def _texts(pieces: Sequence[str], groups: Sequence[range]) -> list[str]:
    joined = (_join(pieces[group.start : group.stop]) for group in groups)
    return [text.removeprefix(WORD_MARK) or text for text in joined]


def _merge(weights: Tensor, rows: Sequence[range], columns: Sequence[range]) -> Tensor:
    """Average `weights` (L, H, R, C) over the rows of each group and sum them over the columns of each."""
    means = torch.zeros(len(rows), weights.shape[2])
    for index, group in enumerate(rows):
        means[index, group.start : group.stop] = 1 / len(group)
    sums = torch.zeros(weights.shape[3], len(columns))
    for index, group in enumerate(columns):
        sums[group.start : group.stop, index] = 1
    return means @ weights @ sums


def _rounded(value: Any) -> Any:
    return [_rounded(item) for item in value] if isinstance(value, list) else round(value, DECIMALS)


def _layout(value: Any, indent: str = "") -> str:
    """Return JSON in which an object has an entry a line, and a list of lists a list a line."""
    inner = indent + " "
    if isinstance(value, dict):
        entries = [f"{inner}{json.dumps(key)}: {_layout(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(entries) + "\n" + indent + "}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(inner + _layout(item, inner) for item in value) + "\n" + indent + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
