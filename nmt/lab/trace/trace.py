"""The computation of one position of a translation, step by step, with the numbers of the model itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap
from nmt.errors import UserError, counted
from nmt.lab.attention.caption import shown
from nmt.lab.trace.texts import classes_of, equation, sentence
from nmt.lab.trace.watch import AXES, Watched, watch
from nmt.models.interface import Decoder
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

Traced = Literal["cross", "decoder_self"]
FORMAT, VERSION = "nmt-attention-trace", 1
DECIMALS = 6
BEST = 5  # tokens of the next-token distribution


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a trace.

    `values` is a number, a vector or a matrix, in float32 on the CPU. If `labels` are given, each row belongs to the
    token with that label, and otherwise it is a vector of components. `shape` is the shape of the result: the `values`
    of the last step hold only the best tokens. `columns` names its columns, and `rank` is that of the target token.
    """

    name: str
    equation: str
    sentence: str
    values: Tensor
    shape: tuple[int, ...]
    labels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rank: int | None = None


@dataclass(frozen=True, eq=False)
class Trace:
    """The computation of the target token at `position`, which counts from 1 like the rows of an attention map.

    `attention` is the map of the translation, and `kind` the attention that is explained. `watched` has the steps of
    the pass that computed the map; `readout` (D,) and `logits` (V,) are its results at the position. `token` is the id
    of the target token, and `label` gives the label of another id.
    """

    attention: AttentionMap
    kind: Traced
    position: int
    decoder: Decoder[Any]
    watched: Sequence[Watched]
    readout: Tensor
    logits: Tensor
    token: int
    label: Callable[[int], str]

    @property
    def piece(self) -> str:
        """The label of the target token, as in the attention map: a span in place of its mark."""
        return self.attention.target_pieces[self.position - 1].label

    @property
    def before(self) -> list[str]:
        """The labels of the tokens that the decoder had read: `<s>` and the target tokens before the position."""
        return [piece.label for piece in self.attention.read_pieces[: self.position]]

    @property
    def layers(self) -> int:
        """The number of layers."""
        return self._weights.shape[0]

    @property
    def heads(self) -> int:
        """The number of heads of a layer."""
        return self._weights.shape[1]

    @property
    def _weights(self) -> Tensor:
        weights = getattr(self.attention, self.kind)
        assert isinstance(weights, Tensor)
        return weights

    def chosen(self, layer: int | None, head: int | None) -> tuple[int, int]:
        """Return a layer and a head, both counted from 1; by default the last layer and the first head.

        Raises UserError if the model has no such layer or head.
        """
        for name, index, count in (("layer", layer, self.layers), ("head", head, self.heads)):
            if index is not None and not 1 <= index <= count:
                raise UserError(f"trace: got {name} {index}, but this model has {counted(count, name)}")
        return layer or self.layers, head or 1

    def steps(self, layer: int | None = None, head: int | None = None) -> list[Step]:
        """Return the steps of one layer and head in the order of the computation; see `chosen`."""
        layer, head = self.chosen(layer, head)
        steps = list[Step]()
        for name, found in self._by_name(layer):
            values, per_token = self._value(found, head)
            if name == "context" and len(steps) > 1 and steps[-1].name == "values":
                weighted = steps[-2].values.unsqueeze(-1) * steps[-1].values
                steps.append(self._step("weighted values", weighted, True, layer))
            unchanged = bool(steps) and name != "masked" and torch.equal(values, steps[-1].values)
            if values.numel() and not unchanged:
                steps.append(self._step(name, values, per_token, layer))
        return [*steps, self._step("readout", self.readout.float().cpu(), False, layer), self._next_token(layer)]

    def names(self, layer: int) -> list[str]:
        """Return the names of the steps of a layer. A step that changes nothing at any position has no name here.

        At the first position, a rotation changes nothing.
        """
        found = [(name, torch.as_tensor(each[-1].value)) for name, each in self._by_name(layer)]
        before = [torch.empty(0), *(value for _, value in found)]
        return [name for (name, value), last in zip(found, before, strict=False) if not torch.equal(value, last)]

    def classes(self, layer: int) -> list[str]:
        """Return the names by which the texts of a layer are found; see `classes_of`."""
        return classes_of(self.decoder.attentions(self.kind)[layer - 1], self.decoder)

    def _by_name(self, layer: int) -> Iterator[tuple[str, list[Watched]]]:
        """Yield the values that an attention and the decoder computed, by the names of the steps, the query first."""
        owners = {*self.decoder.attentions(self.kind)[layer - 1].modules(), self.decoder}
        found: dict[str, list[Watched]] = {"query": []}
        for each in self.watched:
            if each.owner in owners:
                found.setdefault(each.name, []).append(each)
        for name, several in found.items():
            if several:
                yield str(several[0].owner.normalizer) if name == "normalized" else name, several

    def _value(self, found: Sequence[Watched], head: int) -> tuple[Tensor, bool]:
        """Return the value of a step at the position and a head, and whether each of its rows belongs to a token."""
        values = [torch.as_tensor(each.value) for each in found]
        value, axes = values[-1], AXES[found[-1].name]
        axes = axes if value.dim() == len(axes) else axes.replace("H", "")
        value = torch.cat(values, dim=axes.index("Q")) if "Q" in axes else value
        for axis, index in {"B": 0, "H": head - 1, "Q": self.position - 1}.items():
            if axis in axes:
                place = axes.index(axis)
                value = value.select(place, min(index, value.shape[place] - 1))  # all heads can share a position bias
                axes = axes.replace(axis, "")
        if axes and axes[-1] != "S" and value.shape[-1] == 1:
            value, axes = value.squeeze(-1), axes[:-1]
        return value.detach().float().cpu(), axes.startswith("S")

    def _step(self, name: str, values: Tensor, per_token: bool, layer: int) -> Step:
        classes = self.classes(layer)
        numbers = {"hidden": int(values.isinf().sum()), "tokens": values.numel(), "sum": f"{float(values.sum()):.3f}"}
        texts = equation(name, classes, self.names(layer)), sentence(name, classes, **numbers)
        labels = tuple(self.attention.axes(self.kind)[1]) if per_token else ()
        return Step(name, *texts, values, tuple(values.shape), labels)

    def _next_token(self, layer: int) -> Step:
        logits = self.logits.float().cpu()
        probabilities = logits.softmax(-1)
        best = probabilities.topk(min(BEST, len(logits))).indices.tolist()
        rows = best if self.token in best else [*best, self.token]
        rank = 1 + int((logits > logits[self.token]).sum())
        numbers = {"piece": shown(self.piece), "probability": f"{float(probabilities[self.token]):.3f}", "rank": rank}
        said = sentence("next token", self.classes(layer), vocabulary=len(logits), **numbers)
        values = torch.stack((logits[rows], probabilities[rows]), dim=1)
        labels = tuple(self.piece if index == self.token else self.label(index) for index in rows)
        how = equation("next token", self.classes(layer), ())
        columns = ("logit", "probability")
        return Step("next token", how, said, values, tuple(logits.shape), labels, columns, rank)

    def to_json(self, layer: int | None = None, head: int | None = None) -> str:
        """Return the steps of one layer and head as JSON; see `chosen`. Numbers have 6 decimals.

        {"format": "nmt-attention-trace", "version": 1,
         "source": the source text, "target": the translation, "origin": as in the JSON of an attention map,
         "position": counted from 1, "token": its label, "before": the labels that were read before it,
         "kind": "cross" or "decoder_self", "layer": counted from 1, "head": counted from 1,
         "steps": [{"name": text, "equation": text, "sentence": text, "shape": [sizes],
                    "labels": the tokens of the rows, [] if the rows are no tokens,
                    "columns": names of the columns, [] if they have none,
                    "values": a number, a list of numbers or a list of rows; null: minus infinity}, ...]}
        """
        layer, head = self.chosen(layer, head)
        attention = self.attention
        data: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "source": attention.source,
            "target": attention.target,
            "origin": asdict(attention.origin),
            "position": self.position,
            "token": self.piece,
            "before": self.before,
            "kind": self.kind,
            "layer": layer,
            "head": head,
        }
        data["steps"] = [plain(step) for step in self.steps(layer, head)]
        return json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"


def trace_position(translator: Translator, translation: Translation, position: int, *, kind: Traced = "cross") -> Trace:
    """Return how the model of `translator` computed the token at `position` of one of its translations, step by step.

    Positions count from 1, as the rows of the attention map. `kind` is the attention that is explained. Raises
    UserError for a position that the translation does not have, for a decoder without this attention, and as
    `Translator.attention_maps` does.
    """
    decoder = translator.model.decoder
    if translation.pieces:  # attention_maps refuses an empty sentence
        _check(decoder, kind, translation.pieces, position)
    hidden: list[Tensor] = []
    keeping = decoder.register_forward_hook(lambda module, inputs, outputs: hidden.append(outputs[0]))
    modules = [module for attention in decoder.attentions(kind) for module in attention.modules()]
    with keeping, watch([*modules, decoder]) as watched:
        (attention,) = translator.attention_maps([translation])
    readout = hidden[0][0, position - 1]
    with translator.computing(translator.search):
        logits: Tensor = decoder.output(readout)

    def label(index: int) -> str:
        return translator.tokenizer.target_pieces([index])[0].label

    token = translation.tokens[position - 1]
    return Trace(attention, kind, position, decoder, watched, readout, logits, token, label)


def _check(decoder: Decoder[Any], kind: Traced, pieces: Sequence[str], position: int) -> None:
    """Raise UserError if the decoder has no attention of the `kind`, or the translation no piece at the position."""
    kinds = [each for each in ("cross", "decoder_self") if decoder.attentions(each)]
    if decoder.attends and not kinds:
        raise UserError(
            "trace: this decoder does not say which modules compute its attention; override attentions() in it"
        )
    if not kinds:
        raise UserError(
            "trace: the decoder of this model has no attention; all that it gets from the source is its first state, "
            "so there are no scores or weights to show; use a model with attention"
        )
    if kind not in kinds:
        raise UserError(f"trace: got kind '{kind}', but the decoder of this model has {', '.join(kinds)}; leave it out")
    if not 1 <= position <= len(pieces):
        places = " ".join(f"{number}:{shown(piece)}" for number, piece in enumerate(pieces, start=1))
        raise UserError(f"trace: got {position}, but the translation has the positions {places}; choose one of these")


def plain(step: Step, *, columns: int | None = None) -> dict[str, Any]:
    """Return the entries of the JSON for a step, with all components of its vectors or the first `columns`."""
    components = step.values.dim() - bool(step.labels)  # 1 if the last dimension are the components of vectors
    values = step.values[..., :columns] if components == 1 else step.values
    return {
        "name": step.name,
        "equation": step.equation,
        "sentence": step.sentence,
        "shape": list(step.shape),
        "labels": list(step.labels),
        "columns": list(step.columns),
        "values": _rounded(values.tolist()),
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return None if value == -torch.inf else round(value, DECIMALS)
