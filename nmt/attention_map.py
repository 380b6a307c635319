"""The attention weights of one translation, between pieces or between words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, Self, TypedDict

import regex
import torch
from torch import Tensor

from nmt.config.schema import Count, Number, read_json
from nmt.errors import UserError, one_line
from nmt.parameters import Form, Range
from nmt.text.languages import UNSPACED, WIDE
from nmt.tokens import START_MARKS, WORD_MARK, Piece

if TYPE_CHECKING:
    from nmt.models.interface import AttentionWeights

Kind = Literal["cross", "encoder_self", "decoder_self"]
KINDS: tuple[Kind, ...] = ("cross", "encoder_self", "decoder_self")
SIDES = ("source", "target", "read")
AXES = {"cross": ("target", "source"), "encoder_self": ("source", "source"), "decoder_self": ("target", "read")}
FORMAT, VERSION = "nmt-attention-map", 3
DECIMALS = 4
MAX_BYTES = 100_000_000  # of a file; a map of 12 layers with 16 heads takes 50 MB for sentences of 80 pieces
REMEDY = "write the map again, with attend.py or by a run"
# A character of a script without spaces, or punctuation of one; wide digits and Latin letters are none.
UNSPACED_CHARACTER = rf"[{UNSPACED}[{WIDE}--[\p{{Nd}}\p{{Latin}}]]]"


@dataclass(frozen=True)
class Origin:
    """The name of the model, its number of updates, and the score and log P of the translation. None: not known."""

    model: str | None = None
    update: Count | None = None
    score: Number | None = None
    log_prob: Number | None = None


class _Level(TypedDict):
    source: list[str]
    target: list[str]
    read: list[str]
    continues: dict[str, list[Count]]
    marks: dict[str, dict[str, str]]
    cross: list[Any] | None
    encoder_self: list[Any] | None
    decoder_self: list[Any] | None


class _MapFile(TypedDict):
    format: Annotated[str, Form(FORMAT, FORMAT)]
    version: Annotated[int, Range(low=VERSION, high=VERSION)]
    source: str
    target: str
    origin: Origin
    pieces: NotRequired[_Level]
    words: NotRequired[_Level]


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention weights of one sentence pair, as float32 tensors on the CPU.

    Legend: L layers, H heads, S source pieces, T target pieces.

    `cross` is (L, H, T, S), `encoder_self` (L, H, S, S), `decoder_self` (L, H, T, T). A kind that the model does not
    have is None. Each row sums to 1, or to less with `local_p`. Row t of `cross` and `decoder_self` holds the weights
    of the step that predicted `target_pieces[t]`. The columns of `decoder_self` are `read_pieces`, the input of the
    decoder: `<s>` and all target pieces except the last. `level` is "pieces" or "words". `origin` holds the model and
    the translation.

    Raises ValueError for shapes that do not fit the pieces, and for weights that are not finite.
    """

    source_pieces: tuple[Piece, ...]
    target_pieces: tuple[Piece, ...]
    read_pieces: tuple[Piece, ...]
    cross: Tensor | None = field(repr=False)
    encoder_self: Tensor | None = field(repr=False)
    decoder_self: Tensor | None = field(repr=False)
    source: str
    target: str
    origin: Origin = Origin()
    level: str = "pieces"

    def __post_init__(self) -> None:
        for kind in self.kinds:
            weights, expected = getattr(self, kind), tuple(map(len, self.axes(kind)))
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
        source_pieces: Sequence[Piece],
        target_pieces: Sequence[Piece],
        source: str,
        target: str,
        origin: Origin = Origin(),
    ) -> Self:
        """Return the map of sentence `row` of a batch, without the padding on the right.

        The map has its own copy of the weights, as float32 on the CPU.
        """
        sizes = {"source": len(source_pieces), "target": len(target_pieces), "read": len(target_pieces)}

        def cut(kind: Kind) -> Tensor | None:
            batch: Tensor | None = getattr(weights, kind)
            rows, columns = (sizes[side] for side in AXES[kind])
            if batch is None:
                return None
            # A copy, because a view would keep the weights of the complete batch in memory.
            return batch[row, :, :, :rows, :columns].detach().to("cpu", torch.float32, copy=True)

        pieces = tuple(source_pieces), tuple(target_pieces), (Piece("<s>"), *target_pieces[:-1])
        return cls(*pieces, cut("cross"), cut("encoder_self"), cut("decoder_self"), source, target, origin)

    def pieces(self, side: str) -> tuple[Piece, ...]:
        """Return the pieces of one of `SIDES`: the source, the target, or what the decoder has read."""
        pieces: tuple[Piece, ...] = getattr(self, f"{side}_pieces")
        return pieces

    def axes(self, kind: Kind) -> tuple[list[str], list[str]]:
        """Return the labels of the rows and of the columns of one kind of attention."""
        rows, columns = ([piece.label for piece in self.pieces(side)] for side in AXES[kind])
        return rows, columns

    def columns(self, kind: Kind) -> tuple[Piece, ...]:
        """Return the pieces of the columns of one kind of attention."""
        return self.pieces(AXES[kind][1])

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of attention that the model has, in the order of `KINDS`."""
        return tuple(kind for kind in KINDS if getattr(self, kind) is not None)

    def words(self) -> AttentionMap:
        """Return the map between words. A map between words returns itself.

        Attention to a word is the sum over its pieces, and attention from a word the mean, so that rows still sum to 1
        (Clark et al. 2019, arXiv:1906.04341, section 4.1). A piece that begins with "▁" starts a new word, and so does
        a start tag before it. The pieces of one character stay together. In scripts without spaces between words, each
        piece is a word.
        """
        if self.level == "words":
            return self
        groups = {side: group_words(self.pieces(side)) for side in SIDES}
        fields: dict[str, Any] = {f"{side}_pieces": _word_pieces(self.pieces(side), groups[side]) for side in SIDES}
        fields |= {kind: _merge(getattr(self, kind), *(groups[side] for side in AXES[kind])) for kind in self.kinds}
        return replace(self, **fields, level="words")

    def to_json(self) -> str:
        """Return the map as JSON on one line, with weights rounded to 4 decimals.

            {"format": "nmt-attention-map", "version": 3,
             "source": the source text, "target": the translation,
             "origin": {"model": its name, "update": the number of updates, "score": the search's score,
                        "log_prob": log P of the translation}, each of them null if it is not known,
             "pieces": {"source": [S labels], "target": [T labels], "read": [T labels],
                        "continues": {"source": [positions], "target": [positions], "read": [positions]},
                        "marks": {"source": {position: mark}, "target": {...}, "read": {...}},
                        "cross": layers of heads of T rows of S weights, or null,
                        "encoder_self": layers of heads of S rows of S weights, or null,
                        "decoder_self": layers of heads of T rows of T weights, or null},
             "words": the same between words}

        For example, `data["pieces"]["cross"][2][0][5][7]` is the weight that head 1 of layer 3 gives to source piece 7
        when the model predicts target piece 5, both counted from 0. "read" are the columns of decoder_self. "continues"
        lists pieces that continue the character before them, and "marks" the pieces of spans. A map of words has no
        "pieces".
        """
        head = {"format": FORMAT, "version": VERSION, "source": self.source, "target": self.target}
        pieces = {"pieces": self.to_plain()} if self.level == "pieces" else {}
        whole = {**head, "origin": asdict(self.origin), **pieces, "words": self.words().to_plain()}
        return json.dumps(whole, ensure_ascii=False, allow_nan=False) + "\n"

    def to_plain(self) -> dict[str, Any]:
        """Return one level of the JSON: lists of labels, lists of positions, and nested lists of weights."""
        sides = {side: self.pieces(side) for side in SIDES}
        plain: dict[str, Any] = {side: [piece.label for piece in pieces] for side, pieces in sides.items()}
        plain["continues"] = {
            side: [i for i, each in enumerate(pieces) if each.continues] for side, pieces in sides.items()
        }
        plain["marks"] = {
            side: {str(i): each.mark for i, each in enumerate(pieces) if each.mark} for side, pieces in sides.items()
        }
        for kind in KINDS:
            weights = getattr(self, kind)
            plain[kind] = None if weights is None else weights.double().round(decimals=DECIMALS).tolist()
        return plain


def load(path: str | Path) -> AttentionMap:
    """Return the map in a JSON file that `nmt.lab.attention.figure.save` wrote. Raises UserError for any other file."""
    data: Any = read_json(Path(path), _MapFile, remedy=REMEDY, max_bytes=MAX_BYTES)
    name = "pieces" if "pieces" in data else "words"
    try:
        level = data[name]
        fields: dict[str, Any] = {f"{side}_pieces": _parse_pieces(level, side) for side in SIDES}
        fields |= {kind: None if level[kind] is None else torch.tensor(level[kind]).float() for kind in KINDS}
        return AttentionMap(**fields, source=data["source"], target=data["target"], origin=data["origin"], level=name)
    except (LookupError, TypeError, ValueError, RuntimeError, OverflowError) as error:  # some of them by torch
        raise UserError(f"{path}: damaged ({one_line(error)}); {REMEDY}") from None


def _parse_pieces(level: Any, side: str) -> tuple[Piece, ...]:
    continues, marks = set(level["continues"][side]), level["marks"][side]
    return tuple(Piece(label, i in continues, marks.get(str(i), "")) for i, label in enumerate(level[side]))


def group_words(pieces: Sequence[Piece]) -> list[range]:
    """Return the words of a sentence as ranges of piece positions; `AttentionMap.words` defines a word.

    The ranges are in order and cover every piece once.
    """
    pieces = _as_written(pieces)
    characters = _ranges([i for i, piece in enumerate(pieces) if i == 0 or not piece.continues], len(pieces))
    own = [pieces[character.start : character.stop] for character in characters]
    begin = [True, *map(_begins_word, own, own[1:])]
    starts = [character.start for character, begins in zip(characters, begin, strict=False) if begins]
    return _ranges(starts, len(pieces))


def _as_written(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with the space before a start tag where the text has it; models read it behind the tag."""
    written = list(pieces)
    for i in reversed(range(len(written) - 1)):
        tag, after = written[i : i + 2]
        spaced = i > 0 and written[i - 1].label == WORD_MARK
        first = i < 2 or written[i - 2].is_outside  # there is always a "▁" at the start of a sentence
        if tag.mark in START_MARKS and after.label.startswith(WORD_MARK) and (first or not spaced):
            written[i] = tag if spaced else replace(tag, label=WORD_MARK + tag.label)
            written[i + 1] = replace(after, label=after.label.removeprefix(WORD_MARK))
    return written


def _ranges(starts: Sequence[int], end: int) -> list[range]:
    return [range(start, stop) for start, stop in pairwise([*starts, end])]


def _begins_word(last: Sequence[Piece], pieces: Sequence[Piece]) -> bool:
    """Return whether a word begins with the `pieces` of a character, after the character before it."""
    before, text = _join(last), _join(pieces)
    if text.startswith(WORD_MARK) or pieces[0].is_outside or last[0].is_outside:
        return True
    sides = (text[:1], before[-1:])
    return before != WORD_MARK and any(regex.match(UNSPACED_CHARACTER, side, regex.V1) for side in sides)


def _join(pieces: Sequence[Piece]) -> str:
    return "".join(piece.label for i, piece in enumerate(pieces) if i == 0 or not piece.continues)


def _word_pieces(pieces: Sequence[Piece], words: Sequence[range]) -> tuple[Piece, ...]:
    merged, pieces = [], _as_written(pieces)
    for word in words:
        own = pieces[word.start : word.stop]
        text, marks = _join(own), "".join(piece.mark for piece in own)
        merged.append(Piece(text.removeprefix(WORD_MARK) or text, mark=marks))
    return tuple(merged)


def _merge(weights: Tensor, rows: Sequence[range], columns: Sequence[range]) -> Tensor:
    """Return the mean of `weights` (L, H, R, C) over each group of rows, summed over each group of columns."""
    inside = [
        torch.tensor([[float(i in group) for i in range(size)] for group in groups])
        for groups, size in ((rows, weights.shape[2]), (columns, weights.shape[3]))
    ]
    return inside[0] / inside[0].sum(1, keepdim=True) @ weights @ inside[1].T
