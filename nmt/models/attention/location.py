"""Location-based attention: the scores depend on the query alone."""

from __future__ import annotations

from torch import Tensor, nn

from nmt.models.attention.base import Attention, AttentionMemory, QueryState
from nmt.models.attention.normalizers import Normalizer
from nmt.parameters import Length, checked

_IGNORED = -1e4  # the score; finite, so that a window after `max_length` has weights


@checked
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
