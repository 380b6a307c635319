"""The global attention of Luong, Pham, Manning 2015 (arXiv:1508.04025)."""

from __future__ import annotations

from typing import Literal

from nmt.errors import ParameterError
from nmt.models.attention.additive import AdditiveAttention
from nmt.models.attention.base import Attention
from nmt.models.attention.dot import DotAttention
from nmt.models.attention.factor import Scale
from nmt.models.attention.general import GeneralAttention
from nmt.models.attention.normalizers import Normalizer
from nmt.models.attention.wrapper import AttentionWrapper
from nmt.require import require_choice

SCORES = ("dot", "general", "concat")


class LuongAttention(AttentionWrapper):
    """Global attention whose query is the current state h_t (arXiv:1508.04025, section 3.1, eq. 7).

    `score` is one of the paper's three: "dot" (`DotAttention`), "general" (`GeneralAttention`), or "concat"
    (`AdditiveAttention`, with as many hidden units as h_t has). `scale` is the factor of the first two; None is "sqrt".
    The paper has "none", but then the scores become so large that the attention looks at one token only.

    Raises ParameterError for another score or scale, and for "concat" with a scale. Raises ValueError for "dot" if
    decoder and memory have different widths.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        score: Literal["dot", "general", "concat"] = "general",
        scale: Scale | None = None,
        normalizer: Normalizer = "softmax",
    ) -> None:
        require_choice(SCORES, score=score)
        super().__init__(_scores(query_width, memory_width, score, scale, normalizer))


def _scores(query_width: int, memory_width: int, score: str, scale: Scale | None, normalizer: Normalizer) -> Attention:
    if score != "concat":
        kind = DotAttention if score == "dot" else GeneralAttention
        return kind(query_width, memory_width, scale or "sqrt", normalizer=normalizer)
    if scale not in (None, "none"):
        raise ParameterError(
            "scale", f"got '{scale}' with the score 'concat', whose size its tanh bounds, expected 'none' or null"
        )
    return AdditiveAttention(query_width, memory_width, width=None, normalizer=normalizer)
