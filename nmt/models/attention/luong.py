"""The global and the location-based attention of Luong, Pham, Manning 2015 (arXiv:1508.04025)."""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.attention.additive import AdditiveAttention
from nmt.models.attention.base import (
    Attention,
    AttentionMemory,
    AttentionWrapper,
    Normalizer,
    QueryState,
    Scale,
    make_factor,
    require_equal_widths,
)
from nmt.models.interface import State
from nmt.parameters import Length

_IGNORED = -1e4  # the score after `max_length`; it is finite, so that a window there has weights


class DotAttention(Attention[None]):
    """score = f h_t^T h_s with the factor f of `make_factor`.

    "dot" of arXiv:1508.04025, section 3.1, has no factor; scaled dot product attention (arXiv:1706.03762, eq. 1) has
    f = 1 / sqrt(width). Raises ValueError if decoder and memory have different widths.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        scale: Scale = "none",
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        require_equal_widths(query_width, memory_width)
        self.factor = make_factor(scale, query_width)

    def project_keys(self, memory: Tensor) -> Tensor:
        return memory * self.factor  # here the factor is applied once, and not in each step

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


class GeneralAttention(Attention[None]):
    """score = f h_t^T W h_s: "general" of arXiv:1508.04025, section 3.1, times the factor f of `make_factor`.

    The paper has no factor (`scale` "none").
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        scale: Scale = "sqrt",
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        self.factor = make_factor(scale, query_width)
        self.key_projection = nn.Linear(memory_width, query_width, bias=False)  # W

    def project_keys(self, memory: Tensor) -> Tensor:
        keys: Tensor = self.key_projection(memory) * self.factor
        return keys

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


class LuongAttention(AttentionWrapper[State | None]):
    """Global attention whose query is the current state h_t (arXiv:1508.04025, section 3.1, eq. 7).

    `score` is one of the paper's three: "dot" (`DotAttention`), "general" (`GeneralAttention`), or "concat"
    (`AdditiveAttention`, with as many hidden units as h_t has, and without a scale, because its tanh bounds the score).
    `scale` is the factor of the first two; None is "sqrt", and the paper has "none".
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        score: Literal["dot", "general", "concat"] = "general",
        scale: Scale | None = None,
        normalizer: Normalizer = "softmax",
    ) -> None:
        if score == "concat":
            if scale not in (None, "none"):
                raise ParameterError("scale", f"got '{scale}' with the score 'concat', expected 'none' or null")
            super().__init__(AdditiveAttention(query_width, memory_width, None, "current", normalizer))
        else:
            kind = DotAttention if score == "dot" else GeneralAttention
            super().__init__(kind(query_width, memory_width, scale or "sqrt", "current", normalizer))


class LocationAttention(Attention[None]):
    """a_t = softmax(W h_t) (arXiv:1508.04025, eq. 8): row s of W is the score of position s.

    `max_length` is the number of rows. As in the paper, a shorter source uses the first rows, and the tokens of a
    longer source after `max_length` get no weight.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        max_length: Length = 128,
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        self.position_scores = nn.Linear(query_width, max_length, bias=False)  # W

    def project_keys(self, memory: Tensor) -> Tensor:
        return memory[..., :0]  # no keys: the scores depend on the query alone

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        scores = self.position_scores(query)  # (B, Q, max_length)
        missing = memory.mask.shape[1] - scores.shape[2]
        return nn.functional.pad(scores, (0, missing), value=_IGNORED)  # where `missing` is negative, this cuts
