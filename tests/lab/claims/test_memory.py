"""The claims about memory: what they ask of their data."""

from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.lab.claims import CLAIMS
from nmt.lab.claims.claim import NO_ATTENTION
from nmt.lab.compare.runs import EvaluationSet, FinishedRun


def test_too_few_pairs_for_groups_by_length_are_told() -> None:
    run = FinishedRun(Path("run"), {}, {}, EvaluationSet("en", "de", ("a", "b c"), ("a", "b c")), ("a", "b"), 1.0)
    with pytest.raises(UserError, match="multi30k: FOLDER: 2 test pairs"):
        CLAIMS["fixed_vector_multi30k"]("FOLDER").measure({NO_ATTENTION: [run]})
