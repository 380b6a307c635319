"""The attention of Bahdanau, Cho, Bengio 2014 (arXiv:1409.0473)."""

from __future__ import annotations

from nmt.models.attention.additive import AdditiveAttention
from nmt.models.attention.normalizers import Normalizer


class BahdanauAttention(AdditiveAttention):
    """Additive scores, e_ij = v^T tanh(W s_(i-1) + U h_j) (arXiv:1409.0473, eq. 6 and appendix A.1.2).

    The query is the previous state s_(i-1). The context c_i = sum_j a_ij h_j (eq. 5) enters the cell that computes s_i.
    `width` is the number of units of the hidden layer, n' in the paper. Raises ParameterError where it is below 1.
    """

    def __init__(
        self, query_width: int, memory_width: int, width: int = 256, normalizer: Normalizer = "softmax"
    ) -> None:
        super().__init__(query_width, memory_width, width, query_state="previous", normalizer=normalizer)
