"""The claims, by their names."""

from __future__ import annotations

from nmt.lab.claims.alignment import Alignment
from nmt.lab.claims.claim import Claim
from nmt.lab.claims.cost import Cost, Parallel
from nmt.lab.claims.faithful import Faithful
from nmt.lab.claims.gradient import Gradient, TrainedGradient
from nmt.lab.claims.grammar import HeadGrammar
from nmt.lab.claims.heads import CoreferenceHead, HeadImportance, HeadRoles, Sinks
from nmt.lab.claims.memory import Distance, FixedVector, FixedVectorMulti30k, Memory
from nmt.lab.claims.parts import Positions, Scaling, Scores

CLAIMS: dict[str, type[Claim]] = {
    claim.name: claim
    for claim in (
        *(FixedVector, FixedVectorMulti30k, Distance, Memory),
        *(Gradient, TrainedGradient, Parallel, Cost, Alignment, Faithful),
        *(HeadRoles, HeadGrammar, HeadImportance, CoreferenceHead, Sinks),
        *(Positions, Scaling, Scores),
    )
}
