"""The base class of the views beside attention, and what a view says of one translation.

A view answers the question what each token of a translation came from. It is one Python file in this package and one
YAML in configs/views.

Legend: L layers, H heads, S source tokens, T target tokens, C columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap, group_words
from nmt.config.instantiate import instantiate
from nmt.errors import UserError
from nmt.lab.attention.view import View, view
from nmt.lab.attribution.prediction import Prediction
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import evaluating
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

VIEWS = ("nmt.lab.attribution",)
DECIMALS = 6
TINY = 1e-30  # instead of a divisor that is 0
COLUMNS = {
    "inputs": "source, then translation read so far",
    "source": "source",
    "layers": "after the layer",
}


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores (L, H, T, C) of a view, in float32 on the CPU, and for some views the token ids (T, C) of the cells.

    L and H are 1, unless the view has scores of each layer or head.
    """

    values: Tensor
    tokens: Tensor | None = None


class AttributionView(ABC):
    """Scores how much each column contributes to each token of a translation.

    `title` is the heading of tables and pictures. `columns` says what the columns are: "inputs" are the S source tokens
    and after them the T tokens that the decoder reads, "source" the source tokens alone, and "layers" the layers of the
    decoder, with the embeddings first. `rolls` says that layer l stands for the first l layers, as in a rollout.
    `signed` says that scores may be negative; then the shares of their absolute values are shown.
    """

    title: ClassVar[str]
    columns: ClassVar[Literal["inputs", "source", "layers"]] = "inputs"
    rolls: ClassVar[bool] = False
    signed: ClassVar[bool] = False

    @abstractmethod
    def scores(self, prediction: Prediction) -> Scores:
        """Return the scores of one sentence; the model is in evaluation mode, and gradients are computed.

        Raises UserError for a model that the view cannot look into.
        """


@dataclass(frozen=True, eq=False)
class Attribution:
    """What the view `method` says of one translation.

    `pieces` has the pieces, the texts and the origin, without weights. `cells` (T x C) are the texts of the cells, if
    the view has any.
    """

    method: AttributionView
    pieces: AttentionMap
    scores: Tensor
    cells: list[list[str]] | None = None

    @property
    def source_share(self) -> Tensor:
        """The share (T,) of the source in what each target piece came from; the rest is that of its prefix."""
        seen = self.view()
        return torch.from_numpy(seen.panel()[0])[:, : seen.source].sum(-1)

    def view(self, *, words: bool = False) -> View:
        """Return what tables, pictures and pages show. `words` merges pieces to words.

        The score of a word is the sum of the scores of its pieces in a row, and their mean in a column.
        """
        method, split = self.method, self._split()
        merged = split.words() if words else split
        rows = [piece.label for piece in merged.target_pieces]
        if method.columns == "layers":
            values, columns = self._by_row(words), layer_names(self.scores.shape[-1])
        else:
            parts = [getattr(merged, kind) for kind in merged.kinds]
            values = torch.cat(parts, dim=-1)
            columns = [label for kind in merged.kinds for label in merged.axes(kind)[1]]
        reach = [len(columns)] * len(rows)
        if method.columns == "inputs":
            seen = view(split, "decoder_self", words=words).reach
            reach = [len(merged.source_pieces) + count for count in seen]
        return View(
            merged,
            method.title,
            ("translation", COLUMNS[method.columns]),
            (rows, columns),
            (shares(values) if method.columns == "inputs" else values).numpy(),
            reach,
            rolls=method.rolls,
            cells=None if words else self.cells,
            source=len(merged.source_pieces) if method.columns == "inputs" else None,
        )

    def levels(self) -> dict[str, View]:
        """Return the views of pieces and of words, for a page."""
        return {"pieces": self.view(), "words": self.view(words=True)}

    def to_plain(self) -> dict[str, Any]:
        """Return the scores as plain lists, rounded to 6 decimals, for JSON, and the source share if there is one."""
        plain: dict[str, Any] = {"columns": self.method.columns, "scores": _rounded(self.scores.tolist())}
        if self.cells is not None:
            plain["tokens"] = self.cells
        if self.method.columns == "inputs":
            plain["source_share"] = _rounded(self.source_share.tolist())
        return plain

    def _split(self) -> AttentionMap:
        """Return the scores as a map: those of the source as `cross`, those of the tokens read as `decoder_self`."""
        if self.method.columns == "layers":
            return self.pieces
        size = len(self.pieces.source_pieces)
        prefix = self.scores[..., size:] if self.method.columns == "inputs" else None
        return replace(self.pieces, cross=self.scores[..., :size].contiguous(), decoder_self=prefix)

    def _by_row(self, words: bool) -> Tensor:
        """Return the scores, with the mean over the pieces of each word of the translation if `words`."""
        if not words:
            return self.scores
        groups = group_words(self.pieces.target_pieces)
        return torch.stack([self.scores[:, :, group.start : group.stop].mean(2) for group in groups], dim=2)


def _rounded(value: Any) -> Any:
    return [_rounded(item) for item in value] if isinstance(value, list) else round(value, DECIMALS)


def shares(scores: Tensor) -> Tensor:
    """Return the absolute values of `scores` (..., C) as shares of their sum. A row of zeros stays as it is."""
    sizes = scores.abs()
    return sizes / sizes.sum(-1, keepdim=True).clamp(min=TINY)


def layer_names(count: int) -> list[str]:
    """Return the names of the columns of a view of the decoder's layers."""
    return ["embedding", *(f"layer {number}" for number in range(1, count))]


def build_views(nodes: Mapping[str, Any], *, allow: Sequence[str] = ()) -> dict[str, AttributionView]:
    """Return the views that the nodes of `views` describe, by name. Raises UserError for nodes that do not fit."""
    views = {}
    for name, node in nodes.items():
        found = instantiate(node, f"views.{name}", within=VIEWS, allow=allow)
        if not isinstance(found, AttributionView):
            raise UserError(
                f"views.{name}._target_: got {node['_target_']}, expected a class derived from "
                f"{VIEWS[0]}.base.AttributionView"
            )
        views[name] = found
    return views


def attribute(method: AttributionView, translator: Translator, translation: Translation) -> Attribution:
    """Return what a view says of `translation`, which comes from the translator.

    Each sentence is computed alone, so other sentences have no influence. Raises UserError for an empty sentence, for a
    source that was split, and for a model that the view cannot look into.
    """
    translator.check_whole(translation)
    pieces = translator.map_of(translation, AttentionWeights())
    device = translator.device
    source, target = (torch.tensor(ids, device=device) for ids in (translation.source_part.ids[0], translation.tokens))
    prediction = Prediction(translator.model, source, target, [piece.label for piece in pieces.source_pieces])
    # cuDNN computes no gradients of recurrent layers in evaluation mode.
    with evaluating([translator.model]), torch.backends.cudnn.flags(enabled=False):
        found = method.scores(prediction)
    cells = None
    if found.tokens is not None:
        cells = [[piece.label for piece in translator.tokenizer.target_pieces(row)] for row in found.tokens.tolist()]
    return Attribution(method, pieces, found.values.detach().to("cpu", torch.float32), cells)
