"""The attention maps of translations, and what a picture, table or page shows of one.

That is one kind of attention, for a layer and a head or as a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nmt.attention_map import AttentionMap, Kind
from nmt.errors import UserError, counted
from nmt.lab.attention.caption import TEXTS

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator
    from nmt.translation.translation import Translation
    from nmt.translation.translator import Translator

Weights = NDArray[np.float32]
Shown = Literal["cross", "encoder_self", "decoder_self", "rollout"]


@dataclass(frozen=True, eq=False)
class View:
    """One kind of attention of a map, or another figure of a translation.

    `title` is its heading, and `question` what it answers, if that is not attention. `names` say what the rows and the
    columns are, and `axes` are their labels. `weights` are (L, H, R, C): L layers, H heads, R rows, C columns. If it
    `rolls`, as a rollout does, H is 1 and layer l stands for the first l layers. `reach` is the number of columns that
    each row may look at, from the left: all of them, except in decoder self-attention. `cells` are texts beside the
    weights, if there are any. If the columns are the source and then the prefix of the translation, `source` is the
    number of the former. `attention` is the map, between words if words are shown.
    """

    attention: AttentionMap
    title: str
    names: tuple[str, str]
    axes: tuple[list[str], list[str]]
    weights: Weights
    reach: list[int]
    rolls: bool = False
    cells: list[list[str]] | None = None
    source: int | None = None
    question: str = ""

    def panel(self, layer: int | None = None, head: int | None = None) -> tuple[Weights, str]:
        """Return the weights (R, C) of a layer and head, and a note that names them.

        Both count from 1. None means the mean of all; for a rollout, all layers. Raises UserError if the model has no
        such layer or head.
        """
        layers, heads = self.weights.shape[:2]
        for name, index, count in (("layer", layer, layers), ("head", head, heads)):
            if index is not None and not 1 <= index <= count:
                has = f"'{self.title}' has {counted(count, name)}" + (f"; leave out {name}=" if count == 1 else "")
                raise UserError(f"{_place(self.attention)}: got {name} {index}, but {has}")
        if self.rolls:
            return self.weights[(layer or layers) - 1, 0], f"layers 1 to {layer or layers} of {layers}"
        chosen = self.weights if layer is None else self.weights[layer - 1 : layer]
        chosen = chosen if head is None else chosen[:, head - 1 : head]
        return chosen.mean(axis=(0, 1)), _note(layer, head, layers, heads)


def with_layers(translator: BaseTranslator) -> Translator:
    """Return the translator of a model whose layers can be read. Raises UserError for that of an exported model."""
    from nmt.translation.translator import Translator

    if not isinstance(translator, Translator):
        raise UserError("ckpt: nobody can look into the layers of an exported model; name its run, with engine=torch")
    return translator


def attention_maps(translator: Translator, translations: Sequence[Translation]) -> dict[int, AttentionMap]:
    """Return the attention maps of the translations. The keys are indices of `translations`.

    An empty translation has no map, and neither has a source that was split. A model without attention has no maps.
    """
    if not translator.attends:
        return {}
    numbers = [number for number, found in enumerate(translations) if found.tokens and not found.parts]
    maps = translator.attention_maps([translations[number] for number in numbers]) if numbers else []
    return dict(zip(numbers, maps, strict=True))


def view(attention: AttentionMap, kind: Shown = "cross", *, words: bool = False) -> View:
    """Return one kind of attention of a map. `words` merges pieces to words.

    Raises UserError if the model has no such attention.
    """
    if kind not in (has := shown_kinds(attention)):
        known = ", ".join(has) or "no attention at all"
        raise UserError(
            f"{_place(attention)}: got kind '{kind}', but this model has {known}; choose a kind that it has"
        )
    if kind == "rollout":
        assert attention.encoder_self is not None
        rolled = rollout(attention.encoder_self).unsqueeze(1)
        attention = replace(attention, cross=None, encoder_self=rolled, decoder_self=None)
    merged = attention.words() if words else attention
    weights = getattr(merged, _kind(kind)).numpy()
    masked = kind == "decoder_self" and attention.level == "pieces"  # a map between words does not know its mask
    reach = _reach(attention, words) if masked else [weights.shape[3]] * weights.shape[2]
    title, *names = TEXTS[kind]
    return View(merged, title, (names[0], names[1]), merged.axes(_kind(kind)), weights, reach, rolls=kind == "rollout")


def shown_kinds(attention: AttentionMap) -> list[Shown]:
    """Return the kinds of attention that a map can show.

    Attention rollout needs self-attention of the encoder between pieces: words of a rollout are merged after it.
    """
    rolls: list[Shown] = ["rollout"] if attention.encoder_self is not None and attention.level == "pieces" else []
    return [*attention.kinds, *rolls]


def rollout(encoder_self: Tensor) -> Tensor:
    """Return the attention rollout (L, S, S) of self-attention (L, H, S, S).

    Row i of entry l says how much each source position contributes to position i after layer l + 1, if a layer were
    0.5 W + 0.5 I. W is the mean of its heads, and I stands for the residual connection. The matrices are multiplied
    (Abnar and Zuidema 2020, arXiv:2005.00928, section 3). Rows sum to 1, because those of W do.
    """
    layers = 0.5 * encoder_self.mean(1) + 0.5 * torch.eye(encoder_self.shape[-1])
    rolled = [layers[0]]
    for layer in layers[1:]:
        rolled.append(layer @ rolled[-1])
    return torch.stack(rolled)


def _reach(attention: AttentionMap, words: bool) -> list[int]:
    """Return how many columns each row of decoder self-attention may look at: the tokens that were read before it."""
    past = torch.ones(1, 1, len(attention.target_pieces), len(attention.read_pieces)).tril()
    mask = replace(attention, cross=None, encoder_self=None, decoder_self=past)
    seen = (mask.words() if words else mask).decoder_self
    assert seen is not None
    return [int(count) for count in (seen[0, 0] > 0).sum(-1)]


def _kind(shown: Shown) -> Kind:
    """Return the kind of attention whose rows and columns are shown."""
    return "encoder_self" if shown == "rollout" else shown


def _place(attention: AttentionMap) -> str:
    """Return the place of a mistake, for its message: if two maps are compared, only one may have the mistake."""
    return "attention map" if attention.origin.model is None else f"attention map of {attention.origin.model}"


def _note(layer: int | None, head: int | None, layers: int, heads: int) -> str:
    """Return the text that names a layer and a head. A model with only one of them needs no name for it."""
    sides = [("layer", layer, layers), ("head", head, heads)]
    taken = [f"{name} {index} of {count}" for name, index, count in sides if index is not None and count > 1]
    means = [f"{count} {name}s" for name, index, count in sides if index is None and count > 1]
    return ", ".join(taken + (["mean of " + " and ".join(means)] if means else []))
