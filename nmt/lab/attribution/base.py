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
from torch import Tensor, nn

from nmt.attention_map import AttentionMap, group_words
from nmt.errors import UserError
from nmt.lab.attention.view import View, view
from nmt.lab.attribution.prediction import Prediction
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import Seq2Seq, evaluating
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator, require_one_source

DECIMALS = 6
TINY = 1e-30  # instead of a divisor that is 0
COLUMNS = {"inputs": "source, then translation read so far", "source": "source", "layers": "after the layer"}


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores (L, H, T, C) of a view, in float32 on the CPU, and for some views the token ids (T, C) of the cells.

    L and H are 1, unless the view has scores of each layer or head.
    """

    values: Tensor
    tokens: Tensor | None = None


class AttributionView(ABC):
    """Scores how much each column contributes to each token of a translation.

    `title` is the heading of tables and pictures, and `question` what the view answers. `columns` says what the columns
    are: "inputs" are the S source tokens and after them the T tokens that the decoder reads, "source" the source tokens
    alone, and "layers" the layers of the decoder, with the embeddings first. With "encoder", the rows are source tokens
    too. `needs` are the encoders and decoders that the view can look into, if it cannot look into all. `rolls` says
    that layer l stands for the first l layers, as in a rollout. Scores may be negative. With the columns "inputs" and
    "encoder", the shares of their absolute values are shown.
    """

    title: ClassVar[str]
    question: ClassVar[str] = ""
    columns: ClassVar[Literal["inputs", "source", "layers", "encoder"]] = "inputs"
    needs: ClassVar[tuple[type[nn.Module], ...]] = ()
    rolls: ClassVar[bool] = False

    def check(self, model: Seq2Seq) -> None:
        """Raise UserError for a model that the view cannot look into."""
        sides = model.encoder, model.decoder
        for kind in self.needs:
            if not any(isinstance(side, kind) for side in sides):
                encoder, decoder = (type(side).__name__ for side in sides)
                raise UserError(
                    f"{self.title}: it looks into the layers of a {kind.__name__}, but this model has a {encoder} and "
                    f"a {decoder}; use views=occlusion or views=integrated_gradients"
                )

    @abstractmethod
    def scores(self, prediction: Prediction) -> Scores:
        """Return the scores of one sentence; the model is in evaluation mode, and gradients are computed."""


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
        if method.columns == "encoder":
            seen = view(split, "encoder_self", words=words)
            weights = shares(torch.from_numpy(seen.weights)).numpy()
            return replace(seen, title=method.title, question=method.question, weights=weights)
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
            reach = [len(merged.source_pieces) + n for n in view(split, "decoder_self", words=words).reach]
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
            question=method.question,
        )

    def levels(self) -> dict[str, View]:
        """Return the views of pieces and of words, for a page."""
        return {"pieces": self.view(), "words": self.view(words=True)}

    def to_plain(self) -> dict[str, Any]:
        """Return the scores as plain lists, rounded to 6 decimals, for JSON, and the source share if there is one."""
        plain: dict[str, Any] = {"columns": self.method.columns, "scores": _rounded(self.scores)}
        if self.cells is not None:
            plain["tokens"] = self.cells
        if self.method.columns == "inputs":
            plain["source_share"] = _rounded(self.source_share)
        return plain

    def _split(self) -> AttentionMap:
        """Return the scores as a map: those of the source as `cross`, those of the tokens read as `decoder_self`.

        Scores of layers are in no map, and those of the encoder are `encoder_self`.
        """
        if self.method.columns == "layers":
            return self.pieces
        if self.method.columns == "encoder":
            return replace(self.pieces, encoder_self=self.scores)
        size = len(self.pieces.source_pieces)
        prefix = self.scores[..., size:] if self.method.columns == "inputs" else None
        return replace(self.pieces, cross=self.scores[..., :size].contiguous(), decoder_self=prefix)

    def _by_row(self, words: bool) -> Tensor:
        """Return the scores, with the mean over the pieces of each word of the translation if `words`."""
        if not words:
            return self.scores
        groups = group_words(self.pieces.target_pieces)
        return torch.stack([self.scores[:, :, group.start : group.stop].mean(2) for group in groups], dim=2)


def _rounded(values: Tensor) -> Any:
    return values.double().round(decimals=DECIMALS).tolist()


def shares(scores: Tensor) -> Tensor:
    """Return the absolute values of `scores` (..., C) as shares of their sum. A row of zeros stays as it is."""
    sizes = scores.abs()
    return sizes / sizes.sum(-1, keepdim=True).clamp(min=TINY)


def layer_names(count: int) -> list[str]:
    """Return the names of the columns of a view of the decoder's layers."""
    return ["embedding", *(f"layer {number}" for number in range(1, count))]


def attribute(method: AttributionView, translator: Translator, translation: Translation) -> Attribution:
    """Return what a view says of `translation`, which comes from the translator or from an ensemble with its model.

    Each sentence is computed alone, so other sentences have no influence. Raises UserError for an empty sentence, for a
    source that was split, and for a model that the view cannot look into.
    """
    require_one_source(translation)

    method.check(translator.model)
    pieces = translator.map_of(translation, AttentionWeights())
    sides = translation.encoded.ids, translation.tokens
    # cuDNN computes no gradients of recurrent layers in evaluation mode, and a validation computes none at all.
    with evaluating([translator.model]), torch.inference_mode(False), torch.backends.cudnn.flags(enabled=False):
        source, target = (torch.tensor(ids, device=translator.device) for ids in sides)
        found = method.scores(Prediction(translator.model, source, target, pieces.source_pieces))
    cells = None
    if found.tokens is not None:
        cells = [[piece.label for piece in translator.tokenizer.target_pieces(row)] for row in found.tokens.tolist()]
    return Attribution(method, pieces, found.values.detach().to("cpu", torch.float32), cells)


def attributions(
    methods: Mapping[str, AttributionView], translator: Translator, translations: Sequence[Translation]
) -> dict[int, dict[str, Attribution]]:
    """Return what the views say of the translations, by their names. The outer keys are indices of `translations`.

    An empty translation has no views, and neither has a source that was split. Raises UserError for a model that a view
    cannot look into.
    """
    return {
        number: {name: attribute(method, translator, found) for name, method in methods.items()}
        for number, found in enumerate(translations)
        if found.tokens and not found.parts
    }
