"""The validation sentences of a checkpoint, for the programs that compare translations with theirs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nmt.cli.evaluate import data_of
from nmt.cli.output import messages_on

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.cli.engine import Exported


def held_out_sources(loaded: LoadedModel | Exported, given: Mapping[str, Any], allow: Sequence[str]) -> list[str]:
    """Return the validation sentences of the data settings of a checkpoint, with the `given` ones in their place.

    Raises UserError if they cannot be read, or if the checkpoint has no data settings.
    """
    from nmt.build import build_source
    from nmt.data.corpus import load_corpus
    from nmt.translation.loading import require_data_settings

    require_data_settings(loaded.config, loaded.path, "leave detachment= out")
    data = data_of(loaded, given)
    with messages_on(sys.stderr):
        pairs = load_corpus(build_source(data, allow=allow), data, ("val",))["val"]
    return [pair.source for pair in pairs]
